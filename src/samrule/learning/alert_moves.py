"""Better lists by small steps: a rule out, another in, while more is found within the alert rate.

Searches with costs meet only lists that some price of an alert makes best. Others may lie between
them and find more; steps from those that were met find many of them. Nothing is proven here.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from samrule.learning.alert_rate import AlertRate
from samrule.objective import as_written
from samrule.rules import Condition, Rule, RuleList
from samrule.solver.problem import PackedConditions

Bits = NDArray[np.uint64]

# Words of 64 rows that all steps may look at together: some seconds.
MOST_WORDS = 1_000_000_000
# Every choice of rules that alert is tried, so not in lists of more rules than this.
MOST_RULES = 8
# Candidates looked at together, so that what lies between stays small.
_WORDS_AT_ONCE = 1 << 22


@dataclass(frozen=True, slots=True)
class Limits:
    """What lists may look like.

    Parameters
    ----------
    alerts
        The alert rate.
    max_rules, max_terms, min_rows
        Most rules, most conditions in one, and the rows that each must decide.
    rule_price
        What a rule costs, in rows missed.
    """

    alerts: AlertRate
    max_rules: int
    max_terms: int
    min_rows: int
    rule_price: float


def improved(
    rule_list: RuleList, packed: PackedConditions, codes: NDArray[np.int32], limits: Limits
) -> RuleList:
    """Return a list that misses no more within the rate, with its class counts on the rows.

    What its rules predict is left to `AlertRate.places`.
    """
    if not 0 < limits.max_rules <= MOST_RULES:
        return rule_list
    moves = _moves(packed, codes, limits, rule_list)
    current = [moves.terms.index(rule.conditions) for rule in rule_list.rules]
    least, words = moves.cost(current), 0
    while (words := words + moves.words_per_step) <= MOST_WORDS:
        found = min(moves.steps(current), key=lambda step: step.cost, default=None)
        if found is None or found.cost >= least:
            break
        current, least = list(found.rules), found.cost
    return moves.counted(current, rule_list)


@dataclass(frozen=True, slots=True)
class _Step:
    cost: float
    rules: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Moves:
    """Candidate rules as sets of rows, and what lists of them cost."""

    bits: Bits
    terms: list[tuple[Condition, ...]]
    of_class: Bits
    limits: Limits

    @property
    def words_per_step(self) -> int:
        lists = self.limits.max_rules + 1
        return int(self.bits.size) * 2 * lists * lists

    def steps(self, rules: Sequence[int]) -> Iterator[_Step]:
        """Yield the best ways to put a rule into the list, or into the list without one of its."""
        bases = [[*rules[:number], *rules[number + 1 :]] for number in range(len(rules))]
        if len(rules) < self.limits.max_rules:
            bases.append(list(rules))
        for base in bases:
            groups = self.counts(base)
            within = self._counts_within(self.decided(base))
            for place in range(len(base) + 1):
                costs = self._costs_with(groups, within, place)
                best = int(costs.argmin())
                yield _Step(float(costs[best]), (*base[:place], best, *base[place:]))

    def cost(self, rules: Sequence[int]) -> float:
        return float(self._costs(self.counts(rules)[None])[0])

    def counted(self, rules: Sequence[int], like: RuleList) -> RuleList:
        """Return the list with the rows of each class that each rule decides."""
        *counts, last = (tuple(map(int, some)) for some in self.counts(rules))
        label = like.default.prediction
        made = [Rule(self.terms[one], label, some) for one, some in zip(rules, counts, strict=True)]
        return RuleList(tuple(made), Rule((), label, last), like.classes)

    def counts(self, rules: Sequence[int]) -> NDArray[np.int64]:
        """Return the rows of each class that each rule decides, the default last."""
        decided = self.decided(rules)
        return _count(decided[:, None, :] & self.of_class[None])

    def decided(self, rules: Sequence[int]) -> Bits:
        """Return the rows that each rule decides, the default last."""
        rest = self.of_class[0] | self.of_class[1]
        found = []
        for one in rules:
            found.append(rest & self.bits[one])
            rest = rest & ~self.bits[one]
        return np.array([*found, rest])

    def _counts_within(self, decided: Bits) -> NDArray[np.int64]:
        """Return, for each candidate, the rows of each class it matches of each rule's."""
        found = np.empty((len(self.bits), len(decided), 2), dtype=np.int64)
        at_once = max(1, _WORDS_AT_ONCE // self.bits.shape[1])
        for start in range(0, len(self.bits), at_once):
            some = self.bits[start : start + at_once]
            for number, rows in enumerate(decided):
                for place, members in enumerate(self.of_class):
                    found[start : start + at_once, number, place] = _count(some & (rows & members))
        return found

    def _costs_with(
        self, groups: NDArray[np.int64], within: NDArray[np.int64], place: int
    ) -> NDArray[np.float64]:
        """Return what the list costs with each candidate put in at a place."""
        before = np.broadcast_to(groups[:place], (len(within), place, 2))
        new = within[:, place:].sum(axis=1, keepdims=True)
        return self._costs(
            np.concatenate([before, new, groups[place:] - within[:, place:]], axis=1)
        )

    def _costs(self, groups: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return misses and the price of rules, for lists of these groups with the best alerts."""
        limits, place = self.limits, self.limits.alerts.place
        n_groups = groups.shape[1]
        ways = (np.arange(2**n_groups)[:, None] >> np.arange(n_groups)) & 1
        n_rows = groups.sum(axis=2)
        alerts, hits = n_rows @ ways.T, groups[:, :, place] @ ways.T
        most = math.floor(as_written(limits.alerts.share) * int(n_rows[0].sum()))
        found = np.where(alerts <= most, hits, -1).max(axis=1)
        cost = groups[:, :, place].sum(axis=1) - found + limits.rule_price * (n_groups - 1)
        # A rule must decide rows, and as many as asked for.
        supported = (n_rows[:, :-1] >= max(limits.min_rows, 1)).all(axis=1)
        return np.where(supported, cost, np.inf)


def _moves(
    packed: PackedConditions, codes: NDArray[np.int32], limits: Limits, rule_list: RuleList
) -> _Moves:
    """Return candidates: conditions, pairs of them unless too many, and the rules of the list."""
    place = {one: number for number, one in enumerate(packed.conditions)}
    places: list[tuple[int, ...]] = [(number,) for number in range(len(place))]
    n_words = len(place) * (len(place) - 1) // 2 * packed.bits.shape[1]
    if limits.max_terms > 1 and n_words * 4 * (limits.max_rules + 1) ** 2 <= MOST_WORDS:
        places += combinations(range(len(place)), 2)
    listed = [tuple(place[one] for one in rule.conditions) for rule in rule_list.rules]
    places += [one for one in dict.fromkeys(listed) if one not in set(places)]
    bits = np.array([np.bitwise_and.reduce(packed.bits[list(one)]) for one in places])
    terms = [tuple(packed.conditions[number] for number in one) for one in places]
    of_class = np.array([_packed(codes == place) for place in range(2)])
    return _Moves(bits, terms, of_class, limits)


def _packed(mask: NDArray[np.bool_]) -> Bits:
    found = np.zeros(-(-len(mask) // 64), dtype=np.uint64)
    packed = np.packbits(mask, bitorder="little")
    found.view(np.uint8)[: len(packed)] = packed
    return found


def _count(some_rows: Bits) -> NDArray[np.int64]:
    return np.asarray(np.bitwise_count(some_rows).sum(axis=-1, dtype=np.int64))
