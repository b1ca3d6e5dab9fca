"""
How many rules are enough?
==========================

Three kinds of wine by what the laboratory measured. An exact search proves the least loss for
every number of rules on the way; held-out rows say where more rules only learn the sample by heart.
"""

from sklearn.datasets import load_wine

import samrule

wines = load_wine(as_frame=True)
table = wines.data.assign(kind=wines.target.map({0: "red A", 1: "red B", 2: "red C"}))
fitted = samrule.learn(table, "kind", max_rules="cv", random_state=0)
print(fitted)

# %%
# On these rows nothing below the line is possible; cross-validation chose where to stop.
samrule.plot_path(fitted)
