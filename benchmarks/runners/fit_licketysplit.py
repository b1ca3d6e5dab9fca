"""Fit LicketySPLIT's near-optimal tree on one prepared table; print one line of JSON."""

import json
import sys
import time
from importlib.metadata import version
from pathlib import Path

import numpy as np
from licketysplit import LicketySPLITClassifier

# It takes a price per leaf and no limit on splits: the least price of these that keeps to the
# limit is asked for, and only that fit is timed.
PRICES = (1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 1e-2, 2e-2, 5e-2)

folder, n_splits, _regularization, time_limit, *most_depth = sys.argv[1:]
conditions = np.load(Path(folder) / "conditions.npy")
labels = np.load(Path(folder) / "labels.npy").astype(np.int32)
depth = min([int(n_splits), *map(int, most_depth)])
began = time.perf_counter()
for price in PRICES:
    start = time.perf_counter()
    model = LicketySPLITClassifier(lambda_leaf=price, depth_budget=depth)
    model.fit(conditions, labels)
    seconds = time.perf_counter() - start
    found = len(model.leaf_paths()) - 1
    if found <= int(n_splits) or time.perf_counter() - began > float(time_limit):
        break

print(
    json.dumps(
        {
            "version": version("licketysplit"),
            "asked": f"lambda_leaf={price:g}, depth_budget={depth}, {found} splits",
            "seconds": seconds,
            "error_rate": float(np.mean(model.predict(conditions) != labels)),
            "n_splits": found,
            "status": "near-optimal" if found <= int(n_splits) else "time_limit",
        }
    )
)
