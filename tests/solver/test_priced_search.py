"""The search for conjunctions at any price of a group, against brute force and against the tree.

Small tables are searched as a tree unless that is switched off, so it is here.
"""

from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from os import cpu_count

import numpy as np
import pytest

from samrule import _core
from tests.reference.random_tables import (
    Objective,
    SmallTable,
    best_lists_of,
    hidden_list_labels,
    noisy_table,
    random_objective,
    small_table,
)
from tests.solver.test_group_prices import outcome_of, rounding

BOUNDS = sorted(set(_core.bound_names()) - {"tree", "table"})


def two_classes(table: SmallTable, rng: np.random.Generator) -> SmallTable:
    """The same rows with a price, two classes, no support and at most three rules."""
    return replace(
        table,
        codes=table.codes % 2,
        n_classes=2,
        min_support="0",
        max_rules=min(table.max_rules, 3),
        objective=random_objective(rng, 2),
    )


def searched(table: SmallTable, *disabled: str, **knobs: object) -> _core.Outcome:
    return outcome_of(table, disabled_bounds=["tree", *disabled], **knobs)


def check_small(seed: int) -> None:
    rng = np.random.default_rng([19, seed])
    table = two_classes(small_table(rng), rng)
    expected = [float(cost) for cost, _ in best_lists_of(table)]
    off = rng.permutation(BOUNDS)[: rng.integers(len(BOUNDS) + 1)].tolist()
    for outcome in (
        searched(table),
        searched(table, "lists"),
        searched(table, *off, threads=2),
        searched(table, str(rng.choice(BOUNDS)), "lists", kernels="scalar"),
    ):
        assert outcome.status == "optimal", seed
        assert outcome.path == pytest.approx(expected, rel=0, abs=rounding(table)), seed
        assert outcome.lower_bound == outcome.path[-1], seed


def check_noisy(seed: int) -> None:
    rng = np.random.default_rng([20, seed])
    table = two_classes(noisy_table(rng), rng)
    tree = outcome_of(table, disabled_bounds=["lists"])
    bound = BOUNDS[seed % len(BOUNDS)]
    for other in (searched(table, "lists"), searched(table, bound, "lists", threads=2)):
        assert other.status == "optimal", (seed, bound)
        assert (other.rules, other.path) == (tree.rules, tree.path), (seed, bound)


def check_batch(batch: int) -> None:
    for seed in range(1000 * batch, 1000 * batch + 200):
        check_small(seed)
        check_noisy(seed)


def test_small_tables_get_the_answer_of_brute_force() -> None:
    for seed in range(100):
        check_small(seed)


def test_noisy_tables_get_the_answer_of_the_tree() -> None:
    for seed in range(30):
        check_noisy(seed)


@pytest.mark.slow
def test_2_000_tables_get_the_answers_of_brute_force_and_of_the_tree() -> None:
    with ProcessPoolExecutor(cpu_count(), mp_context=get_context("spawn")) as pool:
        list(pool.map(check_batch, range(1, 11)))


def test_a_search_that_is_stopped_or_tolerates_a_gap_claims_no_more_than_it_proved() -> None:
    for seed in range(20):
        rng = np.random.default_rng([21, seed])
        table = two_classes(noisy_table(rng), rng)
        optimum = searched(table).lower_bound
        limit = int(10 ** rng.uniform(4, 7))
        stopped = [searched(table, work_limit=limit, threads=threads) for threads in (1, 2)]
        assert stopped[0].lower_bound <= optimum
        assert stopped[0].rules == stopped[1].rules
        assert stopped[0].lower_bound == stopped[1].lower_bound
        tolerance = float(rng.choice([0.01, 0.1, 0.5]))
        near = searched(table, tolerance=tolerance)
        assert near.lower_bound <= optimum
        assert near.lower_bound >= (1 - tolerance) * optimum - rounding(table)


def test_little_memory_ends_the_search_sooner_and_changes_no_answer() -> None:
    ended = set()
    for seed in range(6):
        rng = np.random.default_rng([22, seed])
        table = two_classes(replace(noisy_table(rng), max_rules=3), rng)
        whole = searched(table)
        for limit in np.geomspace(3e4, 3e7, 25).astype(int).tolist():
            outcome = searched(table, memory_limit=limit)
            ended.add(str(outcome.status))
            assert outcome.lower_bound <= whole.lower_bound, (seed, limit)
            if outcome.status == "optimal":
                assert (outcome.rules, outcome.path) == (whole.rules, whole.path), (seed, limit)
    assert ended == {"optimal", "memory_limit"}


def many_conjunctions(seed: int) -> SmallTable:
    """Fourteen columns, three of them to a rule: what each two of 469 candidates share is a lot."""
    rng = np.random.default_rng([23, seed])
    rows = (rng.random((300, 14)) < rng.uniform(0.2, 0.8, 14)).astype(np.uint8)
    return SmallTable(
        rows=rows,
        codes=hidden_list_labels(rng, rows, n_rules=3),
        weights=None,
        n_classes=2,
        max_rules=3,
        max_terms=3,
        alpha="0.005",
        min_support="0",
        objective=Objective(brier_share=["1", "1/2"][seed % 2]),
    )


def check_short_of_memory(seed: int) -> None:
    table = many_conjunctions(seed)
    # Without the drop bound all candidates stay, and take 1 MB in pairs.
    whole = searched(table, "lists", "drop")
    assert whole.status == "optimal"
    off = BOUNDS[seed % len(BOUNDS)]
    for limit, threads, bound in [(800_000, 1, "drop"), (900_000, 2, off), (1_300_000, 5, "drop")]:
        short = searched(table, "lists", "drop", bound, memory_limit=limit, threads=threads)
        assert (short.status, short.rules, short.path) == ("optimal", whole.rules, whole.path), seed


def test_short_of_memory_what_candidates_share_is_counted_when_it_is_needed() -> None:
    for seed in range(3):
        check_short_of_memory(seed)


@pytest.mark.slow
def test_short_of_memory_with_every_bound_off_in_turn() -> None:
    for seed in range(3, 3 + len(BOUNDS)):
        check_short_of_memory(seed)


def lookalikes(seed: int) -> SmallTable:
    """Seven columns and seven that differ from them in a row or two.

    The labels are those of three rules, with noise if the seed is odd.
    """
    rng = np.random.default_rng([24, seed])
    rows = (rng.random((300, 7)) < rng.uniform(0.4, 0.7, 7)).astype(np.uint8)
    near = rows ^ (rng.random(rows.shape) < 0.004)
    a, b, c, d, e = rows.T[:5]
    labels = np.where(a & b, 1, np.where(c & d, 0, e))
    return replace(
        many_conjunctions(seed),
        rows=np.hstack([rows, near]).astype(np.uint8),
        codes=np.where(rng.random(300) < 0.2 * (seed % 2), 1 - labels, labels),
    )


def check_stand_ins(seed: int) -> bool:
    """Check bounds proven with candidates that stand for all; tell whether they proved more.

    Good lists are not looked for first: then some lists are much better than the best known.
    """
    table = lookalikes(seed)
    optimum = searched(table).lower_bound
    proved_more = False
    for limit, threads in [(120_000, 1), (160_000, 2), (200_000, 5)]:
        rough, fine = (
            searched(table, "drop", "lists", *off, memory_limit=limit, threads=threads)
            for off in ([], ["sibling"])
        )
        assert max(rough.lower_bound, fine.lower_bound) <= optimum, (seed, limit)
        proved_more |= rough.lower_bound > fine.lower_bound
    return proved_more


def test_a_few_candidates_that_stand_for_all_prove_a_bound_in_little_memory() -> None:
    assert sum(check_stand_ins(seed) for seed in range(12)) > 0
