"""Small tables are read once, whatever is then done with their rows."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from samrule import learn, open_table
from samrule.learning.task import PILOT_ROWS
from samrule.sources import Source
from samrule.sources.duckdb.errors import engine_errors
from samrule.sources.memory import read_if_small
from samrule.sources.roles import Roles

RUNS: list[dict[str, Any]] = [
    {"strategy": "exact"},
    {"strategy": "exact", "class_weight": "balanced"},
    {"strategy": "exact", "class_weight": {"yes": 3}},
    {"strategy": "progressive", "epsilon": 0.9, "theta": 0.2},
    {"strategy": "exact", "min_support": 0.1},
]


def buyers(n_rows: int) -> pa.Table:
    rng = np.random.default_rng(0)
    age = rng.integers(18, 90, n_rows)
    buys = (age < 40) ^ (rng.random(n_rows) < 0.1)
    return pa.table(
        {"age": age, "gain": rng.normal(size=n_rows), "buys": np.where(buys, "yes", "no")}
    )


class CountingSource(Source):
    """A table that counts how often somebody goes over its rows."""

    def __init__(self, table: pa.Table) -> None:
        super().__init__("the table", table.schema, Roles(("age", "gain"), "buys", None))
        self.table, self.n_passes = table, 0

    def _count_rows(self) -> int:
        return int(self.table.num_rows)

    def _batches(self, columns: Sequence[str]) -> Iterator[Any]:
        self.n_passes += 1
        yield from self.table.select(list(columns)).to_batches()


@pytest.mark.parametrize("settings", RUNS, ids=str)
def test_one_pass_over_a_small_table_is_enough(settings: dict[str, Any]) -> None:
    source = CountingSource(buyers(PILOT_ROWS))
    fitted = learn(source, random_state=0, **settings)
    assert source.n_passes == 1
    assert fitted.rows_used.scans == 1


def test_larger_tables_are_not_copied() -> None:
    source = CountingSource(buyers(PILOT_ROWS + 1))
    fitted = learn(source, strategy="exact", random_state=0)
    # The classes, the pilot rows, all rows.
    assert source.n_passes == 3
    assert fitted.rows_used.scans == 2


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_one_query_reads_a_small_file(
    ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = {"csv": pa.csv.write_csv, "parquet": pq.write_table}[ending]
    path = tmp_path / f"t.{ending}"
    write(buyers(3000), path)
    source = open_table(path, "buys")
    queries: list[str] = []

    def counted(name: str, *given: Any) -> AbstractContextManager[None]:
        queries.append(name)
        return engine_errors(name, *given)

    monkeypatch.setattr("samrule.sources.duckdb.source.engine_errors", counted)
    learn(source, strategy="exact", random_state=0)
    assert source.n_rows == 3000
    assert len(queries) == 1


def test_a_copy_is_the_table_and_says_what_its_file_said(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("price,buys\n" + "$1,yes\n$2,no\n" * 50)
    source = open_table(path, "buys")
    copy = read_if_small(source, PILOT_ROWS)
    assert copy.notes == source.notes != ()
    assert copy.schema.equals(source.schema)
    drawn, expected = (one.draw(70, random_state=1).table for one in (copy, source))
    assert drawn.equals(expected)
    assert read_if_small(source, 99) is source
