"""Make the wide table that sources.py draws from: Parquet files of 30 columns of many types.

Example: python benchmarks/wide_table.py FOLDER --rows 50000000
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

SEED = 0
N_FILES = 10
GROUP_ROWS = 1_000_000
TARGET = "label"


def made(folder: Path, n_rows: int) -> Path:
    """Return the folder of a table of so many rows below `folder`, made if it is not there yet."""
    target = folder / f"wide-{n_rows}"
    if not target.exists():
        unfinished = folder / f"wide-{n_rows}.unfinished"
        unfinished.mkdir(parents=True, exist_ok=True)
        write(unfinished, n_rows)
        unfinished.rename(target)
    return target


def write(folder: Path, n_rows: int) -> None:
    """Write the files, one row group at a time, and say on stderr how far it is."""
    edges = np.linspace(0, n_rows, N_FILES + 1).astype(int)
    for number, (start, end) in enumerate(pairwise(edges)):
        writer = None
        for group in groups(int(start), int(end)):
            writer = writer or pq.ParquetWriter(folder / f"part-{number:02d}.parquet", group.schema)
            writer.write_table(group)
        if writer:
            writer.close()
        print(f"wide table: {end:,} of {n_rows:,} rows", file=sys.stderr, flush=True)


def groups(start: int, end: int) -> Iterator[pa.Table]:
    """Yield rows `start` to `end`; what they hold depends on their numbers alone."""
    for first in range(start, end, GROUP_ROWS):
        yield group(np.random.default_rng([SEED, first]), min(GROUP_ROWS, end - first))


def group(rng: np.random.Generator, n: int) -> pa.Table:
    """Return so many rows: real and whole numbers, text, dates, truth values, gaps, a label."""
    columns: dict[str, pa.Array] = {}
    for place in range(10):
        gaps = rng.random(n) < 0.05 if place >= 8 else None
        columns[f"real{place}"] = pa.array(rng.standard_normal(n, dtype=np.float32), mask=gaps)
    for place, n_values in enumerate((5, 10, 50, 100, 500, 1000, 5000, 10_000)):
        columns[f"whole{place}"] = pa.array(rng.integers(0, n_values, n, dtype=np.int32))
    columns["large"] = pa.array(rng.integers(2**53, 2**53 + 5000, n))
    for place, n_levels in enumerate((4, 12, 60, 1000)):
        levels = pa.array([f"level {level}" for level in range(n_levels)])
        codes = pa.array(rng.integers(0, n_levels, n, dtype=np.int32))
        columns[f"text{place}"] = pa.DictionaryArray.from_arrays(codes, levels).cast(pa.string())
    for place in range(2):
        days = rng.integers(10_000, 20_000, n, dtype=np.int32)
        columns[f"date{place}"] = pa.array(days).cast(pa.date32())
    seconds = rng.integers(0, 30_000_000, n) // 900 * 900_000_000
    columns["moment"] = pa.array(seconds).cast(pa.timestamp("us"))
    columns["price"] = pa.array(rng.integers(0, 10_000, n, np.int32)).cast(pa.decimal128(12, 2))
    for place in range(2):
        columns[f"flag{place}"] = pa.array(rng.random(n) < 0.3)
    columns[TARGET] = pa.array(labels(rng, columns, n))
    return pa.table(columns)


def labels(rng: np.random.Generator, columns: dict[str, pa.Array], n: int) -> np.ndarray:
    """Return the class of each row: three nested rules, one label in ten flipped."""
    high = columns["real0"].to_numpy() >= 1
    few = columns["whole1"].to_numpy() < 3
    late = columns["date0"].cast(pa.int32()).to_numpy() >= 17_000
    return np.where(high, 1, np.where(few, 0, late)).astype(np.int8) ^ (rng.random(n) < 0.1)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, default=50_000_000)
    options = parser.parse_args()
    print(made(options.folder, options.rows))
