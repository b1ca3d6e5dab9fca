"""`samrule sample-size`: how many rows are enough, before looking at any."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from samrule.checks import DEFAULTS
from samrule.cli.options import (
    Delta,
    Epsilon,
    MaxRules,
    MaxTerms,
    NClasses,
    NConditions,
    Regularization,
    Theta,
)
from samrule.errors import MissingExtraError, ParameterError
from samrule.theory import sample_size as rows_needed
from samrule.theory.words import exact_text, probability_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# The paper's settings, and the range of its figure "number of samples".
_EPSILONS = (1.0, 0.5, 0.25, 0.1)
_THETAS = (0.005, 0.0075, 0.01, 0.015, 0.025, 0.035, 0.05, 0.075, 0.1)


def sample_size(
    *,
    conditions: NConditions,
    max_rules: MaxRules,
    epsilon: Epsilon,
    theta: Theta,
    max_terms: MaxTerms = DEFAULTS["max_terms"],
    delta: Delta = DEFAULTS["delta"],
    classes: NClasses = DEFAULTS["n_classes"],
    regularization: Regularization = DEFAULTS["regularization"],
    plot: Annotated[
        Path | None, typer.Option(help="Draw rows against theta into this file (png, svg, pdf).")
    ] = None,
) -> None:
    """Print how many rows to draw so that the best list on them is near-optimal on the table."""

    def rows(epsilon: float, theta: float, *, tight: bool) -> int:
        return rows_needed(
            conditions,
            max_rules=max_rules,
            max_terms=max_terms,
            epsilon=epsilon,
            theta=theta,
            delta=delta,
            method="tight" if tight else "paper",
            n_classes=classes,
            regularization=regularization,
        )

    paper, tight = rows(epsilon, theta, tight=False), rows(epsilon, theta, tight=True)
    shape = _shape(conditions, max_rules, max_terms)
    typer.echo(f"Rows to draw for {shape}:\n")
    typer.echo(f"  the paper's size  {paper:>15,}")
    typer.echo(f"  samrule's size    {tight:>15,}   ({_saving(paper, tight)})\n")
    typer.echo(_meaning(epsilon, theta, delta))
    if plot is not None:
        _draw(plot, rows, title=f"Rows that are enough for {shape}", marked=(epsilon, theta))
        typer.echo(f"\nWrote {plot}.")


def _shape(conditions: int, max_rules: int, max_terms: int) -> str:
    terms = f"of up to {max_terms} conditions" if max_terms > 1 else "of one condition"
    if max_rules == 0:
        return "lists of a default alone"
    rules = f"up to {max_rules} rules" if max_rules > 1 else "one rule"
    return f"lists of {rules} {terms}, chosen from {conditions:,}"


def _saving(paper: int, tight: int) -> str:
    return "the same" if tight == paper else f"{1 - tight / paper:.0%} fewer"


def _meaning(epsilon: float, theta: float, delta: float) -> str:
    losses = (0.0, theta, 4 * theta)
    examples = "\n".join(
        f"  {best:>18.4g}  {best + epsilon * max(best, theta):>16.4g}"
        for best in losses
        if best < 1
    )
    return (
        "Draw that many rows uniformly with replacement, from a table of any length, and find the\n"
        f"best list on them. With probability {probability_text(delta)} its loss on the whole "
        "table is at most\n"
        f"the best possible loss plus {exact_text(epsilon)} times that loss (or times theta = "
        f"{exact_text(theta)}, if "
        "that is more):\n\n"
        "  best possible loss  promised at most\n"
        f"{examples}\n\n"
        "Both sizes hold in the worst case. Once the rows are seen, far fewer often suffice: see\n"
        "certify and progressive_schedule in samrule.theory."
    )


def _draw(path: Path, rows: Callable[..., int], *, title: str, marked: tuple[float, float]) -> None:
    """Draw rows against theta for several epsilon: the paper's on the left, ours on the right."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtraError(
            "drawing needs matplotlib, which is not installed.",
            hint='pip install "samrule[plot]"',
        ) from error
    figure = Figure(figsize=(10, 5), layout="constrained")
    left, right = figure.subplots(1, 2, sharex=True, sharey=True)
    paper = [[rows(epsilon, theta, tight=False) for theta in _THETAS] for epsilon in _EPSILONS]
    tight = [[rows(epsilon, theta, tight=True) for theta in _THETAS] for epsilon in _EPSILONS]
    _draw_curves(left, paper, title="the paper")
    _draw_curves(right, tight, title="samrule (dotted: the paper)", behind=paper)
    for axes, is_tight in ((left, False), (right, True)):
        _mark(axes, marked[1], rows(*marked, tight=is_tight))
    left.set_ylabel("rows to draw (m)")
    figure.suptitle(title)
    _save(figure.savefig, path)


def _draw_curves(
    axes: "Axes",
    curves: Sequence[Sequence[int]],
    *,
    title: str,
    behind: Sequence[Sequence[int]] | None = None,
) -> None:
    from matplotlib.ticker import FuncFormatter, NullFormatter

    for i, (epsilon, curve) in enumerate(zip(_EPSILONS, curves, strict=True)):
        axes.plot(_THETAS, curve, color=f"C{i}", marker="o", markersize=3, linewidth=1.8)
        axes.annotate(
            f"ε = {epsilon:g}", (_THETAS[-1], curve[-1]), (6, 0), textcoords="offset points",
            color=f"C{i}", va="center",
        )  # fmt: skip
        if behind is not None:
            axes.plot(_THETAS, behind[i], color=f"C{i}", linestyle=":", linewidth=1.2)
    axes.set(xscale="log", yscale="log", xlabel="θ", title=title)
    axes.set_xticks([0.005, 0.01, 0.025, 0.05, 0.1])
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xlim(_THETAS[0] / 1.1, _THETAS[-1] * 1.8)
    axes.grid(visible=True, which="major", alpha=0.3)


def _mark(axes: "Axes", theta: float, m: int) -> None:
    """Mark the size that was asked for, if it lies in the drawn range."""
    if not _THETAS[0] <= theta <= _THETAS[-1]:
        return
    axes.plot([theta], [m], marker="o", markersize=9, markerfacecolor="none", color="black")
    white = {"boxstyle": "round,pad=0.1", "facecolor": "white", "edgecolor": "none"}
    axes.annotate(
        f"{m:,}", (theta, m), (-6, -16), textcoords="offset points", ha="right", bbox=white
    )


def _save(save: Callable[[Path], None], path: Path) -> None:
    try:
        save(path)
    except (OSError, ValueError) as error:
        raise ParameterError(
            f"cannot write the plot to '{path}': {error}.",
            hint="name a file ending in .png, .svg or .pdf, in a directory that exists.",
        ) from error
