"""Print how long `import samrule` takes in a fresh interpreter: the fastest of some runs."""

from __future__ import annotations

import subprocess
import sys

GOAL_SECONDS = 0.3
N_RUNS = 7
CODE = "import time; t = time.perf_counter(); import samrule; print(time.perf_counter() - t)"


def import_seconds() -> float:
    """Return the time of one import in a new process, without the interpreter's own start."""
    run = subprocess.run([sys.executable, "-c", CODE], check=True, capture_output=True, text=True)
    return float(run.stdout)


if __name__ == "__main__":
    best = min(import_seconds() for _ in range(N_RUNS))
    print(f"import samrule: {best:.3f} s, fastest of {N_RUNS} (goal: below {GOAL_SECONDS} s)")
    sys.exit(best >= GOAL_SECONDS)
