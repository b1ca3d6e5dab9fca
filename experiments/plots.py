"""Draw every figure from the CSVs: `python experiments/plots.py [--results DIR] [--plots DIR]`."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import harness

PLOTS = harness.HERE / "plots"
NAMES = {"paper": "paper (its m^)", "tight": "tight", "progressive": "progressive"}
COLORS = {"paper": "#7f7f7f", "tight": "#1f77b4", "progressive": "#d62728"}
MARKERS = {"paper": "s", "tight": "^", "progressive": "o"}
# One table per panel, this many in a row.
PER_ROW = 4


def main(arguments: Sequence[str] | None = None) -> None:
    made = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    made.add_argument("--results", type=Path, default=harness.RESULTS)
    made.add_argument("--plots", type=Path, default=PLOTS)
    options = made.parse_args(arguments)
    options.plots.mkdir(parents=True, exist_ok=True)
    mpl.use("agg")
    plt.rcParams.update({"font.size": 8, "axes.spines.top": False, "axes.spines.right": False})
    for name, (source, draw) in FIGURES.items():
        rows = harness.read(options.results / f"{source}.csv")
        if not rows:
            harness.say(f"{name}: no {source}.csv, not drawn")
            continue
        figure = draw(rows)
        figure.savefig(options.plots / f"{name}.png", dpi=130, bbox_inches="tight")
        plt.close(figure)
        harness.say(f"drew {name}.png from {len(rows)} runs")


def panels(names: list[str], *, height: float = 2.4, share_y: bool = False) -> tuple[Figure, dict]:
    """Return a figure with a titled panel per name."""
    n_rows = -(-len(names) // PER_ROW)
    figure, axes = plt.subplots(
        n_rows,
        min(len(names), PER_ROW),
        figsize=(2.8 * min(len(names), PER_ROW), height * n_rows),
        squeeze=False,
        sharey=share_y,
        layout="constrained",
    )
    for axis in axes.flat[len(names) :]:
        axis.set_visible(False)
    for axis, name in zip(axes.flat, names, strict=False):
        axis.set_title(name)
    return figure, dict(zip(names, axes.flat, strict=False))


def exact_figure(value: str, label: str) -> Callable[[list[harness.Row]], Figure]:
    """Return the drawing of one measured quantity by table, setting and strategy."""

    def draw(rows: list[harness.Row]) -> Figure:
        figure, axes = panels(distinct(rows, "table"))
        settings = sorted({(row["epsilon"], row["theta"]) for row in rows}, reverse=True)
        for name, axis in axes.items():
            here = [row for row in rows if row["table"] == name]
            draw_strategies(axis, here, settings, value)
            if value == "deviation":
                draw_promise(axis, here[0]["optimum"], settings)
            axis.set_xticks(range(len(settings)), [f"{e:g}, {t:g}" for e, t in settings])
            axis.tick_params(axis="x", rotation=60)
            axis.set_yscale("log")
        for axis in list(axes.values())[::PER_ROW]:
            axis.set_ylabel(label)
        legend(figure, next(iter(axes.values())))
        figure.supxlabel("epsilon, theta", fontsize=8)
        return figure

    return draw


def draw_strategies(axis: Axes, rows: list[harness.Row], settings: list, value: str) -> None:
    """Draw each run as a faint dot and the mean of each setting as a line."""
    # A list that is the optimum itself deviates by nothing, which a log axis cannot show.
    floor = 1e-5 if value in ("deviation", "approximation_error") else 0.0
    for strategy, name in NAMES.items():
        means = []
        for place, (epsilon, theta) in enumerate(settings):
            values = [
                max(row[value], floor)
                for row in rows
                if (row["epsilon"], row["theta"], row["strategy"]) == (epsilon, theta, strategy)
            ]
            means.append(np.mean(values) if values else np.nan)
            dots = {"color": COLORS[strategy], "alpha": 0.35, "s": 8, "linewidths": 0}
            axis.scatter([place] * len(values), values, **dots)
        style = {"color": COLORS[strategy], "marker": MARKERS[strategy], "markersize": 3}
        axis.plot(means, label=name, linewidth=1, **style)


def draw_promise(axis: Axes, optimum: float, settings: list) -> None:
    allowed = [epsilon * max(optimum, theta) for epsilon, theta in settings]
    axis.plot(allowed, color="black", linestyle="--", linewidth=1, label="allowed")


def draw_heuristics(rows: list[harness.Row]) -> Figure:
    """Draw loss against processor time, a panel per table; not finished means not drawn."""
    drawn = [row for row in rows if row["loss"] is not None]
    figure, axes = panels(distinct(drawn, "table"), height=2.6)
    methods = distinct(drawn, "method")
    colors = dict(zip(methods, plt.get_cmap("tab20").colors, strict=False))
    for name, axis in axes.items():
        for method in methods:
            here = [row for row in drawn if (row["table"], row["method"]) == (name, method)]
            if not here:
                continue
            is_ours = method.startswith("samrule")
            axis.scatter(
                [row["cpu_seconds"] for row in here],
                [row["loss"] for row in here],
                color=[colors[method]],
                marker="*" if is_ours else "o",
                s=60 if is_ours else 16,
                label=method,
            )
        axis.set_xscale("log")
        axis.set_xlim(0.1, 1000)
    for axis in list(axes.values())[::PER_ROW]:
        axis.set_ylabel("loss on the table")
    found = {}
    for axis in axes.values():
        handles, labels = axis.get_legend_handles_labels()
        found |= dict(zip(labels, handles, strict=True))
    place = {"loc": "outside upper center", "ncols": 4, "frameon": False}
    figure.legend(found.values(), found.keys(), **place)
    figure.supxlabel("processor time in seconds (whole process)", fontsize=8)
    return figure


def draw_parameters(rows: list[harness.Row]) -> Figure:
    """Draw rows, time and loss against the number of rules, a line per number of terms."""
    tables = distinct(rows, "table")
    measures = {
        "train_rows": "training rows",
        "cpu_seconds": "processor time, s",
        "loss": "loss on the table",
    }
    figure, axes = plt.subplots(
        len(tables), 3, figsize=(9, 2.6 * len(tables)), squeeze=False, layout="constrained"
    )
    for line, table in zip(axes, tables, strict=True):
        for axis, (value, label) in zip(line, measures.items(), strict=True):
            draw_cells(axis, [row for row in rows if row["table"] == table], value)
            axis.set(title=f"{table}: {label}", xlabel="rules (k)", yscale="log")
            axis.set_xticks(sorted({row["max_rules"] for row in rows}))
    legend(figure, axes[0][0])
    return figure


def draw_cells(axis: Axes, rows: list[harness.Row], value: str) -> None:
    """Draw one quantity; hollow where the search was stopped before its proof was complete."""
    styles = {"progressive": "-", "paper": ":"}
    for (terms, strategy), cells in grouped(rows, ("max_terms", "strategy")):
        cells.sort(key=lambda row: row["max_rules"])
        color = f"C{terms - 1}"
        x, y = [row["max_rules"] for row in cells], [row[value] for row in cells]
        axis.plot(x, y, styles[strategy], color=color, label=f"z = {terms}, {strategy}")
        full = [color if row["status"] == "optimal" else "white" for row in cells]
        axis.scatter(x, y, color=full, edgecolors=color, s=14, zorder=3)


def draw_scaling(rows: list[harness.Row]) -> Figure:
    """Draw the time of each piece against the one quantity that was varied.

    Hollow where the search was stopped.
    """
    names = distinct(rows, "varied")
    figure, axes = panels(names, share_y=True)
    pieces = ("scan", "pack", "solve", "certify")
    for name, axis in axes.items():
        here = sorted((r for r in rows if r["varied"] == name), key=lambda row: row[name])
        for piece in pieces:
            y = [row[f"{piece}_seconds"] for row in here]
            axis.plot([row[name] for row in here], y, marker="o", markersize=3, label=piece)
        stopped = [row for row in here if row["status"] != "optimal"]
        x, y = [row[name] for row in stopped], [row["solve_seconds"] for row in stopped]
        axis.scatter(x, y, color="white", edgecolors="C2", s=14, zorder=3)
        axis.set_yscale("log")
        if name in ("rows", "sample_rows"):
            axis.set_xscale("log")
        else:
            axis.set_xticks([row[name] for row in here])
    for axis in list(axes.values())[::PER_ROW]:
        axis.set_ylabel("seconds")
    legend(figure, next(iter(axes.values())))
    return figure


def legend(figure: Figure, axis: Axes) -> None:
    """Put the legend of one panel above all of them."""
    handles, labels = axis.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=4, frameon=False)


def distinct(rows: Iterable[harness.Row], name: str) -> list:
    return list(dict.fromkeys(row[name] for row in rows))


def grouped(rows: Iterable[harness.Row], names: tuple[str, ...]) -> Iterable[tuple[tuple, list]]:
    """Return the rows by their values of some fields."""
    found: dict[tuple, list] = {}
    for row in rows:
        found.setdefault(tuple(row[name] for name in names), []).append(row)
    return found.items()


def draw_objectives(rows: list[harness.Row]) -> Figure:
    """Draw each figure of merit by method, the mean over tables and runs, for both sizes of list.

    The table with a rare class has its own panels: its figures are of another size.
    """
    merits = {"auc": "AUC", "average_precision": "average precision", "log_loss": "log loss",
              "brier": "Brier score"}  # fmt: skip
    parts = {"": False, ", rare class": True}
    names = [f"{title}{part}" for part in parts for title in merits.values()]
    figure, axes = panels(names, height=3.0)
    methods = list(dict.fromkeys(row["method"] for row in rows))
    for part, is_rare in parts.items():
        for merit, title in merits.items():
            axis = axes[f"{title}{part}"]
            for size, marker in ((4, "o"), (6, "s")):
                means = [
                    np.mean(found) if found else np.nan
                    for found in (
                        [
                            row[merit]
                            for row in rows
                            if (row["method"], row["max_rules"]) == (method, size)
                            and (row["table"] == "kdd, rare") == is_rare
                        ]
                        for method in methods
                    )
                ]
                axis.plot(means, range(len(methods)), marker, label=f"{size} rules", alpha=0.8)
            axis.set_yticks(range(len(methods)), methods)
            axis.invert_yaxis()
            axis.grid(axis="x", alpha=0.3)
    axes["AUC"].legend(frameon=False)
    return figure


FIGURES: dict[str, tuple[str, Callable[[list[harness.Row]], Figure]]] = {
    "exact_rows": ("exact", exact_figure("train_rows", "training rows")),
    "exact_time": ("exact", exact_figure("cpu_seconds", "processor time, s")),
    "exact_deviation": ("exact", exact_figure("deviation", "loss above the optimum")),
    "exact_approximation": (
        "exact",
        exact_figure("approximation_error", "|loss on table - on sample|"),
    ),
    "heuristics": ("heuristics", draw_heuristics),
    "parameters": ("parameters", draw_parameters),
    "scaling": ("scaling", draw_scaling),
    "objectives": ("objectives", draw_objectives),
}


if __name__ == "__main__":
    main()
