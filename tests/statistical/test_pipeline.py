"""The whole pipeline, simulated: conditions, draws, stages and certificate against brute force.

Every run learns from a generated table of 20,000 rows whose optimum (over the very conditions the
run learned) is found by trying all lists. A run fails if its certificate holds and is wrong, or if
one of its bounds is. A promise that is just kept, failing with probability exactly delta, would
exceed the allowed number of failures with probability at most FALSE_ALARM. (Seeds are fixed: a
check that passes once passes always, until the code changes.)

The ordinary run repeats 60 times, `-m slow` 500 times.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

from samrule import learn
from samrule.learning import run
from tests.reference.brute_force import best_lists
from tests.reference.theory_simulation import most_failures

FALSE_ALARM = 1e-6
N_ROWS = 20_000
REGULARIZATION = Fraction(1, 1000)
ASKED = {"epsilon": 0.4, "theta": 0.05, "delta": 0.05, "max_rules": 2}


@dataclass(frozen=True)
class Run:
    """What one run claimed, and what is true."""

    holds: bool
    lower_bound: float
    upper_bound: float
    loss: float
    optimum: float

    @property
    def failed(self) -> bool:
        allowed = self.optimum + ASKED["epsilon"] * max(self.optimum, ASKED["theta"])
        wrong = self.holds and self.loss > allowed + 1e-9
        return (
            wrong or self.lower_bound > self.optimum + 1e-9 or self.loss > self.upper_bound + 1e-9
        )


def generated(rng: np.random.Generator) -> tuple[pa.Table, np.ndarray]:
    """Few different rows, so that brute force can go through them; noise from none to all."""
    noise = rng.choice([0.0, 0.02, 0.1, 0.3, 0.5])
    n_values = {"a": 4, "b": 3, "c": 2}
    columns = {name: rng.integers(0, n, N_ROWS) for name, n in n_values.items()}
    truth = np.where(columns["a"] >= 2, 0, np.where(columns["b"] == 1, 1, columns["c"]))
    label = np.where(rng.random(N_ROWS) < noise, rng.integers(0, 2, N_ROWS), truth)
    weights = rng.integers(0, 4, N_ROWS)
    return pa.table({**columns, "label": label}), weights


def one_run(seed: int, *, weighted: bool) -> Run:
    rng = np.random.default_rng([7, seed])
    table, weights = generated(rng)
    given = table.append_column("weight", pa.array(weights)) if weighted else table
    fitted = learn(
        given,
        "label",
        weights="weight" if weighted else None,
        strategy="progressive",
        regularization=float(REGULARIZATION),
        random_state=rng,
        threads=1,
        **ASKED,
    )
    counts = weights if weighted else np.ones(N_ROWS, dtype=int)
    price = float(REGULARIZATION) * fitted.rule_list.n_rules
    wrong = fitted.predict(table) != table["label"].to_numpy()
    return Run(
        holds=fitted.certificate.holds,
        lower_bound=fitted.certificate.lower_bound,
        upper_bound=fitted.certificate.upper_bound,
        loss=float(counts[wrong].sum() / counts.sum()) + price,
        optimum=brute_force_optimum(table, counts, fitted.conditions),
    )


def brute_force_optimum(table: pa.Table, counts: np.ndarray, conditions) -> float:
    """Least loss of all lists of these conditions, from the table's distinct rows."""
    rows, places = np.unique(
        np.column_stack([table[name].to_numpy() for name in table.column_names]),
        axis=0,
        return_inverse=True,
    )
    weights = np.bincount(places.ravel(), counts, len(rows)).astype(int)
    distinct = pa.table(dict(zip(table.column_names, rows.T, strict=True)))
    total = int(weights.sum())
    *_, (cost, _) = best_lists(
        conditions.transform(distinct).astype(int).tolist(),
        rows[:, -1].tolist(),
        weights.tolist(),
        n_classes=2,
        max_rules=ASKED["max_rules"],
        max_terms=1,
        rule_cost=REGULARIZATION * total,
        min_weight=0,
    )
    return float(cost / total)


@pytest.mark.parametrize("repetitions", [60, pytest.param(500, marks=pytest.mark.slow)])
def test_certificates_fail_with_probability_at_most_delta(repetitions, monkeypatch):
    runs = []
    for seed in range(repetitions):
        # A third of the runs each: scanned, validated, weighted.
        monkeypatch.setattr(run, "SCANNED_ROWS", 0 if seed % 3 == 1 else N_ROWS)
        runs.append(one_run(seed, weighted=seed % 3 == 2))
    failures = sum(one.failed for one in runs)

    assert failures <= most_failures(repetitions, ASKED["delta"], FALSE_ALARM)
    assert failures <= ASKED["delta"] * repetitions
    # The check is not empty: certificates are issued, and they rest on samples.
    assert sum(one.holds for one in runs) > 0.9 * repetitions
    assert sum(one.lower_bound < one.optimum - 1e-3 for one in runs) > 0.5 * repetitions
