"""How much a row of each class counts: `class_weight` as people give it, as exact numbers."""

import difflib
import math
from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from numbers import Real
from typing import Any

from samrule.errors import Parameter, ParameterError, ParameterTypeError, Words
from samrule.learning.task import class_shares_of
from samrule.rules import Rule, RuleList, value_text
from samrule.solver.weights import TOTAL_WEIGHT_LIMIT
from samrule.sources.base import Source
from samrule.sources.class_weights import with_class_weights

ClassWeight = Mapping[Any, float] | str | None

# "balanced" weights are rounded to a thousandth of the least one, or less on long tables, so that
# they are whole numbers whose sum the search can add exactly.
_PARTS = (1000, 100, 10, 1)


def checked_class_weight(class_weight: object) -> ClassWeight:
    """Return a class weight of the right kind; whether it names the right classes is seen later."""
    if class_weight is None or (isinstance(class_weight, str) and class_weight == "balanced"):
        return class_weight
    if isinstance(class_weight, str):
        raise ParameterError(
            Words(
                Parameter("class_weight"),
                f" is {class_weight!r}; expected 'balanced' or a weight per class.",
            ),
            hint=Words(
                Parameter("class_weight", "balanced"), " makes every class count the same in all."
            ),
        )
    if not isinstance(class_weight, Mapping):
        raise ParameterTypeError(
            Words(
                Parameter("class_weight"),
                f" is {class_weight!r} ({type(class_weight).__name__}); expected 'balanced' or a "
                "weight per class.",
            ),
            hint="write {'no': 1, 'yes': 20}.",
        )
    for one, weight in class_weight.items():
        if isinstance(weight, bool) or not isinstance(weight, Real):
            raise ParameterTypeError(
                Words(Parameter("class_weight"), f" of {one!r} is {weight!r}; expected a number."),
                hint="write {'no': 1, 'yes': 20}.",
            )
        if not 0 <= float(weight) < math.inf:
            raise ParameterError(
                Words(
                    Parameter("class_weight"),
                    f" of {one!r} is {weight!r}; expected a finite number of 0 or more.",
                ),
                hint="a class that should not count has weight 0.",
            )
    return class_weight


def weighted_by_class(
    source: Source, class_weight: ClassWeight
) -> tuple[Source, dict[Hashable, float] | None]:
    """Return the source with rows that count as much as their class does, and the weights.

    The rows' weights are whole numbers wherever they can be: only their ratios matter, and the
    search adds whole numbers exactly.
    """
    if class_weight is None:
        return source, None
    classes = tuple(class_shares_of(source))
    if isinstance(class_weight, str):
        exact = _balanced(source, classes)
    else:
        exact = _given(class_weight, classes, str(source.target))
    whole = dict(zip(exact, _whole(tuple(exact.values())), strict=True))
    return with_class_weights(source, whole), {one: float(w) for one, w in exact.items()}


def without_class_weight(
    weighted_counts: Sequence[float], class_weight: Sequence[float]
) -> tuple[float, ...]:
    """Return the weight of rows by class that they had before their class weighed anything.

    Examples
    --------
    >>> without_class_weight((30, 45), class_weight=(1, 1.5))  # Searched as 2 and 3.
    (15.0, 15.0)
    """
    whole = _whole([_as_written(weight) for weight in class_weight])
    return tuple(count / weight for count, weight in zip(weighted_counts, whole, strict=True))


def _whole(weights: Sequence[Fraction]) -> list[float]:
    """Return whole numbers in the same ratios: what a row of each class weighs."""
    common = math.lcm(*(weight.denominator for weight in weights))
    return [float(weight * common) for weight in weights]


def _balanced(source: Source, classes: tuple[Hashable, ...]) -> dict[Hashable, Fraction]:
    """Return weights that make every class weigh about the same in all, the least of them 1."""
    assert source.target is not None
    tally = source.tally(RuleList((), Rule((), 0), (0,)), source.target, source.weights)
    heaviest = max(tally.weight[0, one] for one in classes)
    wanted = {one: Fraction(heaviest) / Fraction(tally.weight[0, one]) for one in classes}
    for parts in _PARTS:
        found = {one: Fraction(round(weight * parts), parts) for one, weight in wanted.items()}
        total = sum(w * Fraction(tally.weight[0, one]) for one, w in found.items())
        if total * parts < TOTAL_WEIGHT_LIMIT:
            break
    return found


def _given(
    class_weight: Mapping[Any, float], classes: tuple[Hashable, ...], target: str
) -> dict[Hashable, Fraction]:
    """Return the weights given, read as they are written; 1 for classes that are not named."""
    found = {_class_named(one, classes, target): _as_written(w) for one, w in class_weight.items()}
    return {one: found.get(one, Fraction(1)) for one in classes}


def _class_named(name: Any, classes: tuple[Hashable, ...], target: str) -> Hashable:
    """Return the class: itself, or the one that reads so, as on the command line."""
    if name in classes:
        return classes[classes.index(name)]
    reading_so = [one for one in classes if name in (str(one), value_text(one))]
    if len(reading_so) == 1:
        return reading_so[0]
    near = difflib.get_close_matches(str(name), [str(one) for one in classes], n=1)
    shown = ", ".join(repr(one) for one in classes[:10])
    raise ParameterError(
        Words(
            Parameter("class_weight"),
            f" names {name!r}; target column {target!r} holds {shown}"
            f"{' and more' if len(classes) > 10 else ''}.",
        ),
        hint=f"did you mean {near[0]}?" if near else "name classes as the table does.",
    )


def _as_written(weight: Any) -> Fraction:
    return Fraction(repr(float(weight)))
