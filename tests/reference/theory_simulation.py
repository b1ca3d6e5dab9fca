"""Small tables with a known optimum, and every rule list on them, for simulating promises.

A table is a distribution over cells: one of 2^d rows of conditions, with one of two labels. A
sample is a vector of cell counts, so a thousand samples and all lists are one matrix product.
"""

from dataclasses import dataclass

import numpy as np
from scipy import stats

from tests.reference.theory_enumeration import (
    conjunction_masks,
    label_matrix,
    prediction_functions,
)


@dataclass(frozen=True)
class SmallTable:
    """Cell probabilities, and for every list the cells it gets wrong and its number of rules."""

    probabilities: np.ndarray  # (cells,)
    wrong: np.ndarray  # (cells, lists)
    n_rules: np.ndarray  # (lists,)
    regularization: float

    @property
    def losses(self) -> np.ndarray:
        return self.probabilities @ self.wrong + self.regularization * self.n_rules

    @property
    def optimum(self) -> float:
        return float(self.losses.min())

    def draw(self, rng: np.random.Generator, m: int, repetitions: int) -> np.ndarray:
        """Cell counts of samples of m rows drawn with replacement."""
        return rng.multinomial(m, self.probabilities, size=repetitions)

    def sample_losses(self, counts: np.ndarray) -> np.ndarray:
        """Loss of every list on every sample."""
        m = counts.sum(axis=1, keepdims=True)
        return counts @ self.wrong / m + self.regularization * self.n_rules

    def worst_minimizers(self, sample_losses: np.ndarray) -> np.ndarray:
        """For each sample, of the lists with least loss on it the one worst on the table."""
        least = sample_losses.min(axis=1, keepdims=True)
        tied = sample_losses <= least + 1e-12
        return np.where(tied, self.losses, -np.inf).argmax(axis=1)


def noisy_table(
    noise: float, *, seed: int, d: int = 4, k: int = 2, regularization: float = 1e-4
) -> SmallTable:
    """Labels follow "if x0 then 1, else if x1 then 0, else 1", wrong with probability `noise`."""
    rng = np.random.default_rng(seed)
    weights = rng.dirichlet(np.full(2**d, 2.0))
    rows = np.arange(2**d)
    truth = np.where(rows & 1, 1, np.where(rows & 2, 0, 1))
    labels = np.repeat([0, 1], 2**d)
    right = labels == np.tile(truth, 2)
    probabilities = np.tile(weights, 2) * np.where(right, 1 - noise, noise)
    return table_of(probabilities, d=d, k=k, regularization=regularization)


def table_of(
    probabilities: np.ndarray, *, d: int, k: int, regularization: float, z: int = 1
) -> SmallTable:
    """The table with these probabilities of (label 0, rows), (label 1, rows), and all its lists."""
    masks = conjunction_masks(d, z)
    known: np.ndarray = np.array([], dtype=np.uint64)
    predictions, n_rules = [], []
    for length in range(k + 1):
        functions = prediction_functions(masks, 2**d, length, 2)
        new = np.setdiff1d(functions, known)
        predictions.append(label_matrix(new, 2**d))
        n_rules.append(np.full(len(new), length))
        known = functions
    predicted = np.concatenate(predictions)
    wrong = np.concatenate([(predicted != label).T for label in (0, 1)]).astype(float)
    return SmallTable(probabilities, wrong, np.concatenate(n_rules), regularization)


def most_failures(repetitions: int, delta: float, false_alarm: float) -> int:
    """The number of failures that a promise kept with probability 1 - delta exceeds only with
    probability at most `false_alarm`."""
    return int(stats.binom.isf(false_alarm, repetitions, delta))
