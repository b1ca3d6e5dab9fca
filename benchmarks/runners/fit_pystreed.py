"""Fit pystreed's optimal tree on one prepared table; print one line of JSON."""

import json
import sys
import time
from importlib.metadata import version
from pathlib import Path

import numpy as np
from pystreed import STreeDClassifier

folder, max_rules, _regularization, time_limit = sys.argv[1:]
conditions = np.load(Path(folder) / "conditions.npy")
labels = np.load(Path(folder) / "labels.npy")

# pystreed takes a cost per split or a limit on splits, not both; the limit is its faster way.
start = time.perf_counter()
model = STreeDClassifier(
    "accuracy",
    max_depth=int(max_rules),
    max_num_nodes=int(max_rules),
    time_limit=float(time_limit),
)
model.fit(conditions, labels)
seconds = time.perf_counter() - start

print(
    json.dumps(
        {
            "version": version("pystreed"),
            "asked": f"task accuracy, max_depth={max_rules}, max_num_nodes={max_rules}",
            "seconds": seconds,
            "error_rate": 1.0 - model.fit_result.score(),
            "n_splits": model.fit_result.tree_nodes(),
            "status": "optimal" if model.fit_result.is_optimal() else "time_limit",
        }
    )
)
