"""Fit pystreed's optimal tree on one prepared table; print one line of JSON."""

import json
import sys
import time
from importlib.metadata import version
from pathlib import Path

import numpy as np
from pystreed import STreeDClassifier

folder, n_splits, _regularization, time_limit, *most_depth = sys.argv[1:]
max_depth = min([int(n_splits), *map(int, most_depth)])
conditions = np.load(Path(folder) / "conditions.npy")
labels = np.load(Path(folder) / "labels.npy")

# pystreed takes a cost per split or a limit on splits, not both; the limit is its faster way.
start = time.perf_counter()
model = STreeDClassifier(
    "accuracy",
    max_depth=max_depth,
    max_num_nodes=int(n_splits),
    time_limit=float(time_limit),
)
model.fit(conditions, labels)
seconds = time.perf_counter() - start

print(
    json.dumps(
        {
            "version": version("pystreed"),
            "asked": f"task accuracy, max_depth={max_depth}, max_num_nodes={n_splits}",
            "seconds": seconds,
            "error_rate": 1.0 - model.fit_result.score(),
            "n_splits": model.fit_result.tree_nodes(),
            "status": "optimal" if model.fit_result.is_optimal() else "time_limit",
        }
    )
)
