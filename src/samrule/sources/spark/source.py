"""`SparkSource`: Spark counts, groups and draws; only drawn rows and sums come back."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from samrule.export.sql import condition_sql, literal_sql
from samrule.rules import Condition, RuleList
from samrule.sources.arrow_types import plain_table
from samrule.sources.base import BATCH_ROWS, Source
from samrule.sources.counts import Levels, Tally, sorted_levels, split_tally
from samrule.sources.draw import Draw
from samrule.sources.engine_sql import (
    decided_together_sql,
    deciding_rule_number_sql,
    present_sql,
)
from samrule.sources.roles import Roles, unused_name
from samrule.sources.spark.layout import PART_SQL, NumberedFrame, RowsMovedError, aggregated
from samrule.sources.spark.session import engine_errors
from samrule.sources.weights import bad_weight, checked_weights

_COUNTED = {"n": "count(1)"}
_BAD = "NOT coalesce(weight >= 0 AND weight < double('infinity'), FALSE)"
_WEIGHED = {
    "weight": "sum(weight)",
    "n_bad": f"count_if({_BAD})",
    "bad": f"min(weight) FILTER (WHERE {_BAD})",
}


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
        # Where rows weigh differently it matters which of them stands where; where they do not,
        # one order is as good as another.
        hashed = [] if roles.weights is None else [self._engine_names[roles.weights]]
        self._numbered = NumberedFrame(name, frame, hashed)

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
            self._numbered.count_again(self._all_engine_names())
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
        decided = deciding_rule_number_sql(rule_list, self.schema, self._engine_names, "spark")
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

    def tallies(self, rule_lists: Sequence[RuleList], target: str) -> tuple[Tally, ...]:
        """Count rows of several lists by deciding rule and class, in one scan made by Spark."""
        for rule_list in rule_lists:
            self._tally_columns(rule_list, target, None)
        decided = decided_together_sql(rule_lists, self.schema, self._engine_names, "spark")
        found = self._grouped({"rule": decided, "class": self._present_sql(target)}, _COUNTED)
        classes = self._plain(found.select(["class"]), [target])[target]
        keys = zip(found["rule"].to_pylist(), classes.to_pylist(), strict=True)
        counts = dict(zip(keys, found["n"].to_pylist(), strict=True))
        return split_tally(Tally(n_rows=counts, weight={}), rule_lists)

    def weighted_by_engine(self, class_weight: Mapping[Any, float]) -> Source:
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
        return self._numbered.layout.n_rows

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
        wanted = self._small({"place": self._numbered.layout.places(rows)})
        found = self._numbered.collected(
            names, lambda frame: frame.join(wanted, "place").select("place", *names)
        )
        return self._plain(found.sort_by("place").select(names), columns)

    def _block_weights(self) -> NDArray[np.float64]:
        found = self._collected_weights(
            lambda rows: aggregated(rows.drop("row"), ["block"], _WEIGHED)
        )
        _check_weights(str(self.weights), found)
        totals = np.zeros(-(-self.n_rows // BATCH_ROWS))
        totals[found["block"].to_numpy()] = found["weight"].to_numpy()
        return totals

    def _rows_at(self, blocks: NDArray[np.int64], inside: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the rows that points fall into.

        A block's weights fill a line; a point belongs to the last row that starts left of it.
        """
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
        shifts = self._numbered.layout.shifts
        parts = self._small({"part": np.arange(len(shifts)), "shift": shifts})
        amount = self._weight_sql(weights)
        return self._numbered.collected(
            [self._engine_names[weights]],
            lambda frame: made_of(
                frame.selectExpr("place", f"{PART_SQL} AS part", f"{amount} AS weight")
                .join(parts, "part")
                .selectExpr("place + shift AS row", "weight")
                .selectExpr("row", f"row div {BATCH_ROWS} AS block", "weight")
            ),
        )

    def _grouped(
        self,
        by: Mapping[str, str],
        sums: Mapping[str, str],
        amounts: Mapping[str, str] | None = None,
    ) -> Any:
        shown = [f"{sql} AS {alias}" for alias, sql in {**by, **(amounts or {})}.items()]
        with self._engine_errors():
            return aggregated(self._frame.selectExpr(*shown), list(by), sums).toArrow()

    def _small(self, columns: Mapping[str, NDArray[Any]]) -> Any:
        """Hand a small table to Spark, for every worker to look up."""
        with self._engine_errors():
            return self._frame.sparkSession.createDataFrame(pa.table(dict(columns))).hint(
                "broadcast"
            )

    def _present_sql(self, column: str) -> str:
        """Return the column with NULL for every missing value."""
        return present_sql(self._engine_names[column], self._type(column), "spark")

    def _all_engine_names(self) -> list[str]:
        """Return all columns that can be hashed, by Spark's names."""
        return [
            self._engine_names[field.name]
            for field in self.schema
            if not pa.types.is_nested(field.type)
        ]

    def _weight_sql(self, weights: str) -> str:
        checked_weights(pa.array([], self._type(weights)), weights)
        return f"CAST({self._engine_names[weights]} AS DOUBLE)"

    def _plain(self, table: Any, columns: Sequence[str]) -> Any:
        """Return what Spark handed over under our names and types."""
        return plain_table(table, self._schema_of(columns))

    def _engine_errors(self) -> Any:
        return engine_errors(self.name, self._frame)


def _check_weights(name: str, sums: Any) -> None:
    for n_bad, value in zip(sums["n_bad"].to_pylist(), sums["bad"].to_pylist(), strict=True):
        if n_bad:
            raise bad_weight(name, value)
