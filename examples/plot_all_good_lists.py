"""
Not one list, but all good ones
===============================

Many lists are nearly as good as the best one. All of them are found, so that people can choose by
what a table does not say.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

import samrule

cells = load_breast_cancer(as_frame=True)
table = cells.data.assign(diagnosis=cells.target_names[cells.target])
found = samrule.alternatives(table, "diagnosis", max_rules=2, within=0.1)
print(found.sentence)
print(found[0].rule_list)

# %%
# How often each column is used: what all of them need, and what can be done without.
uses: dict[str, int] = {}
for one in found:
    rules = one.rule_list.rules
    for column in {condition.column for rule in rules for condition in rule.conditions}:
        uses[column] = uses.get(column, 0) + 1
names = sorted(uses, key=uses.__getitem__)
_, axes = plt.subplots(layout="constrained")
axes.barh(names, [uses[name] for name in names])
axes.set_xlabel(f"of {len(found)} lists")
