"""Who can solve a prepared table, and how each one is asked.

Every contender is a callable that takes a `Task`, runs in a fresh process and returns a
`Measurement`; one that cannot be had or breaks says so in `status`, and is never guessed.
"""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import process

HERE = Path(__file__).parent
GRACE_SECONDS = 60
"""Added to a contender's own time limit before its process is ended: it has to load data too."""

TRIAL_MEMORY = 8 << 30


@dataclass(frozen=True)
class Task:
    """One prepared table and what is asked about it."""

    folder: Path
    max_rules: int
    max_terms: int
    regularization: float
    time_limit: float


@dataclass(frozen=True)
class Measurement:
    """What one run, or the best of several, cost and found.

    `seconds` is the search with packing, `cpu_seconds` the whole process with loading: on a busy
    machine the second says how much of the first was waiting.
    """

    contender: str
    status: str
    seconds: float | None = None
    loss: float | None = None
    gap: float | None = None
    n_nodes: int | None = None
    peak_mb: float | None = None
    cpu_seconds: float | None = None
    search_mb: float | None = None
    version: str = ""
    note: str = ""
    n_runs: int = 1
    n_rules: int | None = None
    curve: tuple[tuple[float, float, float], ...] = ()  # seconds, loss, lower bound at each change
    same_question: bool = True  # a tree may be better than any list

    @property
    def finished(self) -> bool:
        """Whether the optimum was found and proven."""
        return self.status == "optimal"

    def gap_after(self, seconds: float) -> float | None:
        """How far below its loss the bound was then, as a share of the loss; None if not known."""
        if not self.curve or (seconds > self.curve[-1][0] and not self.finished):
            return None
        seen = [point for point in self.curve if point[0] <= seconds]
        _, loss, lower_bound = seen[-1] if seen else (0.0, 1.0, 0.0)
        return (loss - lower_bound) / loss if loss > 0 else 0.0

    @property
    def claim(self) -> tuple[float, float] | None:
        """The interval in which our optimum is proven to lie, if anything is proven of it."""
        is_proven = self.finished or self.gap is not None
        if self.loss is None or not is_proven or not self.same_question:
            return None
        return self.loss - (self.gap or 0.0), self.loss


@dataclass(frozen=True)
class Samrule:
    """The solver of this project, in the Python that runs the benchmark."""

    threads: int
    with_curve: bool = False

    @property
    def name(self) -> str:
        """Name in tables."""
        return f"samrule, {self.threads} thread{'s' * (self.threads > 1)}"

    def __call__(self, task: Task) -> Measurement:
        """Solve the task with `ours.py`."""
        command = [sys.executable, HERE / "ours.py", task.folder]
        command += ["--max-rules", str(task.max_rules), "--max-terms", str(task.max_terms)]
        command += ["--regularization", str(task.regularization), "--threads", str(self.threads)]
        command += ["--time-limit", str(task.time_limit)]
        command += ["--curve"] if self.with_curve else []
        run = process.run(command, time_limit=task.time_limit + GRACE_SECONDS)
        found = last_json(run)
        return (
            Measurement(self.name, **found, cpu_seconds=run.cpu_seconds)
            if found
            else broken(self.name, run)
        )


@dataclass(frozen=True)
class Trial:
    """The one-thread trial program: `PATH FILE K ALPHA`."""

    path: Path
    name: str = "trial"

    def __call__(self, task: Task) -> Measurement:
        """Solve the task; the time is the trial's own, packing included, reading excluded."""
        table = task.folder / "table.bin"
        command = [self.path, table, str(task.max_rules), str(task.regularization)]
        run = process.run(command, time_limit=task.time_limit)
        seconds, loss = _number(r" solve", run), _number(r" obj", run)
        if seconds is None or loss is None:
            return broken(self.name, run)
        return Measurement(
            self.name,
            "optimal",
            seconds,
            loss,
            n_nodes=int(_number("nodes=", run) or 0),
            peak_mb=run.peak_mb,
            cpu_seconds=run.cpu_seconds,
        )


@dataclass(frozen=True)
class ConjunctionTrial:
    """The one-thread trial of conjunctions: `PATH FILE Z K TOLERANCE SECONDS`."""

    path: Path
    name: str = "trial"
    most_rules = 4

    def __call__(self, task: Task) -> Measurement:
        """Prove the optimum; the time is the trial's own, reading and packing included."""
        if not 2 <= task.max_rules <= self.most_rules:
            return Measurement(self.name, "absent", note="it knows two to four rules")
        command = ["env", f"ALPHA={task.regularization}", "RAD=1000,500,250,120", self.path]
        command += [task.folder / "table.bin", str(task.max_terms), str(task.max_rules), "0"]
        command += [str(task.time_limit)]
        limit = task.time_limit + GRACE_SECONDS
        run = process.run(command, time_limit=limit, memory_limit=TRIAL_MEMORY)
        seconds, loss = _number("[", run), _number(" best", run)
        if run.exit_code or seconds is None or loss is None:
            return broken(self.name, run)
        is_stopped = "] stopped" in run.stdout
        return Measurement(
            self.name,
            "time_limit" if is_stopped else "optimal",
            seconds,
            loss,
            gap=loss - (_number(" proven", run) or 0.0) if is_stopped else None,
            peak_mb=run.peak_mb,
            cpu_seconds=run.cpu_seconds,
        )


@dataclass(frozen=True)
class Corels:
    """A CORELS program that also takes `-k K`: no list longer than K is considered."""

    path: Path
    name: str = "CORELS"

    def __call__(self, task: Task) -> Measurement:
        """Solve the task best-first by lower bound with the prefix permutation map."""
        workplace = task.folder / "corels" / "run"
        workplace.mkdir(parents=True, exist_ok=True)
        (workplace.parent / "logs").mkdir(exist_ok=True)  # It logs to ../logs.
        command = [self.path, "-k", str(task.max_rules), "-r", str(task.regularization)]
        command += ["-c", "2", "-p", "1", "-n", "2000000000", "-f", "1000000000"]
        command += [task.folder / "table.out", task.folder / "table.label"]
        run = process.run(command, time_limit=task.time_limit, folder=workplace)
        return self._measurement(run)

    def _measurement(self, run: process.Run) -> Measurement:
        """Read the program's own account; its time excludes reading the files."""
        seconds = _number("final total time:", run)
        if seconds is None or "queue empty" not in run.stdout:
            return broken(self.name, run)
        return Measurement(
            self.name,
            "optimal",
            seconds,
            _number("minimum objective:", run),
            n_nodes=int(_number("final num_nodes:", run) or 0),
            peak_mb=run.peak_mb,
            cpu_seconds=run.cpu_seconds,
        )


def better(old: Measurement | None, new: Measurement) -> Measurement:
    """Return the faster of two runs, carrying the number of runs and the larger memory."""
    if old is None:
        return new
    best = new if (new.seconds or 1e9) < (old.seconds or 1e9) else old
    return replace(
        best,
        n_runs=old.n_runs + new.n_runs,
        peak_mb=_larger(old.peak_mb, new.peak_mb),
        search_mb=_larger(old.search_mb, new.search_mb),
    )


def _larger(a: float | None, b: float | None) -> float | None:
    return max((value for value in (a, b) if value is not None), default=None)


def last_json(run: process.Run) -> dict | None:
    """Return the object on the last line printed, if the process ended well."""
    lines = run.stdout.splitlines()
    return json.loads(lines[-1]) if run.exit_code == 0 and lines else None


def _number(label: str, run: process.Run) -> float | None:
    """Return the last number printed after `label`."""
    found = re.findall(re.escape(label) + r"\s*([0-9.]+)", run.stdout)
    return float(found[-1]) if found else None


def broken(name: str, run: process.Run) -> Measurement:
    """Return what can be said of a run that gave no answer."""
    if run.timed_out:
        return Measurement(
            name,
            "time_limit",
            run.seconds,
            peak_mb=run.peak_mb,
            cpu_seconds=run.cpu_seconds,
        )
    reason = (run.stderr.strip().splitlines() or [f"exit code {run.exit_code}"])[-1]
    return Measurement(name, "failed", peak_mb=run.peak_mb, note=reason[:120])
