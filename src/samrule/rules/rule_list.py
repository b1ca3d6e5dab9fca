"""Rules that need all their conditions, and lists where the first rule wins.

Nothing here learns or reads data. The objects are immutable and hashable, and they print
the way a person would read them aloud.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from samrule.errors import ParameterError, ParameterTypeError
from samrule.rules.condition import Condition
from samrule.rules.text import conjunction_text, visible


@dataclass(frozen=True, slots=True)
class Rule:
    """A conjunction of conditions and the class it predicts where all of them hold.

    Parameters
    ----------
    conditions
        All must hold; with none the rule always matches, as a list's default does.
    prediction
        The predicted class.
    class_counts
        Training rows this rule decided (it was the first in its list to match them), per
        class, in the order of the list's `classes`. Empty if unknown.
    weighted_counts
        The weight of these rows, per class. Empty if every row counts once.

    Examples
    --------
    >>> rule = Rule((Condition("age", "<", 25), Condition("smoker", "==", True)), "yes", (5, 15))
    >>> print(rule)
    if age < 25 and smoker then yes
    >>> rule.support, rule.probabilities
    (20, (0.25, 0.75))
    """

    conditions: tuple[Condition, ...]
    prediction: Hashable
    class_counts: tuple[float, ...] = ()
    weighted_counts: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "conditions", tuple(self.conditions))
        object.__setattr__(self, "class_counts", tuple(self.class_counts))
        object.__setattr__(self, "weighted_counts", tuple(self.weighted_counts))
        for condition in self.conditions:
            if not isinstance(condition, Condition):
                raise ParameterTypeError(
                    f"a rule was given {condition!r}; expected Condition objects.",
                    hint='write Condition("column", ">=", 3).',
                )

    @property
    def support(self) -> float:
        """Training rows this rule decided."""
        return sum(self.class_counts)

    @property
    def probabilities(self) -> tuple[float, ...]:
        """Share of each class among the rows this rule decided; all equal if it decided none."""
        if self.support == 0:
            return tuple(1 / len(self.class_counts) for _ in self.class_counts)
        return tuple(count / self.support for count in self.class_counts)

    def __str__(self) -> str:
        label = visible(str(self.prediction))
        if not self.conditions:
            return f"always {label}"
        return f"if {conjunction_text(self.conditions)} then {label}"


@dataclass(frozen=True, slots=True)
class RuleList:
    """Rules tried in order; the first that matches decides, else the default does.

    Parameters
    ----------
    rules
        At least one condition each.
    default
        The rule without conditions that decides what no other rule matched.
    classes
        Every class the list may predict, in the order of `Rule.class_counts`.

    Examples
    --------
    >>> young = Rule((Condition("age", "<", 25),), "yes", (5, 15))
    >>> print(RuleList((young,), Rule((), "no", (60, 20)), ("no", "yes")))
    if age < 25 then yes
    else no
    """

    rules: tuple[Rule, ...]
    default: Rule
    classes: tuple[Hashable, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "rules", tuple(self.rules))
        object.__setattr__(self, "classes", tuple(self.classes))
        _check_rule_list(self)

    @property
    def n_rules(self) -> int:
        """Rules before the default."""
        return len(self.rules)

    @property
    def support(self) -> float:
        """All training rows that were counted."""
        return sum(rule.support for rule in self)

    @property
    def error_rate(self) -> float:
        """Share of the training rows that the list misclassifies; 0 if it saw none."""
        return _error_rate(self, [rule.class_counts for rule in self])

    @property
    def weighted_error_rate(self) -> float:
        """Share of the training weight that it misclassifies; `error_rate` if rows count once."""
        return _error_rate(self, [rule.weighted_counts or rule.class_counts for rule in self])

    # Exports look upwards, so each imports its module when called: the one exception to the layers.

    def to_sql(
        self,
        dialect: str = "duckdb",
        table: str | Sequence[str] | None = None,
        *,
        types: Mapping[str, Any] | None = None,
        probabilities: bool = False,
        rule: bool = False,
    ) -> str:
        """Return a CASE expression for use inside SELECT, or with `table` the whole SELECT.

        Parameters
        ----------
        dialect
            duckdb, postgres, spark, bigquery, snowflake, sqlite, mysql or tsql.
        table
            Select every column of this table and the prediction. Dots separate catalog, schema
            and table; a name that holds dots goes into a tuple.
        types
            Arrow types of the columns by name, if you have them: thresholds are then fitted to
            them, so that even 2**53 + 1 on a column of floats compares exactly.
        probabilities, rule
            Give a column ``probability_CLASS`` per class too, and one with the number of the rule
            that decides, from 1.

        Examples
        --------
        >>> young = Rule((Condition("age", "<", 25), Condition("city", "==", "L'Aquila")), "yes")
        >>> print(RuleList((young,), Rule((), "no"), ("no", "yes")).to_sql())
        CASE
          WHEN "age" < 25 AND "city" = 'L''Aquila' THEN 'yes'
          ELSE 'no'
        END
        """
        from samrule.export.sql import rule_list_sql

        return rule_list_sql(
            self, dialect, table=table, types=types, probabilities=probabilities, rule=rule
        )

    def to_python(self, *, probabilities: bool = False, rule: bool = False) -> str:
        """Return the source of a function ``predict(row)`` that needs the standard library alone.

        Parameters
        ----------
        probabilities, rule
            Let it return a dictionary with the prediction, the probability of each class, and the
            number of the rule that decides, from 1.

        >>> source = RuleList((), Rule((), "no"), ("no", "yes")).to_python()
        >>> exec(source)
        >>> predict({"age": 40})
        'no'
        """
        from samrule.export.python import rule_list_python

        return rule_list_python(self, probabilities=probabilities, rule=rule)

    def to_json(self) -> str:
        """Return JSON that `from_json` reads back, every value with its type and last digit."""
        from samrule.export.json import rule_list_json

        return rule_list_json(self)

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Return the list that `to_json` wrote.

        >>> rule_list = RuleList((), Rule((), "no"), ("no", "yes"))
        >>> RuleList.from_json(rule_list.to_json()) == rule_list
        True
        """
        from samrule.export.json import rule_list_from_json

        found = rule_list_from_json(text)
        return cls(found.rules, found.default, found.classes)

    def to_frame(self, backend: str = "pandas") -> Any:
        """Return the rules as a dataframe, one row each, the default last.

        Parameters
        ----------
        backend
            ``"pandas"``, ``"polars"`` or ``"pyarrow"``; the last is always installed.

        Examples
        --------
        >>> young = Rule((Condition("age", "<", 25),), "yes", (5, 15))
        >>> rule_list = RuleList((young,), Rule((), "no", (60, 20)), ("no", "yes"))
        >>> print(rule_list.to_frame().to_string(index=False))
         rule conditions prediction  support  coverage  probability  count of no  count of yes
            1   age < 25        yes       20       0.2         0.75            5            15
            2                    no       80       0.8         0.75           60            20
        """
        from samrule.export.frame import rule_list_frame

        return rule_list_frame(self, backend)

    def to_onnx(self, *, rule: bool = False) -> bytes:
        """Return an ONNX model: a column each in, `label` and `probabilities` out (docs/export.md).

        Numbers, texts and truth values alone; it needs ``pip install 'samrule[onnx]'``.

        Parameters
        ----------
        rule
            Give an output `rule` too: the number of the rule that decides, from 1.
        """
        from samrule.export.onnx import rule_list_onnx

        return rule_list_onnx(self, rule=rule)

    def to_latex(self) -> str:
        r"""Return a LaTeX table of the rules that needs no package.

        >>> young = Rule((Condition("age", "<", 25),), "yes")
        >>> print(RuleList((young,), Rule((), "no"), ("no", "yes")).to_latex())
        \begin{tabular}{lll}
        \textbf{if} & age \textless{} 25 & \textbf{then} yes \\
        \textbf{else} & & no \\
        \end{tabular}
        """
        from samrule.export.latex import rule_list_latex

        return rule_list_latex(self)

    def to_markdown(self) -> str:
        """Return a Markdown table of the rules.

        >>> young = Rule((Condition("age", "<", 25),), "yes", (5, 15))
        >>> print(RuleList((young,), Rule((), "no", (60, 20)), ("no", "yes")).to_markdown())
        | | conditions | prediction | support | coverage | probability |
        | --- | --- | --- | ---: | ---: | ---: |
        | if | age &lt; 25 | yes | 20 | 20.0% | 75.0% |
        | else | | no | 80 | 80.0% | 75.0% |
        """
        from samrule.export.markdown import rule_list_markdown

        return rule_list_markdown(self)

    def _repr_html_(self) -> str:
        from samrule.report import rules_snippet

        return rules_snippet(self)

    def __iter__(self) -> Iterator[Rule]:
        """Yield the rules in order, the default last."""
        yield from self.rules
        yield self.default

    def __str__(self) -> str:
        return "\n".join(self.lines)

    @property
    def lines(self) -> tuple[str, ...]:
        """The rules as people read them, one line each, the default last."""
        lines = [str(rule) for rule in self.rules]
        lines[1:] = [f"else {line}" for line in lines[1:]]
        label = visible(str(self.default.prediction))
        return (*lines, f"else {label}" if lines else str(self.default))


def smoothed(rule: Rule, *, weighted: bool = False) -> tuple[float, ...]:
    """Return the class shares of a rule as if it had decided one more row of each class.

    They are shares of rows, or if asked for, of weight; of whichever is known, if one is not.

    >>> smoothed(Rule((), "no", (8, 0)))
    (0.9, 0.1)
    >>> smoothed(Rule((), "no", (8, 0), weighted_counts=(2, 0)), weighted=True)
    (0.75, 0.25)
    """
    known = rule.class_counts, rule.weighted_counts
    counts = known[weighted] or known[not weighted]
    total = sum(counts) + len(counts)
    return tuple((count + 1) / total for count in counts)


def _error_rate(rule_list: RuleList, counts: Sequence[Sequence[float]]) -> float:
    places = [rule_list.classes.index(rule.prediction) for rule in rule_list]
    right = sum(found[place] for found, place in zip(counts, places, strict=True) if found)
    total = sum(map(sum, counts))
    return (total - right) / total if total else 0.0


def _check_rule_list(rule_list: RuleList) -> None:
    if rule_list.default.conditions:
        raise ParameterError(
            f"the default rule is '{rule_list.default}'; it must have no conditions.",
            hint="append it to the rules and give a default of Rule((), prediction).",
        )
    if len(set(rule_list.classes)) != len(rule_list.classes):
        raise ParameterError(
            f"the classes are {rule_list.classes!r}; expected each once.",
            hint="remove the repeated ones.",
        )
    for rule in rule_list.rules:
        if not rule.conditions:
            raise ParameterError(
                f"a rule of the list is '{rule}'; expected at least one condition.",
                hint="a rule that always matches is the default.",
            )
    for rule in rule_list:
        if rule.prediction not in rule_list.classes:
            raise ParameterError(
                f"a rule predicts {rule.prediction!r}; the classes are {rule_list.classes!r}.",
                hint="add it to the classes.",
            )
        for counts in (rule.class_counts, rule.weighted_counts):
            if counts and len(counts) != len(rule_list.classes):
                raise ParameterError(
                    f"a rule has {len(counts)} class counts; "
                    f"expected {len(rule_list.classes)}, one per class.",
                    hint="count 0 for classes a rule never met.",
                )
