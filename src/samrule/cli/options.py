"""Arguments and options that several commands share."""

import csv
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from samrule.checks import CHOSEN_BY_CV, CHOSEN_BY_SCHEME, PARAMETERS, Strategy
from samrule.errors import Parameter, ParameterError, Words

Model = Annotated[Path, typer.Argument(help="A model file.", show_default=False)]
Tables = Annotated[
    list[str],
    typer.Argument(
        help="CSV, Parquet, JSON lines, Arrow or SVMlight files, globs, folders, a DuckDB "
        "database; - for CSV on standard input.",
        metavar="TABLE...",
        show_default=False,
    ),
]
Query = Annotated[
    str | None,
    typer.Option(
        help="One SELECT whose rows are the table, if TABLE is a DuckDB database.", metavar="SQL"
    ),
]
Columns = list[str] | None
Exclude = Annotated[
    Columns,
    typer.Option(help="Columns to leave out: a,b; may be repeated.", metavar="COL,..."),
]
Include = Annotated[
    Columns,
    typer.Option(help="Columns to use, and no others: a,b; may be repeated.", metavar="COL,..."),
]
TrueClasses = Annotated[
    str | None,
    typer.Option(help="Column with the true classes, if not that of the model.", metavar="COL"),
]
MissingTarget = Annotated[
    Literal["error", "drop"],
    typer.Option(help="What to do with rows that have no class: stop, or leave them out."),
]
Weights = Annotated[
    str | None, typer.Option(help="Column with the weight of each row.", metavar="COL")
]
ClassWeights = Annotated[
    str | None,
    typer.Option(
        help="How much a row of each class counts: balanced, or a weight per class; classes not "
        "named count 1.",
        metavar="balanced|CLASS=W,...",
    ),
]


HowToJudge = Annotated[
    str,
    typer.Option(
        help="What to minimize: error; brier, for probabilities to trust and rare classes; a "
        "share of each, error=0.5,brier=0.5; or f1, for the greatest F1 of the rarer class.",
        metavar="NAME",
    ),
]
CostsOfClasses = Annotated[
    list[str] | None,
    typer.Option(
        help="What a wrong class costs, if not 1: bad:good=10 for a bad one taken for good; may be "
        "repeated.",
        metavar="TRUE:PREDICTED=C",
    ),
]

LevelsInOrder = Annotated[
    list[str] | None,
    typer.Option(
        help="Levels of a text column from the lowest to the highest: size=low,mid,high; they are "
        "cut by it like numbers. May be repeated.",
        metavar="COL=LEVEL,...",
    ),
]


def _parameter(name: str, help_: str, metavar: str) -> Any:
    """Return the option of a parameter: what it is for, and what it may be."""
    return typer.Option(help=f"{help_}: {PARAMETERS[name].expected}.", metavar=metavar)


MaxRules = Annotated[int, _parameter("max_rules", "Most rules in the list", "K")]
RulesOrCv = Annotated[
    str,
    typer.Option(
        help=f"Most rules in the list: {PARAMETERS['max_rules'].expected}; cv chooses the fewest "
        "within one standard error of the best, by cross-validation.",
        metavar="K|cv",
    ),
]
MaxTerms = Annotated[int, _parameter("max_terms", "Most conditions in a rule", "Z")]
NThresholds = Annotated[
    int,
    _parameter("n_thresholds", "Most cuts of a column of numbers, two conditions each", "N"),
]
Sets = Annotated[
    bool | None,
    typer.Option(
        "--sets/--no-sets",
        help="Ask of texts also whether they are in a set: city in {Bari, Roma}. Neither: where it "
        "pays.",
    ),
]
Intervals = Annotated[
    bool | None,
    typer.Option(
        "--intervals/--no-intervals",
        help="Ask of numbers and times also for intervals: 20 <= age < 40. Neither: where it pays.",
    ),
]
MaxConditions = Annotated[
    str,
    typer.Option(
        help="Most conditions over all columns, those that tell the classes apart together; auto: "
        "100.",
        metavar="N|none",
    ),
]
Regularization = Annotated[
    float, _parameter("regularization", "Share of rows that a rule must gain", "A")
]
RulePrice = Annotated[
    str,
    typer.Option(
        help="What a rule must gain: a share of the rows, or as in '0.01 relative', of the loss "
        "without rules.",
        metavar="A|'A relative'",
    ),
]
MinSupport = Annotated[
    float, _parameter("min_support", "What every rule must decide", "SHARE|ROWS")
]
Epsilon = Annotated[
    float, _parameter("epsilon", "How much worse than the best list it may be, relatively", "E")
]
EpsilonOrNone = Annotated[
    str,
    typer.Option(
        help="How much worse than the best list it may be, relatively: "
        f"{PARAMETERS['epsilon'].expected}; none for the best that can be proven.",
        metavar="E|none",
    ),
]
Theta = Annotated[
    float, _parameter("theta", "Loss below which epsilon counts relative to theta", "T")
]
Delta = Annotated[float, _parameter("delta", "Probability of an unlucky draw", "D")]
HowToLearn = Annotated[
    Strategy,
    typer.Option(
        help=f"How to learn: {PARAMETERS['strategy'].expected}; auto is exact where that takes "
        "seconds, and else progressive.",
        metavar="NAME",
    ),
]
TimeLimit = Annotated[
    float | None,
    _parameter("time_limit", "Time to search; then what is proven is told", "SECONDS"),
]
MemoryLimit = Annotated[
    str | None, typer.Option(help="Memory to search in, such as 500MB or 2GB.", metavar="SIZE")
]
Threads = Annotated[
    int | None,
    _parameter("threads", "Threads to search with, all cores if not given", "N"),
]
Seed = Annotated[int, _parameter("seed", "The same seed gives the same list", "N")]
NConditions = Annotated[int, _parameter("n_conditions", "Binary conditions (d)", "D")]
NClasses = Annotated[int, _parameter("n_classes", "Classes to tell apart", "C")]
Precision = Annotated[
    float | None,
    _parameter(
        "precision", "Tell how many rows of each class are found at this precision", "SHARE"
    ),
]
AlertShare = Annotated[
    float | None,
    _parameter(
        "alert_rate",
        "Predict the rarer of two classes for at most this share of the rows, and find as much of "
        "it as that allows",
        "SHARE",
    ),
]
Groups = Annotated[
    str | None,
    typer.Option(
        help="A column such as sex: how often rows of each group are predicted as each class, how "
        "often wrongly, and whether probabilities hold.",
        metavar="COL",
    ),
]
Prices = Annotated[
    bool,
    typer.Option(
        "--prices",
        help="Tell what leaving out each column that the list uses would cost: the best list of "
        "this table without it beside the best with it.",
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", help="Print no progress.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


def column_names(given: Sequence[str] | None) -> list[str] | None:
    """Return the columns that an option names, by commas or repetition; None if it names none.

    A name with a comma in it is written in quotes, as in CSV.

    >>> column_names(["id,name", '"a,b"'])
    ['id', 'name', 'a,b']
    """
    if not given:
        return None
    rows = csv.reader(given, skipinitialspace=True)
    return list(dict.fromkeys(name for row in rows for name in row))


def objective_of(text: str) -> str | list[str] | dict[str, float]:
    """Return what --objective says, as `learn` takes it.

    >>> objective_of("brier"), objective_of("error=0.5,brier=0.5")
    ('brier', {'error': 0.5, 'brier': 0.5})
    """
    if "=" not in text:
        return text.split(",") if "," in text else text
    shares = {}
    for part in text.split(","):
        name, _, share = part.partition("=")
        try:
            shares[name.strip()] = float(share)
        except ValueError:
            raise ParameterError(
                f"--objective has {part!r}; expected error, brier, a share of each, or f1.",
                hint="write --objective error=0.5,brier=0.5.",
            ) from None
    return shares


def costs_of(given: Sequence[str] | None) -> dict[tuple[str, str], float] | None:
    """Return what --cost says, as `learn` takes it.

    >>> costs_of(["bad:good=10"])
    {('bad', 'good'): 10.0}
    """
    if not given:
        return None
    return dict(map(_pair_and_cost, column_names(given) or [""]))


def _pair_and_cost(text: str) -> tuple[tuple[str, str], float]:
    found = re.fullmatch(r"([^:]+):([^:]+)=([^=]+)", text)
    try:
        return (found[1], found[2]), float(found[3])  # type: ignore[index]
    except (TypeError, ValueError):
        raise ParameterError(
            f"--cost has {text!r}; expected TRUE:PREDICTED=COST with a number COST.",
            hint="write --cost bad:good=10: a bad one taken for good costs 10, other mistakes 1.",
        ) from None


def orders_of(given: Sequence[str] | None) -> dict[str, list[str]] | None:
    """Return what --order says, as `Binarizer` takes it.

    >>> orders_of(["size=low,mid,high"])
    {'size': ['low', 'mid', 'high']}
    """
    if not given:
        return None
    orders = {}
    for text in given:
        name, sign, levels = text.partition("=")
        if not (name and sign and levels):
            raise ParameterError(
                f"--order has {text!r}; expected COL=LEVEL,LEVEL,...",
                hint="write --order size=low,mid,high.",
            )
        orders[name] = next(csv.reader([levels], skipinitialspace=True))
    return orders


def rules_of(text: str) -> int | str:
    """Return what --max-rules says, as `learn` takes it.

    >>> rules_of("4"), rules_of("cv")
    (4, 'cv')
    """
    if text == CHOSEN_BY_CV:
        return text
    number = _number_in(
        text, "max_rules", int, ", or cv", Words("try ", Parameter("max_rules", 4), ".")
    )
    return int(number)


def price_of(text: str) -> float | str:
    """Return what --regularization says, as `learn` takes it.

    >>> price_of("0.001"), price_of("0.01 relative")
    (0.001, '0.01 relative')
    """
    try:
        return float(text)
    except ValueError:
        return text


def max_conditions_of(text: str) -> int | Literal["auto"] | None:
    """Return what --max-conditions says, as `Binarizer` takes it.

    >>> max_conditions_of("50"), max_conditions_of("none"), max_conditions_of("auto")
    (50, None, 'auto')
    """
    if text == CHOSEN_BY_SCHEME:
        return CHOSEN_BY_SCHEME
    if _is_none(text):
        return None
    takes_all = Words(Parameter("max_conditions", "none"), " takes all.")
    return int(_number_in(text, "max_conditions", int, ", auto or none", takes_all))


def epsilon_of(text: str) -> float | None:
    """Return what --epsilon says, as `learn` takes it.

    >>> epsilon_of("0.05"), epsilon_of("none")
    (0.05, None)
    """
    if _is_none(text):
        return None
    proves = Words(Parameter("epsilon", "none"), " proves as much as it can.")
    return _number_in(text, "epsilon", float, ", or none", proves)


def _is_none(text: str) -> bool:
    return text.strip().lower() == "none"


def _number_in(
    text: str, name: str, number: type[int] | type[float], or_words: str, hint: Words
) -> float:
    """Return the number that an option says which may also say a word."""
    try:
        return number(text)
    except ValueError:
        expected = PARAMETERS[name].expected
        raise ParameterError(
            Words(Parameter(name), f" is {text!r}; expected {expected}{or_words}."), hint=hint
        ) from None


def class_weight_of(text: str | None) -> dict[str, float] | str | None:
    """Return what --class-weight says, as `learn` takes it.

    A class with a comma in it is written in quotes, as in CSV.

    >>> class_weight_of('no=1,"yes, and more=20"'), class_weight_of("balanced")
    ({'no': 1.0, 'yes, and more': 20.0}, 'balanced')
    """
    if text is None or text == "balanced":
        return text
    return dict(map(_class_and_weight, column_names([text]) or [""]))


def _class_and_weight(text: str) -> tuple[str, float]:
    name, sign, weight = text.rpartition("=")
    try:
        return name, float(weight if sign else "")
    except ValueError:
        raise ParameterError(
            f"--class-weight has {text!r}; expected balanced, or CLASS=W with a number W.",
            hint="write --class-weight no=1,yes=20.",
        ) from None


_BYTES = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}


def bytes_of(text: str | None) -> int | None:
    """Return what --memory-limit says, in bytes.

    >>> bytes_of("500MB"), bytes_of("1.5 gb"), bytes_of("64000000")
    (500000000, 1500000000, 64000000)
    """
    if text is None:
        return None
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?B|)\s*", text.upper())
    if found is None:
        raise ParameterError(
            f"--memory-limit is {text!r}; expected a number and KB, MB, GB or TB.",
            hint="write --memory-limit 500MB.",
        )
    return round(float(found[1]) * _BYTES[found[2]])
