"""The best list that obeys constraints: the search without them bounds every part of the lists.

Best first: a part of the lists (the rules they start with, the conditions that may follow) costs
at least what the best way to go on without constraints costs. If that way obeys, the part is
done; if not, it is cut into smaller parts that leave it out. docs/constraints.md, "How it is
searched", has the proof.
"""

import heapq
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from samrule.solver.counted_rows import CountedRows, Words
from samrule.solver.feasibility import Feasibility, FixedRule, State, Terms
from samrule.solver.group_costs import GroupCosts
from samrule.solver.last_rules import Candidates, Ending, LastRules, Tail
from samrule.solver.solution import Status

# Lists that end with so many rules are found at once.
_AT_ONCE = 2
# Sets of candidates that are kept; others are made again.
_MOST_KEPT = 64
# A core counts about so many words of rows in the time of one operation of the search.
_WORDS_PER_OPERATION = 4


class Rest(NamedTuple):
    """What the search without constraints says of rows: a cheapest list and its bounds."""

    rules: list[Terms]
    cost: Any  # No way to go on costs less, in units.
    fewer: Any  # The same with one rule less.
    status: Status
    work: int
    n_nodes: int


# Asks for the best list on some rows: of some conditions, and of at most so many rules.
Oracle = Callable[[Words, Sequence[int], int, int], Rest]


class Rule(NamedTuple):
    """A rule of a list: its conditions and which classes it may predict."""

    terms: Terms
    classes: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """What came out.

    Parameters
    ----------
    rules
        The best list that obeys, the fixed rules included; None if no list does, or none was found.
    cost, lower_bound
        Its cost, and what none of them costs less than, in units.
    """

    rules: tuple[Rule, ...] | None
    cost: Any
    lower_bound: Any
    status: Status
    work: int
    n_nodes: int


@dataclass(slots=True)
class _Part:
    """Some lists: those that start with `prefix` and go on with conditions that are usable."""

    prefix: tuple[Terms, ...]
    state: State
    uncovered: Words
    cost: Any
    usable: tuple[int, ...]
    columns: int = 0  # That must be used, too.
    rest: Rest | None = None
    known: dict[int, Any] = field(default_factory=dict)  # What follows a candidate costs at least.


@dataclass(slots=True)
class _Child:
    """A part that is made when its turn comes: its parent goes on with a candidate."""

    parent: _Part
    candidate: int
    price: Any
    was_compared: bool = False


class ConstrainedSearch:
    """One search.

    Parameters
    ----------
    feasibility, rows, costs
        The problem.
    rule_price
        What a rule costs, in units.
    min_support
        The weight that a rule must decide that nobody fixed.
    oracle
        The search without constraints.
    slack
        Costs that are closer than this count as equal, for they are rounded.
    tolerance
        Stop once no list costs less than 1 - tolerance of the best one.
    out_of
        Says which limit is reached, given the work done.
    tell
        Called with the best cost, the lower bound.
    """

    def __init__(
        self,
        feasibility: Feasibility,
        rows: CountedRows,
        costs: GroupCosts,
        *,
        rule_price: Any,
        min_support: int,
        oracle: Oracle,
        slack: Any,
        tolerance: float,
        out_of: Callable[[int], Status | None],
        tell: Callable[[Any, Any], object],
    ) -> None:
        self.feasibility, self.rows, self.costs = feasibility, rows, costs
        self.rule_price, self.min_support, self.oracle = rule_price, min_support, oracle
        self.slack, self.tolerance, self.out_of, self.tell = slack, tolerance, out_of, tell
        self.last = LastRules(
            rows, costs, self._tail(feasibility.last), feasibility, rule_price, min_support
        )
        self.best: tuple[Any, int, tuple[Terms, ...]] | None = None
        self.work = self.n_nodes = 0
        self._queue: list[tuple[Any, int, _Part | _Child]] = []
        self._order = itertools.count()
        self._candidates: dict[tuple[int, ...], Candidates] = {}
        self._seen: dict[tuple[Any, ...], Any] = {}
        self._of_fewer: Found | None = None

    def __call__(self) -> Found:
        """Search until the best list is proven, or a limit is reached."""
        if self.finds_any() or self.feasibility.start is not None:
            root = self._root()
            self._push(root.cost, root)
        status, bound = self._run()
        if status is Status.OPTIMAL and self.best is not None and self.slack == 0:
            bound = self.best[0]
        rules = None if self.best is None else tuple(self._whole(self.best[2]))
        cost = None if self.best is None else self.best[0]
        return Found(rules, cost, bound, status, self.work, self.n_nodes)

    def finds_any(self) -> bool:
        """Whether a list that obeys is found at once; without a least support, if there is one."""
        return self.feasibility.start is not None and self._offer_any(self._root())

    def _run(self) -> tuple[Status, Any]:
        """Work on the part with the least bound until none can hold a better list."""
        bound: Any = 0
        while self._queue:
            least, _, part = heapq.heappop(self._queue)
            bound = max(bound, least)
            if self.best is not None and bound >= self.best[0] - self.slack:
                return Status.OPTIMAL, min(bound, self.best[0])
            if self.best is not None and bound >= self.best[0] * (1 - self.tolerance):
                return Status.WITHIN_TOLERANCE, bound
            stop = self.out_of(self.work)
            if stop is not None:
                return stop, bound
            self.tell(None if self.best is None else self.best[0], bound)
            try:
                stop = self._look(bound, part)
            except KeyboardInterrupt:
                # Between searches, which tell of a Ctrl-C themselves: the part is as it was.
                self._push(bound, part)
                stop = Status.INTERRUPTED
            if stop is not None:
                return stop, self._queue[0][0]
        return Status.OPTIMAL, bound if self.best is None else self.best[0]

    def _look(self, bound: Any, part: _Part | _Child) -> Status | None:
        if isinstance(part, _Child):
            if not part.was_compared:
                part.was_compared = True
                higher = max(bound, self._compared(part))
                if higher > bound:
                    self._push(higher, part)
                    return None
            return self._ask(bound, self._made(part), part)
        if part.rest is None:
            return self._ask(bound, part, None)
        self._cut(bound, part)
        return None

    def _ask(self, bound: Any, part: _Part | None, child: _Child | None) -> Status | None:
        """Find out what a part costs at least; it is done if that way to go on obeys."""
        if part is None:
            return None
        n_left = self.feasibility.n_left - len(part.prefix)
        if n_left <= _AT_ONCE and self._can_end(n_left, self._of(part.usable)):
            self.n_nodes += 1
            self._ending(part, n_left, below=np.inf if self.best is None else self.best[0])
            return None
        rest = self.oracle(part.uncovered, part.usable, n_left, self.work)
        self.work += rest.work
        self.n_nodes += rest.n_nodes
        part.rest = rest
        if child is not None:
            child.parent.known[child.candidate] = rest.cost
        self._offer_whole(part, rest.rules)
        self._push(max(bound, part.cost + rest.cost), part)
        return None if rest.status is Status.OPTIMAL else rest.status

    def _can_end(self, n_left: int, candidates: Candidates) -> bool:
        """Whether lists that lack so many rules are finished at once."""
        return n_left <= 1 or (n_left <= _AT_ONCE and self.last.can_pair(len(candidates)))

    def _ending(self, part: _Part, n_left: int, *, below: Any) -> Ending | None:
        """Finish lists that lack two rules at most, if one of them costs less than `below`."""
        candidates = self._of(part.usable)
        n_words = len(candidates) ** min(n_left, 2) * len(part.uncovered)
        self._charge(n_words * len(self.last.tail.cells) * len(self.rows.planes))
        ending = self.last.best(
            candidates,
            part.uncovered,
            part.state,
            n_left=n_left,
            columns=part.columns,
            below=below - part.cost,
        )
        if ending is not None:
            chosen = tuple(candidates.terms[place] for place in ending.chosen)
            self._offer(part.cost + ending.cost, part.prefix + chosen)
        return ending

    def _cut(self, bound: Any, part: _Part) -> None:
        """Cut a part into smaller ones that leave out the list found in it."""
        assert part.rest is not None
        parts = self.feasibility.parts(part.state, part.columns, part.rest.rules)
        if parts is None:
            self._push_children(bound, part)
            return
        n_left = self.feasibility.n_left - len(part.prefix)
        for some in parts:
            usable = tuple(one for one in part.usable if one not in some.without)
            columns = part.columns | some.columns
            if not self.feasibility.may_complete(part.state, n_left, columns):
                continue
            smaller = _Part(part.prefix, part.state, part.uncovered, part.cost, usable, columns)
            if self._is_new(smaller):
                self._push(bound, smaller)

    def _push_children(self, bound: Any, part: _Part) -> None:
        """Cut a part by the rule that comes next."""
        assert part.rest is not None
        n_left = self.feasibility.n_left - len(part.prefix)
        if self.feasibility.is_complete(part.state, part.columns):
            self._offer(part.cost + self.last.rest(part.uncovered), part.prefix)
        candidates = self._of(part.usable)
        counts = self.rows.weight(candidates.bits & part.uncovered)
        self._charge(candidates.bits.size * len(self.rows.planes))
        weight = counts.sum(axis=-1)
        price = self.rule_price + self.costs(counts, candidates.classes)
        # Without the rule the others decide its rows, and a row costs at most 1 (drop bound).
        # Where the list obeys without the rule, it costs what lists that obey cost.
        can_drop = np.array(
            [self.feasibility.can_drop(part.state, use, part.columns) for use in candidates.uses],
            dtype=np.bool_,
        )
        fewer = self._fewer(part)
        least_without = max(part.rest.fewer, 0 if fewer is None else fewer)
        dropped = np.where(can_drop[candidates.kind], least_without, part.rest.fewer)
        dropped = dropped + price - weight * _row_units(self.costs)
        states = [self.feasibility.extended(part.state, use) for use in candidates.uses]
        may = np.array(
            [
                one is not None and self.feasibility.may_complete(one, n_left - 1, part.columns)
                for one in states
            ],
            dtype=np.bool_,
        )
        least = part.cost + np.maximum(price, dropped)
        if fewer is None:
            may &= ~can_drop
        for place in np.flatnonzero(may[candidates.kind] & (weight >= self.min_support)):
            lower = max(bound, least[place])
            if self.best is None or lower < self.best[0] - self.slack:
                self._push(lower, _Child(part, int(place), price[place]))

    def _fewer(self, part: _Part) -> Any:
        """Return what ways to go on cost at least that obey with one rule less; None: none does."""
        n_left = self.feasibility.n_left - len(part.prefix) - 1
        candidates = self._of(part.usable)
        if not self._can_end(n_left, candidates):
            assert part.rest is not None
            return part.rest.fewer if part.prefix else self._fewer_of_all()
        ending = self._ending(part, n_left, below=np.inf)
        return None if ending is None else ending.cost - self.slack

    def _fewer_of_all(self) -> Any:
        """Return the same for all lists, which takes a search of its own."""
        if self._of_fewer is None:
            search = ConstrainedSearch(
                self.feasibility.with_fewer_rules(),
                self.rows,
                self.costs,
                rule_price=self.rule_price,
                min_support=self.min_support,
                oracle=lambda rows, usable, n, work: self.oracle(rows, usable, n, work + self.work),
                slack=self.slack,
                tolerance=0.0,
                out_of=lambda work: self.out_of(work + self.work),
                tell=lambda _cost, _bound: None,
            )
            search._candidates = self._candidates
            found = search()
            self.work += found.work
            self.n_nodes += found.n_nodes
            if found.status is Status.INTERRUPTED:
                raise KeyboardInterrupt
            if search.best is not None:
                self._offer(search.best[0], search.best[2])
            self._of_fewer = found
        if self._of_fewer.rules is None and self._of_fewer.status is Status.OPTIMAL:
            return None
        return self._of_fewer.lower_bound - self._root().cost

    def _compared(self, child: _Child) -> Any:
        """Return a bound from siblings: rules that match nearly the same leave nearly the same.

        A list for what rule r leaves also serves what rule s leaves, but for the rows of r that s
        does not match: each costs 1 at most. A least support may fail there, so nothing is said.
        """
        part = child.parent
        if self.min_support > 0 or not part.known:
            return 0
        candidates = self._of(part.usable)
        siblings = list(part.known)
        own = candidates.bits[child.candidate] & part.uncovered
        self._charge(len(siblings) * len(own) * len(self.rows.planes))
        beyond = self.rows.weight(own & ~candidates.bits[siblings]).sum(axis=-1)
        known = np.array([part.known[one] for one in siblings])
        return part.cost + child.price + (known - beyond * _row_units(self.costs)).max()

    def _made(self, child: _Child, *, even_if_met: bool = False) -> _Part | None:
        """Return the part that a child stands for; None if one as good was met before."""
        part, candidates = child.parent, self._of(child.parent.usable)
        terms = candidates.terms[child.candidate]
        state = self.feasibility.extended(part.state, self.feasibility.use(terms))
        assert state is not None
        made = _Part(
            (*part.prefix, terms),
            state,
            part.uncovered & ~candidates.bits[child.candidate],
            part.cost + child.price,
            part.usable,
            part.columns,
        )
        return made if even_if_met or self._is_new(made) else None

    def _is_new(self, part: _Part) -> bool:
        """Whether no part was met that leaves the same rows and freedom, and costs no more."""
        key = (part.uncovered.tobytes(), part.state, part.usable, part.columns, len(part.prefix))
        if key in self._seen and self._seen[key] <= part.cost:
            return False
        self._seen[key] = part.cost
        return True

    def _offer_any(self, part: _Part) -> bool:
        """Offer some list that obeys, one rule for each thing that is missing."""
        if self.feasibility.is_complete(part.state):
            self._offer(part.cost + self.last.rest(part.uncovered), part.prefix)
            return True
        if len(part.prefix) == self.feasibility.n_left:
            return False
        candidates = self._of(part.usable)
        counts = self.rows.weight(candidates.bits & part.uncovered)
        price = self.rule_price + self.costs(counts, candidates.classes)
        heavy = counts.sum(axis=-1) >= self.min_support
        n_left = self.feasibility.n_left - len(part.prefix) - 1
        for kind, use in enumerate(candidates.uses):
            state = self.feasibility.extended(part.state, use)
            if state is None or not self.feasibility.may_complete(state, n_left):
                continue
            own = np.flatnonzero((candidates.kind == kind) & heavy)
            if len(own) and self.feasibility.helps(part.state, use):
                child = _Child(part, int(own[price[own].argmin()]), price[own].min())
                made = self._made(child, even_if_met=True)
                if made is not None and self._offer_any(made):
                    return True
        return False

    def _offer_whole(self, part: _Part, rest: Sequence[Terms]) -> None:
        """Offer the list that the search without constraints found, if it obeys."""
        state: State | None = part.state
        for terms in rest:
            state = None if state is None else self.feasibility.extended(
                state, self.feasibility.use(terms)
            )  # fmt: skip
        if state is None or not self.feasibility.is_complete(state, part.columns):
            return
        cost, uncovered = part.cost, part.uncovered
        for terms in rest:
            classes = self.feasibility.classes_of(terms)
            if classes is None:
                return
            decided = self.rows.conjunction(terms) & uncovered
            counts = self.rows.weight(decided[None])
            cost = cost + self.rule_price + self.costs(counts, np.array([classes]))[0]
            uncovered = uncovered & ~decided
        self._offer(cost + self.last.rest(uncovered), (*part.prefix, *rest))

    def _offer(self, cost: Any, rules: tuple[Terms, ...]) -> None:
        found = (cost, len(rules), rules)
        if self.best is None or found < self.best:
            self.best = found

    def _root(self) -> _Part:
        uncovered = self.rows.everything
        cost: Any = self.rule_price * len(self.feasibility.last)
        for rule in self.feasibility.first:
            decided = self.rows.conjunction(rule.terms) & uncovered
            counts = self.rows.weight(decided[None])
            cost = cost + self.rule_price + self.costs(counts, np.array([rule.classes]))[0]
            uncovered = uncovered & ~decided
        assert self.feasibility.start is not None
        return _Part((), self.feasibility.start, uncovered, cost, self.feasibility.usable)

    def _tail(self, last: Sequence[FixedRule]) -> Tail:
        left, cells, classes = self.rows.everything, [], []
        for rule in last:
            matched = self.rows.conjunction(rule.terms)
            cells.append(left & matched)
            classes.append(rule.classes)
            left = left & ~matched
        n_classes = len(self.feasibility.classes)
        return Tail(np.stack([*cells, left]), np.array([*classes, (True,) * n_classes]))

    def _whole(self, rules: Sequence[Terms]) -> Iterator[Rule]:
        """Yield all rules of a list, the fixed ones too."""
        yield from (Rule(one.terms, one.classes) for one in self.feasibility.first)
        for terms in rules:
            classes = self.feasibility.classes_of(terms)
            assert classes is not None
            yield Rule(terms, classes)
        yield from (Rule(one.terms, one.classes) for one in self.feasibility.last)

    def _of(self, usable: tuple[int, ...]) -> Candidates:
        if usable not in self._candidates:
            if len(self._candidates) >= _MOST_KEPT:
                self._candidates.clear()
            self._candidates[usable] = Candidates.of(self.feasibility, self.rows, usable)
        return self._candidates[usable]

    def _push(self, bound: Any, part: _Part | _Child) -> None:
        heapq.heappush(self._queue, (bound, next(self._order), part))

    def _charge(self, n_words: int) -> None:
        self.work += 1 + n_words // _WORDS_PER_OPERATION


def _row_units(costs: GroupCosts) -> Any:
    """Return what a row costs at most, in units."""
    if costs.is_whole:
        return costs.prices.max()
    return costs.prices.max() + costs.brier
