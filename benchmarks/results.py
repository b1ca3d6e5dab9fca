"""Turn measurements into a readable table, a CSV file and the README's result section."""

from __future__ import annotations

import csv
import os
import platform
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from math import exp, log
from pathlib import Path
from textwrap import fill

from contenders import Measurement
from markdown_tables import WIDTH, markdown
from settings import SEED, Setting

OURS, OURS_ONE_THREAD = "samrule, 2 threads", "samrule, 1 thread"
MARKS = {"single": "results", "rich": "rich results"}
"""Between which comments the README has the results of a set."""
SAME_OBJECTIVE = 1e-6


@dataclass(frozen=True)
class Result:
    """One setting with everything measured on it."""

    setting: Setting
    n_rows: int
    n_conditions: int
    measurements: dict[str, Measurement]

    def seconds(self, contender: str) -> float | None:
        """Best time of a contender, or None if it was not there or gave no answer."""
        measurement = self.measurements.get(contender)
        return measurement.seconds if measurement else None

    def ratio(self, contender: str, to: str = OURS) -> float | None:
        """How many times longer than `to` the contender took."""
        slow, fast = self.seconds(contender), self.seconds(to)
        return slow / fast if slow and fast else None

    @property
    def failed(self) -> bool:
        """Whether our own solver gave no answer."""
        return self.measurements[OURS].loss is None

    def disagreements(self) -> list[str]:
        """Claims about the optimum that contradict the recorded one, or each other."""
        claims = [m for m in self.measurements.values() if m.claim]
        proven = [m.loss for m in claims if m.finished]
        optimum = next((x for x in (self.setting.optimum, *proven) if x is not None), None)
        return [
            f"{self.setting.name}: {m.contender} claims an optimum in "
            f"[{m.claim[0]:.8f}, {m.claim[1]:.8f}], but it is {optimum:.8f}."
            for m in claims
            if optimum is not None
            and not m.claim[0] - SAME_OBJECTIVE <= optimum <= m.claim[1] + SAME_OBJECTIVE
        ]


def report(results: Sequence[Result]) -> str:
    """Return the result tables as Markdown that is also readable as plain text."""
    parts = [solver_table(results), *peer_tables(results), *summary(results)]
    return "\n\n".join(parts)


def solver_table(results: Sequence[Result]) -> str:
    """Return our times beside the trial's and CORELS' with ratios."""
    return markdown([[heading for heading, _ in COLUMNS], *map(_solver_row, results)])


def _solver_row(result: Result) -> list[str]:
    return [cell(result) for _, cell in COLUMNS]


def peer_tables(results: Sequence[Result]) -> list[str]:
    """Return one table per setting on which solvers from the package index ran."""
    known = {OURS, OURS_ONE_THREAD, "trial", "CORELS"}
    return [
        markdown(
            [
                [f"{r.setting.name}", "status", "time", "x ours", "peak MB", "loss", "asked"],
                *(_peer_row(r, m) for name, m in r.measurements.items() if name not in known),
            ]
        )
        for r in results
        if set(r.measurements) - known
    ]


def _peer_row(result: Result, m: Measurement) -> list[str]:
    name = f"{m.contender} {m.version}".strip()
    times = shown_ratio(result.ratio(m.contender), m)
    return [name, m.status, shown_time(m), times, whole(m.peak_mb), _loss(m.loss), m.note]


def summary(results: Sequence[Result]) -> list[str]:
    """Return the geometric means of the ratios, the largest memory, and the missed goals."""
    lines = [*_mean_ratio(results, "trial"), *_mean_ratio(results, "CORELS")]
    memory = [m.search_mb for r in results for m in r.measurements.values() if m.search_mb]
    if memory:
        lines.append(f"Largest search memory of samrule: {max(memory):.0f} MB.")
    lines += [text for r in results for text in (*missed_goals(r), *r.disagreements())]
    return ["\n".join(f"- {line}" for line in lines)] if lines else []


def _mean_ratio(results: Sequence[Result], contender: str) -> list[str]:
    ratios = [ratio for r in results if (ratio := r.ratio(contender))]
    if not ratios:
        return []
    mean = exp(sum(map(log, ratios)) / len(ratios))
    unfinished = any(
        contender in r.measurements and not r.measurements[contender].finished for r in results
    )
    return [
        f"{contender} / {OURS}: geometric mean {'at least ' * unfinished}{mean:.3g} "
        f"over {len(ratios)} settings, least {min(ratios):.3g}."
    ]


def missed_goals(result: Result) -> list[str]:
    """Say where two threads are not as many times faster as they should be."""
    goals = {"trial": result.setting.trial_goal, "CORELS": result.setting.corels_goal}
    return [
        f"Short of the goal on {result.setting.name}: {ratio:.3g} times as fast as {contender}, "
        f"wanted {goal:g}."
        for contender, goal in goals.items()
        if goal and (ratio := result.ratio(contender)) and ratio < goal
    ]


def context(command: str, results: Sequence[Result], note: str | None = None) -> dict[str, str]:
    """Return what makes the numbers more than an anecdote."""
    measured = [m for r in results for m in r.measurements.values() if m.version]
    # A dict keeps the order and drops repeats; our name without the number of threads is enough.
    versions = dict.fromkeys(f"{m.contender.split(',')[0]} {m.version}" for m in measured)
    return {
        "command": command,
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "machine": f"{cpu_model()}, {os.cpu_count()} cores, {platform.system()}",
        "python": platform.python_version(),
        "versions": ", ".join(versions) or "none",
        "seed": str(SEED),
        **({"note": note} if note else {}),
    }


def cpu_model() -> str:
    """Name of the processor as the system gives it."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def csv_rows(
    results: Sequence[Result], more: Callable[[Measurement], dict[str, str]] = lambda _: {}
) -> list[dict[str, object]]:
    """Return one line per setting and contender; `more` adds columns at the end."""
    return [_csv_row(r, m) | more(m) for r in results for m in r.measurements.values()]


def write_csv(path: Path, rows: Sequence[dict[str, object]], facts: dict[str, str]) -> None:
    """Write the lines below `#` lines with the context."""
    with path.open("w", newline="") as file:
        file.writelines(f"# {key}: {value}\n" for key, value in facts.items())
        writer = csv.DictWriter(file, rows[0] if rows else [], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def _csv_row(result: Result, m: Measurement) -> dict[str, object]:
    ratio = result.ratio(m.contender)
    return {
        "setting": result.setting.name,
        "rows": result.n_rows,
        "conditions": result.n_conditions,
        "max_rules": result.setting.max_rules,
        "max_terms": result.setting.max_terms,
        "contender": m.contender,
        "version": m.version,
        "status": m.status,
        "seconds": digits(m.seconds, ".6g"),
        "cpu_seconds": digits(m.cpu_seconds, ".4g"),
        "runs": m.n_runs,
        "times_ours": digits(ratio, ".4g"),
        "n_nodes": "" if m.n_nodes is None else m.n_nodes,
        "search_mb": digits(m.search_mb, ".1f"),
        "peak_mb": digits(m.peak_mb, ".1f"),
        "loss": digits(m.loss, ".8f"),
        "gap": digits(m.gap, ".8f"),
        "note": m.note,
    }


def update_readme(path: Path, text: str, facts: dict[str, str], which: str) -> None:
    """Replace a set's result section of the README, which lies between two comments."""
    begin, end = f"<!-- {MARKS[which]}: begin -->", f"<!-- {MARKS[which]}: end -->"
    before, rest = path.read_text().split(begin)
    _, after = rest.split(end)
    lines = "\n".join(
        fill(f"- {key}: `{value}`", WIDTH, subsequent_indent="  ", break_long_words=False)
        for key, value in facts.items()
    )
    path.write_text(f"{before}{begin}\n{lines}\n\n{text}\n{end}{after}")


def progress(name: str, m: Measurement) -> None:
    """Tell on the error stream what a run just gave."""
    details = f"{m.status} {_loss(m.loss)} {m.note if not m.finished else ''}".rstrip()
    print(f"{name:18} {m.contender:18} {shown_time(m):>9}  {details}", file=sys.stderr, flush=True)


def _ours(result: Result) -> Measurement:
    return result.measurements[OURS]


def _thread_ratio(result: Result) -> str:
    return digits(result.ratio(OURS_ONE_THREAD), ".2f")


def _status(result: Result) -> str:
    ours = _ours(result)
    return ours.status if not ours.gap else f"{ours.status}, gap {ours.gap:.6f}"


def _contender(name: str) -> list[tuple[str, Callable[[Result], str]]]:
    """Return the two columns of a rival: its time, and how many times ours that is."""

    def time(result: Result) -> str:
        m = result.measurements.get(name)
        return shown_time(m) if m else ""

    def times(result: Result) -> str:
        m = result.measurements.get(name)
        return shown_ratio(result.ratio(name), m) if m else ""

    return [(name, time), ("x ours", times)]


COLUMNS: list[tuple[str, Callable[[Result], str]]] = [
    ("setting", lambda r: r.setting.name),
    ("rows x conditions", lambda r: f"{r.n_rows} x {r.n_conditions}"),
    ("2 threads", lambda r: shown_time(_ours(r))),
    ("1 thread", lambda r: shown_time(r.measurements.get(OURS_ONE_THREAD))),
    ("1 / 2", _thread_ratio),
    ("nodes", lambda r: whole(_ours(r).n_nodes)),
    ("search MB", lambda r: whole(_ours(r).search_mb)),
    ("loss", lambda r: _loss(_ours(r).loss)),
    ("status", _status),
    *_contender("trial"),
    *_contender("CORELS"),
]


def shown_time(m: Measurement | None) -> str:
    if m is None:
        return ""
    if m.seconds is None:
        return m.status
    over = ">" if m.status == "time_limit" else ""
    return f"{over}{m.seconds:.4f} s" if m.seconds < 1 else f"{over}{m.seconds:.2f} s"


def shown_ratio(ratio: float | None, m: Measurement) -> str:
    over = ">" if m.status == "time_limit" else ""
    return "" if ratio is None else f"{over}{ratio:.{1 if ratio < 100 else 0}f}"


def digits(value: float | None, form: str) -> str:
    return "" if value is None else format(value, form)


def whole(value: float | None) -> str:
    return digits(value, ".0f")


def _loss(value: float | None) -> str:
    return digits(value, ".8f")
