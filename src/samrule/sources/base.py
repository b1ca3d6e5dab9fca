"""`Source`, the protocol of a table to draw from: schema, rows, levels, scans, tallies.

An engine says how many rows there are and yields chosen columns in row order; everything else has
a plain implementation here, which an engine replaces where it can do better.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from samrule.errors import (
    InputError,
    ParameterError,
    ParameterTypeError,
    TargetError,
)
from samrule.random_streams import stream
from samrule.rules import RuleList
from samrule.rules.meaning import missing_mask
from samrule.sources.arrow_types import check_types, plain_batch, plain_type, python_values
from samrule.sources.counts import Levels, Tally, add_to_tally, sorted_levels
from samrule.sources.draw import Draw
from samrule.sources.roles import Roles, check_known, check_target
from samrule.sources.weights import checked_weights

# Rows an engine hands over at a time: a few megabytes for a table of usual width.
BATCH_ROWS = 1 << 16


class Source(ABC):
    """A table that rows can be drawn from, whatever holds it.

    Engines implement `_count_rows` and `_batches`; the order of rows must be the same in
    every pass, for draws are made by row number.
    """

    # Sentences for people about guesses made on reading: no header found, numbers read from text.
    notes: tuple[str, ...] = ()
    # Whether one thread may scan it while another does something else, which then takes less time.
    scans_beside = False

    def __init__(self, name: str, schema: Any, roles: Roles) -> None:
        self.name = name
        self.roles = roles
        self.schema = pa.schema([(one, plain_type(schema.field(one).type)) for one in roles.used])
        check_types(name, self.schema)

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
            A seed, or a numpy Generator; None draws other rows every time.
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
        """Return this table with its rows fixed: every pass shows those of now, in the same order.

        Most sources keep their rows anyway, and return themselves.
        """
        return self

    def weighted_by_engine(self, class_weight: Mapping[Any, float]) -> "Source | None":
        """Return this table with weights that the engine makes of the classes; None if it cannot.

        `with_class_weights` asks for it, and knows what to do if there is none.
        """
        return None

    def scan(self, columns: Iterable[str] | None = None) -> Iterator[Any]:
        """Yield chosen columns as Arrow record batches, all rows in their order."""
        wanted = self.schema.names if columns is None else list(columns)
        self.check_columns(wanted)
        schema = self._schema_of(wanted)
        for batch in self._batches(wanted):
            yield plain_batch(batch, schema)

    def whole_table(self, most_rows: int) -> Any | None:
        """Return all rows as a pyarrow Table; None if there are more than `most_rows`."""
        if self.n_rows > most_rows:
            return None
        return pa.Table.from_batches(self.scan(), self.schema)

    def column(self, name: str) -> Any:
        """Return one whole column as an Arrow chunked array."""
        chunks = [batch.column(0) for batch in self.scan([name])]
        return pa.chunked_array(chunks, self._type(name))

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
                add_to_tally(n_rows, weight, rule_list, batch, target=target, weights=weights)
        return Tally(n_rows, weight)

    def tallies(self, rule_lists: Sequence[RuleList], target: str) -> tuple[Tally, ...]:
        """Count rows of several lists by deciding rule and class, in one scan of their columns."""
        columns = {name for one in rule_lists for name in self._tally_columns(one, target, None)}
        counts: list[Counter[tuple[int, Hashable]]] = [Counter() for _ in rule_lists]
        sums: list[dict[tuple[int, Hashable], float]] = [{} for _ in rule_lists]
        for batch in self.scan([name for name in self.schema.names if name in columns]):
            if batch.num_rows:
                for n_rows, weight, one in zip(counts, sums, rule_lists, strict=True):
                    add_to_tally(n_rows, weight, one, batch, target=target, weights=None)
        return tuple(map(Tally, counts, sums))

    def check_columns(self, columns: Iterable[str]) -> None:
        """Raise for the first column that is not in the table, and name similar ones."""
        names = self.schema.names  # A new list each time.
        for name in columns:
            check_known(name, names, self.name)

    def check_values(self, column: str) -> None:
        """Raise for a column that is not in the table, or whose values are lists or records."""
        self.check_columns([column])
        type_ = self._type(column)
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
        schema = self._schema_of(columns)
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

    def _schema_of(self, columns: Iterable[str]) -> Any:
        return pa.schema([self.schema.field(name) for name in columns])

    def _type(self, column: str) -> Any:
        return self.schema.field(column).type

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}: {len(self.features)} features>"


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
