"""What the solver is asked: a checked 0/1 table, class codes, whole-number weights, names.

Every bad table is turned away here, before the native code sees a byte of it.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samrule.errors import InputError, InputTypeError
from samrule.rules import Condition
from samrule.solver.arrays import as_array, n_entries
from samrule.solver.labels import coded_labels, encode_labels
from samrule.solver.weights import TOTAL_WEIGHT_LIMIT, Weights, whole_weights

# Values of other types than bool and uint8 are checked and converted this many at a time,
# so that the only large thing made is the result.
_BLOCK = 1 << 22


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
        """The number of rows and of conditions, like the shape of an array."""
        return self.n_rows, len(self.conditions)

    def column(self, place: int) -> NDArray[np.bool_]:
        """Tell for each row whether the condition at this place holds."""
        words = np.ascontiguousarray(self.bits[place])
        found = np.unpackbits(words.view(np.uint8), count=self.n_rows, bitorder="little")
        return found.view(np.bool_)

    def part(self, start: int, end: int) -> "PackedConditions":
        """Return the rows from `start` up to `end`.

        Examples
        --------
        >>> packed = PackedConditions(np.array([[5]], np.uint64), 3, (Condition("x", ">=", 2),))
        >>> packed.part(1, 3).column(0).tolist()
        [False, True]
        """
        n_rows = end - start
        n_words, (first, shift) = -(-n_rows // 64), divmod(start, 64)
        bits = self.bits[:, first : first + n_words] >> np.uint64(shift)
        if shift:
            after = self.bits[:, first + 1 : first + 1 + n_words]
            bits[:, : after.shape[1]] |= after << np.uint64(64 - shift)
        if n_rows % 64:
            bits[:, -1] &= np.uint64((1 << n_rows % 64) - 1)
        return PackedConditions(bits, n_rows, self.conditions)


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

    def only(self, columns: Sequence[int]) -> "Problem":
        """Return the same with some of the columns."""
        chosen = tuple(map(self.condition, columns))
        if isinstance(self.conditions, PackedConditions):
            bits = self.conditions.bits[list(columns)]
            packed = PackedConditions(bits, self.conditions.n_rows, chosen)
            return replace(self, conditions=packed, names=chosen)
        return replace(self, conditions=self.conditions[:, list(columns)], names=chosen)


def checked_problem(
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
    if not packed and not _is_sparse(conditions):
        conditions = as_array(conditions, "conditions")
    n_rows, n_columns = _table_shape(conditions)
    _check_lengths(n_rows, labels, weights)
    codes, found = encode_labels(labels) if classes is None else coded_labels(labels, classes)
    return Problem(
        conditions=conditions if packed else zero_one_table(conditions),
        codes=codes,
        classes=found,
        weights=whole_weights(weights, n_rows),
        names=_names(conditions, names, n_columns),
    )


def _names(
    conditions: Any, names: Iterable[str | Condition] | None, n_columns: int
) -> tuple[Condition, ...] | None:
    if names is not None:
        return condition_names(names, n_columns)
    return conditions.conditions if isinstance(conditions, PackedConditions) else None


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


def _table_shape(conditions: Any) -> tuple[int, int]:
    """Return the shape, checked before any value is read: a table may be too large for that."""
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
        length = n_entries(values, name)
        if length != n_rows:
            raise InputError(
                f"{name} has {length:,} entries; expected {n_rows:,}, one per row of conditions.",
                hint="filter both the same way, and keep them in the same order.",
            )


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


def _condition(name: object) -> Condition:
    return name if isinstance(name, Condition) else Condition(name, "==", True)  # type: ignore[arg-type]
