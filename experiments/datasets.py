"""Table 1 of the paper: the eight tables, their conditions, and stand-ins where there are no files.

Run as a program it prints the table; with `--fetch DIR` it gets what OpenML has into a folder that
`--data-dir` then takes.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import harness
from markdown_tables import markdown
from samrule import Binarizer
from samrule.conditions import Conditions
from samrule.theory import sample_size


@dataclass(frozen=True)
class DataSet:
    """One line of Table 1.

    Attributes
    ----------
    file
        Stem of the Parquet file; the label is its last column.
    positive
        The class that counts as 1, as text.
    n_rows, n_features
        As the paper prints them; its number of features counts the label.
    copies
        How often each row is copied on disk; the paper's r.
    max_rules
        The paper's k.
    note
        What is not as in the paper.
    """

    name: str
    file: str
    positive: str
    n_rows: int
    n_features: int
    copies: int
    max_rules: int
    note: str = ""


TABLE_1 = (
    DataSet("a9a", "a9a", "1", 32_561, 124, 100, 4),
    DataSet("adult", "adult", ">50K", 32_561, 175, 100, 4),
    DataSet("bank", "bank", "yes", 41_188, 152, 100, 4),
    DataSet(
        *("higgs", "higgs_46242", "1", 11_000_000, 531, 1, 3),
        "46,242 of 11 million rows; 330 conditions by the paper's cuts, its 530 are not explained",
    ),
    DataSet(
        *("ijcnn1", "ijcnn1", "1", 91_701, 35, 100, 8),
        "one cut at the median of each continuous column, which gives the paper's number",
    ),
    DataSet("mushroom", "mushroom", "p", 8_124, 118, 200, 5),
    DataSet("phishing", "phishing", "1", 11_050, 69, 100, 8, "the file has 11,055 rows"),
    DataSet(
        *("susy", "susy_30000", "1", 5_000_000, 179, 1, 5),
        "30,000 of 5 million rows; 238 conditions by the paper's cuts, its 178 are not explained",
    ),
)
GENERATED = (
    DataSet("stripes", "", "1", 20_000, 81, 10, 3, "generated"),
    DataSet("levels", "", "yes", 20_000, 33, 10, 4, "generated"),
)
QUICK = ("adult", "mushroom")


@dataclass(frozen=True)
class Loaded:
    """A table in memory, the conditions on it, and the same as 0/1 arrays."""

    dataset: DataSet
    table: pa.Table
    conditions: Conditions

    @property
    def target(self) -> str:
        """The label's column: the last one."""
        return self.table.column_names[-1]

    @cached_property
    def matrix(self) -> np.ndarray:
        """Rows x conditions, uint8."""
        return self.conditions.transform(self.table).astype(np.uint8)

    @cached_property
    def labels(self) -> np.ndarray:
        """1 for the positive class, else 0."""
        return labels_of(self.table[self.target], self.dataset.positive)

    def sample_size(self, *, epsilon: float, theta: float, max_terms: int = 1) -> int:
        """Return the paper's m^, with the conditions counted right."""
        return sample_size(
            len(self.conditions),
            max_rules=self.dataset.max_rules,
            max_terms=max_terms,
            epsilon=epsilon,
            theta=theta,
            delta=harness.DELTA,
        )


def chosen(options: argparse.Namespace, among: Sequence[str] | None = None) -> list[DataSet]:
    """Return the tables that an experiment is asked to use, of those that are there."""
    there = GENERATED if options.data_dir is None else TABLE_1
    wanted = options.only or (QUICK if options.quick and options.data_dir else among)
    if options.data_dir is None and not options.only:
        wanted = None
    found = [d for d in there if wanted is None or d.name in wanted]
    if not found:
        raise SystemExit(f"no such table; there are: {', '.join(d.name for d in there)}")
    return found


@cache
def load(dataset: DataSet, data_dir: Path | None) -> Loaded:
    """Return the table with its conditions, settled on the whole of it as the paper does."""
    if data_dir is None:
        table = GENERATORS[dataset.name](dataset.n_rows)
    else:
        table = pq.read_table(data_dir / f"{dataset.file}.parquet")
    return Loaded(dataset, table, conditions_on(dataset, table))


def conditions_on(dataset: DataSet, table: pa.Table) -> Conditions:
    """Return the conditions of the paper's scripts; for ijcnn1, cuts at the medians."""
    *features, target = table.column_names
    cuts = None
    if dataset.name == "ijcnn1":
        numbers = {name: table[name].to_numpy() for name in features}
        cuts = {
            name: [float(np.median(values))]
            for name, values in numbers.items()
            if not np.isin(values, (0, 1)).all()
        }
    return Binarizer("paper", cuts=cuts).fit(table, target)


def on_disk(loaded: Loaded, folder: Path) -> Path:
    """Return a Parquet file with every row copied as in the paper, written on first use."""
    dataset = loaded.dataset
    path = folder / f"{dataset.name}-x{dataset.copies}.parquet"
    return harness.write_parquet(path, (loaded.table for _ in range(dataset.copies)))


def labels_of(column: pa.ChunkedArray, positive: str) -> np.ndarray:
    return np.array([str(value) == positive for value in column.to_pylist()], dtype=np.uint8)


def stripes(n_rows: int, seed: int = 0) -> pa.Table:
    """Return a table of numbers: three rules decide, one label in ten is flipped."""
    rng = np.random.default_rng(seed)
    x = {f"x{j}": np.round(rng.gamma(2.0, 10.0, n_rows), 1) for j in range(5)}
    first, second, third = x["x0"] >= 30, x["x1"] < 10, x["x2"] >= 20
    label = np.where(first, 1, np.where(second, 0, third))
    flipped = rng.random(n_rows) < 0.1
    return pa.table({**x, "label": (label ^ flipped).astype(np.int64)})


def levels(n_rows: int, seed: int = 0) -> pa.Table:
    """Return a table of text: four rules on levels decide, one label in twenty is flipped."""
    rng = np.random.default_rng(seed)
    x = {f"c{j}": rng.integers(0, 4, n_rows) for j in range(8)}
    tests = (x["c0"] == 1, x["c1"] == 2, x["c2"] == 0, x["c3"] == 3)
    label = np.select(tests, (1, 0, 1, 0), default=(x["c4"] < 2).astype(int))
    flipped = rng.random(n_rows) < 0.05
    names = np.array(["low", "mid", "high", "top"])
    text = {name: names[codes] for name, codes in x.items()}
    return pa.table({**text, "label": np.where(label ^ flipped, "yes", "no")})


GENERATORS: dict[str, Callable[[int], pa.Table]] = {"stripes": stripes, "levels": levels}


@dataclass(frozen=True)
class Remote:
    """Where OpenML keeps a table, and what it must hold to be the same one."""

    data_id: int
    n_rows: int
    n_positive: int
    one_hot: bool = False


OPENML = {
    # Both parts of adult in one table; the training part comes first.
    "adult": Remote(1590, 32_561, 7_841),
    "mushroom": Remote(24, 8_124, 3_916),
    "phishing": Remote(4534, 11_055, 6_157, one_hot=True),
}


def fetch(folder: Path) -> None:
    """Write the tables that OpenML has into a folder; refuse any that is not the same table."""
    from sklearn.datasets import fetch_openml

    folder.mkdir(parents=True, exist_ok=True)
    by_name = {dataset.name: dataset for dataset in TABLE_1}
    for name, remote in OPENML.items():
        bunch = fetch_openml(data_id=remote.data_id, as_frame=True)
        table = fetched(bunch.data, bunch.target, remote)
        n_positive = int(labels_of(table["label"], by_name[name].positive).sum())
        if (table.num_rows, n_positive) != (remote.n_rows, remote.n_positive):
            raise SystemExit(
                f"OpenML's table {remote.data_id} has {table.num_rows:,} rows, {n_positive:,} of "
                f"them positive; expected {remote.n_rows:,} and {remote.n_positive:,}: "
                f"it is not the paper's {name}."
            )
        pq.write_table(table, folder / f"{by_name[name].file}.parquet", compression="zstd")
        harness.say(f"wrote {name}: {table.num_rows:,} rows")


def fetched(frame, labels, remote: Remote) -> pa.Table:
    """Return a pandas frame and its labels as our files have them: the label last, as text."""
    if remote.one_hot:
        import pandas as pd

        frame = pd.get_dummies(frame.astype(str), dtype=int)
    table = pa.Table.from_pandas(frame, preserve_index=False)
    label = pa.array([str(value) for value in labels])
    return table.append_column("label", label).slice(0, remote.n_rows)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print Table 1 as it is here beside the paper's, or fetch what can be fetched."""
    made = harness.parser(__doc__, runs=1)
    made.add_argument("--fetch", type=Path, metavar="DIR", help="get what OpenML has into DIR")
    options = harness.parsed(made, arguments)
    if options.fetch:
        fetch(options.fetch)
        return
    measure = {d.name: d for d in chosen(options)}
    jobs = [{"table": name} for name in measure]
    rows = harness.run_all(
        jobs,
        lambda job: line(load(measure[job["table"]], options.data_dir)),
        options.output / "datasets.csv",
    )
    shown = list(line(load(next(iter(measure.values())), options.data_dir)))
    cells = [["table", *shown], *([row["table"], *(row[name] for name in shown)] for row in rows)]
    print(markdown(cells))


def line(loaded: Loaded) -> harness.Row:
    """Return a table's numbers beside the paper's."""
    dataset = loaded.dataset
    return {
        "paper_rows": dataset.n_rows,
        "rows": loaded.table.num_rows,
        "paper_features": dataset.n_features,
        "conditions": len(loaded.conditions),
        "copies": dataset.copies,
        "max_rules": dataset.max_rules,
        "positive_share": round(float(loaded.labels.mean()), 4),
        "paper_sample_size": loaded.sample_size(epsilon=0.5, theta=0.025),
        "note": dataset.note,
    }


if __name__ == "__main__":
    main()
