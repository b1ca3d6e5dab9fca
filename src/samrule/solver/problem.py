"""What the solver is asked: a checked 0/1 table, class codes, whole-number weights, names.

Every bad table is turned away here, before the native code sees a byte of it.
"""

import math
import sys
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence, Sized
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samrule.errors import InputError, InputTypeError
from samrule.rules import Condition

# The native search adds weights in 32-bit counters and needs a bit of headroom.
TOTAL_WEIGHT_LIMIT = 2**30

# What the native search takes; so many are a number to be estimated, or a name.
_MOST_CLASSES = 2**20

# Values of other types than bool and uint8 are checked and converted this many at a time,
# so that the only large thing made is the result.
_BLOCK = 1 << 22

# Labels that are whole numbers this close together are counted, not sorted.
_COUNTABLE_RANGE = 1 << 16


# A code per row, and the classes that codes stand for.
Encoded = tuple[NDArray[np.int32], tuple[Hashable, ...]]


@dataclass(frozen=True, slots=True)
class Weights:
    """Row weights as whole numbers, and how far those are from what was given.

    Parameters
    ----------
    counts
        One whole number per row, or None when every row counts once.
    unit
        Weight that one count stands for: the given weight is counts x unit, up to rounding.
    total
        Total given weight, measured in units.
    reals
        The given weights, measured in units; None if they equal the counts.
    rounded_up
        Share of the total weight that rounding added to the rows it enlarged, and so the
        most by which the counts can overstate the loss of any rule list.
    """

    counts: NDArray[np.uint32] | None
    unit: float
    total: float
    reals: NDArray[np.float64] | None = None
    rounded_up: float = 0.0


@dataclass(frozen=True, slots=True)
class PackedConditions:
    """Where each condition holds, a bit per row: what the solver works on.

    Parameters
    ----------
    bits
        A row of words per condition; row i of the table is bit i % 64 of word i // 64.
    n_rows
        Rows of the table.
    conditions
        What each row of `bits` stands for.

    Examples
    --------
    >>> packed = PackedConditions(np.array([[5]], np.uint64), 3, (Condition("x", ">=", 2),))
    >>> packed.column(0).tolist(), packed.shape
    ([True, False, True], (3, 1))
    """

    bits: NDArray[np.uint64]
    n_rows: int
    conditions: tuple[Condition, ...]

    def __post_init__(self) -> None:
        wanted = (len(self.conditions), -(-self.n_rows // 64))
        if self.bits.shape != wanted or self.bits.dtype != np.uint64:
            raise InputError(
                f"bits are {self.bits.dtype} of shape {self.bits.shape}; expected uint64 of shape "
                f"{wanted}, a bit per row.",
                hint="Conditions.pack(rows) makes them.",
            )

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and conditions, as an array of them would have it."""
        return self.n_rows, len(self.conditions)

    def column(self, place: int) -> NDArray[np.bool_]:
        """Tell for each row whether the condition at this place holds."""
        words = np.ascontiguousarray(self.bits[place])
        found = np.unpackbits(words.view(np.uint8), count=self.n_rows, bitorder="little")
        return found.view(np.bool_)


@dataclass(frozen=True, slots=True)
class Problem:
    """A table of 0/1 conditions with a class and a weight per row, checked.

    `names` is None if the caller gave none: few of many columns end up in a rule, and only
    those are worth a name.
    """

    conditions: NDArray[np.uint8] | PackedConditions
    codes: NDArray[np.int32]
    classes: tuple[Hashable, ...]
    weights: Weights
    names: tuple[Condition, ...] | None

    def condition(self, column: int) -> Condition:
        """Return what a column stands for; without names, a yes/no column: x0, x1, ..."""
        if self.names is None:
            return Condition(f"x{column}", "==", True)
        return self.names[column]


def problem(
    conditions: Any,
    labels: Any,
    *,
    weights: ArrayLike | None = None,
    names: Iterable[str | Condition] | None = None,
    classes: Sequence[Hashable] | None = None,
) -> Problem:
    """Check what was given and bring it into the one shape the solver takes.

    With `classes`, labels are places in them, and a class need not have a row.
    """
    packed = isinstance(conditions, PackedConditions)
    if packed:
        names = conditions.conditions if names is None else names
    elif not _is_sparse(conditions):
        conditions = _as_array(conditions, "conditions")
    n_rows, n_columns = _table_shape(conditions)
    _check_lengths(n_rows, labels, weights)
    codes, found = encode_labels(labels) if classes is None else _coded(labels, classes)
    return Problem(
        conditions=conditions if packed else zero_one_table(conditions),
        codes=codes,
        classes=found,
        weights=whole_weights(weights, n_rows),
        names=None if names is None else condition_names(names, n_columns),
    )


def zero_one_table(conditions: Any) -> NDArray[np.uint8]:
    """Return the conditions as uint8, without a copy for bool and uint8 arrays.

    Bool arrays are seen as bytes; other dtypes are fine if every value is exactly 0 or 1.
    uint8 values are not checked here, the native packing does that for free.
    """
    if _is_sparse(conditions):
        return _dense(conditions)
    if conditions.dtype == np.uint8:
        return conditions  # type: ignore[no-any-return]
    if conditions.dtype == np.bool_:
        return conditions.view(np.uint8)  # type: ignore[no-any-return]
    if conditions.dtype.kind not in "iuf":
        raise InputTypeError(
            f"conditions have dtype {conditions.dtype}; expected an array of 0 and 1.",
            hint="compare the columns with something first: (ages >= 40) is a condition.",
        )
    return _converted(conditions)


def check_zero_one(table: NDArray[np.uint8]) -> None:
    """Raise for the first value that is neither 0 nor 1, naming its row and column."""
    for start, block in _row_blocks(table):
        _check_block(block, block > 1, start)


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
        codes, classes = _encode_array(_as_array(labels, "labels"))
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


def whole_weights(weights: ArrayLike | None, n_rows: int) -> Weights:
    """Return the weights as whole numbers whose total is below 2**30.

    Whole numbers stay exact (divided by what they have in common). Real weights, and whole
    ones too large for that, become multiples of a unit with at most 16 bits each.
    """
    if weights is None:
        return Weights(counts=None, unit=1, total=n_rows)
    given = _checked_weights(weights)
    return _exact_weights(given) or _rounded_weights(given)


def condition_names(names: Iterable[str | Condition], n_columns: int) -> tuple[Condition, ...]:
    """Return one Condition per column; a plain name is a yes/no column that says yes.

    >>> print(*condition_names(["smoker", Condition("age", "<", 40)], 2), sep="; ")
    smoker; age < 40
    """
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise InputTypeError(
            f"names is {names!r}; expected one name or Condition per column.",
            hint='pass a list, such as names=["smoker", "age >= 40"].',
        )
    found = tuple(_condition(name) for name in names)
    if len(found) != n_columns:
        raise InputError(
            f"names has {len(found):,} entries; expected {n_columns:,}, one per column.",
            hint="pass names in the order of the columns, or leave them out.",
        )
    if len(set(found)) != len(found):
        repeated = Counter(found).most_common(1)[0][0]
        raise InputError(
            f"names has '{repeated}' more than once; expected different names.",
            hint="number the repeated ones, or drop a column that is there twice.",
        )
    return found


def _coded(labels: Any, classes: Sequence[Hashable]) -> Encoded:
    """Check labels that are places in the classes already."""
    array = _as_array(labels, "labels")
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


def _table_shape(conditions: Any) -> tuple[int, int]:
    """Look at the shape alone: a table that is too large is turned away untouched."""
    shape = tuple(conditions.shape)
    if len(shape) != 2:
        raise InputError(
            f"conditions have shape {shape}; expected two dimensions, rows x conditions.",
            hint="use conditions.reshape(-1, 1) for a single condition.",
        )
    if shape[0] == 0:
        raise InputError(
            f"conditions have shape {shape}: zero rows; expected at least two.",
            hint="check the filter that made the table.",
        )
    if shape[0] >= TOTAL_WEIGHT_LIMIT:
        raise InputError(
            f"conditions have {shape[0]:,} rows; expected fewer than {TOTAL_WEIGHT_LIMIT:,}.",
            hint="solve on a sample of the rows, or merge equal rows into weights.",
        )
    return shape[0], shape[1]


def _check_lengths(n_rows: int, labels: Any, weights: Any) -> None:
    for name, values in (("labels", labels), ("weights", weights)):
        if values is None and name == "weights":
            continue
        length = _length(values, name)
        if length != n_rows:
            raise InputError(
                f"{name} has {length:,} entries; expected {n_rows:,}, one per row of conditions.",
                hint="filter both the same way, and keep them in the same order.",
            )


def _length(values: Any, name: str) -> int:
    shape = getattr(values, "shape", None)
    if isinstance(shape, tuple) and len(shape) != 1:
        raise InputError(
            f"{name} has shape {shape}; expected one dimension.",
            hint=f"use {name}.ravel() if it is a single column.",
        )
    if isinstance(values, Sized) and not isinstance(values, str | bytes | dict | set | frozenset):
        return len(values)
    raise InputTypeError(
        f"{name} is {values!r} ({type(values).__name__}); expected one entry per row.",
        hint="pass a list or an array.",
    )


def _as_array(values: Any, name: str) -> NDArray[Any]:
    # Nobody holds a masked array without numpy.ma, which takes a while to import.
    if "numpy.ma" in sys.modules and np.ma.is_masked(values):
        raise InputError(
            f"{name} has {int(np.ma.getmaskarray(values).sum()):,} masked entries; expected none.",
            hint="drop those rows, or fill them with a value of their own.",
        )
    try:
        return np.asarray(values)
    except ValueError:
        raise InputError(
            f"{name} ({type(values).__name__}) has rows of different lengths; "
            "expected a rectangular array.",
            hint="check the first row whose length differs.",
        ) from None


def _is_sparse(conditions: Any) -> bool:
    """Recognize scipy's sparse matrices and arrays without importing scipy."""
    return hasattr(conditions, "tocsc") and hasattr(conditions, "nnz")


def _dense(sparse: Any) -> NDArray[np.uint8]:
    columns = sparse.tocsc(copy=True)
    columns.sum_duplicates()
    bad = np.flatnonzero((columns.data != 0) & (columns.data != 1))
    if bad.size:
        column = int(np.searchsorted(columns.indptr, bad[0], side="right")) - 1
        _raise_not_zero_one(columns.data[bad[0]], int(columns.indices[bad[0]]), column)
    table = np.zeros(columns.shape, dtype=np.uint8, order="F")
    for column in range(columns.shape[1]):
        entries = slice(columns.indptr[column], columns.indptr[column + 1])
        table[columns.indices[entries], column] = columns.data[entries]
    return table


def _converted(array: NDArray[Any]) -> NDArray[np.uint8]:
    table = np.empty(array.shape, dtype=np.uint8, order="F" if array.flags.fnc else "C")
    for start, block in _row_blocks(array):
        ones = _equal(block, 1)
        _check_block(block, ~(ones | _equal(block, 0)), start)
        table[start : start + len(block)] = ones
    return table


def _equal(block: NDArray[Any], value: int) -> NDArray[np.bool_]:
    return np.asarray(block == value, dtype=np.bool_)


def _row_blocks(array: NDArray[Any]) -> Iterable[tuple[int, NDArray[Any]]]:
    step = max(1, _BLOCK // max(1, array.shape[1]))
    return ((start, array[start : start + step]) for start in range(0, len(array), step))


def _check_block(block: NDArray[Any], bad: NDArray[np.bool_], start: int) -> None:
    if bad.any():
        row, column = np.argwhere(bad)[0]
        _raise_not_zero_one(block[row, column], start + int(row), int(column))


def _raise_not_zero_one(value: Any, row: int, column: int) -> None:
    if isinstance(value, np.generic):
        value = value.item()
    raise InputError(
        f"conditions have the value {value!r} in row {row:,}, column {column:,}; "
        "expected only 0 and 1.",
        hint="make conditions first: compare a column with a threshold or a category, "
        "and decide what a missing value answers.",
    )


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


def _checked_weights(weights: ArrayLike) -> NDArray[Any]:
    array = _as_array(weights, "weights")
    _length(array, "weights")
    if array.dtype.kind not in "biuf":
        raise InputTypeError(
            f"weights have dtype {array.dtype}; expected numbers.",
            hint="convert them with np.asarray(weights, dtype=float).",
        )
    if not (array.min() >= 0 and array.max() < math.inf):  # Both are NaN if any weight is.
        row = int(np.flatnonzero(~np.isfinite(array) | (array < 0))[0])
        raise InputError(
            f"weights has {array[row].item()!r} in row {row:,}; "
            "expected finite numbers of 0 or more.",
            hint="a row that should not count has weight 0.",
        )
    if not array.any():
        raise InputError(
            f"weights are 0 in all {len(array):,} rows; expected at least one positive weight.",
            hint="leave weights out to count every row once.",
        )
    return array


def _exact_weights(given: NDArray[Any]) -> Weights | None:
    """Return whole-number weights unchanged but for a common divisor; None if that cannot be."""
    largest = float(given.max())
    if largest >= 2.0**53:
        return None
    whole = given.astype(np.int64)
    if given.dtype.kind == "f" and not np.array_equal(whole, given):
        return None
    positive = whole[whole > 0]
    divisor = 1 if positive.min() == 1 else int(np.gcd.reduce(positive))
    if float(given.sum(dtype=np.float64)) / divisor >= TOTAL_WEIGHT_LIMIT:
        return None
    counts = (whole // divisor).astype(np.uint32)
    return Weights(counts=counts, unit=divisor, total=int(counts.sum(dtype=np.int64)))


def _rounded_weights(given: NDArray[Any]) -> Weights:
    largest = float(given.max())
    shares = given.astype(np.float64) / largest  # Their sum cannot overflow.
    # 16 bits each, unless so many rows would take the total to the limit; rounding adds
    # half a unit per row at most.
    unit = max(1 / 65535, float(shares.sum()) / (TOTAL_WEIGHT_LIMIT - 1 - len(shares) / 2))
    reals = shares / unit
    counts = np.rint(reals)
    total = float(reals.sum())
    added = float(np.maximum(counts - reals, 0).sum())
    return Weights(
        counts=counts.astype(np.uint32),
        unit=unit * largest,
        total=total,
        reals=reals,
        rounded_up=added / total * (1 + 1e-9),  # Upward: sums of doubles are not exact.
    )


def _condition(name: object) -> Condition:
    return name if isinstance(name, Condition) else Condition(name, "==", True)  # type: ignore[arg-type]
