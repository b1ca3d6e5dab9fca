"""Spark DataFrames, classic and Connect: Spark does the work; drawn rows and sums come back.

Rows are numbered as they stand, partition after partition. Spark promises neither the partitions
nor the order of rows to be the same in the next job, so every job that looks for rows by number
also tells, by a hash over all rows, whether they stand as they stood when they were counted.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from samrule.errors import (
    InputError,
    InputTypeError,
    MissingExtraError,
    Parameter,
    SamruleError,
    Words,
)
from samrule.export.sql import condition_sql, deciding_rule_sql, literal_sql, missing_sql
from samrule.rules import Condition, RuleList
from samrule.sources.base import (
    BATCH_ROWS,
    Draw,
    Levels,
    Roles,
    Source,
    Tally,
    bad_weight,
    checked_weights,
    plain_batch,
    sorted_levels,
    with_columns_named,
    without_credentials,
)
from samrule.sources.class_weights import unused_name

# monotonically_increasing_id() is the partition's number and, in the lower bits, the row's there.
_PLACE_BITS = 33
_PART = f"shiftright(place, {_PLACE_BITS})"

_COUNTED = {"n": "count(1)"}
_BAD = "NOT coalesce(weight >= 0 AND weight < double('infinity'), FALSE)"
_WEIGHED = {
    "weight": "sum(weight)",
    "n_bad": f"count_if({_BAD})",
    "bad": f"min(weight) FILTER (WHERE {_BAD})",
}


@dataclass(frozen=True)
class Layout:
    """Rows per partition, and a hash over all rows and their places."""

    counts: NDArray[np.int64]
    fingerprint: int

    @property
    def n_rows(self) -> int:
        """Rows in all partitions."""
        return int(self.counts.sum())

    @property
    def shifts(self) -> NDArray[np.int64]:
        """What to add to the places in each partition to get the numbers of rows."""
        parts = np.arange(len(self.counts), dtype=np.int64)
        return np.cumsum(self.counts) - self.counts - (parts << _PLACE_BITS)

    def places(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return where the rows with these numbers stand."""
        parts = np.searchsorted(np.cumsum(self.counts), rows, side="right")
        return rows - self.shifts[parts]


class RowsMovedError(InputError):
    """The rows of a DataFrame stand elsewhere than when they were counted."""


class SparkSource(Source):
    """A Spark DataFrame, its columns renamed as `engine_names` says.

    Notes
    -----
    Draws are uniform and independent whatever the DataFrame's plan. The same seed draws the same
    rows if Spark reads them in the same order again, as it does from files and tables, and from
    what was cached or checkpointed. After a shuffle (join, group, repartition) Spark does not
    promise that: cache or write such a DataFrame first.
    """

    def __init__(
        self, name: str, frame: Any, schema: Any, roles: Roles, engine_names: Mapping[str, str]
    ) -> None:
        super().__init__(name, schema, roles)
        self._frame = frame
        self._engine_names = dict(engine_names)
        # Columns hashed together with the places. Where rows weigh differently it matters which
        # of them stands where; where they do not, one order is as good as another.
        self._hashed: tuple[str, ...] = () if roles.weights is None else (roles.weights,)
        self._counted: Layout | None = None

    def draw(self, n_rows: int, *, random_state: Any = None, replace: bool = True) -> Draw:
        """Return rows drawn at random; only they, their numbers and sums reach the driver.

        Guarantee
        ---------
        That of `Source.draw`. If the rows do not stand as they did when they were counted, they
        are counted and drawn again with all columns kept in the plan; if even that does not hold
        them still, it is an error.
        """
        try:
            return super().draw(n_rows, random_state=random_state, replace=replace)
        except RowsMovedError:
            self._keep_all_columns()
            return super().draw(n_rows, random_state=random_state, replace=replace)

    def with_rows_kept(self) -> Source:
        """Return the rows as Spark makes them now, kept by its workers (`localCheckpoint`)."""
        with self._engine_errors():
            columns = [self._engine_names[name] for name in self.schema.names]
            frame = self._frame.select(*columns).localCheckpoint()
        return SparkSource(self.name, frame, self.schema, self.roles, self._engine_names)

    def levels(self, column: str) -> Levels:
        """Return the distinct values of a column and their counts, grouped by Spark."""
        self.check_values(column)
        found = self._grouped({"value": self._present_sql(column)}, _COUNTED)
        values = self._plain(found.select(["value"]), [column])[column]
        counts = dict(zip(values.to_pylist(), found["n"].to_pylist(), strict=True))
        n_missing = counts.pop(None, 0)
        return sorted_levels(counts, n_missing)

    def tally(self, rule_list: RuleList, target: str, weights: str | None = None) -> Tally:
        """Count rows and weight by deciding rule and class, in one scan made by Spark."""
        self._tally_columns(rule_list, target, weights)
        decided = deciding_rule_sql(
            with_columns_named(rule_list, self._engine_names),
            "spark",
            types={self._engine_names[field.name]: field.type for field in self.schema},
        )
        by = {"rule": decided, "class": self._present_sql(target)}
        if weights is None:
            found = self._grouped(by, {**_COUNTED, "weight": "count(1)"})
        else:
            amount = {"weight": self._weight_sql(weights)}
            found = self._grouped(by, {**_COUNTED, **_WEIGHED}, amount)
            _check_weights(weights, found)
        classes = self._plain(found.select(["class"]), [target])[target]
        keys = list(zip(found["rule"].to_pylist(), classes.to_pylist(), strict=True))
        return Tally(
            n_rows=dict(zip(keys, found["n"].to_pylist(), strict=True)),
            weight=dict(zip(keys, found["weight"].to_pylist(), strict=True)),
        )

    def with_class_weights(self, class_weight: Mapping[Any, float]) -> "SparkSource":
        """Return this table with a column of weights that Spark makes of the target."""
        assert self.target is not None
        name, type_ = self._engine_names[self.target], self._type(self.target)
        cases = " ".join(
            f"WHEN {condition_sql(Condition(name, '==', one), type_, 'spark')} "
            f"THEN {literal_sql(float(weight), 'spark')}"
            for one, weight in class_weight.items()
        )
        amount = "" if self.weights is None else f" * {self._weight_sql(self.weights)}"
        column = unused_name("class weight", self.schema.names)
        engine_name = f"c{len(self._engine_names)}"
        frame = self._frame.selectExpr(
            "*", f"CAST(CASE {cases} ELSE 0 END AS DOUBLE){amount} AS {engine_name}"
        )
        return SparkSource(
            self.name,
            frame,
            self.schema.append(pa.field(column, pa.float64())),
            replace(self.roles, weights=column),
            {**self._engine_names, column: engine_name},
        )

    def _count_rows(self) -> int:
        return self._layout().n_rows

    def _batches(self, columns: Sequence[str]) -> Iterator[Any]:
        """Yield the rows one partition after the other: the driver never holds them all."""

        # A function inside travels to Spark's workers by value: they need not have samrule.
        def written(batches: Iterator[Any]) -> Iterator[Any]:
            for batch in batches:
                sink = pa.BufferOutputStream()
                with pa.ipc.new_stream(sink, batch.schema) as writer:
                    writer.write_batch(batch)
                content = pa.array([sink.getvalue().to_pybytes()])
                yield pa.RecordBatch.from_arrays([content], ["content"])

        with self._engine_errors():
            frame = self._frame.select(*(self._engine_names[name] for name in columns))
            for row in frame.mapInArrow(written, "content binary").toLocalIterator():
                yield from pa.ipc.open_stream(row[0])

    def _take(self, rows: NDArray[np.int64], columns: Sequence[str]) -> Any:
        names = [self._engine_names[name] for name in columns]
        if len(rows) == 0:
            return self._plain(pa.table([[]] * len(names), names=names), columns)
        wanted = self._small({"place": self._layout().places(rows)})
        found = self._collected(
            columns, lambda frame: frame.join(wanted, "place").select("place", *names)
        )
        return self._plain(found.sort_by("place").select(names), columns)

    def _block_weights(self) -> NDArray[np.float64]:
        found = self._collected_weights(
            lambda rows: self._aggregated(rows.drop("row"), ["block"], _WEIGHED)
        )
        _check_weights(str(self.weights), found)
        totals = np.zeros(-(-self.n_rows // BATCH_ROWS))
        totals[found["block"].to_numpy()] = found["weight"].to_numpy()
        return totals

    def _rows_at(self, blocks: NDArray[np.int64], inside: NDArray[np.float64]) -> NDArray[np.int64]:
        """Sort rows and points along the line that a block's weights fill, and look left."""
        points = self._small({"point": np.arange(len(blocks)), "block": blocks, "at": inside})
        hit = self._small({"block": np.unique(blocks)})

        def found(rows: Any) -> Any:
            before = "ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING"
            starts = (
                rows.where("weight > 0")
                .join(hit, "block", "left_semi")
                .selectExpr(
                    "block",
                    "row",
                    f"sum(weight) OVER (PARTITION BY block ORDER BY row {before}) AS at",
                )
                .selectExpr("block", "row", "coalesce(at, 0D) AS at", "NULL AS point")
            )
            line = starts.unionByName(points.selectExpr("block", "NULL AS row", "at", "point"))
            # A point exactly where a row starts belongs to that row, so rows come first.
            left = "PARTITION BY block ORDER BY at, point NULLS FIRST, row"
            return line.selectExpr("point", f"last(row, true) OVER ({left}) AS row").where(
                "point IS NOT NULL"
            )

        numbers = self._collected_weights(found).sort_by("point")["row"].to_numpy()
        return np.asarray(numbers, dtype=np.int64)

    def _collected_weights(self, made_of: Callable[[Any], Any]) -> Any:
        """Collect what is made of all rows' numbers, blocks of numbers, and weights."""
        weights = str(self.weights)
        shifts = self._layout().shifts
        parts = self._small({"part": np.arange(len(shifts)), "shift": shifts})
        amount = self._weight_sql(weights)
        return self._collected(
            [weights],
            lambda frame: made_of(
                frame.selectExpr("place", f"{_PART} AS part", f"{amount} AS weight")
                .join(parts, "part")
                .selectExpr("place + shift AS row", "weight")
                .selectExpr("row", f"row div {BATCH_ROWS} AS block", "weight")
            ),
        )

    def _collected(self, columns: Sequence[str], made_of: Callable[[Any], Any]) -> Any:
        """Collect what is made of columns and places, if the rows stand as they were counted."""
        layout = self._layout()
        with self._engine_errors():
            observation = self._part_of_spark("observation").Observation()
            fingerprint = self._expr(f"bit_xor({self._hash_sql()})").alias("fingerprint")
            frame = self._numbered(columns).observe(observation, fingerprint)
            found = made_of(frame).toArrow()
            observed = observation.get["fingerprint"]
        if observed != layout.fingerprint:
            raise RowsMovedError(
                f"{self.name} does not keep its rows: they stood elsewhere, or were others, when "
                "Spark made them again.",
                hint="draw from frame.cache(), frame.localCheckpoint() or a table written from it.",
            )
        return found

    def _layout(self) -> Layout:
        if self._counted is None:
            with self._engine_errors():
                hashed = self._numbered(()).selectExpr(
                    f"{_PART} AS part", f"{self._hash_sql()} AS h"
                )
                found = self._aggregated(
                    hashed, ["part"], {**_COUNTED, "h": "bit_xor(h)"}
                ).toArrow()
            parts = found["part"].to_numpy()
            counts = np.zeros(max(parts, default=-1) + 1, dtype=np.int64)
            counts[parts] = found["n"].to_numpy()
            self._counted = Layout(counts, int(np.bitwise_xor.reduce(found["h"].to_numpy())))
        return self._counted

    def _keep_all_columns(self) -> None:
        """Count again, and hash every column: nothing can be left out of the plan then.

        With fewer columns to move, Spark joins otherwise and cuts shuffled rows otherwise.
        """
        self._hashed = tuple(
            name for name in self.schema.names if not pa.types.is_nested(self._type(name))
        )
        n_rows, self._counted = self.n_rows, None
        if self._layout().n_rows != n_rows:
            raise InputError(
                f"{self.name} has {self._layout().n_rows:,} rows, and had {n_rows:,} before.",
                hint="cache it, or open it again when nobody writes to what it reads.",
            )

    def _numbered(self, columns: Sequence[str]) -> Any:
        names = dict.fromkeys(self._engine_names[name] for name in [*columns, *self._hashed])
        return self._frame.selectExpr(*names, "monotonically_increasing_id() AS place")

    def _hash_sql(self) -> str:
        return (
            f"xxhash64({', '.join(['place', *(self._engine_names[one] for one in self._hashed)])})"
        )

    def _grouped(
        self,
        by: Mapping[str, str],
        sums: Mapping[str, str],
        amounts: Mapping[str, str] | None = None,
    ) -> Any:
        shown = [f"{sql} AS {alias}" for alias, sql in {**by, **(amounts or {})}.items()]
        with self._engine_errors():
            return self._aggregated(self._frame.selectExpr(*shown), list(by), sums).toArrow()

    def _aggregated(self, frame: Any, by: Sequence[str], sums: Mapping[str, str]) -> Any:
        wanted = [self._expr(sql).alias(alias) for alias, sql in sums.items()]
        return frame.groupBy(*by).agg(*wanted)

    def _small(self, columns: Mapping[str, NDArray[Any]]) -> Any:
        """Hand a small table to Spark, for every worker to look up."""
        with self._engine_errors():
            return self._frame.sparkSession.createDataFrame(pa.table(dict(columns))).hint(
                "broadcast"
            )

    def _present_sql(self, column: str) -> str:
        """Return the column with NULL for every missing value."""
        name, type_ = self._engine_names[column], self._type(column)
        if not pa.types.is_floating(type_):
            return name
        return f"CASE WHEN {missing_sql(name, type_, 'spark')} THEN NULL ELSE {name} END"

    def _weight_sql(self, weights: str) -> str:
        checked_weights(pa.array([], self._type(weights)), weights)
        return f"CAST({self._engine_names[weights]} AS DOUBLE)"

    def _plain(self, table: Any, columns: Sequence[str]) -> Any:
        """Return what Spark handed over under our names and types."""
        schema = pa.schema([self.schema.field(name) for name in columns])
        return pa.Table.from_batches(
            [plain_batch(batch, schema) for batch in table.to_batches()], schema
        )

    def _type(self, column: str) -> Any:
        return self.schema.field(column).type

    def _expr(self, sql: str) -> Any:
        return self._part_of_spark("functions").expr(sql)

    def _part_of_spark(self, module: str) -> Any:
        """Classic and Connect may live in one process, and their objects do not mix."""
        return import_module(
            f"pyspark.sql{'.connect' if _is_connect(self._frame) else ''}.{module}"
        )

    def _engine_errors(self) -> Any:
        return _engine_errors(self.name, self._frame)


@dataclass(frozen=True)
class Opened:
    """A DataFrame with its columns renamed c0, c1, ...: any names will do then, even a and A."""

    name: str
    frame: Any
    names: tuple[str, ...]

    @property
    def engine_names(self) -> dict[str, str]:
        """What each column is called in `frame`."""
        return {name: f"c{place}" for place, name in enumerate(self.names)}

    def source(self, roles: Roles, dropped: str | None) -> SparkSource:
        """Return the source; without the rows where the column `dropped` is missing."""
        schema = _arrow_schema(self, roles.used)
        frame = self.frame
        if dropped is not None:
            missing = missing_sql(self.engine_names[dropped], schema.field(dropped).type, "spark")
            frame = frame.where(f"NOT ({missing})")
        return SparkSource(self.name, frame, schema, roles, self.engine_names)


def is_spark_frame(data: Any) -> bool:
    """Recognize Spark's DataFrames, classic and Connect, without importing pyspark."""
    return any(
        kind.__name__ == "DataFrame" and kind.__module__.startswith("pyspark.sql.")
        for kind in type(data).__mro__
    )


def opened_frame(frame: Any, missing_values: Sequence[str] = ()) -> Opened:
    """Take a DataFrame of the user's own session; the given texts are read as missing."""
    name = "the Spark DataFrame"
    if not hasattr(frame, "toArrow"):
        raise MissingExtraError(
            f"{name} is of pyspark {import_module('pyspark').__version__}; expected 4.0 or newer.",
            hint="run: pip install 'samrule[spark]'",
        )
    if frame.isStreaming:
        raise InputTypeError(
            f"{name} is a stream; expected a table that ends.",
            hint="write the stream to a table, and open that.",
        )
    with _engine_errors(name, frame):
        names, fields = tuple(frame.columns), frame.schema.fields
        renamed = frame.toDF(*(f"c{place}" for place in range(len(names))))
        columns = [
            _column_sql(f"c{place}", field, missing_values) for place, field in enumerate(fields)
        ]
        return Opened(name, renamed.selectExpr(*columns), names)


def _column_sql(name: str, field: Any, missing_values: Sequence[str]) -> str:
    """Return the column; texts compare by their letters, whatever the column's collation."""
    value = name
    if getattr(field.dataType, "collation", "UTF8_BINARY") != "UTF8_BINARY":
        value = f"CAST({name} AS STRING)"
    if missing_values and field.dataType.typeName().startswith("string"):
        texts = ", ".join(literal_sql(one, "spark") for one in missing_values)
        value = f"CASE WHEN {value} IN ({texts}) THEN NULL ELSE {value} END"
    return f"{value} AS {name}"


def _arrow_schema(opened: Opened, columns: Sequence[str]) -> Any:
    try:
        types = _arrow_types(opened, columns)
    except InputError:
        _raise_for_column(opened, columns)
        raise
    return pa.schema(
        [(name, _plain_type(type_)) for name, type_ in zip(columns, types, strict=True)]
    )


def _arrow_types(opened: Opened, columns: Sequence[str]) -> list[Any]:
    with _engine_errors(opened.name, opened.frame):
        frame = opened.frame.select(*(opened.engine_names[column] for column in columns))
        return list(frame.limit(0).toArrow().schema.types)


def _raise_for_column(opened: Opened, columns: Sequence[str]) -> None:
    """Raise for the first column whose values cannot be handed over, if that is the trouble."""
    for column in columns:
        try:
            _arrow_types(opened, [column])
        except InputError:
            kind = opened.frame.schema[opened.engine_names[column]].dataType.simpleString()
            raise InputTypeError(
                f"{opened.name} has values of type {kind} in column {column!r}, "
                "which Spark cannot hand over.",
                hint=Words("leave the column out: ", Parameter("exclude", [column]), "."),
            ) from None


def _plain_type(type_: Any) -> Any:
    # Spark's times of day have microseconds, and travel as nanoseconds.
    return pa.time64("us") if pa.types.is_time(type_) else type_


def _check_weights(name: str, sums: Any) -> None:
    for n_bad, value in zip(sums["n_bad"].to_pylist(), sums["bad"].to_pylist(), strict=True):
        if n_bad:
            raise bad_weight(name, value)


def _is_connect(frame: Any) -> bool:
    return type(frame).__module__.startswith("pyspark.sql.connect")


def _is_stopped(frame: Any) -> bool:
    session = frame.sparkSession
    if _is_connect(frame):
        return bool(session.is_stopped)
    context = session.sparkContext._jsc
    return context is None or bool(context.sc().isStopped())


@contextmanager
def _engine_errors(name: str, frame: Any) -> Iterator[None]:
    """Turn what Spark says into one of our errors: its first line, without Java's traces."""
    if _is_stopped(frame):
        raise InputError(
            f"{name} belongs to a Spark session that was stopped.",
            hint="start a session, make the DataFrame there, and open that.",
        )
    try:
        yield
    except SamruleError:
        raise
    except Exception as error:
        if type(error).__module__.partition(".")[0] not in {"pyspark", "py4j", "grpc", "pyarrow"}:
            raise
        said = without_credentials(str(error)).strip().partition("\n")[0]
        raise InputError(
            f"{name} could not be read: {said}",
            hint=Words(
                "check that frame.count() runs; leave columns out with ", Parameter("exclude"), "."
            ),
        ) from None
