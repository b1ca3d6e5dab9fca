"""`samrule demo`: hide a rule list in millions of noisy rows, and learn it from their file."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.padding import Padding

from samrule.checks import DEFAULTS
from samrule.cli.model_view import print_model
from samrule.cli.options import Quiet
from samrule.cli.run import end_interrupted, learn_with_progress, written_model
from samrule.cli.screen import plain, program, screen
from samrule.errors import OutputError
from samrule.output import whole_file
from samrule.rules import Condition, Rule, RuleList

if TYPE_CHECKING:
    from samrule.learning import FittedRuleList

TARGET = "outcome"
MAX_RULES = 3

HIDDEN_LIST = RuleList(
    rules=(
        Rule((Condition("wind force", ">=", 9),), "late"),
        Rule((Condition("night train", "==", True),), "on time"),
        Rule((Condition("transfers", ">=", 3),), "late"),
    ),
    default=Rule((), "on time"),
    classes=("late", "on time"),
)

_CHUNK_ROWS = 250_000


def demo(
    *,
    rows: Annotated[int, typer.Option(help="Trains in the table.", min=1000)] = 3_000_000,
    noise: Annotated[
        float, typer.Option(help="Share of outcomes that are turned around.", min=0, max=0.5)
    ] = 0.1,
    seed: Annotated[int, typer.Option(help="Seed of the random numbers.", min=0)] = DEFAULTS[
        "seed"
    ],
    folder: Annotated[
        Path, typer.Option(help="Where to write the table and the model.", metavar="FOLDER")
    ] = Path("samrule-demo"),
    quiet: Quiet = False,
) -> None:
    """Hide a rule list in millions of noisy rows, and learn it from their file in seconds."""
    from samrule.sources.open import open_table

    console = screen()
    _make(folder)
    table, model = folder / "trains.parquet", folder / "model.json"
    with console.status(f"Writing {rows:,} trains ..."):
        write_trains(table, rows, noise, seed)
    _print_hidden(console, table, rows, noise)
    _print_command(console, table, model, seed)
    started = time.monotonic()
    source = open_table(table, TARGET)
    fitted = learn_with_progress(source, quiet=quiet, max_rules=MAX_RULES, random_state=seed)
    written = written_model(fitted, model)
    print_model(console, fitted, seconds=time.monotonic() - started)
    _print_comparison(console, fitted, source)
    console.print(plain(f"\nWrote {model}. Look again with: {program()} show {model}"))
    if fitted.was_interrupted:
        end_interrupted(written)


def write_trains(path: Path, n_rows: int, noise: float, seed: int) -> None:
    """Write the table as Parquet, piece by piece, whole or not at all."""
    import numpy as np
    import pyarrow.parquet as pq

    rng = np.random.default_rng(seed)
    with whole_file(path) as place:
        first = random_trains(min(_CHUNK_ROWS, n_rows), noise, rng)
        with pq.ParquetWriter(place, first.schema) as writer:
            writer.write_table(first)
            for start in range(_CHUNK_ROWS, n_rows, _CHUNK_ROWS):
                writer.write_table(random_trains(min(_CHUNK_ROWS, n_rows - start), noise, rng))


def random_trains(n_rows: int, noise: float, rng: Any) -> Any:
    """Draw trains, let the hidden list decide their outcome, and turn a share of it around."""
    import numpy as np
    import pyarrow as pa

    from samrule.rules.meaning import deciding_rules

    days = pa.array(["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"])
    trains = pa.table(
        {
            "weekday": pa.DictionaryArray.from_arrays(rng.integers(0, 7, n_rows, np.int8), days),
            "temperature": rng.normal(8, 9, n_rows).round(1),
            "snow": rng.random(n_rows) < 0.3,
            "wind force": rng.binomial(12, 0.5, n_rows),
            "night train": rng.random(n_rows) < 0.2,
            "freight": rng.random(n_rows) < 0.25,
            "distance km": rng.gamma(2, 180, n_rows).round().astype(np.int64),
            "passengers": rng.poisson(180, n_rows),
            "transfers": rng.integers(0, 6, n_rows),
            "locomotive age": rng.integers(0, 40, n_rows),
        }
    )
    late = np.array([rule.prediction == "late" for rule in HIDDEN_LIST])
    outcome = late[deciding_rules(HIDDEN_LIST, trains)] ^ (rng.random(n_rows) < noise)
    answers = pa.array(["on time", "late"])
    return trains.append_column(
        TARGET, pa.DictionaryArray.from_arrays(outcome.astype(np.int8), answers)
    )


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(
            f"the folder {str(folder)!r} cannot be made: {error.strerror}.",
            hint="name another one with --folder.",
        ) from None


def _print_hidden(console: Console, path: Path, n_rows: int, noise: float) -> None:
    size = path.stat().st_size / 1e6
    console.print(
        plain(
            f"Wrote {path}: {n_rows:,} trains, {size:.0f} MB.\n"
            f"This list decides which are late; then {noise:.0%} are turned around:\n"
        )
    )
    console.print(Padding(str(HIDDEN_LIST), (0, 0, 1, 4), expand=False))


def _print_command(console: Console, table: Path, model: Path, seed: int) -> None:
    options = f"--target {TARGET} --max-rules {MAX_RULES} --seed {seed} -o {model}"
    console.print(plain(f"$ {program()} fit {table} {options}\n", "bold"), soft_wrap=True)


def _print_comparison(console: Console, fitted: "FittedRuleList", source: Any) -> None:
    """Say whether it is the hidden list, and how many rows that took."""
    from samrule.evaluation import evaluate

    if _shape(fitted.rule_list) == _shape(HIDDEN_LIST):
        verdict = "It is the hidden list, found again from the file alone."
    else:
        errors = (evaluate(one, source).error_rate for one in (fitted.rule_list, HIDDEN_LIST))
        verdict = "It errs on {:.4%} of the trains, the hidden list on {:.4%}.".format(*errors)
    used = fitted.rows_used
    assert used is not None
    share = used.drawn / source.n_rows
    paper = "" if fitted.paper_rows is None else f"; the paper would draw {fitted.paper_rows:,}"
    console.print(
        plain(
            f"\n{verdict}\nIt took {used.drawn:,} rows drawn from {source.n_rows:,} ({share:.2%}) "
            f"and {used.scans} scans{paper}."
        )
    )


def _shape(rule_list: RuleList) -> list[tuple[frozenset[Condition], object]]:
    return [(frozenset(rule.conditions), rule.prediction) for rule in rule_list]
