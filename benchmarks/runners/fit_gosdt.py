"""Fit gosdt's optimal rule list on one prepared table; print one line of JSON."""

import json
import sys
import time
from importlib.metadata import version
from pathlib import Path

import numpy as np
from gosdt import GOSDTClassifier

folder, max_rules, regularization, time_limit = sys.argv[1:]
conditions = np.load(Path(folder) / "conditions.npy")
labels = np.load(Path(folder) / "labels.npy")

start = time.perf_counter()
model = GOSDTClassifier(
    regularization=float(regularization),
    depth_budget=int(max_rules),
    rule_list=True,
    time_limit=int(float(time_limit)),
)
model.fit(conditions, labels)
seconds = time.perf_counter() - start


def n_splits(node: dict) -> int:
    """Return the number of inner nodes of a tree as gosdt writes it."""
    return 1 + n_splits(node["true"]) + n_splits(node["false"]) if "feature" in node else 0


tree = json.loads(model.result_.model)[0]
print(
    json.dumps(
        {
            "version": version("gosdt"),
            "asked": f"rule_list=True, depth_budget={max_rules}, regularization={regularization}",
            "seconds": seconds,
            "error_rate": float(model.result_.model_loss),
            "n_splits": n_splits(tree),
            "status": "optimal" if "CONVERGED" in str(model.result_.status) else "time_limit",
        }
    )
)
