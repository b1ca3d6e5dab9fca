"""Five million rows like SUSY and eleven million like HIGGS, generated, and learned from.

Only subsets of the two tables are at hand. What is generated has, within each class, the quantiles
of every column of the subset and its rank correlations (a Gaussian copula per class), and the same
share of each class: the marginal quantiles and how each column depends on the label are kept, any
dependence between columns beyond rank correlation is lost. It is for scale, not for quality.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from scipy.special import ndtr, ndtri
from scipy.stats import rankdata

import harness
from datasets import TABLE_1, Loaded, load
from runs import EPSILON, THETA, learned

N_ROWS = {"susy": 5_000_000, "higgs": 11_000_000}
N_QUANTILES = 1001
BATCH_ROWS = 500_000
# Keeps the correlation matrix positive definite where columns are functions of each other.
SHRINKAGE = 1e-3


@dataclass(frozen=True)
class OneClass:
    """Quantiles of each column of one class, and the factor of its normal scores' correlation."""

    quantiles: np.ndarray
    factor: np.ndarray

    @classmethod
    def fit(cls, values: np.ndarray) -> OneClass:
        """Learn from rows x columns."""
        shares = np.linspace(0, 1, N_QUANTILES)
        ranks = rankdata(values, axis=0)
        scores = ndtri((ranks - 0.5) / len(values))
        correlation = np.nan_to_num(np.corrcoef(scores, rowvar=False))
        n_columns = values.shape[1]
        shrunk = (1 - SHRINKAGE) * correlation + SHRINKAGE * np.eye(n_columns)
        np.fill_diagonal(shrunk, 1.0)
        return cls(np.quantile(values, shares, axis=0), np.linalg.cholesky(shrunk))

    def rows(self, n_rows: int, rng: np.random.Generator) -> np.ndarray:
        """Return rows x columns: correlated normal scores, each put through its quantiles."""
        n_columns = len(self.factor)
        shares = ndtr(rng.standard_normal((n_rows, n_columns)) @ self.factor.T)
        grid = np.linspace(0, 1, N_QUANTILES)
        columns = [np.interp(shares[:, j], grid, self.quantiles[:, j]) for j in range(n_columns)]
        return np.column_stack(columns).astype(np.float32)


@dataclass(frozen=True)
class Lookalike:
    """A generator of tables like one that is there, learned class by class."""

    names: tuple[str, ...]
    positive_share: float
    classes: tuple[OneClass, OneClass]

    @classmethod
    def fit(cls, loaded: Loaded) -> Lookalike:
        """Learn from a table whose features are numbers and whose classes are 0 and 1."""
        *features, _ = loaded.table.column_names
        values = np.column_stack([loaded.table[name].to_numpy() for name in features])
        labels = loaded.labels
        classes = OneClass.fit(values[labels == 0]), OneClass.fit(values[labels == 1])
        return cls((*features, loaded.target), float(labels.mean()), classes)

    def batches(self, n_rows: int, rng: np.random.Generator) -> Iterator[pa.Table]:
        """Yield the table in parts, its rows in random order."""
        for start in range(0, n_rows, BATCH_ROWS):
            n = min(BATCH_ROWS, n_rows - start)
            labels = (rng.random(n) < self.positive_share).astype(np.int64)
            values = np.empty((n, len(self.names) - 1), dtype=np.float32)
            for label, one in enumerate(self.classes):
                values[labels == label] = one.rows(int((labels == label).sum()), rng)
            yield pa.table([*values.T.copy(), labels], names=list(self.names))


def written(loaded: Loaded, n_rows: int, folder: Path) -> Path:
    """Return the file of the generated table, written on first use."""
    path = folder / f"{loaded.dataset.name}-like-{n_rows}.parquet"
    return harness.write_parquet(path, generated(loaded, n_rows))


def generated(loaded: Loaded, n_rows: int) -> Iterator[pa.Table]:
    """Yield the parts of a table like `loaded`, learned when the first is asked for."""
    yield from Lookalike.fit(loaded).batches(n_rows, np.random.default_rng(0))


def main(arguments: Sequence[str] | None = None) -> None:
    options = harness.parsed(harness.parser(__doc__, runs=3), arguments)
    if options.data_dir is None:
        harness.say("lookalikes: nothing to look like without --data-dir")
        return
    tables = {d.name: d for d in TABLE_1 if d.name in (options.only or N_ROWS)}
    sizes = {name: 200_000 if options.quick else N_ROWS[name] for name in tables}
    jobs = [
        {"table": f"{name}-like", "rows": sizes[name], "seed": seed}
        for name in tables
        for seed in range(1 if options.quick else options.runs)
    ]

    def measure(job: harness.Job) -> harness.Row:
        loaded = load(tables[job["table"].removesuffix("-like")], options.data_dir)
        path = written(loaded, job["rows"], options.scratch)
        _, row = learned(
            path,
            loaded,
            max_rules=loaded.dataset.max_rules,
            epsilon=EPSILON,
            theta=THETA,
            strategy="progressive",
            random_state=job["seed"],
            time_limit=options.time_limit,
        )
        return {"paper_rows": loaded.sample_size(epsilon=EPSILON, theta=THETA), **row}

    rows = harness.run_all(jobs, measure, options.output / "lookalikes.csv")
    for row in rows:
        print(row["table"], row["seed"], row["train_rows"], row["cpu_seconds"], row["loss"])


if __name__ == "__main__":
    main()
