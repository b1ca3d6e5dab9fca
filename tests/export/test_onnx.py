"""onnxruntime decides every row as `predict` does, with the same probabilities."""

import sys
from datetime import date
from typing import Any

import numpy as np
import onnxruntime
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from samrule import Condition, Rule, RuleList
from samrule.errors import MissingExtraError, ParameterError
from samrule.rules import ColumnType, smoothed
from samrule.rules.meaning import column_type, deciding_rules
from tests.export.made_tables import DAYS, LABELS, MOMENTS, tables

PLAIN_LABELS = [one for one in LABELS if one is not DAYS and one is not MOMENTS]
KINDS = {
    ColumnType.NUMBER: pa.float64(),
    ColumnType.TEXT: pa.string(),
    ColumnType.BOOLEAN: pa.bool_(),
}


@st.composite
def tables_and_lists(draw: st.DrawFn) -> tuple[pa.Table, RuleList]:
    made, conditions = draw(tables(6))
    columns = {field.name: held(made[field.name]) for field in made.schema}
    table = pa.table({name: one for name, one in columns.items() if one is not None})
    asked = [one for one in conditions if can_be_asked(one, table)]
    assume(asked)
    rules = draw(st.lists(st.lists(st.sampled_from(asked), min_size=1, max_size=2), min_size=1))
    n_rules = len(rules) + 1
    predicted = draw(
        st.lists(draw(st.sampled_from(PLAIN_LABELS)), min_size=n_rules, max_size=n_rules)
    )
    classes = tuple(dict.fromkeys(predicted))
    counts = st.tuples(*(st.integers(0, 1000) for _ in classes))
    *listed, default = (
        Rule(tuple(conditions), label, draw(counts))
        for conditions, label in zip([*rules, ()], predicted, strict=True)
    )
    return table, RuleList(tuple(listed), default, classes)


def held(column: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """The column as ONNX can hold it, in which only NaN is missing; None if it cannot."""
    kind = column_type(column.type)
    if kind not in KINDS or pa.types.is_decimal(column.type):
        return None
    if kind != ColumnType.NUMBER:
        return column.fill_null("missing" if kind == ColumnType.TEXT else False)
    cells = column.to_pylist()
    if any(isinstance(one, int) and abs(one) > 2**53 for one in cells):
        return None
    return pa.chunked_array([pa.array(cells, pa.float64()).fill_null(float("nan"))])


def can_be_asked(condition: Condition, table: pa.Table) -> bool:
    outputs = {"label", "probabilities", "rule"}
    if condition.column not in table.column_names or condition.column in outputs:
        return False
    kind = column_type(table[condition.column].type)
    return condition.type == kind and (condition.op != "is missing" or kind == ColumnType.NUMBER)


def answers(rule_list: RuleList, table: pa.Table, **asked: bool) -> list[Any]:
    session = onnxruntime.InferenceSession(rule_list.to_onnx(**asked))
    fed = {one.name: table[one.name].to_numpy() for one in session.get_inputs()}
    return session.run(None, fed)


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(tables_and_lists())
def test_onnxruntime_decides_alike(made: tuple[pa.Table, RuleList]) -> None:
    table, rule_list = made
    decided = deciding_rules(rule_list, table)
    rules = list(rule_list)
    labels, probabilities, numbers = answers(rule_list, table, rule=True)
    assert numbers.tolist() == [number + 1 for number in decided]
    assert labels.tolist() == [rules[number].prediction for number in decided]
    assert np.array_equal(probabilities, [smoothed(rules[number]) for number in decided])


def test_a_column_may_be_called_rule_unless_the_rule_is_asked_for() -> None:
    rules = (Rule((Condition("rule", "<", 2),), "yes"),)
    listed = RuleList(rules, Rule((), "no"), ("no", "yes"))
    (labels,) = answers(listed, pa.table({"rule": [1.0]}))
    assert labels.tolist() == ["yes"]
    with pytest.raises(ParameterError, match="cannot be an input"):
        listed.to_onnx(rule=True)


def test_a_list_without_counts_has_no_probabilities() -> None:
    rules = (Rule((Condition("x", "<", 2),), "yes"),)
    table = pa.table({"x": [1.0, 2.0, float("nan")]})
    (labels,) = answers(RuleList(rules, Rule((), "no"), ("no", "yes")), table)
    assert labels.tolist() == ["yes", "no", "no"]


@pytest.mark.parametrize(
    ("condition", "label", "told"),
    [
        (Condition("day", ">=", date(2021, 3, 1)), "yes", "'day' holds date"),
        (Condition("at", "==", 6, "datetime", "weekday"), "yes", "'at' holds datetime"),
        (Condition("city", "is missing", type="text"), "yes", "no text is missing"),
        (Condition("label", "<", 3), "yes", "cannot be an input"),
        (Condition("", "<", 3), "yes", "cannot be an input"),
        (Condition("x", "<", 3), date(2021, 3, 1), "the list predicts"),
        (Condition("x", "<", 3), 2**63, "the list predicts"),
        (Condition("x", "<", 3), "\ud800", "the list predicts"),
    ],
)
def test_what_onnx_cannot_say_is_an_error(condition: Condition, label: Any, told: str) -> None:
    rules = RuleList((Rule((condition,), label),), Rule((), label), (label,))
    with pytest.raises(ParameterError, match=told):
        rules.to_onnx()


def test_ten_thousand_levels_are_told_apart() -> None:
    levels = [f"level '{number}'" for number in range(10_000)]
    table = pa.table({"level": [*levels[:50], "LEVEL '1'", "level '1' ", ""]})
    rules = tuple(Rule((Condition("level", op, levels[1::2]),), op) for op in ("in", "not in"))
    rule_list = RuleList(rules, Rule((), "else"), ("in", "not in", "else"))
    (labels,) = answers(rule_list, table)
    assert labels.tolist() == [*["not in", "in"] * 25, *["not in"] * 3]


def test_a_list_without_conditions_has_no_graph() -> None:
    with pytest.raises(ParameterError, match="no input"):
        RuleList((), Rule((), "no"), ("no",)).to_onnx()


def test_a_text_that_is_no_unicode_equals_nothing() -> None:
    rules = (Rule((Condition("x", "==", "\ud800"),), 1),)
    (labels,) = answers(RuleList(rules, Rule((), 0), (0, 1)), pa.table({"x": ["a", ""]}))
    assert labels.tolist() == [0, 0]


def test_without_onnx_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(MissingExtraError, match=r"samrule\[onnx\]"):
        RuleList((Rule((Condition("x", "<", 2),), 1),), Rule((), 0), (0, 1)).to_onnx()
