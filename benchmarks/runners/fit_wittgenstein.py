"""Fit wittgenstein's RIPPER with at most as many rules on one table; print one line of JSON."""

import json
import sys
import time
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd
from wittgenstein import RIPPER

folder, max_rules, _regularization, _time_limit, seed, *_ = (*sys.argv[1:], "0")
conditions = np.load(Path(folder) / "conditions.npy")
labels = np.load(Path(folder) / "labels.npy")
# It learns rules for the positive class; as usual with RIPPER, that is the rarer one.
rare = int(labels.mean() <= 0.5)
frame = pd.DataFrame(conditions, columns=[f"c{j}" for j in range(conditions.shape[1])])

start = time.perf_counter()
model = RIPPER(max_rules=int(max_rules), random_state=int(seed))
model.fit(frame, y=labels, pos_class=rare)
seconds = time.perf_counter() - start

guessed = np.asarray(model.predict(frame), dtype=bool)
print(
    json.dumps(
        {
            "version": version("wittgenstein"),
            "asked": f"RIPPER(max_rules={max_rules}), terms not limited",
            "seconds": seconds,
            "error_rate": float((guessed != (labels == rare)).mean()),
            "n_splits": len(model.ruleset_.rules),
            "status": "heuristic",
        }
    )
)
