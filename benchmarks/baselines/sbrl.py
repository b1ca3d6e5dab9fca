"""Scalable Bayesian rule lists (Yang, Rudin, Seltzer, ICML 2017): sample lists, keep the likeliest.

The model: the length of a list is Poisson(`length`), the number of terms of each rule
Poisson(`terms`), both cut off where antecedents end; the antecedent is any of those left with that
many terms; the classes of the rows a rule decides are Dirichlet-multinomial with `pseudo_counts`.
The search: a Markov chain on lists that adds, removes or swaps rules (Metropolis-Hastings); the
list with the highest posterior seen by any chain is the answer. Proposals whose prefix can lead to
nothing better than the best list seen so far are refused outright (Theorem 2 there).
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from baselines.bitsets import Bitsets

Antecedents = tuple[int, ...]


@dataclass(frozen=True)
class Prior:
    """What is believed before seeing rows.

    `max_rules` cuts the length's distribution off; None leaves it to the number of antecedents.
    """

    length: float = 3.0
    terms: float = 1.0
    pseudo_counts: tuple[float, float] = (1.0, 1.0)
    max_rules: int | None = None


@dataclass(frozen=True)
class BayesianList:
    """The likeliest list seen: its antecedents in order, and the rows that it misclassifies."""

    rules: Antecedents
    log_posterior: float
    n_errors: int


@dataclass(frozen=True)
class Prefix:
    """What the first rules of a list leave over, and the likelihood of what they decide."""

    uncovered: np.ndarray
    log_likelihood: float
    n_errors: int


@dataclass(frozen=True)
class Proposal:
    """A neighbour of a list.

    `n_settled` rules from the front are what the refusal looks at; `log_ratio` is the log of
    Q(old | new) / Q(new | old).
    """

    rules: Antecedents
    n_settled: int
    log_ratio: float


class Posterior:
    """Log posterior of any list of antecedents on one table, up to a constant.

    `copies` counts every row so many times, as if the table were that often repeated.
    """

    def __init__(
        self,
        conditions: np.ndarray,
        labels: np.ndarray,
        prior: Prior,
        *,
        sizes: np.ndarray | None = None,
        copies: int = 1,
    ) -> None:
        self.bits = Bitsets.pack(conditions, labels)
        self.n_antecedents = conditions.shape[1]
        self.sizes = [1] * self.n_antecedents if sizes is None else [int(s) for s in sizes]
        self.prior = prior
        self.copies = copies
        limit = self.n_antecedents if prior.max_rules is None else prior.max_rules
        self.max_rules = min(limit, self.n_antecedents)
        pmf = [log_poisson(m, prior.length) for m in range(self.max_rules + 1)]
        self.log_length = [value - log_sum(pmf) for value in pmf]
        # Cached by prefix: a proposal shares its first rules with the list it came from.
        self.prefix = lru_cache(maxsize=4096)(self._prefix)

    def log_prior(self, rules: Antecedents) -> float:
        """Return the log probability of the list before seeing rows."""
        return self.log_length[len(rules)] + self._log_antecedents(rules)

    def __call__(self, rules: Antecedents) -> float:
        """Return log prior + log likelihood."""
        start = self.prefix(rules)
        negative, positive = self._weighted(start.uncovered)
        return self.log_prior(rules) + start.log_likelihood + self._log_group(negative, positive)

    def upper_bound(self, prefix: Antecedents) -> float:
        """Return what no list that begins with `prefix` exceeds.

        At best two more rules separate the rows left over, one for each class; other rules cost
        nothing, and the length is the likeliest that is possible.
        """
        start = self.prefix(prefix)
        negative, positive = self._weighted(start.uncovered)
        perfect = self._log_group(negative, 0) + self._log_group(0, positive)
        longest = max(self.log_length[len(prefix) :])
        return longest + self._log_antecedents(prefix) + start.log_likelihood + perfect

    def n_errors(self, rules: Antecedents) -> int:
        """Return the rows that are not of the majority of the rule that decides them."""
        start = self.prefix(rules)
        return start.n_errors + min(self.bits.counts(start.uncovered))

    def _prefix(self, rules: Antecedents) -> Prefix:
        if not rules:
            return Prefix(self.bits.everything, 0.0, 0)
        before = self.prefix(rules[:-1])
        matches = self.bits.conditions[rules[-1]]
        captured = before.uncovered & matches
        likelihood = before.log_likelihood + self._log_group(*self._weighted(captured))
        n_errors = before.n_errors + min(self.bits.counts(captured))
        return Prefix(before.uncovered & ~matches, likelihood, n_errors)

    def _weighted(self, rows: np.ndarray) -> tuple[int, int]:
        negative, positive = self.bits.counts(rows)
        return negative * self.copies, positive * self.copies

    def _log_group(self, negative: int, positive: int) -> float:
        """Return the log probability of one rule's classes, their shares integrated out."""
        a, b = self.prior.pseudo_counts
        return log_beta(negative + a, positive + b) - log_beta(a, b)

    def _log_antecedents(self, rules: Antecedents) -> float:
        """Return the log probability of choosing these antecedents in this order."""
        left = Counter(self.sizes)
        total = 0.0
        for rule in rules:
            size = self.sizes[rule]
            possible = [log_poisson(s, self.prior.terms) for s, n in left.items() if n > 0]
            total += log_poisson(size, self.prior.terms) - log_sum(possible) - math.log(left[size])
            left[size] -= 1
        return total


def sbrl(
    posterior: Posterior, *, n_iterations: int, n_chains: int, rng: np.random.Generator
) -> BayesianList:
    """Return the likeliest list that `n_chains` chains of `n_iterations` steps each come by."""
    starts = rng.permutation(posterior.n_antecedents)
    best: Antecedents = ()
    for chain in range(n_chains):
        start = (int(starts[chain % len(starts)]),)
        found = likeliest_of_chain(posterior, start, n_iterations, rng)
        best = max(best, found, key=posterior)
    return BayesianList(best, posterior(best), posterior.n_errors(best))


def likeliest_of_chain(
    posterior: Posterior, start: Antecedents, n_iterations: int, rng: np.random.Generator
) -> Antecedents:
    """Return the likeliest list that one chain comes by."""
    now, best = start, start
    log_now = log_best = posterior(start)
    for _ in range(n_iterations):
        new = proposal(now, posterior.n_antecedents, posterior.max_rules, rng)
        # Refused: whatever begins like this is no better than what we have.
        if posterior.upper_bound(new.rules[: new.n_settled]) < log_best:
            continue
        log_new = posterior(new.rules)
        if accepts(log_new - log_now + new.log_ratio, rng):
            now, log_now = new.rules, log_new
        if log_now > log_best:
            best, log_best = now, log_now
    return best


def accepts(log_ratio: float, rng: np.random.Generator) -> bool:
    """Whether a step with this log acceptance ratio is taken."""
    return math.log(1.0 - rng.random()) < log_ratio


def proposal(
    rules: Antecedents, n_antecedents: int, max_rules: int, rng: np.random.Generator
) -> Proposal:
    """Return a random neighbour: one rule added, one removed, or two swapped."""
    n = len(rules)
    kinds = moves(n, max_rules)
    kind = kinds[rng.integers(len(kinds))]
    if kind == "add":
        place = int(rng.integers(n + 1))
        rule = free_antecedent(rules, n_antecedents, rng)
        back = math.log(len(kinds)) - math.log(len(moves(n + 1, max_rules)))
        ratio = back + math.log(n_antecedents - n)
        return Proposal((*rules[:place], rule, *rules[place:]), place + 1, ratio)
    if kind == "remove":
        place = int(rng.integers(n))
        back = math.log(len(kinds)) - math.log(len(moves(n - 1, max_rules)))
        ratio = back - math.log(n_antecedents - n + 1)
        return Proposal((*rules[:place], *rules[place + 1 :]), place, ratio)
    i, j = sorted(int(place) for place in rng.choice(n, 2, replace=False))
    swapped = list(rules)
    swapped[i], swapped[j] = swapped[j], swapped[i]
    return Proposal(tuple(swapped), j + 1, 0.0)


def moves(n_rules: int, max_rules: int) -> list[str]:
    """Return what can be done to a list of `n_rules`; each is as likely as the others."""
    possible = {"add": n_rules < max_rules, "remove": n_rules > 0, "swap": n_rules > 1}
    return [kind for kind, can in possible.items() if can]


def free_antecedent(rules: Antecedents, n_antecedents: int, rng: np.random.Generator) -> int:
    """Return an antecedent that the list does not use, each with the same probability."""
    while (rule := int(rng.integers(n_antecedents))) in rules:
        pass
    return rule


def log_poisson(value: int, mean: float) -> float:
    """Return the log of the Poisson probability of `value`."""
    return value * math.log(mean) - mean - math.lgamma(value + 1)


def log_beta(a: float, b: float) -> float:
    """Return the log of Euler's beta function."""
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


def log_sum(logs: list[float]) -> float:
    """Return the log of the sum of numbers given by their logs."""
    largest = max(logs)
    return largest + math.log(sum(math.exp(value - largest) for value in logs))
