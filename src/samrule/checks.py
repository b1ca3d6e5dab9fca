"""Every parameter that people pass: its type, its range, its default, and what to say of others.

One table, `PARAMETERS`, serves `solve`, `learn`, the classifier, `theory` and the command line, so
that a parameter has the same range and the same words wherever it is passed.
"""

import math
import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from numbers import Real
from types import MappingProxyType
from typing import Any, Final, Literal, NoReturn, get_args

from samrule.errors import Parameter, ParameterError, ParameterTypeError, Words

Strategy = Literal["auto", "exact", "progressive", "paper", "tight"]
Method = Literal["paper", "tight"]
Scheme = Literal["supervised", "quantile", "paper"]
# In place of a number of rules: cross-validation chooses it.
CHOSEN_BY_CV: Final = "cv"
# In place of a number of conditions: what suits the scheme that makes them.
CHOSEN_BY_SCHEME: Final = "auto"
# What a loss is called in sentences; that of errors is just "loss".
LossName = Literal["loss", "Brier loss", "cost", "mixed loss", "1 - F1"]


class _Required(Enum):
    """Marks a parameter without a default, as None may be one."""

    REQUIRED = "required"


class NotAnIntegerError(ParameterError, ParameterTypeError):
    """A number such as 2.5 where a whole one is needed: wrong value and wrong type at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind(ABC):
    """What a parameter may be.

    Parameters
    ----------
    default
        Its value where nothing is passed, the same in every signature that has a default. Where
        it is None, None may be passed, too.
    example
        What to try in place of a value that cannot be; the default if not given.
    hint
        What to do about such a value, if there is more to say than an example.
    """

    default: object = _Required.REQUIRED
    example: object = None
    hint: str | None = None

    @property
    @abstractmethod
    def expected(self) -> str:
        """What the parameter may be, in words."""

    @abstractmethod
    def checked(self, name: str, value: object) -> Any:
        """Return the value as Python's own type, if it may be passed."""

    def refuse(self, name: str, value: object) -> NoReturn:
        """Say that a value lies outside of the range."""
        message = Words(Parameter(name), f" is {value}; expected {self.expected}.")
        raise ParameterError(message, hint=self._hint(name))

    def refuse_type(
        self,
        name: str,
        value: object,
        error: type[ParameterTypeError] = ParameterTypeError,
        hint: str | None = None,
    ) -> NoReturn:
        """Say that a value is of the wrong type."""
        shown = f" is {value!r} ({type(value).__name__}); expected {self.expected}."
        raise error(Words(Parameter(name), shown), hint=hint or self._hint(name))

    def _hint(self, name: str) -> str | None:
        if self.hint is not None:
            return self.hint
        example = self.default if self.example is None else self.example
        if example is None or example is _Required.REQUIRED:
            return None
        return Words("try ", Parameter(name, example), ".")


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeNumber(Kind):
    """A whole number, both ends of its range included.

    Examples
    --------
    >>> WholeNumber(at_least=0, at_most=1000).expected
    'a whole number from 0 to 1,000'
    >>> WholeNumber(at_least=1).checked("n_rows", 0)
    Traceback (most recent call last):
    ...
    samrule.errors.ParameterError: n_rows is 0; expected a whole number, at least 1.
    """

    at_least: int
    at_most: int | None = None
    not_zero: bool = False
    unit: str = ""

    @property
    def expected(self) -> str:
        """What the parameter may be, in words."""
        kind = f"a whole number of {self.unit}" if self.unit else "a whole number"
        if self.at_most is None:
            return f"{kind}, at least {self.at_least:,}"
        but = ", not 0" if self.not_zero else ""
        return f"{kind} from {self.at_least:,} to {self.at_most:,}{but}"

    def checked(self, name: str, value: object) -> int:
        """Return the value as an int, if it is whole and in range."""
        number = _as_integer(value)
        if number is None:
            self._refuse_what_is_not_whole(name, value)
        above = number >= self.at_least and not (self.not_zero and number == 0)
        if not above or (self.at_most is not None and number > self.at_most):
            self.refuse(name, number)
        return number

    def _refuse_what_is_not_whole(self, name: str, value: object) -> NoReturn:
        if isinstance(value, bool) or not isinstance(value, Real):
            self.refuse_type(name, value)
        number = float(value)
        hint = Words("pass ", Parameter(name, int(number)), ".") if number.is_integer() else None
        self.refuse_type(name, value, NotAnIntegerError, hint)


@dataclass(frozen=True, slots=True, kw_only=True)
class Number(Kind):
    """A number; an end of its range is included (`at_least`, `at_most`) or not (`above`, `below`).

    NaN is in no range. Infinity is only if `may_be_infinite` says so.

    Examples
    --------
    >>> print(Number(above=0, at_most=1).expected)
    a number, above 0 and at most 1
    >>> Number(above=0, at_most=1).checked("theta", 0)
    Traceback (most recent call last):
    ...
    samrule.errors.ParameterError: theta is 0; expected a number, above 0 and at most 1.
    """

    at_least: float | None = None
    above: float | None = None
    at_most: float | None = None
    below: float | None = None
    may_be_infinite: bool = False
    unit: str = ""

    @property
    def expected(self) -> str:
        """What the parameter may be, in words."""
        if self.at_least is not None and self.at_most is not None:
            return f"a number from {self.at_least:g} to {self.at_most:,g}"
        ends = {
            "at least": self.at_least,
            "above": self.above,
            "at most": self.at_most,
            "below": self.below,
        }
        has_end = self.at_most is not None or self.below is not None
        kind = "a number" if has_end or self.may_be_infinite else "a finite number"
        kind += f" of {self.unit}" if self.unit else ""
        said = " and ".join(f"{side} {end:,g}" for side, end in ends.items() if end is not None)
        return f"{kind}, {said}"

    def checked(self, name: str, value: object) -> float:
        """Return the value as a float, if it is in range."""
        if isinstance(value, bool) or not isinstance(value, Real):
            self.refuse_type(name, value)
        number = _as_float(value)
        if not self._contains(number):
            self.refuse(name, value)
        return number

    def _contains(self, number: float) -> bool:
        return (
            not math.isnan(number)
            and (self.at_least is None or number >= self.at_least)
            and (self.above is None or number > self.above)
            and (self.at_most is None or number <= self.at_most)
            and (self.below is None or number < self.below)
            and (self.may_be_infinite or math.isfinite(number))
        )


@dataclass(frozen=True, slots=True)
class Relative:
    """A price of a rule as a share of the loss that the best list without rules has.

    Examples
    --------
    >>> print(Relative(0.01))
    0.01 relative
    >>> Relative(0.01).of(0.25)
    0.0025
    """

    share: float

    def of(self, loss: float) -> float:
        """Return the price as a share of the rows, if the list without rules has this loss."""
        return self.share * loss

    def __str__(self) -> str:
        return f"{self.share!r} {_RELATIVE}"


_RELATIVE = "relative"


@dataclass(frozen=True, slots=True, kw_only=True)
class Price(Number):
    """What a rule costs: a share of the rows, or where rows are known, of the loss without rules.

    Examples
    --------
    >>> price = Price(at_least=0)
    >>> price.checked("regularization", 1e-4), price.priced("regularization", "0.01 relative")
    (0.0001, Relative(share=0.01))
    """

    def priced(self, name: str, value: object) -> float | Relative:
        """Return a number in range, or what a text such as ``0.01 relative`` says."""
        if not isinstance(value, str):
            return self.checked(name, value)
        share, _, word = value.strip().rpartition(" ")
        try:
            number = float(share)
        except ValueError:
            number = math.nan
        if word == _RELATIVE and self._contains(number):
            return Relative(number)
        raise ParameterError(
            Words(
                Parameter(name),
                f" is {value!r}; expected {self.expected}, or such a number and the word "
                f"{_RELATIVE!r}.",
            ),
            hint=Words(
                Parameter(name, f"0.01 {_RELATIVE}"),
                " is a hundredth of the loss that the best list without rules has.",
            ),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Support(Kind):
    """What every rule must decide: below 1 a share of the rows, from 1 on a number of rows.

    Examples
    --------
    >>> Support().checked("min_support", 50)
    50.0
    """

    @property
    def expected(self) -> str:
        """What the parameter may be, in words."""
        return "a share of the rows, at least 0 and below 1, or a whole number of rows"

    def checked(self, name: str, value: object) -> float:
        """Return the value as a float, if it is a share or a number of rows."""
        if isinstance(value, bool) or not isinstance(value, Real):
            self.refuse_type(name, value)
        number = _as_float(value)
        if not 0 <= number < math.inf or (number >= 1 and not number.is_integer()):
            self.refuse(name, value)
        return number


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice(Kind):
    """One of a few words.

    Examples
    --------
    >>> Choice(words=("paper", "tight")).expected
    "'paper' or 'tight'"
    """

    words: tuple[str, ...]

    @property
    def expected(self) -> str:
        """What the parameter may be, in words."""
        *first, last = map(repr, self.words)
        return f"{', '.join(first)} or {last}"

    def checked(self, name: str, value: object) -> str:
        """Return the word, if it is one of them."""
        if not isinstance(value, str) or value not in self.words:
            self.refuse(name, repr(value))
        return str(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Function(Kind):
    """A function of one argument."""

    @property
    def expected(self) -> str:
        """What the parameter may be, in words."""
        return "a function of one argument"

    def checked(self, name: str, value: object) -> Callable[[Any], object]:
        """Return the function, if it is one."""
        if not callable(value):
            self.refuse_type(name, value)
        return value


# What the native search takes.
MOST_RULES = 1000
MOST_THREADS = 1024
SMALLEST_MEMORY_LIMIT = 1 << 20

_SHARE_OF_DELTA = Number(at_least=0, below=1)
_LOSS = Number(at_least=0)
_ROWS = WholeNumber(at_least=1)

PARAMETERS: Mapping[str, Kind] = MappingProxyType(
    {
        # What a list may look like, and what a rule costs.
        "max_rules": WholeNumber(at_least=0, at_most=MOST_RULES, default=4),
        "max_terms": WholeNumber(at_least=1, default=1),
        "regularization": Price(at_least=0, default=1e-4),
        "relative_regularization": Number(at_least=0, default=None),
        "objective": Choice(words=("error", "brier", "f1"), default="error"),
        "min_support": Support(default=0, hint="0.01 is one row in a hundred, 50 is fifty rows."),
        "max_columns": WholeNumber(at_least=0, default=None, example=3),
        "alert_rate": Number(
            above=0, below=1, default=None, hint="0.01 alerts on one row in a hundred at most."
        ),
        # How near the best list it must be, and how surely.
        "epsilon": Number(above=0, at_most=1, default=0.1),
        "theta": Number(above=0, at_most=1, default=0.05),
        "delta": Number(above=0, below=1, default=0.05),
        "strategy": Choice(
            words=get_args(Strategy),
            default="auto",
            hint="'auto' chooses between exact and progressive.",
        ),
        # Lists that are nearly as good.
        "within": Number(
            at_least=0, default=0.02, hint="0.02 asks for losses up to 2 % above the least."
        ),
        "limit": WholeNumber(at_least=1, at_most=10_000_000, default=10_000, unit="lists"),
        # How it is searched.
        "tolerance": Number(
            at_least=0,
            at_most=1,
            default=0.0,
            hint=Words("leave ", Parameter("tolerance"), " out to search until no list is better."),
        ),
        "time_limit": Number(
            above=0,
            unit="seconds",
            default=None,
            hint=Words("leave ", Parameter("time_limit"), " out to search until all is proven."),
        ),
        "work_limit": Number(
            at_least=1,
            unit="operations",
            default=None,
            hint=Words(
                "a core does about 1e9 in a second; leave ",
                Parameter("work_limit"),
                " out to search to the end.",
            ),
        ),
        "memory_limit": WholeNumber(
            at_least=SMALLEST_MEMORY_LIMIT,
            unit="bytes",
            default=None,
            hint=Words(Parameter("memory_limit", 500_000_000), " is plenty for most tables."),
        ),
        "threads": WholeNumber(at_least=1, at_most=MOST_THREADS, default=None, example=1),
        "n_jobs": WholeNumber(
            at_least=-MOST_THREADS,
            at_most=MOST_THREADS,
            not_zero=True,
            default=None,
            hint=Words(Parameter("n_jobs", -1), " uses all cores."),
        ),
        "progress": Function(
            default=None,
            hint=Words("pass a function, such as print, or leave ", Parameter("progress"), " out."),
        ),
        # How columns become conditions.
        "scheme": Choice(
            words=get_args(Scheme),
            default="supervised",
            hint="give your own cuts={column: [...]}.",
        ),
        "n_thresholds": WholeNumber(at_least=1, default=12, hint="12 serves most tables well."),
        "min_level_share": Number(
            at_least=0, below=1, default=0.005, hint="0.01 keeps levels of one row in a hundred."
        ),
        "max_conditions": WholeNumber(
            at_least=2, default=None, hint="a hundred serve most tables well."
        ),
        # The command line's random_state: there, runs can be repeated unless one asks otherwise.
        "seed": WholeNumber(at_least=0, default=0),
        # How a list is judged.
        "precision": Number(above=0, at_most=1, default=None, example=0.5),
        # Of theory: the class of lists, the rows drawn, and what was seen on them.
        "method": Choice(words=get_args(Method), default="paper"),
        "n_conditions": WholeNumber(at_least=1, example=100),
        "n_conjunctions": WholeNumber(at_least=1, default=None),
        "n_classes": WholeNumber(at_least=2, default=2),
        "n_pairs": WholeNumber(at_least=0, default=0),
        "n_levels": WholeNumber(at_least=0),
        "n_rules": WholeNumber(at_least=0),
        "n_rows": _ROWS,
        "n_errors": WholeNumber(at_least=0),
        "first_rows": WholeNumber(at_least=1, default=250),
        "growth": Number(above=1, at_most=1000, default=2.0),
        "validation_ratio": Number(at_least=0, at_most=1000, default=0.0),
        "train_rows": _ROWS,
        "validation_rows": WholeNumber(at_least=0, default=0),
        "validation_errors": WholeNumber(at_least=0, default=None),
        "pilot_rows": WholeNumber(at_least=0, default=0),
        "table_rows": WholeNumber(at_least=1, default=None),
        "chance": Number(above=0, below=1),
        "a_priori_rows": WholeNumber(at_least=1, default=None),
        # The best list without rules errs on some rows and pays for no rule.
        "sample_lower_bound": Number(at_least=0, at_most=1),
        # Not above 1 + k alpha, whatever that is.
        "loss": _LOSS,
        "sample_loss": Number(at_least=0, default=None),
        "table_loss": Number(at_least=0, default=None),
        "loss_name": Choice(words=get_args(LossName), default="loss"),
        "validation_loss": Number(at_least=0, at_most=1, default=None),
        "log_n_lists": Number(at_least=0, default=None),
        "complexity": Number(at_least=0),
        "lower": _SHARE_OF_DELTA,
        "upper": Number(at_least=0, below=1, default=0.0),
        "uniform": Number(at_least=0, below=1, default=0.0),
        "score": Number(at_least=0, at_most=1),
        "shares.lower": Number(above=0, below=1),
        "shares.upper": Number(above=0, below=1),
        "shares.uniform": Number(above=0, below=1),
        "p": Number(at_least=0, at_most=1),
        "q": Number(at_least=0, at_most=1),
        "b": Number(at_least=0, may_be_infinite=True),
        "achieved_epsilon": Number(at_least=0, may_be_infinite=True),
    }
)

DEFAULTS: Mapping[str, Any] = MappingProxyType(
    {
        name: kind.default
        for name, kind in PARAMETERS.items()
        if kind.default is not _Required.REQUIRED
    }
)


def checked(name: str, value: object) -> Any:
    """Return the value of a parameter as Python's own type; None where that is the default.

    Examples
    --------
    >>> checked("max_rules", 4), checked("time_limit", None)
    (4, None)
    >>> checked("max_rules", 2000)
    Traceback (most recent call last):
    ...
    samrule.errors.ParameterError: max_rules is 2000; expected a whole number from 0 to 1,000.
    Hint: try max_rules=4.
    """
    kind = PARAMETERS[name]
    return None if value is None and kind.default is None else kind.checked(name, value)


def checked_integer(name: str, value: object, kind: WholeNumber | None = None) -> int:
    """Return a whole number in the range of its parameter, or of `kind` if that is narrower.

    Examples
    --------
    >>> checked_integer("n_errors", 3, WholeNumber(at_least=0, at_most=10))
    3
    """
    declared = PARAMETERS[name] if kind is None else kind
    assert isinstance(declared, WholeNumber)
    return declared.checked(name, value)


def checked_number(name: str, value: object, kind: Number | None = None) -> float:
    """Return a number in the range of its parameter, or of `kind` if that is narrower.

    Examples
    --------
    >>> checked_number("theta", 0.025)
    0.025
    """
    declared = PARAMETERS[name] if kind is None else kind
    assert isinstance(declared, Number)
    return declared.checked(name, value)


def checked_rules(value: object) -> int | Literal["cv"]:
    """Return the most rules in a list, or that cross-validation is to choose them.

    Examples
    --------
    >>> checked_rules(4), checked_rules("cv")
    (4, 'cv')
    """
    if isinstance(value, str) and value == CHOSEN_BY_CV:
        return CHOSEN_BY_CV
    number: int = checked("max_rules", value)
    return number


def checked_max_conditions(value: object) -> int | Literal["auto"] | None:
    """Return how many conditions there may be; None for all, ``"auto"`` for what suits the scheme.

    Examples
    --------
    >>> checked_max_conditions(50), checked_max_conditions(None), checked_max_conditions("auto")
    (50, None, 'auto')
    """
    if isinstance(value, str) and value == CHOSEN_BY_SCHEME:
        return CHOSEN_BY_SCHEME
    number: int | None = checked("max_conditions", value)
    return number


def checked_epsilon(value: object) -> float | None:
    """Return the accuracy asked for; None for the best that can be proven.

    Examples
    --------
    >>> checked_epsilon(0.1), checked_epsilon(None)
    (0.1, None)
    """
    return None if value is None else float(checked("epsilon", value))


def checked_price(value: object) -> float | Relative:
    """Return what a rule costs: a share of the rows, or of the loss without rules.

    Examples
    --------
    >>> checked_price(0.001), checked_price("0.05 relative")
    (0.001, Relative(share=0.05))
    """
    kind = PARAMETERS["regularization"]
    assert isinstance(kind, Price)
    return kind.priced("regularization", value)


def _as_integer(value: object) -> int | None:
    """Return a whole number of any type, numpy's too, as an int; None for what is none."""
    if isinstance(value, bool):
        return None
    try:
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        return None


def _as_float(value: Any) -> float:
    """Return a number of any type as a float; infinity for a whole number beyond every float."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
