"""
A list that a person can read
=============================

Malignant or benign, from 30 measurements of 569 cells: four rules, and a proof that no four rules
of this kind do better.
"""

from sklearn.datasets import load_breast_cancer

import samrule

cells = load_breast_cancer(as_frame=True)
table = cells.data.assign(diagnosis=cells.target_names[cells.target])
fitted = samrule.learn(table, "diagnosis", random_state=0)
print(fitted)

# %%
# Rows flow down the list; each rule decides what those above it left.
samrule.plot_flow(fitted)
