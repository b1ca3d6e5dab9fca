"""Which values of a column a condition holds for: exactly, and false where one is missing."""

import math
import operator
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samrule.rules.vocabulary import Operator, Unit, Value

_COMPARISONS: dict[Operator, Callable[[Any, Any], Any]] = {
    Operator.EQUAL: operator.eq,
    Operator.AT_LEAST: operator.ge,
    Operator.LESS: operator.lt,
}

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def numbers_of(unit: Unit, array: NDArray[np.generic]) -> NDArray[np.object_]:
    """Return the unit's number of every date or moment; None for whatever else it is."""
    if array.dtype.kind == "M":
        array = array.astype("M8[us]")
    found = np.empty(array.size, dtype=object)
    for place, one in enumerate(array.ravel().tolist()):
        # NaT of pandas calls itself a datetime, but equals nothing.
        is_wall = isinstance(one, datetime) and one == one and one.tzinfo is None  # noqa: PLR0124
        is_day = isinstance(one, date) and not isinstance(one, datetime) and unit is not Unit.HOUR
        found[place] = unit.of(one) if is_wall or is_day else None
    return found.reshape(array.shape)


def compared(op: Operator, array: NDArray[np.generic], value: object) -> NDArray[np.bool_]:
    """Tell for which values the comparison with one value holds."""
    compare = _COMPARISONS[op]
    if _compares_exactly(array, value):
        return np.asarray(compare(array, value), dtype=np.bool_)
    return _compared_one_by_one(compare, array, value)


def _compares_exactly(array: NDArray[np.generic], value: object) -> bool:
    """Whether numpy compares without rounding either side: 2**53 + 1 is not 2**53."""
    kind = array.dtype.kind
    if kind in "iu":
        return isinstance(value, int)
    if kind == "f":
        return isinstance(value, float) or (isinstance(value, int) and abs(value) <= 2**53)
    return kind not in "OmM" and not isinstance(value, Decimal)


def _compared_one_by_one(
    compare: Callable[[Any, Any], Any], array: NDArray[np.generic], value: object
) -> NDArray[np.bool_]:
    """Compare as Python does, exactly; what is missing or of another kind compares false."""
    if array.dtype.kind == "M":
        array = array.astype("M8[us]")
    found = [_holds(compare, one, value) for one in array.ravel().tolist()]
    return np.array(found, dtype=np.bool_).reshape(array.shape)


def among(
    array: NDArray[np.generic], values: Sequence[Value], *, wanted: bool
) -> NDArray[np.bool_]:
    """Tell which values are among those given, or which of the others are not missing."""
    if array.dtype.kind == "M":
        array = array.astype("M8[us]")
    known = {_as_moment(value) for value in values}
    found = [
        not _is_missing(one) and _is_known(_as_moment(one), known) == wanted
        for one in array.ravel().tolist()
    ]
    return np.array(found, dtype=np.bool_).reshape(array.shape)


def _is_known(value: object, known: set[object]) -> bool:
    try:
        return value in known
    except TypeError:
        return False


def _holds(compare: Callable[[Any, Any], Any], one: object, value: object) -> bool:
    try:
        return not _is_missing(one) and bool(compare(_as_moment(one), _as_moment(value)))
    except TypeError:
        return False


def _as_moment(value: object) -> object:
    """Return what Python compares exactly: midnight for a date, time since 1970 with a zone.

    Python does not compare dates with datetimes, and in an hour that a change of clock repeats it
    calls no times of two zones equal.
    """
    if isinstance(value, date) and not isinstance(value, datetime):
        return datetime.combine(value, time())
    if isinstance(value, datetime) and value.utcoffset() is not None:
        return value - _EPOCH
    return value


def missing(array: NDArray[np.generic]) -> NDArray[np.bool_]:
    """Tell which values are missing: NaN, NaT or None."""
    if array.dtype.kind == "f":
        return np.isnan(array)  # type: ignore[no-any-return]
    if array.dtype.kind in "mM":
        return np.isnat(array)  # type: ignore[no-any-return]
    if array.dtype.kind == "O":
        return np.array([_is_missing(value) for value in array.flat]).reshape(array.shape)
    return np.zeros(array.shape, dtype=np.bool_)


def _is_missing(value: object) -> bool:
    return value is None or (isinstance(value, float | Decimal) and math.isnan(value))
