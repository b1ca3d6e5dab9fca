"""`Constraints`: what people ask of a list beside being good, checked in one place.

They speak of columns, conditions and rules, never of rows, so the lists that obey them are known
before any row is looked at (docs/constraints.md). `samrule.solver.feasibility` turns them into what
the search asks of a list; `min_support`, which does look at rows, is a parameter of its own.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, fields, replace
from typing import Any, NoReturn

from samrule.checks import WholeNumber, checked
from samrule.errors import Parameter, ParameterError, ParameterTypeError, Words
from samrule.rules import (
    ColumnType,
    Condition,
    Operator,
    Rule,
    RuleList,
    column_text,
    value_text,
)

# A column by its name, or one condition; a condition may be named by how it reads, too.
Named = str | Condition
Forbidden = Iterable[Named | Sequence[str] | Set[str]] | Named
Required = Iterable[Named] | Named
FixedRules = Iterable[Rule] | Rule
Together = Iterable[Sequence[str] | Set[str]]
# Which way a column speaks: 1 or -1, or its levels from what speaks for the first class on.
Way = int | tuple[str, ...]
Ways = Mapping[str, int | Sequence[str]]

_HOW_OFTEN = WholeNumber(at_least=0, hint="0 is none at all, 1 is one rule.")
# Fewer columns than this are no group.
_PAIR = 2


@dataclass(frozen=True, slots=True)
class Constraints:
    """What a list must obey; `checked_constraints` makes one of what people pass.

    Parameters
    ----------
    forbid
        Columns and conditions that no rule may use.
    apart
        Sets of columns of which a list may use one at most ("not age with sex").
    require
        Columns and conditions of which each must be in some rule.
    at_most
        How many rules may use a column.
    first, last
        Rules that people fixed at the head and at the end of the list. One without a class
        (``prediction=None``) predicts what fits the rows it decides.
    monotone
        Columns whose conditions may speak for one of two classes alone: 1 for the second where
        the column is high and the first where it is low, -1 the other way around. For a column of
        texts its levels in order, those that speak for the first class first.
    max_columns
        How many columns the whole list may use.
    together
        Sets of columns that a list uses all of, or none of.

    Examples
    --------
    >>> asked = checked_constraints(forbid=["zip", ("age", "sex")], at_most={"income": 1})
    >>> print(asked)
    forbid zip; forbid age with sex; at most 1 rule on income
    >>> bool(asked), bool(Constraints())
    (True, False)
    """

    forbid: tuple[Named, ...] = ()
    apart: tuple[tuple[str, ...], ...] = ()
    require: tuple[Named, ...] = ()
    at_most: tuple[tuple[str, int], ...] = ()
    first: tuple[Rule, ...] = ()
    last: tuple[Rule, ...] = ()
    monotone: tuple[tuple[str, Way], ...] = ()
    max_columns: int | None = None
    together: tuple[tuple[str, ...], ...] = ()

    def __bool__(self) -> bool:
        return self != NO_CONSTRAINTS

    @property
    def is_about_candidates(self) -> bool:
        """Whether it only leaves candidates out: every list of the others obeys."""
        return not replace(self, forbid=())

    @property
    def holds_for_parts(self) -> bool:
        """Whether a list that obeys still obeys without some of its rules."""
        return not replace(self, forbid=(), apart=(), at_most=(), max_columns=None)

    @property
    def n_fixed(self) -> int:
        """How many rules people fixed."""
        return len(self.first) + len(self.last)

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that is named, once."""
        named: list[Named] = [*self.forbid, *self.require]
        named += [column for some in (*self.apart, *self.together) for column in some]
        named += [column for column, _ in (*self.at_most, *self.monotone)]
        named += self.fixed_conditions
        plain = (one.column if isinstance(one, Condition) else one for one in named)
        return tuple(dict.fromkeys(plain))

    @property
    def fixed_conditions(self) -> tuple[Condition, ...]:
        """The conditions of the rules that people fixed, each once."""
        rules = (*self.first, *self.last)
        return tuple(dict.fromkeys(one for rule in rules for one in rule.conditions))

    def parameters(self) -> dict[str, Any]:
        """Return them as they are passed.

        >>> asked = checked_constraints(forbid=[("age", "sex")], monotone={"income": 1})
        >>> checked_constraints(**asked.parameters()) == asked
        True
        """
        own = {name: getattr(self, name) for name in constraint_parameters()}
        return {
            **own,
            "forbid": (*self.forbid, *self.apart),
            "at_most": dict(self.at_most),
            "monotone": dict(self.monotone),
        }

    def classes_of(
        self, rules: Sequence[Rule], classes: Sequence[Hashable]
    ) -> list[tuple[bool, ...]]:
        """Return which classes each rule of a list that obeys may predict."""
        fixed: list[Rule | None] = [None] * len(rules)
        fixed[: len(self.first)] = self.first
        fixed[len(rules) - len(self.last) :] = self.last
        ways = dict(self.monotone)
        return [
            tuple(
                (same is None or same.prediction in (None, one))
                and _may_speak_for(rule.conditions, place, ways)
                for place, one in enumerate(classes)
            )
            for rule, same in zip(rules, fixed, strict=True)
        ]

    def obeyed_by(self, rule_list: RuleList) -> bool:
        """Whether a list obeys all of them.

        Examples
        --------
        >>> young = Rule((Condition("age", "<", 25),), "yes")
        >>> rules = RuleList((young,), Rule((), "no"), ("no", "yes"))
        >>> Constraints(forbid=("age",)).obeyed_by(rules)
        False
        >>> Constraints(monotone=(("age", -1),)).obeyed_by(rules)
        True
        """
        rules, n_last = rule_list.rules, len(self.last)
        fixed = [*rules[: len(self.first)], *rules[len(rules) - n_last :]]
        if len(rules) < self.n_fixed or [one.conditions for one in fixed] != [
            one.conditions for one in (*self.first, *self.last)
        ]:
            return False
        of_rule = [{one.column for one in rule.conditions} for rule in rules]
        used = {column for some in of_rule for column in some}
        asked = {one for rule in rules for one in rule.conditions}
        free = {
            one for rule in rules[len(self.first) : len(rules) - n_last] for one in rule.conditions
        }
        said = [rule_list.classes.index(rule.prediction) for rule in rules]
        may = self.classes_of(rules, rule_list.classes)
        return (
            not any(_is_named(one, free) for one in self.forbid)
            and all(_is_named(one, asked) for one in self.require)
            and all(len(used.intersection(some)) <= 1 for some in self.apart)
            and all(sum(column in some for some in of_rule) <= n for column, n in self.at_most)
            and (self.max_columns is None or len(used) <= self.max_columns)
            and all(used.intersection(some) in (set(), set(some)) for some in self.together)
            and all(some[place] for some, place in zip(may, said, strict=True))
        )

    def each(self) -> "Iterator[tuple[str, Constraints]]":
        """Yield every single constraint in words, and what is left without it."""
        for name in ("forbid", "apart", "require", "at_most", "first", "last", "monotone"):
            yield from self._each_of(name)
        if self.max_columns is not None:
            yield _columns_text(self.max_columns), replace(self, max_columns=None)
        yield from self._each_of("together")

    def _each_of(self, name: str) -> "Iterator[tuple[str, Constraints]]":
        entries = getattr(self, name)
        for i, one in enumerate(entries):
            rest: dict[str, Any] = {name: entries[:i] + entries[i + 1 :]}
            yield _TEXTS[name](one), replace(self, **rest)

    def __str__(self) -> str:
        return "; ".join(text for text, _ in self.each()) or "none"


NO_CONSTRAINTS = Constraints()


def checked_constraints(
    *,
    forbid: Forbidden | None = None,
    require: Required | None = None,
    at_most: Mapping[str, int] | None = None,
    first: FixedRules | None = None,
    last: FixedRules | None = None,
    monotone: Ways | None = None,
    max_columns: int | None = None,
    together: Together | None = None,
) -> Constraints:
    """Return the constraints that parameters of these names stand for, if they make sense."""
    entries = list(_entries("forbid", forbid, (str, Condition)))
    apart = [one for one in entries if not isinstance(one, str | Condition)]
    found = Constraints(
        forbid=tuple(_once("forbid", [one for one in entries if one not in apart])),
        apart=tuple(_column_set("forbid", one) for one in apart),
        require=tuple(_once("require", _entries("require", require, (str, Condition)))),
        at_most=tuple(_by_column("at_most", at_most, _how_often)),
        first=tuple(_rules("first", first)),
        last=tuple(_rules("last", last)),
        monotone=tuple(_by_column("monotone", monotone, _way)),
        max_columns=checked("max_columns", max_columns),
        together=tuple(_column_set("together", one) for one in _entries("together", together, ())),
    )
    _check_fixed(found)
    return found


def constraint_parameters() -> tuple[str, ...]:
    """Return the names under which constraints are passed.

    >>> constraint_parameters()
    ('forbid', 'require', 'at_most', 'first', 'last', 'monotone', 'max_columns', 'together')
    """
    return tuple(field.name for field in fields(Constraints) if field.name != "apart")


def _entries(name: str, given: Any, single: tuple[type, ...]) -> Iterator[Any]:
    """Yield what a parameter lists; one of the `single` types may stand for itself."""
    if given is None:
        return
    if single and isinstance(given, single):
        yield given
        return
    if isinstance(given, str | Mapping) or not isinstance(given, Iterable):
        _refuse_type(name, given)
    for one in given:
        is_set = not isinstance(one, str) and isinstance(one, Sequence | Set)
        if not (is_set and name != "require") and not (single and isinstance(one, single)):
            _refuse_type(name, one)
        yield one


_EXPECTED = {
    "forbid": (
        "columns, conditions, and tuples of columns that do not go together",
        ["zip", ("age", "sex")],
    ),
    "require": ("columns and conditions", ["income"]),
    "at_most": ("a number of rules per column", {"income": 1}),
    "monotone": ("1, -1 or levels in order per column", {"income": 1}),
    "together": ("tuples of columns that are used all or not at all", [("height", "weight")]),
}


def _refuse_type(name: str, value: object) -> NoReturn:
    expected, example = _EXPECTED[name]
    raise ParameterTypeError(
        Words(
            Parameter(name),
            f" has {value!r} ({type(value).__name__}); expected {expected}.",
        ),
        hint=Words("write ", Parameter(name, example), "."),
    )


def _once(name: str, entries: Iterable[Any]) -> list[Any]:
    found = list(entries)
    for one in found:
        if found.count(one) > 1:
            raise ParameterError(
                Words(Parameter(name), f" names '{one}' more than once; expected each once."),
                hint="leave the repeated ones out.",
            )
    return found


def _column_set(name: str, given: Any) -> tuple[str, ...]:
    columns = tuple(sorted(given) if isinstance(given, Set) else given)
    if len(set(columns)) != len(columns) or len(columns) < _PAIR:
        raise ParameterError(
            Words(Parameter(name), f" has {columns!r}; expected two different columns or more."),
            hint=Words("write ", Parameter(name, [("age", "sex")]), "."),
        )
    for column in columns:
        if not isinstance(column, str):
            _refuse_type(name, column)
    return columns


def _by_column(name: str, given: Any, check: Any) -> Iterator[tuple[str, Any]]:
    if given is None:
        return
    if not isinstance(given, Mapping) or not all(isinstance(column, str) for column in given):
        _refuse_type(name, given)
    for column, value in given.items():
        yield column, check(value)


def _how_often(value: object) -> int:
    return _HOW_OFTEN.checked("at_most", value)


def _way(value: object) -> Way:
    if isinstance(value, Sequence) and not isinstance(value, str):
        levels = tuple(value)
        if all(isinstance(one, str) for one in levels) and len(set(levels)) == len(levels) > 1:
            return levels
    elif not isinstance(value, bool) and value in (1, -1):
        return 1 if value == 1 else -1
    raise ParameterError(
        Words(
            Parameter("monotone"),
            f" has {value!r}; expected 1 or -1, or different levels of a column in order.",
        ),
        hint=Words(
            Parameter("monotone", {"income": 1}),
            " says that high income speaks for the second class.",
        ),
    )


def _rules(name: str, given: Any) -> Iterator[Rule]:
    if given is None:
        return
    rules = [given] if isinstance(given, Rule) else given
    if isinstance(rules, str | Mapping) or not isinstance(rules, Iterable):
        rules = [rules]
    for rule in rules:
        if not isinstance(rule, Rule):
            raise ParameterTypeError(
                Words(
                    Parameter(name),
                    f" has {rule!r} ({type(rule).__name__}); expected Rule objects.",
                ),
                hint='write Rule((Condition("age", "<", 25),), "no"); None in place of the class '
                "lets the rows choose it.",
            )
        if not rule.conditions:
            raise ParameterError(
                Words(
                    Parameter(name),
                    " has a rule without conditions; expected one at least: the default of the "
                    "list comes by itself.",
                ),
                hint='write Rule((Condition("age", "<", 25),), "no").',
            )
        yield replace(rule, class_counts=(), weighted_counts=())


def _check_fixed(found: Constraints) -> None:
    """Refuse rules about columns that are forbidden."""
    for name in ("first", "last"):
        for rule in getattr(found, name):
            for one in rule.conditions:
                if one.column in found.forbid:
                    raise ParameterError(
                        Words(
                            Parameter(name),
                            f" has the rule '{rule_text(rule)}', but ",
                            Parameter("forbid"),
                            f" names {one.column!r}.",
                        ),
                        hint="take it out of one of both.",
                    )


def _is_named(name: Named, conditions: Set[Condition]) -> bool:
    return any(name in (one, one.column, str(one)) for one in conditions)


def _may_speak_for(conditions: Sequence[Condition], place: int, ways: Mapping[str, Way]) -> bool:
    """Whether all conditions on monotone columns speak for the class at this place of two."""
    sides = [side_of(one, ways[one.column]) for one in conditions if one.column in ways]
    return all(side in (0, 2 * place - 1) for side in sides)


def side_of(condition: Condition, way: Way) -> int | None:
    """Return the class that a condition on a monotone column may speak for.

    1 is the second of two classes, -1 the first and 0 either. None is for what holds in between:
    such a condition would speak for one class here and for the other there.

    >>> large = Condition("size", "in", ["mid", "high"])
    >>> side_of(large, ("low", "mid", "high")), side_of(large, ("high", "mid", "low"))
    (1, -1)
    >>> side_of(large, ("mid", "low", "high")), side_of(Condition("size", "is missing"), 1)
    (None, 0)
    """
    if condition.op == Operator.IS_MISSING:
        return 0
    if condition.unit is not None:
        return None  # Hours, weekdays and months come again and again.
    if isinstance(way, int):
        high = _is_high(condition)
        return None if high is None else high * way
    if condition.type is not ColumnType.TEXT:
        return None
    held = condition.holds(way).tolist()
    if len(set(held)) == 1:
        return 0  # It does not tell the levels apart.
    return {tuple(sorted(held)): 1, tuple(sorted(held, reverse=True)): -1}.get(tuple(held))


def _is_high(condition: Condition) -> int | None:
    """Return 1 if a condition holds for high values, -1 for low ones, None if in between."""
    if condition.op == Operator.AT_LEAST:
        return 1
    if condition.op == Operator.LESS:
        return -1
    if isinstance(condition.value, bool):
        return 1 if condition.value == (condition.op == Operator.EQUAL) else -1
    return None


def rule_text(rule: Rule) -> str:
    """Return a fixed rule as people read it, one that has no class too.

    >>> print(rule_text(Rule((Condition("age", "<", 25),), None)))
    if age < 25
    """
    text = str(rule)
    return text.removesuffix(" then None") if rule.prediction is None else text


def _name(one: Named) -> str:
    return str(one) if isinstance(one, Condition) else column_text(one)


def _names(columns: Iterable[str], word: str) -> str:
    return f" {word} ".join(map(column_text, columns))


def _way_text(way: Way) -> str:
    return f"{way:+d}" if isinstance(way, int) else " < ".join(map(value_text, way))


def _columns_text(n: int) -> str:
    return f"at most {n} column{'' if n == 1 else 's'}"


_TEXTS: Mapping[str, Any] = {
    "forbid": lambda one: f"forbid {_name(one)}",
    "apart": lambda one: f"forbid {_names(one, 'with')}",
    "require": lambda one: f"require {_name(one)}",
    "at_most": lambda one: (
        f"at most {one[1]} rule{'' if one[1] == 1 else 's'} on {column_text(one[0])}"
    ),
    "first": lambda one: f"first {rule_text(one)}",
    "last": lambda one: f"last {rule_text(one)}",
    "monotone": lambda one: f"monotone {column_text(one[0])} ({_way_text(one[1])})",
    "together": lambda one: f"{_names(one, 'and')} together or not at all",
}
