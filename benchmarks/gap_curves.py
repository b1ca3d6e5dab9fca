"""What is proven after how many seconds: the table of the rich set, its CSV files, and a picture.

Run as a program it draws the picture from the CSV: python benchmarks/gap_curves.py CSV PNG
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterator, Sequence
from pathlib import Path

from contenders import Measurement
from markdown_tables import markdown
from results import OURS, Result, digits, missed_goals, shown_ratio, shown_time, whole

MOMENTS = (1, 10, 60)
PER_LINE = 5
"""Panels of the picture beside each other."""
Curve = list[tuple[float, float]]


def report(results: Sequence[Result]) -> str:
    """Return the rich set's table, and what it misses."""
    headings = ["setting", "rows x conditions", "time", "status", "loss", "bound"]
    headings += [f"gap, {moment} s" for moment in MOMENTS]
    headings += ["MB", "trial", "x ours", "pystreed", "its loss", "licketysplit", "its loss"]
    lines = [text for r in results for text in (*_missed_goals(r), *r.disagreements())]
    table = markdown([headings, *map(_row, results)])
    return "\n\n".join([table, *(["\n".join(f"- {line}" for line in lines)] if lines else [])])


def _row(result: Result) -> list[str]:
    ours, trial = result.measurements[OURS], result.measurements.get("trial")
    bound = None if ours.loss is None else ours.loss - (ours.gap or 0.0)
    return [
        result.setting.name,
        f"{result.n_rows} x {result.n_conditions}",
        shown_time(ours),
        ours.status,
        digits(ours.loss, ".6f"),
        digits(bound, ".6f"),
        *(_percent(ours.gap_after(moment)) for moment in MOMENTS),
        whole(ours.search_mb),
        shown_time(trial) if trial and trial.status != "absent" else "",
        shown_ratio(result.ratio("trial"), trial) if trial else "",
        *_tree(result.measurements.get("pystreed")),
        *_tree(result.measurements.get("licketysplit")),
    ]


def _missed_goals(result: Result) -> list[str]:
    """Say where we are too slow; a trial that was stopped tells nothing of how slow it is."""
    ours, trial = result.measurements[OURS], result.measurements.get("trial")
    if trial and trial.finished and not ours.finished:
        return [f"{result.setting.name}: the trial proved it in {shown_time(trial)}, we did not."]
    return missed_goals(result) if trial and trial.finished else []


def _tree(m: Measurement | None) -> tuple[str, str]:
    return (shown_time(m), digits(m.loss, ".6f")) if m else ("", "")


def _percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.1f} %"


def gap_columns(m: Measurement) -> dict[str, str]:
    """Return what the CSV of measurements says of the curve."""
    return {f"gap_after_{moment}s": digits(m.gap_after(moment), ".5f") for moment in MOMENTS}


def curve_rows(results: Sequence[Result]) -> Iterator[dict[str, object]]:
    """Yield one line per change of the loss or the bound."""
    for result in results:
        for seconds, loss, lower_bound in result.measurements[OURS].curve:
            yield {
                "setting": result.setting.name,
                "seconds": f"{seconds:.3f}",
                "loss": f"{loss:.8f}",
                "lower_bound": f"{lower_bound:.8f}",
            }


def read_curves(path: Path) -> dict[str, Curve]:
    """Return per setting the seconds and the gap as a share of the loss, from the CSV."""
    curves: dict[str, Curve] = {}
    with path.open() as file:
        for row in csv.DictReader(line for line in file if not line.startswith("#")):
            loss, bound = float(row["loss"]), float(row["lower_bound"])
            gap = (loss - bound) / loss if loss else 0.0
            curves.setdefault(row["setting"], []).append((float(row["seconds"]), gap))
    return curves


def draw(curves: dict[str, Curve], path: Path) -> None:
    """Draw the gaps of all settings that took a second or more, a panel per table."""
    import matplotlib as mpl

    mpl.use("agg")
    from matplotlib import pyplot as plt

    long = {name: curve for name, curve in curves.items() if curve[-1][0] >= 1}
    panels: dict[str, list[str]] = {}
    for name in long:
        panels.setdefault(name.rsplit("-z", 1)[0], []).append(name)
    n_lines = max(1, -(-len(panels) // PER_LINE))
    size = (3 * PER_LINE, 2.8 * n_lines)
    figure, axes = plt.subplots(n_lines, PER_LINE, figsize=size, sharey=True, squeeze=False)
    for axis in axes.flat[len(panels) :]:
        axis.set_visible(False)
    for axis, (panel, names) in zip(axes.flat, panels.items(), strict=False):
        axis.set_title(panel, fontsize=9)
        axis.set_xlabel("seconds", fontsize=8)
        for name in names:
            seconds, gaps = zip(*long[name], strict=True)
            label = name.removeprefix(f"{panel}-").replace("z", "z = ").replace("-k", ", k = ")
            axis.step(seconds, [100 * gap for gap in gaps], where="post", label=label)
        axis.set_xscale("log")
        axis.legend(fontsize=7)
    for axis in axes[:, 0]:
        axis.set_ylabel("gap, % of the loss", fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=130)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("curves", type=Path, metavar="CSV")
    parser.add_argument("picture", type=Path, metavar="PNG")
    options = parser.parse_args()
    draw(read_curves(options.curves), options.picture)


if __name__ == "__main__":
    main()
