"""
Beside a decision tree of the same size
=======================================

The same rows, as many rules as the tree has leaves, errors on rows that neither has seen.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import cross_val_score
from sklearn.tree import DecisionTreeClassifier

import samrule

cells = load_breast_cancer()
sizes = range(1, 5)
models = {
    "rule list": lambda rules: samrule.RuleListClassifier(max_rules=rules, random_state=0),
    "tree": lambda rules: DecisionTreeClassifier(max_leaf_nodes=rules + 1, random_state=0),
}
_, axes = plt.subplots(layout="constrained")
for name, model in models.items():
    errors = [
        1 - cross_val_score(model(rules), cells.data, cells.target, cv=3).mean() for rules in sizes
    ]
    print(f"{name}: {', '.join(f'{error:.3f}' for error in errors)}")
    axes.plot(sizes, errors, "o-", label=name)
axes.set(xlabel="rules (leaves of the tree, but one)", ylabel="share of unseen rows wrong")
axes.set_xticks(sizes)
axes.legend()
