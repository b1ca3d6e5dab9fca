"""`samrule demo`: hide a rule list in a noisy table, find it again, show the proof."""

import csv
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray
from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from samrule.errors import OutputError
from samrule.rules import Condition, Rule, RuleList
from samrule.solver import Solution, Status, solve

MAX_RULES = 3
MAX_TERMS = 2
REGULARIZATION = 0.001

Columns = dict[str, NDArray[Any]]

HIDDEN_LIST = RuleList(
    rules=(
        Rule((Condition("snow", "==", True), Condition("wind km/h", ">=", 50)), "late"),
        Rule((Condition("night train", "==", True),), "on time"),
        Rule((Condition("transfers", ">=", 3),), "late"),
    ),
    default=Rule((), "on time"),
    classes=("late", "on time"),
)

THRESHOLDS: dict[str, tuple[int, ...]] = {
    "wind km/h": (10, 30, 50, 70),
    "temperature": (-10, 0, 10, 20),
    "distance km": (100, 300, 600),
    "passengers": (160, 180, 200),
    "transfers": (1, 2, 3, 4),
    "locomotive age": (10, 20, 30),
}


@dataclass(frozen=True, slots=True)
class Trains:
    """The demonstration's table: what is known of each train, and whether it came late."""

    columns: Columns
    outcome: NDArray[np.str_]


def demo(
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Where to write the table (CSV).")
    ] = Path("samrule-demo.csv"),
    rows: Annotated[int, typer.Option(help="Trains in the table.", min=100)] = 20_000,
    noise: Annotated[
        float, typer.Option(help="Share of outcomes that are turned around.", min=0, max=0.5)
    ] = 0.1,
    seed: Annotated[int, typer.Option(help="Seed of the random numbers.", min=0)] = 0,
) -> None:
    """Hide a rule list in a noisy table, find it again, and prove that no list is better."""
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = 100  # A file or a pipe has no edge to wrap at.
    trains = random_trains(rows, noise, np.random.default_rng(seed))
    write_csv(output, trains)
    _show_hidden(console, output, rows, noise)

    names = list(candidate_conditions(trains.columns))
    matrix = np.column_stack([name.holds(trains.columns[name.column]) for name in names])
    with console.status("Searching …"):
        solution = solve(
            matrix,
            trains.outcome,
            names=names,
            max_rules=MAX_RULES,
            max_terms=MAX_TERMS,
            regularization=REGULARIZATION,
        )
    _show_found(console, solution)
    _show_proof(console, solution, len(names))


def random_trains(n_rows: int, noise: float, rng: np.random.Generator) -> Trains:
    """Draw trains, let the hidden list decide their outcome, and turn a share of it around."""
    columns: Columns = {
        "weekday": rng.choice(["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"], n_rows),
        "temperature": rng.normal(8, 9, n_rows).round().astype(np.int64),
        "snow": rng.random(n_rows) < 0.3,
        "wind km/h": rng.gamma(3, 14, n_rows).round().astype(np.int64),
        "night train": rng.random(n_rows) < 0.2,
        "freight": rng.random(n_rows) < 0.25,
        "distance km": rng.gamma(2, 180, n_rows).round().astype(np.int64),
        "passengers": rng.poisson(180, n_rows),
        "transfers": rng.integers(0, 6, n_rows),
        "locomotive age": rng.integers(0, 40, n_rows),
    }
    outcome = predictions(HIDDEN_LIST, columns, n_rows)
    turned = rng.random(n_rows) < noise
    outcome[turned] = np.where(outcome[turned] == "late", "on time", "late")
    return Trains(columns, outcome)


def predictions(rule_list: RuleList, columns: Columns, n_rows: int) -> NDArray[np.str_]:
    """Return what the list says of each row: the first rule that matches decides."""
    result = np.full(n_rows, str(rule_list.default.prediction))
    for rule in reversed(rule_list.rules):
        matched = [condition.holds(columns[condition.column]) for condition in rule.conditions]
        result[np.all(matched, axis=0)] = str(rule.prediction)
    return result


def candidate_conditions(columns: Columns) -> Iterable[Condition]:
    """Yield the conditions the search may use: at least so much, this day, yes."""
    for column, values in columns.items():
        if values.dtype == np.bool_:
            yield Condition(column, "==", True)
        elif column in THRESHOLDS:
            for threshold in THRESHOLDS[column]:
                yield Condition(column, ">=", threshold)
        else:
            for level in np.unique(values):
                yield Condition(column, "==", level)


def write_csv(path: Path, trains: Trains) -> None:
    """Write the table, whole or not at all: a file cut short never carries the final name."""
    header = [*trains.columns, "outcome"]
    table = [*(column.tolist() for column in trains.columns.values()), trains.outcome.tolist()]
    try:
        with tempfile.NamedTemporaryFile(
            "w", dir=path.parent, prefix=f".{path.name}.", newline="", delete=False
        ) as file:
            temporary = Path(file.name)
            try:
                writer = csv.writer(file)
                writer.writerow(header)
                writer.writerows(zip(*table, strict=True))
                file.close()
                temporary.replace(path)
            finally:
                temporary.unlink(missing_ok=True)
    except OSError as error:
        raise OutputError(
            f"cannot write {str(path)!r}: {error.strerror}.",
            hint="name another file with --output.",
        ) from None


def _show_hidden(console: Console, path: Path, n_rows: int, noise: float) -> None:
    console.print(
        f"Wrote [bold]{escape(str(path))}[/]: {n_rows:,} trains.\n"
        f"This list decides which are late; then {noise:.0%} are turned around:\n"
    )
    console.print(Padding(str(HIDDEN_LIST), (0, 0, 1, 4), expand=False))


def _show_found(console: Console, solution: Solution) -> None:
    found = _is_hidden_list(solution.rule_list)
    verdict = "[green]the hidden list, found again[/]" if found else "[yellow]another list[/]"
    console.print(f"Found from the table alone: {verdict}\n")
    console.print(Padding(_rules_table(solution.rule_list), (0, 0, 1, 4), expand=False))


def _rules_table(rule_list: RuleList) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="dim")
    table.add_column("")
    table.add_column("trains", justify="right")
    for one_class in rule_list.classes:
        table.add_column(str(one_class), justify="right")
    for line, rule in zip(str(rule_list).splitlines(), rule_list, strict=True):
        shares = [f"{share:.1%}" for share in rule.probabilities]
        table.add_row(Text(line, style="bold"), f"{rule.support:,}", *shares)
    return table


def _show_proof(console: Console, solution: Solution, n_conditions: int) -> None:
    error_rate = solution.rule_list.error_rate
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 3, 0, 0))
    table.add_row(
        "loss",
        f"{solution.objective:.6f} = {error_rate:.2%} of the trains misclassified "
        f"+ {solution.rule_list.n_rules} rules at {REGULARIZATION}",
    )
    table.add_row("proof", _proof(solution, n_conditions))
    table.add_row("path", _path_text(solution.path))
    table.add_row("effort", f"{solution.seconds:.2f} s, {solution.n_nodes:,} subproblems")
    console.print(table)


def _proof(solution: Solution, n_conditions: int) -> str:
    scope = f"list of up to {MAX_RULES} rules of up to {MAX_TERMS} of the {n_conditions} conditions"
    if solution.status is Status.OPTIMAL:
        return f"optimal: no {scope} has a smaller loss"
    return (
        f"stopped ({solution.status}): no {scope} has a loss below {solution.lower_bound:.6f}, "
        f"a gap of {solution.gap:.6f}"
    )


def _path_text(path: Sequence[float]) -> str:
    steps = (f"{loss:.4f} with {n_rules}" for n_rules, loss in enumerate(path))
    return ", ".join(steps) + " rules"


def _is_hidden_list(found: RuleList) -> bool:
    def shape(rule_list: RuleList) -> list[tuple[frozenset[Condition], object]]:
        return [(frozenset(rule.conditions), rule.prediction) for rule in rule_list]

    return shape(found) == shape(HIDDEN_LIST)
