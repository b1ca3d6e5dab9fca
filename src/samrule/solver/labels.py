"""The class of each row: labels of any kind become codes and the classes they stand for."""

import math
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samrule.errors import InputError, InputTypeError
from samrule.solver.arrays import as_array

# The native search takes no more; a column with more values holds numbers or names, not classes.
_MOST_CLASSES = 2**20

# Labels that are whole numbers this close together are counted, not sorted.
_COUNTABLE_RANGE = 1 << 16

# A code per row, and the classes that codes stand for.
Encoded = tuple[NDArray[np.int32], tuple[Hashable, ...]]


def encode_labels(labels: Any) -> Encoded:
    """Return a code per row and the classes the codes stand for, at least two.

    Classes are sorted if they can be compared, else in order of first appearance.

    >>> codes, classes = encode_labels(["no", "yes", "no"])
    >>> codes.tolist(), classes
    ([0, 1, 0], ('no', 'yes'))
    """
    if isinstance(labels, list | tuple):
        codes, classes = _encode_objects(labels)  # np.asarray would turn [1, "a"] into text.
    else:
        codes, classes = _encode_array(as_array(labels, "labels"))
    if len(classes) < 2:
        raise InputError(
            f"labels hold one class, {classes[0]!r}; expected two or more.",
            hint="with one class there is nothing to learn: always predict it.",
        )
    if len(classes) > _MOST_CLASSES:
        raise InputError(
            f"labels hold {len(classes):,} classes; expected at most {_MOST_CLASSES:,}.",
            hint="group them first: a number becomes classes by comparing it with thresholds.",
        )
    return codes, classes


def coded_labels(labels: Any, classes: Sequence[Hashable]) -> Encoded:
    """Return labels that are positions in `classes` already, checked."""
    array = as_array(labels, "labels")
    if array.dtype.kind not in "iu" or not (array.min() >= 0 and array.max() < len(classes)):
        raise InputError(
            f"labels have dtype {array.dtype} and range {array.min()!r} to {array.max()!r}; "
            f"expected whole numbers from 0 to {len(classes) - 1}, places in classes.",
            hint="leave classes out to pass the classes themselves.",
        )
    if len(set(classes)) != len(classes) or len(classes) < 2:
        raise InputError(
            f"classes are {tuple(classes)!r}; expected two or more, each once.",
            hint="leave classes out to take them from the labels.",
        )
    return array.astype(np.int32, copy=False), tuple(classes)


def _encode_array(array: NDArray[Any]) -> Encoded:
    kind = array.dtype.kind
    if kind not in "biuf":
        # datetime64[ns].tolist() would give bare integers.
        return _encode_objects(list(array) if kind in "mM" else array.tolist())
    low, high = array.min(), array.max()  # Both are NaN if any label is.
    if kind == "f" and np.isnan(low):
        missing = np.isnan(array)
        _raise_missing_label(math.nan, int(np.flatnonzero(missing)[0]), int(missing.sum()))
    return (
        _encode_two(array, low, high)
        or _encode_by_counting(array, low.item(), high.item())
        or _encode_by_sorting(array)
    )


def _encode_two(array: NDArray[Any], low: Any, high: Any) -> Encoded | None:
    """Encode by comparing if there are two classes, or one: the most common case by far."""
    upper = array == high
    if low == high:
        return np.zeros(len(array), dtype=np.int32), (low.item(),)
    if np.count_nonzero(upper) + np.count_nonzero(array == low) != len(array):
        return None
    return upper.astype(np.int32), (low.item(), high.item())


def _encode_by_counting(array: NDArray[Any], low: float, high: float) -> Encoded | None:
    """Encode whole numbers that are close together: a few passes over the rows, no sorting."""
    if not high - low < _COUNTABLE_RANGE or max(abs(low), abs(high)) >= 2**53:
        return None
    offsets = array.astype(np.int64) - int(low)
    if array.dtype.kind == "f" and not np.array_equal(offsets + int(low), array):
        return None
    present = np.flatnonzero(np.bincount(offsets))
    code_of = np.zeros(int(present[-1]) + 1, dtype=np.int32)
    code_of[present] = np.arange(len(present), dtype=np.int32)
    return code_of[offsets], tuple(type(low)(int(low) + int(offset)) for offset in present)


def _encode_by_sorting(array: NDArray[Any]) -> Encoded:
    classes, codes = np.unique(array, return_inverse=True)
    return codes.astype(np.int32), tuple(classes.tolist())


def _encode_objects(values: Sequence[Any]) -> Encoded:
    try:
        found = list(dict.fromkeys(values))
    except TypeError:
        row = next(row for row, value in enumerate(values) if not _is_hashable(value))
        raise InputTypeError(
            f"labels has {values[row]!r} ({type(values[row]).__name__}) in row {row:,}; "
            "expected hashable classes.",
            hint="turn each into a tuple or text.",
        ) from None
    for value in found:
        if _is_missing(value):
            row = next(row for row, other in enumerate(values) if other is value)
            n_missing = sum(_is_missing(other) for other in values)
            _raise_missing_label(value, row, n_missing)
    ordered = _sorted_if_possible(found)
    code_of = {value: code for code, value in enumerate(ordered)}
    codes = np.fromiter(map(code_of.__getitem__, values), dtype=np.int32, count=len(values))
    return codes, tuple(_plain(value) for value in ordered)


def _is_hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _is_missing(value: Any) -> bool:
    if value is None:
        return True
    try:
        return not bool(value == value)  # noqa: PLR0124 - NaN and NaT differ from themselves.
    except (TypeError, ValueError):
        return True  # pandas.NA refuses to be compared.


def _sorted_if_possible(values: list[Any]) -> list[Any]:
    try:
        return sorted(values)
    except TypeError:
        return values


def _plain(value: Any) -> Hashable:
    # Dates keep numpy's type: their item() depends on the unit.
    keep = not isinstance(value, np.generic) or isinstance(value, np.datetime64 | np.timedelta64)
    result: Hashable = value if keep else value.item()
    return result


def _raise_missing_label(value: Any, row: int, n_missing: int) -> None:
    raise InputError(
        f"labels has {value!r} in row {row:,} ({n_missing:,} missing in all); "
        "every row needs a class.",
        hint="drop those rows, or give missing labels a class of their own.",
    )
