"""The baselines against counting by hand, enumeration, and their own stationary distribution."""

import math
from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from baselines.bitsets import Bitsets
from baselines.greedy import greedy_rule_list, purest_split
from baselines.sbrl import Posterior, Prior, accepts, likeliest_of_chain, proposal, sbrl

# The packing goes wrong first at the borders of bytes and words.
SIZES = st.sampled_from([1, 7, 8, 9, 63, 64, 65, 130])


@st.composite
def tables(draw, max_conditions=4):
    n_rows = draw(SIZES)
    shape = (n_rows, draw(st.integers(1, max_conditions)))
    bits = st.integers(0, 1)
    conditions = draw(arrays(np.uint8, shape, elements=bits))
    return conditions, draw(arrays(np.uint8, n_rows, elements=bits))


@given(tables())
def test_bits_count_what_the_table_holds(table):
    conditions, labels = table
    bits = Bitsets.pack(conditions, labels)

    for j, column in enumerate(conditions.T):
        matched = labels[column == 1]
        outside = labels[column == 0]
        rest = bits.everything & ~bits.conditions[j]
        assert bits.counts(bits.conditions[j]) == ((matched == 0).sum(), (matched == 1).sum())
        assert bits.counts(rest) == ((outside == 0).sum(), (outside == 1).sum())


def errors(conditions, labels, rules):
    """Rows outside the majority of the first rule that matches them, counted row by row."""
    deciders = [next((r for r in rules if row[r]), None) for row in conditions]
    cells = Counter(zip(deciders, labels.tolist(), strict=True))
    return sum(min(cells[(rule, 0)], cells[(rule, 1)]) for rule in (*rules, None))


@given(tables(), st.integers(0, 4))
def test_greedy_list_errs_as_often_as_it_says_and_obeys_its_limit(table, max_rules):
    found = greedy_rule_list(*table, max_rules)

    assert len(found.rules) <= max_rules
    assert found.n_errors == errors(*table, found.rules)


@given(tables())
def test_greedy_rule_is_the_split_of_least_impurity(table):
    conditions, labels = table
    bits = Bitsets.pack(conditions, labels)
    best = purest_split(bits, bits.everything)

    def gini(rows):
        share = rows.mean() if len(rows) else 0.0
        return len(rows) * 2 * share * (1 - share)

    after = [gini(labels[c == 1]) + gini(labels[c == 0]) for c in conditions.T]
    if best is None:
        assert min(after) == pytest.approx(gini(labels), abs=1e-9)
    else:
        assert after[best] == pytest.approx(min(after), abs=1e-9)
        assert after[best] < gini(labels)


def all_lists(n_antecedents, max_rules):
    return [rules for n in range(max_rules + 1) for rules in permutations(range(n_antecedents), n)]


def posterior_by_hand(conditions, labels, rules, *, length, copies):
    """Log posterior of single conditions, rule by rule from the rows, up to a constant."""
    n_antecedents = conditions.shape[1]
    total = len(rules) * math.log(length) - math.lgamma(len(rules) + 1)
    total -= sum(math.log(n_antecedents - place) for place in range(len(rules)))
    left = np.ones(len(labels), dtype=bool)
    for rule in (*rules, None):
        captured = left if rule is None else left & (conditions[:, rule] == 1)
        positive = copies * int(labels[captured].sum())
        negative = copies * int(captured.sum()) - positive
        total += math.lgamma(negative + 1) + math.lgamma(positive + 1)
        total -= math.lgamma(negative + positive + 2)
        left = left & ~captured
    return total


@given(tables(max_conditions=3), st.sampled_from([1, 3]), st.sampled_from([0.5, 3.0]))
def test_posterior_is_that_of_the_rows_counted_by_hand(table, copies, length):
    posterior = Posterior(*table, Prior(length=length), copies=copies)

    def difference(rules):
        return posterior(rules) - posterior_by_hand(*table, rules, length=length, copies=copies)

    for rules in all_lists(table[0].shape[1], table[0].shape[1]):
        assert difference(rules) == pytest.approx(difference(()), abs=1e-6)
        assert posterior.n_errors(rules) == errors(*table, rules)


@pytest.mark.parametrize("max_rules", [None, 2, 0])
def test_prior_probabilities_of_all_lists_sum_to_one(max_rules):
    conditions, labels = np.ones((1, 4), dtype=np.uint8), np.ones(1, dtype=np.uint8)
    prior = Prior(length=2.0, terms=1.5, max_rules=max_rules)
    posterior = Posterior(conditions, labels, prior, sizes=np.array([1, 1, 2, 3]))

    lists = all_lists(4, 4 if max_rules is None else max_rules)
    assert sum(math.exp(posterior.log_prior(rules)) for rules in lists) == pytest.approx(1.0)


@given(tables(max_conditions=3), st.sampled_from([(1.0, 1.0), (0.5, 3.0)]))
def test_no_list_exceeds_the_bound_of_its_beginning(table, pseudo_counts):
    posterior = Posterior(*table, Prior(pseudo_counts=pseudo_counts))

    for rules in all_lists(table[0].shape[1], table[0].shape[1]):
        for n in range(len(rules) + 1):
            assert posterior(rules) <= posterior.upper_bound(rules[:n]) + 1e-9


@pytest.mark.slow
def test_chain_without_refusals_visits_lists_as_often_as_they_are_likely():
    rng = np.random.default_rng(7)
    conditions = rng.integers(0, 2, (12, 3), dtype=np.uint8)
    labels = conditions[:, 0] ^ (rng.random(12) < 0.3).astype(np.uint8)
    posterior = Posterior(conditions, labels, Prior(length=1.5, max_rules=2))
    lists = all_lists(3, 2)
    weights = np.exp([posterior(rules) for rules in lists])
    expected = weights / weights.sum()

    now, visits = (0,), Counter()
    for _ in range(60_000):
        new = proposal(now, 3, 2, rng)
        if accepts(posterior(new.rules) - posterior(now) + new.log_ratio, rng):
            now = new.rules
        visits[now] += 1
    seen = np.array([visits[rules] for rules in lists]) / 60_000

    # With this seed 0.004; a ratio without the number of free antecedents gives 0.26.
    assert np.abs(seen - expected).sum() / 2 < 0.02


def test_likeliest_list_is_found_on_a_small_table():
    rng = np.random.default_rng(1)
    conditions = rng.integers(0, 2, (200, 5), dtype=np.uint8)
    labels = np.where(conditions[:, 2] == 1, 1, conditions[:, 4]).astype(np.uint8)
    posterior = Posterior(conditions, labels, Prior(max_rules=2))

    found = sbrl(posterior, n_iterations=500, n_chains=5, rng=rng)

    assert found.log_posterior == pytest.approx(max(map(posterior, all_lists(5, 2))))
    assert found.n_errors == 0


def test_chain_never_leaves_a_list_for_worse_ones_in_its_answer():
    rng = np.random.default_rng(2)
    conditions = rng.integers(0, 2, (50, 4), dtype=np.uint8)
    posterior = Posterior(conditions, conditions[:, 3], Prior())

    # The start decides every row rightly: no other list of so few rules is as likely.
    assert likeliest_of_chain(posterior, (3,), 200, rng) == (3,)
