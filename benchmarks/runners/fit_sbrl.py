"""Fit the scalable Bayesian rule list of baselines/ on one table; print one line of JSON.

Arguments after the usual four: seed, chains, how often each row counts, and "uncapped" for lists of
any length (the expected length is the number of rules asked for either way).
"""

import json
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
from baselines.sbrl import Posterior, Prior, sbrl

N_ITERATIONS = 10_000

folder, max_rules, _regularization, _time_limit, *rest = sys.argv[1:]
seed, n_chains, copies, uncapped = (*rest, *("0", "1", "1", "")[len(rest) :])
conditions = np.load(Path(folder) / "conditions.npy")
labels = np.load(Path(folder) / "labels.npy")

start = time.perf_counter()
prior = Prior(length=float(max_rules), max_rules=None if uncapped else int(max_rules))
posterior = Posterior(conditions, labels, prior, copies=int(copies))
rng = np.random.default_rng(int(seed))
found = sbrl(posterior, n_iterations=N_ITERATIONS, n_chains=int(n_chains), rng=rng)
seconds = time.perf_counter() - start

limit = "no limit on rules" if uncapped else f"at most {max_rules} rules"
print(
    json.dumps(
        {
            "version": "baselines",
            "asked": f"{limit}, {N_ITERATIONS} iterations, {n_chains} chains, rows x {copies}",
            "seconds": seconds,
            "error_rate": found.n_errors / len(labels),
            "n_splits": len(found.rules),
            "status": "heuristic",
        }
    )
)
