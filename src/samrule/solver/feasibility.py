"""Which lists obey the constraints: what each rule uses, and whether a list may go on or end so.

Columns are bits of a whole number here, so that what a list uses is a sum of a few operations.
"""

import difflib
from collections.abc import Hashable, Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from samrule.constraints import Constraints, Named, Way, rule_text, side_of
from samrule.errors import Parameter, ParameterError, Words
from samrule.rules import Condition, Rule

# Conditions that must all hold, by their numbers.
Terms = tuple[int, ...]


class Use(NamedTuple):
    """What a rule uses: columns, and which of the things required, as bits."""

    columns: int
    required: int


class State(NamedTuple):
    """What the rules of a list use together, and how many of them each limited column."""

    columns: int
    required: int
    n_rules_on: tuple[int, ...]


class Part(NamedTuple):
    """Some of the lists: those without these conditions, and with these columns."""

    without: frozenset[int]
    columns: int = 0


@dataclass(frozen=True, slots=True)
class FixedRule:
    """A rule that people fixed: its conditions by number, and the classes it may predict."""

    terms: Terms
    classes: tuple[bool, ...]


class Feasibility:
    """The constraints on lists of given conditions.

    Parameters
    ----------
    constraints
        What was asked for.
    conditions
        What the columns of the problem stand for.
    classes
        The classes, in their order.
    max_rules, max_terms
        Most rules of a list, those fixed included, and most conditions of a rule that is searched.
    """

    def __init__(
        self,
        constraints: Constraints,
        conditions: Sequence[Condition],
        classes: Sequence[Hashable],
        *,
        max_rules: int,
        max_terms: int,
    ) -> None:
        self.constraints, self.conditions, self.classes = constraints, conditions, classes
        self.max_terms = max_terms
        names = dict.fromkeys(one.column for one in conditions)
        self._bit = {name: 1 << number for number, name in enumerate(names)}
        self._number = {one: number for number, one in enumerate(conditions)}
        self._column = [self._bit[one.column] for one in conditions]
        self._require = [self._named("require", one) for one in constraints.require]
        self._limits = [(self._of("at_most", name), n) for name, n in constraints.at_most]
        self._apart = [self._all_of("forbid", some) for some in constraints.apart]
        self._groups = [self._all_of("together", some) for some in constraints.together]
        self._side = self._sides()
        self.all_required = (1 << len(self._require)) - 1
        self.first = [self._fixed("first", rule) for rule in constraints.first]
        self.last = [self._fixed("last", rule) for rule in constraints.last]
        self.n_left = max_rules - constraints.n_fixed
        self._check_rooms(max_rules)
        forbidden = [self._named("forbid", one) for one in constraints.forbid]
        self.usable = tuple(
            number
            for number, side in enumerate(self._side)
            if side is not None and not any(number in some for some in forbidden)
        )
        self.start = self._start()

    def use(self, terms: Terms) -> Use:
        """Return what a rule of these conditions uses."""
        columns = required = 0
        for number in terms:
            columns |= self._column[number]
        for place, wanted in enumerate(self._require):
            if not wanted.isdisjoint(terms):
                required |= 1 << place
        return Use(columns, required)

    def extended(self, state: State, use: Use) -> State | None:
        """Return the state with one rule more; None if no list may have those rules."""
        columns = state.columns | use.columns
        n_rules_on = state.n_rules_on
        if self._limits:
            n_rules_on = tuple(
                n + bool(use.columns & column)
                for n, (column, _) in zip(n_rules_on, self._limits, strict=True)
            )
            if any(n > most for n, (_, most) in zip(n_rules_on, self._limits, strict=True)):
                return None
        if any((columns & some).bit_count() > 1 for some in self._apart):
            return None
        most_columns = self.constraints.max_columns
        if most_columns is not None and columns.bit_count() > most_columns:
            return None
        return State(columns, state.required | use.required, n_rules_on)

    def is_complete(self, state: State, columns: int = 0) -> bool:
        """Whether a list may end so; `columns` must be used, too."""
        return (
            state.required == self.all_required
            and columns & ~state.columns == 0
            and all(state.columns & some in (0, some) for some in self._groups)
        )

    def may_complete(self, state: State, n_left: int, columns: int = 0) -> bool:
        """Whether so many rules more could do what is still missing; no is certain, yes is not."""
        missing = self._missing(state, columns)
        most_columns = self.constraints.max_columns
        if most_columns is not None:
            used = (state.columns | missing).bit_count()
            if used > most_columns:
                return False
        n_conditions = max(missing.bit_count(), self._n_missing(state))
        return n_conditions <= n_left * self.max_terms

    def can_drop(self, state: State, use: Use, columns: int = 0) -> bool:
        """Whether every list that obeys still obeys without a rule that is used so."""
        needed = columns
        for some in self._groups:
            needed |= some
        return not use.required & ~state.required and not use.columns & needed

    def with_fewer_rules(self) -> "Feasibility":
        """Return the same constraints on lists of one rule less."""
        found = copy(self)
        found.n_left = self.n_left - 1
        found.start = found._start()
        return found

    def helps(self, state: State, use: Use) -> bool:
        """Whether a rule that is used so does something that is still missing."""
        return bool(use.required & ~state.required or use.columns & self._missing(state, 0))

    def classes_of(self, terms: Terms) -> tuple[bool, ...] | None:
        """Return which classes a rule of these conditions may predict; None if none at all."""
        sides = {self._side[number] for number in terms} - {0}
        if not sides:
            return (True,) * len(self.classes)
        if len(sides) > 1 or None in sides:
            return None
        return (sides == {-1}, sides == {1})

    def parts(self, state: State, columns: int, rest: Sequence[Terms]) -> list[Part] | None:
        """Return parts of the lists that start as `state` tells, without those like `rest`.

        Every list that obeys is in one of them. None if only the order of rules, their classes or
        what they must use can tell: then one has to look at what the next rule may be.
        """
        used, seen = state.columns, state
        for terms in rest:
            use = self.use(terms)
            used |= use.columns
        for some in self._apart:
            both = used & some
            if both.bit_count() > 1:
                one = both & -both
                other = (both ^ one) & -(both ^ one)
                return self._without_either(seen.columns, (one, other))
        most = self.constraints.max_columns
        if most is not None and used.bit_count() > most:
            return self._without_either(seen.columns, tuple(_bits(used)))
        for place, (column, limit) in enumerate(self._limits):
            on_it = [terms for terms in rest if self.use(terms).columns & column]
            left = limit - seen.n_rules_on[place]
            if len(on_it) > left and (left == 0 or self.max_terms == 1):
                return self._fewer_on(column, left, sorted({terms[0] for terms in on_it}))
        for some in self._groups:
            if used & some not in (0, some) and columns & some != some:
                whole = Part(frozenset(), some)
                return [whole] if seen.columns & some else [self._without(some), whole]
        return None

    def _without_either(self, fixed: int, columns: Iterable[int]) -> list[Part]:
        return [self._without(one) for one in columns if not one & fixed]

    def _without(self, columns: int) -> Part:
        return Part(frozenset(n for n, one in enumerate(self._column) if one & columns))

    def _fewer_on(self, column: int, left: int, used: Sequence[int]) -> list[Part]:
        """Return parts without some conditions of a column: `left` rules miss one of left + 1."""
        if left == 0:
            return [self._without(column)]
        own = [n for n, one in enumerate(self._column) if one == column]
        chosen = used[: left + 1]
        cuts = [own[0], *((a + b + 1) // 2 for a, b in pairwise(chosen)), own[-1] + 1]
        return [Part(frozenset(n for n in own if low <= n < high)) for low, high in pairwise(cuts)]

    def _missing(self, state: State, columns: int) -> int:
        """Return the columns that the rules to come must use."""
        missing = columns & ~state.columns
        for some in self._groups:
            if (state.columns | missing) & some:
                missing |= some & ~state.columns
        for place, wanted in enumerate(self._require):
            own = {self._column[number] for number in wanted}
            if not state.required >> place & 1 and len(own) == 1:
                missing |= own.pop() & ~state.columns
        return missing

    def _n_missing(self, state: State) -> int:
        """Return how many conditions the things still required need at least, one each."""
        open_ = [
            frozenset(wanted)
            for place, wanted in enumerate(self._require)
            if not state.required >> place & 1
        ]
        apart: list[frozenset[int]] = []
        for wanted in sorted(open_, key=len):
            if all(wanted.isdisjoint(one) for one in apart):
                apart.append(wanted)
        return len(apart)

    def _start(self) -> State | None:
        """Return what the fixed rules use; None if no list can have them."""
        state: State | None = State(0, 0, (0,) * len(self._limits))
        for rule in (*self.first, *self.last):
            state = None if state is None else self.extended(state, self.use(rule.terms))
        may = state is not None and self.may_complete(state, self.n_left)
        return state if may else None

    def _fixed(self, name: str, rule: Rule) -> FixedRule:
        terms = []
        for one in rule.conditions:
            if one not in self._number:
                raise ParameterError(
                    Words(
                        Parameter(name),
                        f" has the rule '{rule_text(rule)}', but '{one}' is none of the "
                        f"{len(self.conditions)} conditions given.",
                    ),
                    hint="add it to the conditions.",
                )
            terms.append(self._number[one])
        allowed = self.classes_of(tuple(terms))
        wanted = [
            rule.prediction is None
            or (one == rule.prediction and type(one) is type(rule.prediction))
            for one in self.classes
        ]
        if not any(wanted):
            shown = ", ".join(repr(one) for one in self.classes[:10])
            raise ParameterError(
                Words(
                    Parameter(name),
                    f" has a rule that predicts {rule.prediction!r}; the classes are {shown}.",
                ),
                hint="name classes as the labels do.",
            )
        both = tuple(a and b for a, b in zip(allowed or [False] * len(wanted), wanted, strict=True))
        if not any(both):
            raise ParameterError(
                Words(
                    Parameter(name),
                    f" has the rule '{rule_text(rule)}', which ",
                    Parameter("monotone"),
                    " does not allow.",
                ),
                hint="take it out of one of both.",
            )
        return FixedRule(tuple(terms), both)

    def _sides(self) -> list[int | None]:
        """Return which class each condition may speak for: 1, -1, any (0), or none (None)."""
        if self.constraints.monotone and len(self.classes) != 2:
            raise ParameterError(
                Words(
                    Parameter("monotone"),
                    f" is given, and there are {len(self.classes)} classes; expected two, so that "
                    "a column can speak for one of them.",
                ),
                hint="make a column that says whether a row is of one class.",
            )
        for name, way in self.constraints.monotone:
            self._of("monotone", name)
            self._check_order(name, way)
        ways = dict(self.constraints.monotone)
        return [
            side_of(one, ways[one.column]) if one.column in ways else 0 for one in self.conditions
        ]

    def _check_order(self, column: str, way: Way) -> None:
        """Refuse a monotone column whose conditions say nothing of high and low."""
        asked = [one for one in self.conditions if one.column == column]
        if all(side_of(one, way) is None for one in asked):
            raise ParameterError(
                Words(
                    Parameter("monotone"),
                    f" names {column!r}, but no condition on it asks for high or low values: "
                    f"{asked[0]}, for example.",
                ),
                hint=Words(
                    "name a column of numbers, dates or truth values, or give levels an order; ",
                    Parameter("forbid"),
                    " leaves a column out.",
                ),
            )

    def _of(self, name: str, column: str) -> int:
        if column not in self._bit:
            self._refuse_unknown(name, column)
        return self._bit[column]

    def _all_of(self, name: str, columns: Iterable[str]) -> int:
        bits = 0
        for column in columns:
            bits |= self._of(name, column)
        return bits

    def _named(self, name: str, one: Named) -> frozenset[int]:
        """Return the conditions that a name stands for: of a column, or a single one."""
        found = frozenset(
            number
            for number, condition in enumerate(self.conditions)
            if one in (condition, condition.column)
        ) or frozenset(
            number for number, condition in enumerate(self.conditions) if one == str(condition)
        )
        if not found:
            self._refuse_unknown(name, str(one))
        return found

    def _refuse_unknown(self, name: str, text: str) -> None:
        known = [*self._bit, *map(str, self.conditions)]
        near = difflib.get_close_matches(text, known, n=1)
        raise ParameterError(
            Words(
                Parameter(name),
                f" names {text!r}, which is neither a column nor a condition here.",
            ),
            hint=f"did you mean {near[0]}?" if near else "name columns as the conditions do.",
        )

    def _check_rooms(self, max_rules: int) -> None:
        if self.n_left < 0:
            raise ParameterError(
                Words(
                    Parameter("max_rules"),
                    f" is {max_rules}, but {self.constraints.n_fixed} rules are fixed.",
                ),
                hint=Words("try ", Parameter("max_rules", self.constraints.n_fixed + 2), "."),
            )


def _bits(number: int) -> Iterable[int]:
    while number:
        yield number & -number
        number &= number - 1
