"""Columns of an Arrow table become the solver's bitsets, one per condition, column by column.

The native code gives every value of a column a code that says between which cuts it lies, 0 if it
is missing; each condition is then a range of codes. So nothing is made that has a byte per row and
condition, and nothing is compared in another type than the column's own.
"""

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from samrule import _core
from samrule.rules import Condition, Operator
from samrule.rules.meaning import Answer, Question, condition_mask, question_of
from samrule.solver.problem import PackedConditions

# A code is a byte and a condition needs at most two cuts.
_MOST_AT_ONCE = 127
_LAST_CODE = 255

# Threads are worth their start from about so many values on: what fewer take is mostly Python, and
# there threads are in each other's way.
_MANY_VALUES = 1 << 22


def packed_conditions(
    by_column: Sequence[tuple[Condition, ...]], table: pa.Table
) -> PackedConditions:
    """Return where each condition holds, as bitsets.

    Parameters
    ----------
    by_column
        Conditions, those of one column together.
    table
        A table that has the columns.

    Examples
    --------
    >>> table = pa.table({"age": [20, None, 50]})
    >>> young = Condition("age", "<", 40)
    >>> packed_conditions([(young, Condition("age", "is missing"))], table).bits.tolist()
    [[1], [2]]
    """
    ends = list(accumulate(map(len, by_column), initial=0))
    bits = np.empty((ends[-1], -(-table.num_rows // 64)), dtype=np.uint64)
    parts = [bits[start:end] for start, end in pairwise(ends)]
    columns = [table[conditions[0].column] for conditions in by_column]
    if table.num_rows * len(columns) < _MANY_VALUES:
        for work in zip(by_column, columns, parts, strict=True):
            _pack_column(*work)
    else:
        with ThreadPoolExecutor() as pool:
            list(pool.map(_pack_column, by_column, columns, parts))
    names = tuple(condition for conditions in by_column for condition in conditions)
    return PackedConditions(bits, table.num_rows, names)


def _pack_column(conditions: Sequence[Condition], column: Any, bits: NDArray[np.uint64]) -> None:
    values = _one_array(column)
    if pa.types.is_decimal(values.type):
        by_mask = list(range(len(conditions)))
    else:
        by_mask = [k for k, one in enumerate(conditions) if _needs_a_mask(one)]
    for place in by_mask:
        _pack_mask(_mask(conditions[place], values), bits[place])
    by_code = sorted(set(range(len(conditions))) - set(by_mask))
    intervals = [place for place in by_code if conditions[place].op == Operator.WITHIN]
    _pack_intervals([conditions[place] for place in intervals], values, bits, intervals)
    by_code = sorted(set(by_code) - set(intervals))
    for start in range(0, len(by_code), _MOST_AT_ONCE):
        places = by_code[start : start + _MOST_AT_ONCE]
        first, end = places[0], places[-1] + 1
        in_place = end - first == len(places)
        found = bits[first:end] if in_place else np.empty_like(bits[: len(places)])
        _pack_codes([conditions[place] for place in places], values, found)
        if not in_place:
            bits[places] = found


def _pack_intervals(
    conditions: Sequence[Condition], values: Any, bits: NDArray[np.uint64], places: Sequence[int]
) -> None:
    """Pack each end once, however many intervals share it, and join the two of each interval."""
    ends = list(dict.fromkeys(end for one in conditions for end in one.parts))
    found = np.empty((len(ends), bits.shape[1]), dtype=np.uint64)
    for start in range(0, len(ends), _MOST_AT_ONCE):
        some = slice(start, start + _MOST_AT_ONCE)
        _pack_codes(ends[some], values, found[some])
    row_of = {end: row for row, end in enumerate(ends)}
    for place, one in zip(places, conditions, strict=True):
        low, high = one.parts
        np.bitwise_and(found[row_of[low]], found[row_of[high]], out=bits[place])


def _pack_codes(conditions: Sequence[Condition], values: Any, bits: NDArray[np.uint64]) -> None:
    pack = _pack_text if pa.types.is_dictionary(values.type) else _pack_ordered
    pack(conditions, values, bits)


def _needs_a_mask(condition: Condition) -> bool:
    """Whether it is no range of the column's own order."""
    return Operator(condition.op).is_about_a_set or condition.unit is not None


def _mask(condition: Condition, column: Any) -> NDArray[np.bool_]:
    """Tell for each value whether the condition holds; levels of text are asked once each."""
    if not pa.types.is_dictionary(column.type):
        return condition_mask(condition, column)
    of_levels = condition_mask(condition, pa.concat_arrays([column.dictionary, _NO_TEXT]))
    return np.asarray(of_levels[pc.fill_null(column.indices, len(column.dictionary)).to_numpy()])


_NO_TEXT = pa.nulls(1, pa.string())  # pa.array would load pandas.


def _one_array(column: Any) -> Any:
    """Return the column in one piece: text with a dictionary, truth values as 0 and 1."""
    types = pa.types
    if types.is_dictionary(column.type) and not types.is_string(column.type.value_type):
        column = column.cast(column.type.value_type)
    if types.is_large_string(column.type) or column.type == pa.string_view():
        column = column.cast(pa.string())
    if types.is_string(column.type):
        column = column.dictionary_encode()
    if types.is_boolean(column.type):
        column = column.cast(pa.uint8())
    if types.is_float16(column.type):
        column = column.cast(pa.float32())
    if column.num_chunks == 1:
        return column.chunk(0)  # Where combine_chunks would copy.
    return column.unify_dictionaries().combine_chunks()


def _pack_mask(mask: NDArray[np.bool_], row: NDArray[np.uint64]) -> None:
    row[:] = 0
    found = np.packbits(mask, bitorder="little")
    row.view(np.uint8)[: len(found)] = found


def _pack_text(conditions: Sequence[Condition], column: Any, bits: NDArray[np.uint64]) -> None:
    """Give each level asked for a code of its own, all others code 1."""
    questions = [question_of(condition, column.type.value_type) for condition in conditions]
    wanted = dict.fromkeys(one.value for one in questions if one.answer is Answer.COMPARE)
    code_of = {None: 0} | {level: code for code, level in enumerate(wanted, start=2)}
    levels = column.dictionary.to_pylist()
    codes = np.array([code_of.get(level, 1) for level in [*levels, None]], dtype=np.uint8)
    places = pc.fill_null(column.indices, len(levels)).to_numpy()
    ranges = [_text_range(one, code_of) for one in questions]
    _core.pack_codes(codes[places], *_first_and_last(ranges), bits)


def _text_range(question: Question, code_of: dict[Any, int]) -> tuple[int, int]:
    if question.answer is Answer.COMPARE:
        return code_of[question.value], code_of[question.value]
    return _RANGES[question.answer]


def _pack_ordered(conditions: Sequence[Condition], column: Any, bits: NDArray[np.uint64]) -> None:
    values, validity, first_bit = _buffers(column)
    codes = _codes(tuple(conditions), column.type, values.dtype)
    _core.pack_values(values, validity, first_bit, *codes, bits)


@lru_cache(maxsize=512)  # A run packs rows of the same columns several times.
def _codes(
    conditions: tuple[Condition, ...], type_: pa.DataType, dtype: np.dtype[Any]
) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.uint8], NDArray[np.uint8]]:
    """Return the cuts, those that only greater values meet, and each condition's range of codes."""
    bounds = _bounds([question_of(one, type_) for one in conditions], type_, dtype)
    cuts = sorted({cut for one, bound in bounds for cut in _cuts(one, bound)})
    place = {cut: number for number, cut in enumerate(cuts)}
    ranges = [_range(one, bound, place) for one, bound in bounds]
    return (
        np.array([bound for bound, above in cuts if not above], dtype=dtype),
        np.array([bound for bound, above in cuts if above], dtype=dtype),
        *_first_and_last(ranges),
    )


def _buffers(column: Any) -> tuple[NDArray[Any], NDArray[np.uint8] | None, int]:
    """Return the values without a copy, the validity bits if any is missing, and their start."""
    numbers = _as_numbers(column)
    validity, data = numbers.buffers()
    dtype = numbers.type.to_pandas_dtype()
    values = np.frombuffer(data, dtype=dtype) if data else np.empty(0, dtype=dtype)
    inside = values[column.offset : column.offset + len(column)]
    missing = np.frombuffer(validity, dtype=np.uint8) if validity and column.null_count else None
    return inside, missing, column.offset


def _as_numbers(column: Any) -> Any:
    """Return dates and times as the whole numbers they are stored as."""
    if pa.types.is_integer(column.type) or pa.types.is_floating(column.type):
        return column
    return column.view(pa.int32() if column.type.bit_width == 32 else pa.int64())


def _bounds(
    questions: Iterable[Question], type_: pa.DataType, dtype: np.dtype[Any]
) -> list[tuple[Question, Any]]:
    """Return each question with the number that its bound is stored as, if it has one."""
    found: list[tuple[Question, Any]] = []
    for one in questions:
        if one.answer is not Answer.COMPARE:
            found.append((one, None))
        elif dtype == np.float32:
            found.append(_single_precision(one))
        else:
            stored = pa.scalar(one.value, type_)
            found.append((one, stored.value if pa.types.is_temporal(type_) else stored.as_py()))
    return found


def _single_precision(question: Question) -> tuple[Question, float | None]:
    """Return the least single at or above the bound: x >= bound and x >= it are the same."""
    bound = np.float64(question.value)  # type: ignore[arg-type]
    with np.errstate(over="ignore"):
        found = bound.astype(np.float32)
    if found < bound:
        found = np.nextafter(found, np.float32(np.inf))
    if question.op == Operator.EQUAL and found != bound:
        return Question(Answer.NEVER), None
    return question, float(found)


def _cuts(question: Question, bound: Any) -> list[tuple[Any, bool]]:
    """Return the cuts a question needs, each with whether only greater values meet it."""
    if question.answer is not Answer.COMPARE:
        return []
    return [(bound, False), (bound, True)] if question.op == Operator.EQUAL else [(bound, False)]


def _range(question: Question, bound: Any, place: dict[tuple[Any, bool], int]) -> tuple[int, int]:
    """Return the first and last code that answer yes; cut number i is met by codes from i + 2."""
    if question.answer is not Answer.COMPARE:
        return _RANGES[question.answer]
    cut = place[bound, False]
    if question.op == Operator.AT_LEAST:
        return cut + 2, _LAST_CODE
    if question.op == Operator.LESS:
        return 1, cut + 1
    return cut + 2, place[bound, True] + 1


_RANGES = {Answer.NEVER: (1, 0), Answer.PRESENT: (1, _LAST_CODE), Answer.MISSING: (0, 0)}


def _first_and_last(
    ranges: Sequence[tuple[int, int]],
) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    found = np.array(ranges, dtype=np.uint8)
    return found[:, 0].copy(), found[:, 1].copy()
