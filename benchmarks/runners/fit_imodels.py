"""Fit imodels' FastSmallTree on one prepared table; print one line of JSON."""

import json
import sys
import time
from importlib.metadata import version
from pathlib import Path

import numpy as np
from imodels import FastSmallTreeClassifier

# It knows neither depth nor size limits, and at a penalty of 0.0001 per leaf it runs out of
# memory on the planted table. This larger penalty has the same best tree there.
PENALTY = 0.01

folder, _max_rules, _regularization, time_limit = sys.argv[1:]
conditions = np.load(Path(folder) / "conditions.npy")
labels = np.load(Path(folder) / "labels.npy")

# The first fit compiles the search (or loads it from numba's cache): not counted.
FastSmallTreeClassifier(regularization=0.05).fit(conditions[:1000], labels[:1000])

start = time.perf_counter()
model = FastSmallTreeClassifier(regularization=PENALTY, time_limit=float(time_limit))
model.fit(conditions, labels)
seconds = time.perf_counter() - start

print(
    json.dumps(
        {
            "version": version("imodels"),
            "asked": f"regularization={PENALTY}, no limit on depth or size",
            "seconds": seconds,
            "error_rate": float(model.objective_) - PENALTY * int(model.n_leaves_),
            "n_splits": int(model.n_leaves_) - 1,
            "status": "optimal" if model.optimal_ else "time_limit",
        }
    )
)
