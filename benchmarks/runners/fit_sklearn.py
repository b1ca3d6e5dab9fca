"""Fit scikit-learn's decision tree with as many splits as rules; print one line of JSON."""

import json
import sys
import time
from importlib.metadata import version
from pathlib import Path

import numpy as np
from sklearn.tree import DecisionTreeClassifier

folder, max_rules, _regularization, _time_limit, *_ = sys.argv[1:]
conditions = np.load(Path(folder) / "conditions.npy")
labels = np.load(Path(folder) / "labels.npy")

start = time.perf_counter()
model = DecisionTreeClassifier(max_leaf_nodes=int(max_rules) + 1, random_state=0)
model.fit(conditions, labels)
seconds = time.perf_counter() - start

print(
    json.dumps(
        {
            "version": version("scikit-learn"),
            "asked": f"max_leaf_nodes={int(max_rules) + 1}",
            "seconds": seconds,
            "error_rate": float((model.predict(conditions) != labels).mean()),
            "n_splits": int(model.get_n_leaves()) - 1,
            "status": "heuristic",
        }
    )
)
