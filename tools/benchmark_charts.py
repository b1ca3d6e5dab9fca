"""What the benchmarks measured, drawn from their CSV files: charts of docs/benchmarks.md.

A chart is SVG in the page's own colours, so that it follows light and dark. Each line is a setting
and each dot a contender, on a logarithmic axis; a hollow dot was stopped there.
"""

import csv
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from html import escape
from math import ceil, floor, log10
from pathlib import Path
from statistics import mean

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results.csv"
TRAINING_ROWS = ROOT / "benchmarks" / "training_rows.csv"
HEURISTICS = ROOT / "experiments" / "results" / "heuristics.csv"

OURS = "samrule, 2 threads"
# Learners by their names in the file, and what they are.
METHODS = {
    "samrule, exact": "samrule: best list",
    "samrule": "samrule: from a sample, epsilon 0.5",
    "pystreed": "pystreed: best tree",
    "gosdt": "gosdt: rule list",
    "imodels": "imodels: FastSmallTree",
    "sklearn": "scikit-learn: tree",
    "greedy": "greedy list",
    "sbrl": "Bayesian list",
    "sbrl, no limit on rules": "Bayesian list of any length",
    "wittgenstein": "wittgenstein: RIPPER",
}
_LEFT, _WIDTH, _STEP, _TOP = 150, 720, 26, 44


@dataclass(frozen=True)
class Dot:
    """What one contender took; `stopped` if it was not at its end."""

    name: str
    value: float
    text: str
    stopped: bool = False


def rows_of(path: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV file that may begin with comments."""
    lines = [line for line in path.read_text().splitlines() if not line.startswith("#")]
    return list(csv.DictReader(lines))


def lists_charts() -> Iterator[str]:
    """Yield the chart of rule lists: samrule and CORELS, the same rows, the same optimum."""
    settings: dict[str, list[Dot]] = {}
    for row in rows_of(RESULTS):
        if row["contender"] in (OURS, "CORELS"):
            name = "samrule" if row["contender"] == OURS else "CORELS"
            settings.setdefault(row["setting"], []).append(_seconds(name, row))
    both = {name: dots for name, dots in settings.items() if len(dots) == 2}
    yield chart("seconds until the best list is proven", both)


def peers_chart() -> Iterator[str]:
    """Yield the chart of other packages on the planted table."""
    planted = [row for row in rows_of(RESULTS) if row["setting"] == "planted-k3"]
    peers = [row for row in planted if row["contender"] not in (OURS, "samrule, 1 thread", "trial")]
    (ours,) = (row for row in planted if row["contender"] == OURS)
    lines = {"samrule": [_seconds("samrule", ours)]}
    for row in sorted(peers, key=lambda row: float(row["seconds"])):
        name = f"{row['contender']} {row['version']}".strip()
        lines[name] = [_seconds("others", row)]
    yield chart("seconds on 1,000,000 rows and 20 conditions", lines)


def rows_chart(epsilon: str = "0.1") -> Iterator[str]:
    """Yield the chart of rows: how many are searched, and how many the paper's sample has."""
    taken: dict[str, list[dict[str, str]]] = {}
    for row in rows_of(TRAINING_ROWS):
        if row["epsilon"] == epsilon and row["schedule"] == "planned":
            taken.setdefault(row["table"], []).append(row)
    lines = {}
    for table, rows in sorted(taken.items()):
        ours = mean(float(row["train_rows"]) for row in rows)
        paper = mean(float(row["paper_rows"]) for row in rows)
        lines[table] = [
            Dot("samrule", ours, f"{ours:,.0f} rows"),
            Dot("the paper's sample size", paper, f"{paper:,.0f} rows"),
        ]
    yield chart(f"rows searched for a list within {100 * float(epsilon):g} % of the best", lines)


def losses_table() -> Iterator[str]:
    """Yield a table of losses on whole tables: samrule's proven optimum and other learners."""
    losses: dict[str, dict[str, list[float]]] = {}
    for row in rows_of(HEURISTICS):
        if row["loss"] and row["method"] in METHODS:
            by_method = losses.setdefault(row["table"], {})
            by_method.setdefault(row["method"], []).append(float(row["loss"]))
    yield f"| table | {' | '.join(METHODS.values())} |"
    yield f"| --- |{' ---: |' * len(METHODS)}"
    for table, found in sorted(losses.items()):
        cells = (f"{mean(found[one]):.4f}" if one in found else "-" for one in METHODS)
        yield f"| {table} | {' | '.join(cells)} |"


def _seconds(name: str, row: Mapping[str, str]) -> Dot:
    seconds, stopped = float(row["seconds"]), row["status"] not in ("optimal", "")
    text = f"{seconds:.3g} s" if seconds < 100 else f"{seconds:.0f} s"
    return Dot(name, seconds, f"more than {text}" if stopped else text, stopped)


def chart(title: str, lines: Mapping[str, Iterable[Dot]]) -> str:
    """Return a chart as HTML: a line of dots for each name.

    >>> "adult" in chart("seconds", {"adult": [Dot("samrule", 0.03, "0.03 s")]})
    True
    """
    dots = {name: list(found) for name, found in lines.items()}
    values = [dot.value for found in dots.values() for dot in found]
    low, high = floor(log10(min(values))), ceil(log10(max(values)) + 0.15)
    height = _TOP + _STEP * len(dots) + 30
    names = list(dict.fromkeys(dot.name for found in dots.values() for dot in found))
    parts = [
        f'<div class="chart"><svg viewBox="0 0 {_WIDTH} {height}" role="img" '
        f'aria-label="{escape(title, quote=True)}">',
        f'<text x="{_LEFT}" y="14" class="title">{escape(title)}</text>',
        *_axis(low, high, height),
    ]
    for number, (name, found) in enumerate(dots.items()):
        y = _TOP + _STEP * (number + 0.5)
        parts.append(f'<text x="{_LEFT - 8}" y="{y + 4}" class="name">{escape(name)}</text>')
        for dot in found:
            kind = f"dot{min(names.index(dot.name), 1)}{' stopped' if dot.stopped else ''}"
            x = _place(dot.value, low, high)
            parts.append(f'<circle class="{kind}" cx="{x:.1f}" cy="{y}" r="5"/>')
            parts.append(f'<text x="{x + 9:.1f}" y="{y + 4}">{escape(dot.text)}</text>')
    parts += _legend(names) if len(names) > 1 else []
    return "\n".join([*parts, "</svg></div>", ""])


def _axis(low: int, high: int, height: int) -> Iterator[str]:
    for power in range(low, high + 1):
        x = _place(10**power, low, high)
        yield f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP}" y2="{height - 22}"/>'
        yield f'<text x="{x:.1f}" y="{height - 6}" class="tick">{10**power:,.10g}</text>'


def _legend(names: list[str]) -> Iterator[str]:
    for number, name in enumerate(names):
        x = _LEFT + 150 * number
        yield f'<circle class="dot{min(number, 1)}" cx="{x + 5}" cy="28" r="5"/>'
        yield f'<text x="{x + 15}" y="32">{escape(name)}</text>'


def _place(value: float, low: int, high: int) -> float:
    return _LEFT + (log10(value) - low) / (high - low) * (_WIDTH - _LEFT - 80)
