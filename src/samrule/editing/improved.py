"""Good lists that obey constraints, found by changing one rule at a time.

Where the search for the best list ends before it is proven, this finds better ones; nothing is
proven by it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from samrule.constraints import Constraints
from samrule.editing.replacements import candidate_rules
from samrule.editing.workbench import Workbench
from samrule.rules import Condition, Rule

# Losses that are closer than this are the same.
_SAME = 1e-12
# Changes that are tried: with pairs of conditions each takes a while.
_MOST_CHANGES, _MOST_CHANGES_OF_PAIRS = 30, 8
# With pairs of conditions there are many candidates: so many rows say which are good, and so many
# of these are counted.
_LOOKED_AT, _COUNTED = 2048, 6
# Of candidates that may not obey after all so many are counted until one does.
_MOST_COUNTED = 100

Found = tuple[float, tuple[Rule, ...]]


def improved(
    workbench: Workbench,
    starts: Sequence[Sequence[Rule]],
    constraints: Constraints,
    *,
    max_rules: int,
) -> tuple[Rule, ...]:
    """Return a list that obeys and that a change of one rule hardly makes better.

    Parameters
    ----------
    workbench
        The rows.
    starts
        Where to begin: lists that obey, of which there must be one, or do after one change.
    constraints
        What the list must obey.
    max_rules
        How many rules it may have.
    """
    climb = _Climb(workbench, constraints, max_rules)
    found: list[Found] = []
    for start in starts:
        judged = climb.judged(start)
        places = () if judged is not None else climb.places(start)
        found += [] if judged is None else [judged]
        found += [one for place in places for one in climb.changed(start, place)]
    best = _least(found)
    assert best is not None, "a start obeys"
    place = since_better = 0
    for _ in range(climb.most_changes):
        places = climb.places(best[1])
        if since_better == len(places):
            break
        changed = _least(list(climb.changed(best[1], places[place % len(places)])))
        place, since_better = place + 1, since_better + 1
        if changed is not None and changed[0] < best[0] - _SAME:
            best, since_better = changed, 0
    return best[1]


def _least(found: Sequence[Found]) -> Found | None:
    return min(found, key=lambda one: one[0], default=None)


@dataclass(frozen=True, slots=True)
class _Climb:
    """The lists that one change makes of a list."""

    workbench: Workbench
    constraints: Constraints
    max_rules: int

    @property
    def most_changes(self) -> int:
        """How many changes to try."""
        return _MOST_CHANGES_OF_PAIRS if self._in_pairs else _MOST_CHANGES

    @property
    def _in_pairs(self) -> bool:
        return self.workbench.task.settings.max_terms > 1

    def places(self, rules: Sequence[Rule]) -> range:
        """Return the places where a rule may change: one more if there is room for a rule."""
        end = len(rules) - len(self.constraints.last) + (len(rules) < self.max_rules)
        return range(len(self.constraints.first), end)

    def changed(self, rules: Sequence[Rule], place: int) -> Iterator[Found]:
        """Yield the best lists with another rule at a place, with one more, and without it."""
        if len(rules) < self.max_rules:
            yield from self._with_rule(rules, place)
        if place < len(rules) - len(self.constraints.last):
            without = [*rules[:place], *rules[place + 1 :]]
            yield from self._with_rule(without, place)
            found = self.judged(without)
            if found is not None:
                yield found

    def judged(self, rules: Sequence[Rule]) -> Found | None:
        """Return a list and its loss, if it obeys."""
        rule_list, loss = self.workbench.judged(rules)
        return (loss, tuple(rules)) if self.constraints.obeyed_by(rule_list) else None

    def _with_rule(self, others: Sequence[Rule], place: int) -> Iterator[Found]:
        one_in = max(1, self.workbench.kept.n_rows // _LOOKED_AT) if self._in_pairs else 1
        candidates = candidate_rules(self.workbench, others, place, default=None, one_in=one_in)
        lists = ([*others[:place], Rule(one, None), *others[place:]] for one in candidates)
        hopeful = (one for one in lists if self._may_obey(one))
        counted = (self.judged(one) for one in islice(hopeful, _MOST_COUNTED))
        obeying = (one for one in counted if one is not None)
        yield from islice(obeying, _COUNTED if self._in_pairs else 1)

    def _may_obey(self, rules: Sequence[Rule]) -> bool:
        """Whether what is fixed, forbidden and required is as it should be: seen at once."""
        n_first = len(self.constraints.first)
        if _conditions(rules[:n_first]) != _conditions(self.constraints.first):
            return False
        own, fixed = (_names(some) for some in (rules[n_first:], rules[:n_first]))
        return own.isdisjoint(self.constraints.forbid) and (own | fixed).issuperset(
            self.constraints.require
        )


def _conditions(rules: Sequence[Rule]) -> list[tuple[Condition, ...]]:
    return [rule.conditions for rule in rules]


def _names(rules: Sequence[Rule]) -> set[object]:
    return {name for rule in rules for one in rule.conditions for name in _names_of(one)}


@lru_cache(maxsize=4096)
def _names_of(condition: Condition) -> tuple[object, ...]:
    """Return what a condition may be called: itself, its column, or its text."""
    return condition, condition.column, str(condition)
