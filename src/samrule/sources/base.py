"""The protocol of a table to draw from: schema, rows, levels, scans, tallies.

An engine says how many rows there are and yields chosen columns in row order; everything else has
a plain implementation here, which an engine replaces where it can do better.
"""

import difflib
import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from samrule.errors import (
    ColumnError,
    InputError,
    Parameter,
    ParameterError,
    ParameterTypeError,
    TargetError,
    Words,
)
from samrule.random_streams import stream
from samrule.rules import ColumnType, RuleList
from samrule.rules.meaning import column_type, deciding_rules, missing_mask

# Rows an engine hands over at a time: a few megabytes for a table of usual width.
BATCH_ROWS = 1 << 16


@dataclass(frozen=True, slots=True)
class Draw:
    """Rows drawn at random, and how.

    Parameters
    ----------
    table
        The rows as a pyarrow Table, in the order they were drawn: features, then the target.
    rows
        Their row numbers in the source, one per row.
    n_source_rows
        Rows of the source.
    random_state
        What they were drawn with.
    replace
        Whether a row could be drawn more than once.
    weights
        The column that said how likely a row is; None if all were equally likely.

    Notes
    -----
    The order is random too: any part chosen by position is itself a draw, independent of the
    others if drawn with replacement (`split`).
    """

    table: Any
    rows: NDArray[np.int64]
    n_source_rows: int
    random_state: Any
    replace: bool
    weights: str | None = None

    def __len__(self) -> int:
        return len(self.rows)

    def split(self, *sizes: int) -> tuple["Draw", ...]:
        """Return draws of these sizes, one after the other: pilot, training, validation rows."""
        if min(sizes, default=0) < 0 or sum(sizes) > len(self):
            raise ParameterError(
                f"split asks for {sizes} rows; the draw has {len(self):,}.",
                hint="draw as many rows as all parts need together.",
            )
        ends = np.cumsum([0, *sizes])
        return tuple(self._part(int(a), int(b)) for a, b in pairwise(ends))

    def _part(self, start: int, end: int) -> "Draw":
        return Draw(
            table=self.table.slice(start, end - start),
            rows=self.rows[start:end],
            n_source_rows=self.n_source_rows,
            random_state=self.random_state,
            replace=self.replace,
            weights=self.weights,
        )

    def __str__(self) -> str:
        how = "with" if self.replace else "without"
        chance = f"in proportion to {self.weights}" if self.weights else "uniformly"
        return (
            f"{len(self):,} of {self.n_source_rows:,} rows, drawn {chance}, "
            f"{how} replacement, random_state={self.random_state}"
        )


@dataclass(frozen=True, slots=True)
class Levels:
    """The distinct values of a column, most frequent first, and how many rows hold each."""

    values: tuple[Any, ...]
    counts: tuple[int, ...]
    n_missing: int


@dataclass(frozen=True, slots=True)
class Tally:
    """Rows and weight per pair (number of the deciding rule, class of the row)."""

    n_rows: Mapping[tuple[int, Hashable], int]
    weight: Mapping[tuple[int, Hashable], float]


@dataclass(frozen=True, slots=True)
class Roles:
    """Which columns are looked at, which is predicted, and which weighs the rows."""

    features: tuple[str, ...]
    target: str | None
    weights: str | None

    @property
    def used(self) -> tuple[str, ...]:
        """All columns with a role, each once."""
        others = [name for name in (self.target, self.weights) if name is not None]
        return tuple(dict.fromkeys([*self.features, *others]))


class Source(ABC):
    """A table that rows can be drawn from, whatever holds it.

    Engines implement `_count_rows` and `_batches`; the order of rows must be the same in
    every pass, for draws are made by row number.
    """

    # What was decided on reading that people should know, a sentence each.
    notes: tuple[str, ...] = ()

    def __init__(self, name: str, schema: Any, roles: Roles) -> None:
        self.name = name
        self.roles = roles
        self.schema = pa.schema([(one, plain_type(schema.field(one).type)) for one in roles.used])
        _check_scales(name, self.schema)
        _check_zones(name, self.schema)

    @abstractmethod
    def _count_rows(self) -> int:
        """Count the rows."""

    @abstractmethod
    def _batches(self, columns: Sequence[str]) -> Iterator[Any]:
        """Yield the columns as Arrow record batches, all rows in their order."""

    @property
    def features(self) -> tuple[str, ...]:
        """Columns that conditions may be made of."""
        return self.roles.features

    @property
    def target(self) -> str | None:
        """The column to predict."""
        return self.roles.target

    @property
    def weights(self) -> str | None:
        """The column that weighs the rows."""
        return self.roles.weights

    @cached_property
    def n_rows(self) -> int:
        """Rows in the table."""
        return self._count_rows()

    def draw(self, n_rows: int, *, random_state: Any = None, replace: bool = True) -> Draw:
        """Return rows drawn at random.

        Parameters
        ----------
        n_rows
            How many; with replacement they may be more than the table has.
        random_state
            A seed, or a numpy Generator; None for rows that nobody can draw again.
        replace
            Whether a row can be drawn more than once.

        Guarantee
        ---------
        With replacement the rows are independent, each uniform over the table (or in
        proportion to the weight column), whatever the order of rows, the sizes of files and
        the engine. Without replacement they are a uniform subset of exactly `n_rows` rows, in
        uniform order. The same seed on the same table gives the same rows, from any engine; they
        are independent of those that `learn` draws with that seed (docs/theory/README.md,
        "Conditions under which the promise is honest").
        """
        n_rows = _checked_size(n_rows)
        if self.n_rows == 0:
            raise InputError(
                f"{self.name} has no rows; there is nothing to draw from.",
                hint="check the filter or the query that made it.",
            )
        rng = stream("draw", random_state)
        numbers = self._weighted_rows if self.weights else self._rows
        rows = numbers(n_rows, rng, replace)
        distinct, places = np.unique(rows, return_inverse=True)
        columns = [name for name in self.roles.used if name != self.weights]
        found = self._take(distinct, columns)
        if found.num_rows != len(distinct):
            raise InputError(
                f"{self.name} gave {found.num_rows:,} of {len(distinct):,} drawn rows; "
                "it changed since its rows were counted.",
                hint="open the table again, when nobody writes to it.",
            )
        return Draw(
            table=found.take(pa.array(places.ravel())),
            rows=rows,
            n_source_rows=self.n_rows,
            random_state=random_state,
            replace=replace,
            weights=self.weights,
        )

    def with_rows_kept(self) -> "Source":
        """Return this table with its rows where they stand now, in every pass from here on.

        Most sources keep their rows anyway, and return themselves.
        """
        return self

    def with_class_weights(self, class_weight: Mapping[Any, float]) -> "Source":
        """Return this table with rows that count as much as their class, in draws and tallies.

        Weights of its own are multiplied with those of the classes.
        """
        from samrule.sources.class_weights import ClassWeightedSource

        return ClassWeightedSource(self, class_weight)

    def scan(self, columns: Iterable[str] | None = None) -> Iterator[Any]:
        """Yield chosen columns as Arrow record batches, all rows in their order."""
        wanted = self.schema.names if columns is None else list(columns)
        self.check_columns(wanted)
        schema = pa.schema([self.schema.field(name) for name in wanted])
        for batch in self._batches(wanted):
            yield plain_batch(batch, schema)

    def column(self, name: str) -> Any:
        """Return one whole column as an Arrow chunked array."""
        chunks = [batch.column(0) for batch in self.scan([name])]
        return pa.chunked_array(chunks, self.schema.field(name).type)

    def levels(self, column: str) -> Levels:
        """Return the distinct values of a column and their counts."""
        self.check_values(column)
        counts: Counter[Any] = Counter()
        n_missing = 0
        for batch in self.scan([column]):
            present = batch.column(0).filter(pa.array(~missing_mask(batch.column(0))))
            n_missing += batch.num_rows - len(present)
            found = pc.value_counts(present)
            values = python_values(found.field(0), column)
            counts.update(dict(zip(values, found.field(1).to_pylist(), strict=True)))
        return sorted_levels(counts, n_missing)

    def classes(self) -> Levels:
        """Return the target's classes and their counts: at least two, none missing."""
        if self.target is None:
            raise TargetError(
                f"{self.name} was opened without a target column.",
                hint="name it: open_table(data, target=...).",
            )
        found = self.levels(self.target)
        check_target(self.target, found)
        return found

    def tally(self, rule_list: RuleList, target: str, weights: str | None = None) -> Tally:
        """Count rows and weight by deciding rule and class, in one scan of the columns needed."""
        columns = self._tally_columns(rule_list, target, weights)
        n_rows: Counter[tuple[int, Hashable]] = Counter()
        weight: dict[tuple[int, Hashable], float] = {}
        for batch in self.scan(columns):
            if batch.num_rows:
                _add_to_tally(n_rows, weight, rule_list, batch, target=target, weights=weights)
        return Tally(n_rows, weight)

    def check_columns(self, columns: Iterable[str]) -> None:
        """Raise for the first column that is not here, with names that are near."""
        names = self.schema.names  # A new list each time.
        for name in columns:
            check_known(name, names, self.name)

    def check_values(self, column: str) -> None:
        """Raise for a column that is not here, or whose values are lists or records."""
        self.check_columns([column])
        type_ = self.schema.field(column).type
        if pa.types.is_nested(type_):
            raise InputError(
                f"column {column!r} of {self.name} holds {type_}; expected single values.",
                hint="take the part you mean into a column of its own first.",
            )

    def _tally_columns(
        self, rule_list: RuleList, target: str, weights: str | None
    ) -> tuple[str, ...]:
        used = [condition.column for rule in rule_list for condition in rule.conditions]
        columns = tuple(dict.fromkeys([*used, target, *([weights] if weights else [])]))
        self.check_columns(columns)
        self.check_values(target)
        return columns

    def _take(self, rows: NDArray[np.int64], columns: Sequence[str]) -> Any:
        """Return the rows with these numbers (ascending, distinct) from one pass over the table."""
        schema = pa.schema([self.schema.field(name) for name in columns])
        found, start = [], 0
        for batch in self._batches(columns):
            low, high = np.searchsorted(rows, [start, start + batch.num_rows])
            if low < high:
                found.append(plain_batch(batch.take(pa.array(rows[low:high] - start)), schema))
            start += batch.num_rows
        return pa.Table.from_batches(found, schema)

    def _rows(self, n_rows: int, rng: np.random.Generator, replace: bool) -> NDArray[np.int64]:
        if replace:
            return rng.integers(0, self.n_rows, n_rows)
        if n_rows > self.n_rows:
            raise ParameterError(
                f"draw asks for {n_rows:,} rows without replacement; {self.name} has "
                f"{self.n_rows:,}.",
                hint="ask for fewer rows, or draw with replacement.",
            )
        return rng.choice(self.n_rows, n_rows, replace=False)

    def _weighted_rows(
        self, n_rows: int, rng: np.random.Generator, replace: bool
    ) -> NDArray[np.int64]:
        """Draw points on the line that the weights fill, and find the rows they fall into.

        Two passes over one column and no array as long as the table: first the weight of each
        block of rows, then the place inside the blocks that were hit.
        """
        if not replace:
            raise ParameterError(
                f"draw asks for rows without replacement, weighted by {self.weights!r}; "
                "weighted rows are drawn with replacement.",
                hint="leave replace=False out, or open the table without weights.",
            )
        totals = self._block_weights()
        ends = np.cumsum(totals)
        if not ends[-1] > 0:
            raise InputError(
                f"weights {self.weights!r} are 0 in all {self.n_rows:,} rows; "
                "expected at least one positive weight.",
                hint="open the table without weights to count every row once.",
            )
        points = rng.random(n_rows) * ends[-1]
        blocks = np.minimum(np.searchsorted(ends, points, side="right"), np.flatnonzero(totals)[-1])
        return self._rows_at(blocks, points - (ends - totals)[blocks])

    def _block_weights(self) -> NDArray[np.float64]:
        """Return the weight of each block of rows."""
        return np.array([block.sum() for block in self._weight_blocks()])

    def _rows_at(self, blocks: NDArray[np.int64], inside: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the rows that points inside blocks fall into."""
        rows, start = np.empty(len(blocks), dtype=np.int64), 0
        for number, block in enumerate(self._weight_blocks()):
            here = np.flatnonzero(blocks == number)
            if here.size:
                found = np.searchsorted(np.cumsum(block), inside[here], side="right")
                # Sums of doubles are not exact: the last point may fall off the end.
                rows[here] = start + np.minimum(found, np.flatnonzero(block)[-1])
            start += len(block)
        return rows

    def _weight_blocks(self) -> Iterator[NDArray[np.float64]]:
        """Yield the weights in blocks of one size: an engine's batches differ between passes."""
        assert self.weights is not None
        rest, start = np.empty(0), 0
        for batch in self.scan([self.weights]):
            rest = np.concatenate([rest, checked_weights(batch.column(0), self.weights, start)])
            start += batch.num_rows
            while len(rest) >= BATCH_ROWS:
                yield rest[:BATCH_ROWS]
                rest = rest[BATCH_ROWS:]
        if len(rest):
            yield rest

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}: {len(self.features)} features>"


def resolved_roles(
    name: str,
    columns: Sequence[str],
    *,
    target: str | None,
    include: Sequence[str] | None,
    exclude: Sequence[str] | None,
    weights: str | None,
) -> Roles:
    """Return the role of each column; raise for names that are unusable or unknown."""
    check_names(name, columns)
    for role, names in (("include", include), ("exclude", exclude)):
        if isinstance(names, str):
            raise ParameterTypeError(
                f"{role} is {names!r}; expected a list of column names.",
                hint=f"write {role}=[{names!r}].",
            )
    for column in [target, weights, *(include or ()), *(exclude or ())]:
        if column is not None:
            check_known(column, columns, name)
    wanted = columns if include is None else [column for column in columns if column in include]
    left_out = {target, weights, *(exclude or ())}
    features = tuple(column for column in wanted if column not in left_out)
    if not features:
        raise InputError(
            f"{name} has no usable columns: {len(columns):,} in all, none left beside the target, "
            "the weights and those left out.",
            hint=Words("check ", Parameter("include"), " and ", Parameter("exclude"), "."),
        )
    return Roles(features, target, weights)


def _check_scales(name: str, schema: Any) -> None:
    """Raise for decimals with more digits after the point than they have: a damaged file's."""
    for field in schema:
        if pa.types.is_decimal(field.type) and abs(field.type.scale) > _MOST_DIGITS:
            raise InputError(
                f"{name} has decimals with {field.type.scale:,} digits after the point in column "
                f"{field.name!r}; expected at most {_MOST_DIGITS}.",
                hint="is the file damaged? write or copy it again.",
            )


# Of Arrow's widest decimals.
_MOST_DIGITS = 76


def _check_zones(name: str, schema: Any) -> None:
    """Raise for a time zone that nobody here knows: its clock cannot be read."""
    for field in schema:
        if not pa.types.is_timestamp(field.type):
            continue
        zone = "of no text"
        try:
            if field.type.tz is not None:
                zone = repr(field.type.tz)
                pa.scalar(0, field.type).as_py()
        except (pa.ArrowException, ValueError, KeyError, OSError):
            raise InputError(
                f"{name} has the time zone {zone} in column {field.name!r}, which is unknown here.",
                hint="convert it to UTC, leave it out with exclude, or install the package tzdata.",
            ) from None


def check_names(name: str, columns: Sequence[str]) -> None:
    """Raise for names that are repeated, or that engines cannot be told."""
    for column, count in Counter(columns).items():
        if count > 1:
            raise InputError(
                f"{name} has more than one column named {column!r}; expected different names.",
                hint="rename or drop the repeated ones.",
            )
        if "\0" in column:
            raise InputError(
                f"{name} has a column named {column!r}; expected names without NUL.",
                hint="rename it: SQL and Arrow would cut the name short there.",
            )
        if not column.isascii() and any("\ud800" <= one <= "\udfff" for one in column):
            raise InputError(
                f"{name} has a column named {column!r}; expected a name of whole characters.",
                hint="read the table with the encoding it was written in, or rename the column.",
            )


def check_known(column: object, columns: Sequence[str], name: str) -> None:
    """Raise if there is no such column, and say which names are near."""
    if not isinstance(column, str):
        raise ParameterTypeError(
            f"a column was named {column!r} ({type(column).__name__}); expected its name as text.",
            hint="columns of tables without names are called x0, x1, and so on.",
        )
    if column in columns:
        return
    near = difflib.get_close_matches(column, columns, n=3, cutoff=0.5)
    same = [other for other in columns if other.strip().lower() == column.strip().lower()]
    near = list(dict.fromkeys([*same, *near]))
    shown = ", ".join(repr(one) for one in (near or columns[:8]))
    raise ColumnError(
        f"{name} has no column {column!r}.",
        hint=f"did you mean {shown}?"
        if near
        else f"the columns are {shown}" + (", ..." if len(columns) > 8 else "."),
    )


def check_target(target: str, levels: Levels) -> None:
    """Raise unless every row has a class and there are at least two."""
    n_rows = sum(levels.counts) + levels.n_missing
    if n_rows == 0:
        raise InputError(
            f"there are no rows, so target column {target!r} holds no class.",
            hint="check the filter or the query that made the table.",
        )
    if levels.n_missing:
        raise TargetError(
            f"target column {target!r} is missing in {levels.n_missing:,} of {n_rows:,} rows; "
            "every row needs a class.",
            hint=Words("pass ", Parameter("missing_target", "drop"), " to leave those rows out."),
        )
    if len(levels.values) < 2:
        raise TargetError(
            f"target column {target!r} holds one class, {levels.values[0]!r}; "
            "expected two or more.",
            hint="with one class there is nothing to learn: always predict it.",
        )


def check_weight_type(type_: Any, name: str) -> None:
    """Raise unless a weight column holds numbers."""
    if column_type(type_) not in {ColumnType.NUMBER, ColumnType.BOOLEAN}:
        raise InputError(
            f"weight column {name!r} holds {type_}; expected numbers.",
            hint="convert it to numbers first.",
        )


def checked_weights(column: Any, name: str, start: int = 0) -> NDArray[np.float64]:
    """Return a weight column as doubles; raise for the first that is not 0 or more."""
    check_weight_type(column.type, name)
    values = column.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    bad = np.flatnonzero(~(values >= 0) | np.isinf(values))
    if bad.size:
        raise bad_weight(name, column[int(bad[0])].as_py(), start + int(bad[0]))
    return np.asarray(values, dtype=np.float64)


def bad_weight(name: str, value: Any, row: int | None = None) -> InputError:
    """Return the error for a weight that is missing, negative or without end."""
    where = "" if row is None else f" in row {row:,}"
    return InputError(
        f"weight column {name!r} has {value!r}{where}; expected finite numbers of 0 or more.",
        hint="a row that should not count has weight 0.",
    )


def with_columns_named(rule_list: RuleList, names: Mapping[str, str]) -> RuleList:
    """Return the list with its columns under the names an engine knows them by."""
    rules = tuple(
        replace(
            rule,
            conditions=tuple(replace(one, column=names[one.column]) for one in rule.conditions),
        )
        for rule in rule_list.rules
    )
    return replace(rule_list, rules=rules)


def without_credentials(text: str) -> str:
    """Return what an engine said without user names, passwords and signed parts of addresses."""
    text = re.sub(r"(\w+://)[^\s/@]*@", r"\1", text)
    return re.sub(r"\?[^\s\"']*", "", text)


def plain_type(type_: Any) -> Any:
    """Return the type rows are handed over in: one per kind, whatever the engine calls its own."""
    types = pa.types
    if types.is_dictionary(type_):
        return plain_type(type_.value_type)
    if types.is_large_string(type_) or type_ == pa.string_view():
        return pa.string()
    if types.is_float16(type_):
        return pa.float32()
    if types.is_date64(type_):
        return pa.date32()
    if types.is_decimal32(type_) or types.is_decimal64(type_):
        return pa.decimal128(type_.precision, type_.scale)
    return type_


def without_views(rows: Any) -> Any:
    """Return a table or batch without views of text and bytes: Arrow can take no rows of those."""
    for place, field in enumerate(rows.schema):
        plain = {pa.string_view(): pa.string(), pa.binary_view(): pa.binary()}.get(field.type)
        if plain is not None:
            rows = rows.set_column(place, field.with_type(plain), rows.column(place).cast(plain))
    return rows


def plain_batch(batch: Any, schema: Any) -> Any:
    """Return the batch under the schema's names and types."""
    if batch.schema.equals(schema):
        return batch
    columns = [
        column if column.type == field.type else _cast(column, field)
        for column, field in zip(batch.columns, schema, strict=True)
    ]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def python_values(values: Any, column: str) -> list[Any]:
    """Return an Arrow array's values as Python's own; raise for days that its calendar has not."""
    try:
        return values.to_pylist()  # type: ignore[no-any-return]
    except (OverflowError, ValueError):
        raise InputError(
            f"column {column!r} holds days outside the years 1 to 9999, which classes and levels "
            "cannot be.",
            hint="turn them into text or numbers first, or leave the column out.",
        ) from None


def sorted_levels(counts: Mapping[Any, int], n_missing: int) -> Levels:
    """Return levels by falling count; equal counts by value."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], _sort_key(item[0])))
    return Levels(
        values=tuple(value for value, _ in ordered),
        counts=tuple(count for _, count in ordered),
        n_missing=n_missing,
    )


def _checked_size(n_rows: object) -> int:
    if isinstance(n_rows, bool) or not isinstance(n_rows, int | np.integer):
        raise ParameterTypeError(
            f"draw asks for {n_rows!r} rows; expected a whole number.",
            hint="round up: math.ceil(n_rows).",
        )
    if n_rows < 0:
        raise ParameterError(
            f"draw asks for {n_rows:,} rows; expected 0 or more.", hint="draw 1,000."
        )
    return int(n_rows)


def _cast(column: Any, field: Any) -> Any:
    try:
        return column.cast(field.type)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise InputError(
            f"column {field.name!r} cannot be read as {field.type}: {error}",
            hint="are the files of one kind? convert the column in all of them.",
        ) from None


def _sort_key(value: Any) -> tuple[str, Any]:
    """Order numbers as numbers and all else by its text; types are never mixed in a column."""
    return ("", value) if isinstance(value, int | float) else (type(value).__name__, str(value))


def _add_to_tally(
    n_rows: Counter[tuple[int, Hashable]],
    weight: dict[tuple[int, Hashable], float],
    rule_list: RuleList,
    batch: Any,
    *,
    target: str,
    weights: str | None,
) -> None:
    decided = deciding_rules(rule_list, batch)
    encoded = _nan_to_null(batch[target]).dictionary_encode()
    codes = pc.fill_null(encoded.indices, -1).to_numpy(zero_copy_only=False).astype(np.int64)
    values = [*python_values(encoded.dictionary, target), None]
    cells = decided * len(values) + np.where(codes < 0, len(values) - 1, codes)
    amounts = None if weights is None else checked_weights(batch[weights], weights)
    counts = np.bincount(cells)
    sums = counts if amounts is None else np.bincount(cells, amounts)
    for cell in np.flatnonzero(counts):
        key = (int(cell) // len(values), values[int(cell) % len(values)])
        n_rows[key] += int(counts[cell])
        weight[key] = weight.get(key, 0) + sums[cell].item()


def _nan_to_null(column: Any) -> Any:
    missing = missing_mask(column)
    if not missing.any():
        return column
    return pc.if_else(pa.array(missing), pa.scalar(None, column.type), column)
