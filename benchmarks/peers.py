"""Solvers and learners from the package index, each in an environment of its own.

Run as a program it makes the environments, so that a later benchmark run only measures.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import process
from contenders import GRACE_SECONDS, HERE, Measurement, Task, broken, last_json

PEER_PACKAGES = {
    "gosdt": ("gosdt",),
    # imodels 3.0.4 imports six and needs numba for this model without declaring either.
    "imodels": ("imodels", "numba", "six"),
    "licketysplit": ("licketysplit",),
    "pystreed": ("pystreed",),
    "sklearn": ("scikit-learn",),
    "wittgenstein": ("wittgenstein",),
    # Our own writing of published algorithms (baselines/): nothing to install.
    "greedy": (),
    "sbrl": (),
}
SOLVERS = ("gosdt", "imodels", "pystreed")
"""Those that prove optimality; the others are heuristics."""
TREES = ("pystreed", "licketysplit")
"""Trees with as many splits as the rules of a list have terms."""
PEER_MEMORY = 8 << 30


@dataclass(frozen=True)
class Peer:
    """A solver or learner in an environment of its own, with arguments for its runner."""

    name: str
    cache: Path
    arguments: tuple[str, ...] = ()

    def __call__(self, task: Task) -> Measurement:
        """Fit the peer's nearest equivalent of the task; the runner script says which."""
        python = self.python()
        if python is None:
            return Measurement(self.name, "absent", note="pip could not install it")
        runner = HERE / "runners" / f"fit_{self.name}.py"
        command = [python, runner, task.folder, str(task.max_rules * task.max_terms)]
        command += [str(task.regularization), str(task.time_limit), *self.arguments]
        limit = task.time_limit + GRACE_SECONDS
        run = process.run(command, time_limit=limit, memory_limit=PEER_MEMORY)
        found = last_json(run)
        return self._measurement(found, run, task) if found else broken(self.name, run)

    def _measurement(self, found: dict, run: process.Run, task: Task) -> Measurement:
        """Express what the peer found in our loss: error rate plus a price per rule."""
        return Measurement(
            self.name,
            found["status"],
            found["seconds"],
            found["error_rate"] + task.regularization * found["n_splits"],
            peak_mb=run.peak_mb,
            cpu_seconds=run.cpu_seconds,
            version=found["version"],
            note=found["asked"],
            n_rules=found["n_splits"],
            # With a depth of its own it looks for a tree, not for the list that is best.
            same_question=not self.arguments,
        )

    def python(self) -> Path | None:
        """Return the interpreter of the peer's environment, made on first use, or None."""
        if not PEER_PACKAGES[self.name]:
            return Path(sys.executable)
        folder = self.cache / self.name
        python = folder / "bin" / "python"
        if (folder / "complete").exists():
            return python
        print(f"installing {self.name} into its own environment", file=sys.stderr)
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        install = [python, "-m", "pip", "install", "-qq", *PEER_PACKAGES[self.name]]
        if subprocess.run(install, check=False).returncode:
            return None
        (folder / "complete").touch()
        return python


def peers(names: Iterable[str] = SOLVERS, cache: Path | None = None) -> list[Peer]:
    """Return peers by name; their environments live under `cache`."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    where = cache or Path(home) / "samrule-benchmarks"
    return [Peer(name, where) for name in names]


def main() -> None:
    """Make every environment and say which peers are there."""
    for peer in peers(PEER_PACKAGES):
        print(f"{peer.name}: {peer.python() or 'absent'}")


if __name__ == "__main__":
    main()
