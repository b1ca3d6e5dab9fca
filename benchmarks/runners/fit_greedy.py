"""Fit the greedy rule list of baselines/ on one prepared table; print one line of JSON."""

import json
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
from baselines.greedy import greedy_rule_list

folder, max_rules, _regularization, _time_limit, *_ = sys.argv[1:]
conditions = np.load(Path(folder) / "conditions.npy")
labels = np.load(Path(folder) / "labels.npy")

start = time.perf_counter()
found = greedy_rule_list(conditions, labels, int(max_rules))
seconds = time.perf_counter() - start

print(
    json.dumps(
        {
            "version": "baselines",
            "asked": f"max_rules={max_rules}, least Gini impurity first",
            "seconds": seconds,
            "error_rate": found.n_errors / len(labels),
            "n_splits": len(found.rules),
            "status": "heuristic",
        }
    )
)
