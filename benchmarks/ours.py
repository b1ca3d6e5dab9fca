"""Solve one prepared table with samrule and print the measurement as one line of JSON."""

from __future__ import annotations

import argparse
import json
import resource
import time
from pathlib import Path

import numpy as np

import samrule
from samrule.solver import Progress


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--max-rules", type=int, required=True)
    parser.add_argument("--max-terms", type=int, required=True)
    parser.add_argument("--regularization", type=float, required=True)
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--time-limit", type=float, required=True)
    parser.add_argument("--curve", action="store_true", help="print how loss and bound changed")
    options = parser.parse_args()

    conditions = np.load(options.folder / "conditions.npy")
    labels = np.load(options.folder / "labels.npy")
    curve = Curve()
    before = memory_mb("VmRSS")
    start = time.perf_counter()
    solution = samrule.solve(
        conditions,
        labels,
        max_rules=options.max_rules,
        max_terms=options.max_terms,
        regularization=options.regularization,
        threads=options.threads,
        time_limit=options.time_limit,
        progress=curve.see if options.curve else None,
    )
    seconds = time.perf_counter() - start
    peak = memory_mb("VmHWM")
    curve.add(seconds, float(solution.loss), float(solution.lower_bound))
    print(
        json.dumps(
            {
                "version": samrule.__version__,
                "seconds": seconds,
                "loss": float(solution.loss),
                "gap": float(solution.gap),
                "status": str(solution.status),
                "n_nodes": int(solution.n_nodes),
                "peak_mb": peak,
                "search_mb": peak - before,
                "curve": curve.points if options.curve else [],
            }
        )
    )


class Curve:
    """How the best loss and the proven bound changed over the seconds of a search."""

    def __init__(self) -> None:
        self.points: list[tuple[float, float, float]] = []

    def see(self, at: Progress) -> None:
        """Be told by the search, some times a second."""
        if not self.points or self.points[-1][1:] != (at.loss, at.lower_bound):
            self.add(at.elapsed, at.loss, at.lower_bound)

    def add(self, seconds: float, loss: float, lower_bound: float) -> None:
        """Add a point."""
        self.points.append((round(seconds, 3), loss, lower_bound))


def memory_mb(field: str) -> float:
    """Resident memory of this process now (VmRSS) or at its highest (VmHWM), in MB.

    Where there is no /proc, both are the highest so far as `getrusage` has it. On Linux that
    number would start at the size of the process that started this one.
    """
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    fields = dict(line.split(":", 1) for line in status.read_text().splitlines())
    return int(fields[field].split()[0]) / 1024


if __name__ == "__main__":
    main()
