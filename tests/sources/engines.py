"""One table, held by every engine we read."""

import gzip
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
import scipy.sparse

from samrule import open_table
from samrule.sources import Source
from tests.spark import connect_session, session, spark_frame

TARGET = "class"


@dataclass(frozen=True)
class Case:
    """A source and the table it must be, column by column and row by row."""

    source: Source
    table: pa.Table


def mixed_table(n_rows: int = 300, seed: int = 0) -> pa.Table:
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 90, n_rows)
    gain = np.round(rng.gamma(2, 1000, n_rows), 2)
    city = rng.choice(["Padova", "Roma", "New York, NY", 'the "Hague"', "L'Aquila"], n_rows)
    day = [date(2020, 1, 1) + timedelta(int(days)) for days in rng.integers(0, 900, n_rows)]
    target = np.where((age > 50) ^ (rng.random(n_rows) < 0.2), "yes", "no")
    return pa.table(
        {
            "age": age,
            "capital gain": pa.array(gain, mask=rng.random(n_rows) < 0.1),
            "city": pa.array(city, mask=rng.random(n_rows) < 0.1),
            "signup": pa.array(day),
            TARGET: target,
        }
    )


def number_table(names: list[str], n_rows: int = 300) -> pa.Table:
    rng = np.random.default_rng(1)
    numbers = np.where(rng.random((n_rows, 3)) < 0.5, 0, np.round(rng.normal(size=(n_rows, 3)), 3))
    return pa.table(dict(zip(names, numbers.T, strict=True)))


class Capsule:
    """Anything with Arrow's PyCapsule interface and nothing else."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)


def in_parts(table: pa.Table) -> list[pa.Table]:
    """One huge part and many tiny ones, some of them empty."""
    ends = [0, 1, 1, 4, table.num_rows - 3, table.num_rows - 1, table.num_rows - 1, table.num_rows]
    return [table.slice(a, b - a) for a, b in pairwise(ends)]


def written_parts(
    table: pa.Table, folder: Path, ending: str, write: Callable[[pa.Table, Path], None]
) -> list[Path]:
    paths = []
    for number, part in enumerate(in_parts(table)):
        paths.append(folder / f"part-{number}{ending}")
        write(part, paths[-1])
    return paths


def write_csv(table: pa.Table, path: Path) -> None:
    delimiter = "\t" if ".tsv" in path.suffixes else ","
    options = pa.csv.WriteOptions(delimiter=delimiter)
    plain = pa.BufferOutputStream()
    pa.csv.write_csv(table, plain, options)
    content = plain.getvalue().to_pybytes()
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(content))
    elif path.suffix == ".zst":
        path.write_bytes(pa.Codec("zstd").compress(content, asbytes=True))
    else:
        path.write_bytes(content)


def write_json(table: pa.Table, path: Path) -> None:
    pl.from_arrow(table).write_ndjson(path)  # type: ignore[union-attr]


def write_stream(table: pa.Table, path: Path) -> None:
    with pa.ipc.new_stream(path, table.schema) as writer:
        writer.write_table(table, max_chunksize=70)


def write_svmlight(table: pa.Table, path: Path) -> None:
    lines = []
    for label, *row in zip(*(column.to_pylist() for column in table.columns), strict=True):
        entries = [f"{index}:{value!r}" for index, value in enumerate(row, start=1) if value]
        lines.append(" ".join([str(label), *entries]) + "\n")
    path.write_text("# a comment\n" + "".join(lines))


def database(table: pa.Table, folder: Path) -> Path:
    path = folder / "table.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.register("given", table)
        connection.execute("CREATE TABLE people AS FROM given")
    return path


def relation(table: pa.Table) -> Any:
    connection = duckdb.connect()
    connection.register("given", table)
    return connection.sql("FROM given")


def _file(write: Callable[[pa.Table, Path], None], name: str) -> Callable[..., Any]:
    def made(table: pa.Table, folder: Path) -> Path:
        write(table, folder / name)
        return folder / name

    return made


def _files(write: Callable[[pa.Table, Path], None], ending: str) -> Callable[..., Any]:
    return lambda table, folder: written_parts(table, folder, ending, write)


MIXED: dict[str, Callable[[pa.Table, Path], Any]] = {
    "pyarrow": lambda table, _: table,
    "chunks": lambda table, _: pa.concat_tables(in_parts(table)),
    "capsule": lambda table, _: Capsule(table),
    "pandas": lambda table, _: table.to_pandas().set_index(np.arange(table.num_rows)[::-1]),
    "pandas-arrow": lambda table, _: table.to_pandas(types_mapper=pd.ArrowDtype),
    "polars": lambda table, _: pl.from_arrow(table),
    "polars-lazy": lambda table, _: pl.from_arrow(table).lazy(),  # type: ignore[union-attr]
    "csv": _file(write_csv, "table.csv"),
    "csv.gz": _file(write_csv, "table.csv.gz"),
    "csv.zst": _file(write_csv, "table.csv.zst"),
    "tsv": _file(write_csv, "table.tsv"),
    "csv-parts": _files(write_csv, ".csv"),
    "parquet": _file(pq.write_table, "table.parquet"),
    "parquet-groups": _file(
        lambda table, path: pq.write_table(table, path, row_group_size=17), "table.parquet"
    ),
    "parquet-parts": _files(pq.write_table, ".parquet"),
    "jsonl": _file(write_json, "table.jsonl"),
    "jsonl-parts": _files(write_json, ".jsonl"),
    "feather": _file(pyarrow.feather.write_feather, "table.feather"),
    "arrow-stream": _file(write_stream, "table.arrows"),
    "arrow-parts": _files(pyarrow.feather.write_feather, ".arrow"),
    "database": database,
    "relation": lambda table, _: relation(table),
    "spark": lambda table, _: spark_frame(session(), in_parts(table)),
    "spark-connect": lambda table, _: spark_frame(connect_session(), in_parts(table)),
}
NUMBERS = ("numpy", "numpy-by-columns", "scipy", "svmlight", "svmlight-parts")
ENGINES = (*MIXED, *NUMBERS)


def each(engines: Iterable[str]) -> list[Any]:
    """Parameters for tests of engines. Spark is slow; its own tests are in spark/."""
    return [
        pytest.param(one, marks=pytest.mark.slow) if one.startswith("spark") else one
        for one in sorted(engines)
    ]


def opened(engine: str, folder: Path, table: pa.Table | None = None) -> Case:
    """The engine's source and the table behind it; without a table, the usual one."""
    if engine in MIXED:
        table = mixed_table() if table is None else table
        return Case(open_table(MIXED[engine](table, folder), TARGET), table)
    return _opened_numbers(engine, folder)


def _opened_numbers(engine: str, folder: Path) -> Case:
    if engine in {"numpy", "numpy-by-columns", "scipy"}:
        table = number_table(["x0", "x1", "x2"])
        rows = np.column_stack([column.to_numpy() for column in table.columns])
        target = np.where(rows[:, 0] > 0, "yes", "no")
        made = {"numpy": rows.copy, "numpy-by-columns": lambda: np.asfortranarray(rows)}
        matrix = made.get(engine, lambda: scipy.sparse.coo_array(rows))()
        return Case(open_table(matrix, target), table.append_column("target", pa.array(target)))
    table = number_table(["f1", "f2", "f3"])
    labels = pa.array(np.where(table["f1"].to_numpy() > 0, 1, -1))
    first = table.add_column(0, "label", labels)
    if engine == "svmlight":
        data: Any = folder / "table.svm"
        write_svmlight(first, data)
    else:
        data = written_parts(first, folder, ".svm", write_svmlight)
    return Case(open_table(data), table.append_column("label", labels))
