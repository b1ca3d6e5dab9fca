"""`samrule fit`: from a table to a rule list, a certificate and a model file."""

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from samrule.checks import CHOSEN_BY_SCHEME, DEFAULTS
from samrule.cli.constraint_options import (
    AtMost,
    ConstraintsFile,
    First,
    Forbid,
    ForbidTogether,
    Last,
    MaxColumns,
    Monotone,
    PriceConstraints,
    Require,
    Together,
    constraints_of,
)
from samrule.cli.model_view import (
    SAME_TABLE,
    evaluation_json,
    model_json,
    print_evaluation,
    print_model,
)
from samrule.cli.options import (
    AlertShare,
    AsJson,
    ClassWeights,
    CostsOfClasses,
    Delta,
    EpsilonOrNone,
    Exclude,
    HowToJudge,
    HowToLearn,
    Include,
    Intervals,
    LevelsInOrder,
    MaxConditions,
    MaxTerms,
    MemoryLimit,
    MinSupport,
    MissingTarget,
    NThresholds,
    Query,
    Quiet,
    RulePrice,
    RulesOrCv,
    Seed,
    Sets,
    Tables,
    Theta,
    Threads,
    TimeLimit,
    Weights,
    bytes_of,
    class_weight_of,
    column_names,
    costs_of,
    epsilon_of,
    max_conditions_of,
    objective_of,
    orders_of,
    price_of,
    rules_of,
)
from samrule.cli.outputs import check_outputs, files_in_common
from samrule.cli.parts import parts_of, test_tables
from samrule.cli.reading import with_reading
from samrule.cli.run import (
    end_interrupted,
    learn_with_progress,
    written_model,
    written_report,
)
from samrule.cli.screen import plain, screen
from samrule.cli.tables import opened
from samrule.errors import ParameterError

if TYPE_CHECKING:
    from samrule.evaluation import Evaluation
    from samrule.learning import ConstraintPrice, FittedRuleList
    from samrule.sources.base import Source


@with_reading
def fit(
    tables: Tables,
    *,
    target: Annotated[str, typer.Option(help="Column to predict.", metavar="COL")],
    exclude: Exclude = None,
    include: Include = None,
    force: Annotated[
        list[str] | None,
        typer.Option(
            help="Columns to use although they look like identifiers, row numbers or an index: "
            "a,b; those of --include are.",
            metavar="COL,...",
        ),
    ] = None,
    weights: Weights = None,
    class_weight: ClassWeights = None,
    objective: HowToJudge = DEFAULTS["objective"],
    cost: CostsOfClasses = None,
    alert_rate: AlertShare = DEFAULTS["alert_rate"],
    query: Query = None,
    reading: dict[str, Any],
    missing_target: MissingTarget = "error",
    test: Annotated[
        str | None,
        typer.Option(
            help="Evaluate the list on rows it never saw: those of another table, or a share such "
            "as 0.2 of this one, held out at random.",
            metavar="TABLE|SHARE",
        ),
    ] = None,
    max_rules: RulesOrCv = str(DEFAULTS["max_rules"]),
    max_terms: MaxTerms = DEFAULTS["max_terms"],
    n_thresholds: NThresholds = DEFAULTS["n_thresholds"],
    sets: Sets = None,
    intervals: Intervals = None,
    order: LevelsInOrder = None,
    calendar: Annotated[
        bool,
        typer.Option(
            "--calendar", help="Ask of dates also for hour, weekday and month, where they matter."
        ),
    ] = False,
    max_conditions: MaxConditions = CHOSEN_BY_SCHEME,
    regularization: RulePrice = str(DEFAULTS["regularization"]),
    min_support: MinSupport = DEFAULTS["min_support"],
    forbid: Forbid = None,
    forbid_together: ForbidTogether = None,
    require: Require = None,
    at_most: AtMost = None,
    first: First = None,
    last: Last = None,
    monotone: Monotone = None,
    max_columns: MaxColumns = DEFAULTS["max_columns"],
    together: Together = None,
    constraints: ConstraintsFile = None,
    price_constraints: PriceConstraints = False,
    epsilon: EpsilonOrNone = str(DEFAULTS["epsilon"]),
    theta: Theta = DEFAULTS["theta"],
    delta: Delta = DEFAULTS["delta"],
    strategy: HowToLearn = DEFAULTS["strategy"],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the model here.", metavar="FILE")
    ] = None,
    report: Annotated[
        Path | None, typer.Option(help="Write a page to look at (HTML).", metavar="FILE")
    ] = None,
    time_limit: TimeLimit = DEFAULTS["time_limit"],
    memory_limit: MemoryLimit = DEFAULTS["memory_limit"],
    seed: Seed = DEFAULTS["seed"],
    threads: Threads = DEFAULTS["threads"],
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Learn a rule list from a table, and say how good it provably is.

    [bold]Examples[/]

    Learn to predict the column churn; keep the model:
    [green]samrule fit customers.csv --target churn -o model.json[/]

    Many files, two columns left out, a fifth of the rows kept aside for a test:
    [green]samrule fit 'logs/*.parquet' --target failed --exclude id,name --test 0.2[/]

    A class that is rare, and worth rules all the same:
    [green]samrule fit payments.csv --target fraud --objective brier[/]
    [green]samrule fit payments.csv --target fraud --class-weight balanced[/]

    A loan that is not paid back costs as much as ten that are refused in vain:
    [green]samrule fit loans.csv --target outcome --cost bad:good=10[/]

    Calls for one payment in a hundred at most, and as much fraud found as they allow:
    [green]samrule fit payments.csv --target fraud --alert-rate 0.01[/]

    As many rules as cross-validation says pay off:
    [green]samrule fit customers.csv --target churn --max-rules cv[/]

    No postcode, not age with sex, and more income never speaks against a loan:
    [green]samrule fit loans.csv --target paid --forbid zip --forbid-together age,sex
    --monotone income=+1 --price-constraints[/]

    Rules of two conditions, at most a minute of search:
    [green]samrule fit t.csv --target y --max-terms 2 --time-limit 60[/]

    From a query, or from another program:
    [green]samrule fit shop.duckdb --query "FROM orders WHERE year = 2025" --target returned[/]
    [green]zcat big.csv.gz | samrule fit - --target y --json > result.json[/]

    Ctrl-C ends the search: the best list so far is printed, and written if -o was given.
    """
    from samrule.conditions import Binarizer

    check_outputs([output, report], tables=[*tables, *test_tables(test)])
    weight_of_class, n_bytes = class_weight_of(class_weight), bytes_of(memory_limit)
    minimized, costs = objective_of(objective), costs_of(cost)
    obeyed = constraints_of(
        forbid=forbid,
        forbid_together=forbid_together,
        require=require,
        at_most=at_most,
        first=first,
        last=last,
        monotone=monotone,
        max_columns=max_columns,
        together=together,
        file=constraints,
    )
    if price_constraints and not obeyed:
        raise ParameterError(
            "--price-constraints is given without a constraint to price.",
            hint="forbid, require or limit something: samrule fit --help.",
        )
    started = time.monotonic()
    roles = {
        "exclude": column_names(exclude),
        "include": column_names(include),
        "weights": weights,
    }
    with (
        opened(
            tables, target, query=query, missing_target=missing_target, **roles, **reading
        ) as source,
        parts_of(
            source, test, seed, weights=weights, missing_target=missing_target, **reading
        ) as parts,
    ):
        settings: dict[str, Any] = {
            "max_rules": rules_of(max_rules),
            "max_terms": max_terms,
            "regularization": price_of(regularization),
            "min_support": min_support,
            "epsilon": epsilon_of(epsilon),
            "theta": theta,
            "delta": delta,
            "strategy": strategy,
            "class_weight": weight_of_class,
            "objective": minimized,
            "costs": costs,
            "alert_rate": alert_rate,
            "binarizer": Binarizer(
                n_thresholds=n_thresholds,
                sets="auto" if sets is None else sets,
                intervals="auto" if intervals is None else intervals,
                orders=orders_of(order),
                calendar=calendar,
                max_conditions=max_conditions_of(max_conditions),
                force=[*(column_names(force) or []), *(column_names(include) or [])],
            ),
            "time_limit": time_limit,
            "memory_limit": n_bytes,
            "random_state": seed,
            "threads": threads,
            **obeyed,
        }
        fitted = learn_with_progress(parts.learning, quiet=quiet, **settings)
        prices = _prices(parts.learning, settings, fitted) if price_constraints else ()
        written = written_model(fitted, output)
        interrupted = fitted.was_interrupted
        evaluation = None
        if parts.testing is not None and not interrupted:
            try:
                evaluation = fitted.evaluate(parts.testing)
            except KeyboardInterrupt:
                interrupted = True
        tested = None if evaluation is None else _tested(test, tables, fitted, evaluation)
        written += _test_page(fitted, report, tested)
        result = _Result(fitted, parts.learning, tested, interrupted, written, started, prices)
        result.print_json() if as_json else result.print_text()
    if interrupted:
        end_interrupted(written)


def _prices(
    source: "Source", settings: dict[str, Any], fitted: "FittedRuleList"
) -> "tuple[ConstraintPrice, ...]":
    """Return what each constraint costs; nothing after Ctrl-C."""
    from samrule.learning import constraint_prices

    return () if fitted.was_interrupted else constraint_prices(source, **settings)


@dataclass(frozen=True)
class _Tested:
    """What the list does on the rows of --test, in which words, and whether it never saw them.

    `unseen` is true for rows held out, false for those it was learned from, and None for another
    table, of which nobody knows.
    """

    evaluation: "Evaluation"
    words: str
    unseen: bool | None


def _tested(
    test: str | None, tables: list[str], fitted: "FittedRuleList", evaluation: "Evaluation"
) -> _Tested:
    if not test_tables(test):
        return _Tested(evaluation, "On the test rows, held out before it was learned:", True)
    assert test is not None
    if files_in_common(tables, [test]):
        words = f"On {test}, which it was learned from: this is no test."
        return _Tested(evaluation, words, False)
    if fitted.has_counted(evaluation):
        return _Tested(evaluation, f"On {test}. {SAME_TABLE}", False)
    return _Tested(evaluation, f"On {test}:", None)


def _test_page(
    fitted: "FittedRuleList", report: Path | None, tested: _Tested | None
) -> tuple[Path, ...]:
    """Write the report, with the test in it unless that is none."""
    if tested is None or tested.unseen is False:
        return written_report(fitted, report)
    return written_report(fitted, report, tested.evaluation, held_out=tested.unseen is not None)


@dataclass(frozen=True)
class _Result:
    """Everything there is to tell."""

    fitted: "FittedRuleList"
    source: "Source"
    tested: "_Tested | None"
    interrupted: bool
    written: tuple[Path, ...]
    started: float
    prices: "tuple[ConstraintPrice, ...]" = ()

    def print_text(self) -> None:
        console = screen()
        console.print(plain(f"{self.source.name}: {self.source.n_rows:,} rows"))
        print_model(console, self.fitted, seconds=time.monotonic() - self.started)
        if self.tested is not None:
            console.print(plain(f"\n{self.tested.words}\n"))
            print_evaluation(console, self.tested.evaluation, self.fitted)
        if self.prices:
            console.print(plain("\nWhat each constraint costs:"))
        for price in self.prices:
            console.print(plain(f"  {price}"))
        for path in self.written:
            console.print(plain(f"\nWrote {path}."))

    def print_json(self) -> None:
        found = {
            "rows": self.source.n_rows,
            **model_json(self.fitted),
            "interrupted": self.interrupted,
            "seconds": time.monotonic() - self.started,
            "test": None
            if self.tested is None
            else {
                "unseen": self.tested.unseen,
                **evaluation_json(self.tested.evaluation, self.fitted),
            },
            "written": [str(path) for path in self.written],
            "constraint_prices": [
                {
                    "constraint": one.constraint,
                    "least": one.least,
                    "most": one.most,
                    "loss": one.obeyed.upper_bound,
                    "loss_without": one.without.upper_bound,
                }
                for one in self.prices
            ],
        }
        typer.echo(json.dumps(found, indent=1, allow_nan=False))
