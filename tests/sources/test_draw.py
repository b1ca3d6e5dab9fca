"""Draws are uniform and independent, for every engine and layout; samplers that are not are seen.

Every check compares a chi-square statistic with its 1 - 1e-6 quantile: a right sampler fails one of
the three with probability 3e-6 at most (and the seeds are fixed, so it fails always or never).
Rows are told by what the table holds, not by the row numbers a draw says it drew.
"""

import functools
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray
from scipy.stats import chi2

from samrule import open_table
from tests.sources.engines import MIXED, each, written_parts
from tests.sources.engines import write_csv as csv_file

FALSE_ALARM = 1e-6
N_ROWS = 24
N_DRAWS = 480

Sampler = Callable[[int, int], NDArray[np.int64]]


def table_of(n_rows: int, *, in_order: bool = True) -> pa.Table:
    numbers = np.arange(n_rows) if in_order else np.random.default_rng(5).permutation(n_rows)
    return pa.table({"number": numbers, "class": [str(number % 2) for number in numbers]})


def statistic(counts: NDArray[np.int64], expected: NDArray[np.float64]) -> float:
    """Chi-square, as a share of its critical value: above 1 the hypothesis is rejected."""
    value = ((counts - expected) ** 2 / expected).sum()
    return float(value / chi2.isf(FALSE_ALARM, counts.size - 1))


def draws(sampler: Sampler, size: int) -> NDArray[np.int64]:
    """Many draws of one size: parts of a few long ones, as pilot and training rows are."""
    n_long = 8
    long = [sampler(size * N_DRAWS // n_long, seed) for seed in range(n_long)]
    return np.concatenate(long).reshape(-1, size)


def single_rows(sampler: Sampler) -> float:
    """Every row is equally likely."""
    counts = np.bincount(draws(sampler, 12).ravel(), minlength=N_ROWS)
    return statistic(counts, np.full(N_ROWS, counts.sum() / N_ROWS))


def pairs(sampler: Sampler) -> float:
    """Neighbours in a draw are independent: row groups of six, all 16 pairs of groups."""
    groups = draws(sampler, 12) // (N_ROWS // 4)
    counts = np.bincount((groups[:, 0::2] * 4 + groups[:, 1::2]).ravel(), minlength=16)
    return statistic(counts, np.full(16, counts.sum() / 16))


def multiplicities(sampler: Sampler) -> float:
    """Numbers of different rows in draws of six are those of throwing six balls into 24 bins."""
    size = 6
    found = [len(set(draw)) for draw in draws(sampler, size).tolist()]
    chances = np.array([1.0])
    for _ in range(size):
        places = np.arange(len(chances))
        stay = np.append(chances * places / N_ROWS, 0)
        chances = stay + np.append(0, chances * (N_ROWS - places) / N_ROWS)
    merged = np.array([chances[:5].sum(), chances[5], chances[6]])
    counts = np.bincount(np.clip(found, 4, 6) - 4, minlength=3)
    return statistic(counts, merged * len(found))


CHECKS = [single_rows, pairs, multiplicities]


def sampler_of(source) -> Sampler:
    """Draw from the source; what one check drew, the next need not draw again."""
    return functools.cache(
        lambda m, seed: source.draw(m, random_state=seed).table["number"].to_numpy()
    )


@pytest.mark.parametrize("engine", each(MIXED))
def test_every_engine_draws_uniformly(engine: str, tmp_path: Path) -> None:
    """In parts this is one huge file among tiny and empty ones."""
    sampler = sampler_of(open_table(MIXED[engine](table_of(N_ROWS), tmp_path), "class"))
    for check in CHECKS:
        assert check(sampler) < 1, check.__name__


def test_row_order_does_not_matter(tmp_path: Path) -> None:
    paths = written_parts(table_of(N_ROWS, in_order=False), tmp_path, ".csv", csv_file)
    sampler = sampler_of(open_table(paths, "class"))
    for check in CHECKS:
        assert check(sampler) < 1, check.__name__


def test_subsets_without_replacement_are_uniform(tmp_path: Path) -> None:
    source = open_table(MIXED["parquet-parts"](table_of(N_ROWS), tmp_path), "class")
    drawn = [
        source.draw(6, random_state=seed, replace=False).table["number"] for seed in range(240)
    ]
    assert all(len(set(rows.to_pylist())) == 6 for rows in drawn)
    first = np.array([rows[0].as_py() for rows in drawn])
    assert statistic(np.bincount(first, minlength=N_ROWS), np.full(N_ROWS, 10.0)) < 1
    counts = np.bincount(np.concatenate([rows.to_numpy() for rows in drawn]), minlength=N_ROWS)
    assert statistic(counts, np.full(N_ROWS, 60.0)) < 1


def quota_per_file(m: int, seed: int) -> NDArray[np.int64]:
    """Half of the draw from each of two files, one of six rows and one of eighteen."""
    rng = np.random.default_rng(seed)
    drawn = np.concatenate([rng.integers(0, 6, m - m // 2), rng.integers(6, N_ROWS, m // 2)])
    return rng.permutation(drawn)


def off_by_one(m: int, seed: int) -> NDArray[np.int64]:
    return np.random.default_rng(seed).integers(0, N_ROWS - 1, m)


def in_file_order(m: int, seed: int) -> NDArray[np.int64]:
    return np.sort(np.random.default_rng(seed).integers(0, N_ROWS, m))


def blocks(m: int, seed: int) -> NDArray[np.int64]:
    starts = np.random.default_rng(seed).integers(0, N_ROWS, -(-m // 2))
    return np.column_stack([starts, (starts + 1) % N_ROWS]).ravel()[:m]


def without_replacement(m: int, seed: int) -> NDArray[np.int64]:
    rng = np.random.default_rng(seed)
    rounds = [rng.permutation(N_ROWS) for _ in range(-(-m // N_ROWS))]
    return np.concatenate(rounds)[:m]


def poisson_counts_cut_short(m: int, seed: int) -> NDArray[np.int64]:
    """Poisson counts per row, then LIMIT: what `sample(withReplacement).limit(m)` does."""
    rng = np.random.default_rng(seed)
    return np.repeat(np.arange(N_ROWS), rng.poisson(3 * m / N_ROWS, N_ROWS))[:m]


def test_the_right_sampler_passes() -> None:
    right = lambda m, seed: np.random.default_rng(seed).integers(0, N_ROWS, m)  # noqa: E731
    assert max(check(right) for check in CHECKS) < 1


@pytest.mark.parametrize(
    ("broken", "check"),
    [
        (quota_per_file, single_rows),
        (off_by_one, single_rows),
        (in_file_order, pairs),
        (blocks, pairs),
        (without_replacement, multiplicities),
        (poisson_counts_cut_short, single_rows),
    ],
)
def test_a_broken_sampler_is_seen(broken: Sampler, check: Callable[[Sampler], float]) -> None:
    assert check(broken) > 1


def test_parallel_csv_keeps_the_order_of_rows(tmp_path: Path) -> None:
    """Larger than the pieces DuckDB reads in parallel; every row must be where its number says."""
    table = pa.table(
        {"number": np.arange(400_000), "class": np.tile(["a" * 60, "b" * 60], 200_000)}
    )
    paths = []
    for place in range(2):
        paths.append(tmp_path / f"{place}.csv")
        csv_file(table.slice(place * 200_000, 200_000), paths[-1])
    source = open_table(paths, "class")
    draw = source.draw(20_000, random_state=3)
    assert (draw.table["number"].to_numpy() == draw.rows).all()


def test_many_row_groups_keep_their_row_numbers(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    table = pa.table({"number": np.arange(300_000), "class": np.tile(["a", "b"], 150_000)})
    for place, (start, size) in enumerate([(0, 250_000), (250_000, 1), (250_001, 49_999)]):
        path = tmp_path / f"{place}.parquet"
        pq.write_table(table.slice(start, size), path, row_group_size=7_001)
    draw = open_table(tmp_path, "class").draw(20_000, random_state=3)
    assert (draw.table["number"].to_numpy() == draw.rows).all()
