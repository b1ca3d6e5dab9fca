"""The tables of the solver benchmark: files in, 0/1 conditions and labels out.

Run as a program it writes one table into a folder in every form a contender reads, so that
the process that starts the contenders never holds a table itself.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from made_tables import MADE
from settings import SEED

PLANTED_ROWS, PLANTED_CONDITIONS = 1_000_000, 20
QUANTILES = (0.2, 0.4, 0.6, 0.8)
PILOT_ROWS = 10_000
"""Rows on which `samrule.learn` settles its conditions."""
POSITIVE_CLASS = {
    "a9a": "1",
    "adult": ">50K",
    "bank": "yes",
    "compas": "1",
    "compas_corels_rules": "1",
    "german_credit": "2",
    "ijcnn1": "1",
    "mushroom": "p",
    "phishing": "1",
    "telco_churn": "Yes",
}
LEAKS = {"compas": ["is_recid"]}
"""Columns that say nearly the same as the label."""


@dataclass(frozen=True)
class Table:
    """Conditions (rows x conditions, 0/1) and labels (0/1), both uint8."""

    conditions: np.ndarray
    labels: np.ndarray


def load(name: str, data_dir: Path, cuts: str = "paper") -> Table:
    """Return the binarized table `name`."""
    if name == "planted":
        return planted()
    if name in MADE:
        frame, positive = MADE[name](), "1"
    else:
        frame = pq.read_table(data_dir / f"{name}.parquet").drop_columns(LEAKS.get(name, []))
        positive = POSITIVE_CLASS[name]
    if cuts == "paper":
        return binarized(frame, positive)
    plain = {"sets": False, "intervals": False, "max_conditions": None}
    return binarized_by_default(frame, positive, plain if cuts == "plain" else {})


def planted() -> Table:
    """Return a million rows labelled by three nested rules, with one label in ten flipped."""
    rng = np.random.default_rng(SEED)
    x = rng.integers(0, 2, (PLANTED_ROWS, PLANTED_CONDITIONS), dtype=np.uint8)
    y = np.where(x[:, 3] == 1, 1, np.where(x[:, 7] == 1, 0, x[:, 11])).astype(np.uint8)
    return Table(x, y ^ (rng.random(PLANTED_ROWS) < 0.1).astype(np.uint8))


def sampled(table: Table, n_rows: int) -> Table:
    """Return `n_rows` rows drawn uniformly with replacement, the same ones every time."""
    rows = np.random.default_rng(SEED).integers(0, len(table.labels), n_rows)
    return Table(table.conditions[rows], table.labels[rows])


def binarized(frame: pa.Table, positive: str) -> Table:
    """Return the paper's conditions on every column but the last, which is the label."""
    *features, target = frame.columns
    labels = np.array([str(value) == positive for value in target.to_pylist()], dtype=np.uint8)
    conditions = [condition for column in features for condition in conditions_on(column)]
    return Table(np.column_stack(conditions).astype(np.uint8), labels)


def binarized_by_default(frame: pa.Table, positive: str, options: dict[str, Any]) -> Table:
    """Return the conditions that `samrule.learn` makes, or would make, from as many pilot rows."""
    from samrule import Binarizer, open_table

    target = frame.column_names[-1]
    pilot = open_table(frame, target=target).draw(PILOT_ROWS, random_state=SEED)
    conditions = Binarizer(**options).fit(pilot, target).transform(frame)
    labels = np.array([str(one) == positive for one in frame[target].to_pylist()], dtype=np.uint8)
    return Table(np.asarray(conditions, dtype=np.uint8), labels)


def paper_size(n_conditions: int, max_rules: int, max_terms: int) -> int:
    """Return how many rows the paper asks for (m^) in its section 5.3."""
    from samrule.theory import sample_size

    shape = {"max_rules": max_rules, "max_terms": max_terms}
    return sample_size(n_conditions, **shape, epsilon=0.5, theta=0.025, delta=0.05)


def conditions_on(column: pa.ChunkedArray) -> Iterator[np.ndarray]:
    """Yield a column's conditions: levels, the value 1 of a 0/1 column, or thresholds."""
    if not is_numeric(column.type):
        values = np.array([str(value) for value in column.to_pylist()])
        yield from (values == level for level in np.unique(values))
        return
    values = column.to_numpy().astype(float)
    if np.isin(values, (0.0, 1.0)).all():
        yield values == 1.0
        return
    for threshold in thresholds(values):
        yield values >= threshold
        yield values < threshold


def is_numeric(kind: pa.DataType) -> bool:
    """Whether a column of this type is cut at thresholds rather than split into levels."""
    return pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)


def thresholds(values: np.ndarray) -> list[float]:
    """Return the sorted cut points strictly inside the range of `values`."""
    low, high = values.min(), values.max()
    # The second family is q * range - low, sign included: it is what the paper's scripts compute.
    cuts = {float(np.quantile(values, q)) for q in QUANTILES}
    cuts |= {float(q * (high - low) - low) for q in QUANTILES}
    return sorted(cut for cut in cuts if low < cut < high)


def with_pairs(table: Table) -> Table:
    """Return the table with all distinct, non-constant conjunctions of up to two conditions.

    Only for the contenders that cannot build conjunctions themselves.
    """
    columns = np.ascontiguousarray(table.conditions.T)
    pairs = (columns[i] & columns[j] for i, j in combinations(range(len(columns)), 2))
    distinct: dict[bytes, np.ndarray] = {}
    for column in (*columns, *pairs):
        if 0 < column.sum() < len(column):
            distinct.setdefault(np.packbits(column).tobytes(), column)
    return Table(np.column_stack(list(distinct.values())), table.labels)


def write_arrays(table: Table, folder: Path) -> None:
    """Write what Python contenders read: `conditions.npy` and `labels.npy`."""
    np.save(folder / "conditions.npy", np.ascontiguousarray(table.conditions))
    np.save(folder / "labels.npy", table.labels)


def write_trial_file(table: Table, folder: Path) -> None:
    """Write what the trial reads: int32 rows, int32 conditions, uint8 conditions, uint8 labels."""
    with (folder / "table.bin").open("wb") as file:
        np.array(table.conditions.shape, dtype=np.int32).tofile(file)
        np.ascontiguousarray(table.conditions).tofile(file)
        table.labels.tofile(file)


def write_corels_files(table: Table, folder: Path) -> None:
    """Write what CORELS reads: a name and 0/1 flags per line, for conditions and for classes."""
    columns = {f"{{c{j}}}": column for j, column in enumerate(table.conditions.T)}
    write_flags(columns, folder / "table.out")
    write_flags({"{y:0}": 1 - table.labels, "{y:1}": table.labels}, folder / "table.label")


def write_flags(columns: dict[str, np.ndarray], path: Path) -> None:
    """Write one line per column: its name, then its flags, separated by blanks."""
    lines = (f"{name} {' '.join(map(str, flags.tolist()))}\n" for name, flags in columns.items())
    path.write_text("".join(lines))


def main() -> None:
    """Write one table into a folder and print its shape."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", choices=["planted", *POSITIVE_CLASS, *MADE])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--data-dir", type=Path, default=Path())
    parser.add_argument("--cuts", choices=("paper", "plain", "default"), default="paper")
    parser.add_argument("--rows", type=int, help="sample size; the whole table if not given")
    asked = "as many rows as the paper asks for with K rules of Z terms"
    parser.add_argument("--paper-rows", type=int, nargs=2, metavar=("K", "Z"), help=asked)
    parser.add_argument("--trial-terms", type=int, choices=(1, 2), help="write the trial's file")
    parser.add_argument("--corels", action="store_true", help="write CORELS' files")
    options = parser.parse_args()

    table = load(options.name, options.data_dir, options.cuts)
    if options.rows:
        table = sampled(table, options.rows)
    if options.paper_rows:
        table = sampled(table, paper_size(table.conditions.shape[1], *options.paper_rows))
    options.folder.mkdir(parents=True, exist_ok=True)
    write_arrays(table, options.folder)
    if options.trial_terms:
        write_trial_file(with_pairs(table) if options.trial_terms == 2 else table, options.folder)
    if options.corels:
        write_corels_files(table, options.folder)
    print(*table.conditions.shape)


if __name__ == "__main__":
    main()
