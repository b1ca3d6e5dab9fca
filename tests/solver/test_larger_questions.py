"""More rules or longer rules at the same limit hardly ever give a worse list.

The search for good lists takes all the steps of smaller questions. But a list that only the proof
of the smaller question meets may be missed by a larger one, whose proof is longer.
"""

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from os import cpu_count

import numpy as np
import pytest
from numpy.typing import NDArray

from samrule import solve

TABLES_PER_BATCH = 10


def random_question(
    rng: np.random.Generator, most_work: float
) -> tuple[NDArray[np.bool_], NDArray[np.bool_], dict[str, float]]:
    """Draw a table of some structure and much noise, and what is asked of it."""
    n_rows, n_columns = int(10 ** rng.uniform(2.3, 3.5)), int(rng.integers(10, 81))
    rows = rng.random((n_rows, n_columns)) < rng.uniform(0.1, 0.7, n_columns)
    labels = np.zeros(n_rows, bool)
    for _ in range(rng.integers(1, 7)):
        terms = rng.choice(n_columns, rng.integers(1, 4), replace=False)
        labels[rows[:, terms].all(axis=1)] ^= True
    labels ^= rng.random(n_rows) < rng.uniform(0, 0.3)
    asked = {
        "max_rules": int(rng.integers(1, 7)),
        "max_terms": int(rng.integers(1, 4)),
        "regularization": float(rng.choice([1e-4, 1e-3, 1e-2])),
        "work_limit": float(10 ** rng.uniform(5, np.log10(most_work))),
    }
    return rows, labels, asked


def worse_answers(batch: int, most_work: float, n_tables: int = TABLES_PER_BATCH) -> list[str]:
    """Ask questions and larger ones; say which of the larger have a worse list."""
    rng = np.random.default_rng([15, batch])
    found = []
    for _ in range(n_tables):
        rows, labels, asked = random_question(rng, most_work)
        loss = solve(rows, labels, **asked, threads=1).loss
        for more_rules, more_terms in ((1, 0), (0, 1), (2, 1)):
            larger = asked | {
                "max_rules": asked["max_rules"] + more_rules,
                "max_terms": asked["max_terms"] + more_terms,
            }
            worse = solve(rows, labels, **larger, threads=1).loss
            if worse > loss + 1e-12:
                found.append(f"{rows.shape}: {asked} has {loss}, {larger} has {worse}")
    return found


@pytest.mark.parametrize("batch", [0, 1, 2, 3])
def test_a_larger_question_has_no_worse_list(batch: int) -> None:
    assert worse_answers(batch, most_work=3e7) == []


@pytest.mark.slow
def test_of_600_larger_questions_hardly_any_has_a_worse_list() -> None:
    with ProcessPoolExecutor(cpu_count(), mp_context=get_context("spawn")) as pool:
        found = pool.map(worse_answers, range(10, 30), [3e8] * 20)
        worse = [one for batch in found for one in batch]
    assert len(worse) <= 3, worse
