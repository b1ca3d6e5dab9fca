"""A rule list as an ONNX graph: conditions, the first rule that matches, its class and shares.

ONNX knows numbers, texts and truth values, but of what is missing only NaN: a list that asks for
a missing text, or about dates, cannot be written.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from samrule.errors import MissingExtraError, ParameterError
from samrule.export.labels import knows_probabilities, plain_label, rule_probabilities
from samrule.export.sql_dialects import is_unicode
from samrule.rules import ColumnType, Condition, Operator, RuleList
from samrule.rules.meaning import Answer, Question, question_of, set_question

# The first in which texts can be compared, and what onnxruntime 1.18 reads.
_OPSET, _IR_VERSION = 19, 9
_COLUMNS = {
    ColumnType.NUMBER: ("DOUBLE", pa.float64()),
    ColumnType.TEXT: ("STRING", pa.string()),
    ColumnType.BOOLEAN: ("BOOL", pa.bool_()),
}
_LABELS = {bool: "BOOL", int: "INT64", float: "DOUBLE", str: "STRING"}
_COMPARISONS = {
    Operator.EQUAL: "Equal",
    Operator.AT_LEAST: "GreaterOrEqual",
    Operator.LESS: "Less",
}


def rule_list_onnx(rule_list: RuleList, *, rule: bool = False) -> bytes:
    """Return an ONNX model with one input per column, and `label` and `probabilities` out.

    Inputs are called as their columns and hold a value per row: numbers are doubles in which NaN
    is missing, so whole numbers are exact up to 2**53. `probabilities` are those of
    `FittedRuleList.predict_proba`; a list without class counts has none. If asked for, `rule` is
    the number of the rule that decides, from 1.
    """
    try:
        from onnx import TensorProto, checker, helper
    except ImportError:
        raise MissingExtraError(
            "ONNX needs the package onnx, which is not installed.",
            hint="run: pip install 'samrule[onnx]'",
        ) from None
    columns = _columns(rule_list, outputs=("label", "probabilities", "rule")[: 3 if rule else 2])
    graph = _Graph(helper, TensorProto.DataType, columns)
    decided = graph.add("Shape", [graph.inputs[0].name])
    last = helper.make_tensor("", TensorProto.INT64, [1], [rule_list.n_rules])
    decided = graph.add("ConstantOfShape", [decided], value=last)
    for number, listed in reversed(list(enumerate(rule_list.rules))):
        parts = [part for one in listed.conditions for part in one.parts]
        matches = [_condition(graph, one, columns[one.column]) for one in parts]
        matched = matches[0]
        for other in matches[1:]:
            matched = graph.add("And", [matched, other])
        decided = graph.add("Where", [matched, graph.constant("INT64", [number]), decided])
    labels = [plain_label(one.prediction) for one in rule_list]
    graph.output("label", _label_type(labels), labels, decided, [])
    if knows_probabilities(rule_list):
        shares = np.array(rule_probabilities(rule_list))
        graph.output("probabilities", "DOUBLE", shares, decided, [len(rule_list.classes)])
    if rule:
        graph.output("rule", "INT64", np.arange(1, len(labels) + 1), decided, [])
    made = helper.make_graph(
        graph.nodes, "rule list", graph.inputs, graph.outputs, graph.initializers
    )
    opsets = [helper.make_opsetid("", _OPSET)]
    model = helper.make_model(made, opset_imports=opsets, ir_version=_IR_VERSION)
    checker.check_model(model, full_check=True)
    return bytes(model.SerializeToString())


class _Graph:
    """A graph that grows: what is added gets a name longer than any column's, thus of its own."""

    def __init__(self, helper: Any, types: Any, columns: dict[str, ColumnType]) -> None:
        self.helper = helper
        self._types = types
        self.nodes: list[Any] = []
        self.initializers: list[Any] = []
        self.inputs = [
            helper.make_tensor_value_info(name, self.type_of(_COLUMNS[kind][0]), ["rows"])
            for name, kind in columns.items()
        ]
        self.outputs: list[Any] = []
        self._stem = "_" * max(map(len, columns))

    def add(self, operator: str, inputs: Sequence[str], name: str = "", **attributes: Any) -> str:
        """Add a node; return the name of what it gives."""
        name = name or f"{self._stem}{len(self.nodes)}n"
        self.nodes.append(self.helper.make_node(operator, inputs, [name], **attributes))
        return name

    def constant(self, type_: str, values: Any) -> str:
        """Add values; return their name."""
        name = f"{self._stem}{len(self.initializers)}c"
        array = np.asarray(values, dtype=object if type_ == "STRING" else None)
        cells = array.ravel().tolist()
        if type_ == "STRING":
            cells = [cell.encode() for cell in cells]
        made = self.helper.make_tensor(name, self.type_of(type_), array.shape, cells)
        self.initializers.append(made)
        return name

    def output(self, name: str, type_: str, values: Any, places: str, width: list[int]) -> None:
        """Give out a value of these per row."""
        self.add("Gather", [self.constant(type_, values), places], name, axis=0)
        shape = ["rows", *width]
        self.outputs.append(self.helper.make_tensor_value_info(name, self.type_of(type_), shape))

    def type_of(self, name: str) -> int:
        """Return the number of a type of elements."""
        return int(self._types.Value(name))


def _columns(rule_list: RuleList, outputs: Sequence[str]) -> dict[str, ColumnType]:
    kinds: dict[str, set[Any]] = {}
    for condition in (one for rule in rule_list.rules for one in rule.conditions):
        kinds.setdefault(condition.column, set()).add(condition.type)
    found = {column: kind - {None} for column, kind in kinds.items()}
    for column, kind in found.items():
        if len(kind) != 1 or not kind <= set(_COLUMNS):
            shown = " and ".join(sorted(map(str, kind))) or "an unknown type"
            raise ParameterError(
                f"column {column!r} holds {shown}; ONNX takes numbers, texts and truth values.",
                hint="turn dates into numbers before learning, or export SQL or Python.",
            )
        if column in {"", *outputs} or not is_unicode(column):
            raise ParameterError(
                f"column {column!r} cannot be an input; expected a name in Unicode that is no "
                f"output's: {', '.join(outputs)}.",
                hint="rename the column.",
            )
    if not found:
        raise ParameterError(
            "the list asks about no column, so a graph would have no input.",
            hint="there is nothing to run: every row has the same class.",
        )
    return {column: next(iter(kind)) for column, kind in found.items()}


def _condition(graph: _Graph, condition: Condition, kind: ColumnType) -> str:
    """Add a condition; return the name of its truth value per row."""
    type_, arrow_type = _COLUMNS[kind]
    question = _writable(question_of(condition, arrow_type))
    if question.answer is Answer.NEVER:
        return graph.constant("BOOL", [False])
    if question.answer is Answer.PRESENT:
        return _present(graph, condition.column, kind)
    if isinstance(question.value, tuple):
        among = _among(graph, condition.column, graph.constant(type_, [question.value]))
        if question.op is Operator.IN:
            return among
        others = graph.add("Not", [among])
        return graph.add("And", [others, _present(graph, condition.column, kind)])
    if question.answer is Answer.COMPARE:
        value = graph.constant(type_, [question.value])
        return graph.add(_COMPARISONS[question.op], [condition.column, value])
    if kind is not ColumnType.NUMBER:
        raise ParameterError(
            f"condition '{condition}' cannot be asked: in ONNX no {kind} is missing.",
            hint="export SQL or Python instead.",
        )
    return graph.add("IsNaN", [condition.column])


def _writable(question: Question) -> Question:
    """Return the question without texts that no tensor can hold: nothing equals them."""
    if isinstance(question.value, tuple):
        equal = (Question(Answer.COMPARE, Operator.EQUAL, one) for one in question.value)
        return set_question(question.op, map(_writable, equal))
    if isinstance(question.value, str) and not is_unicode(question.value):
        return Question(Answer.NEVER)
    return question


def _present(graph: _Graph, column: str, kind: ColumnType) -> str:
    """Add whether a value is there; of what is missing ONNX knows only NaN."""
    if kind is not ColumnType.NUMBER:
        return graph.constant("BOOL", [True])
    return graph.add("Not", [graph.add("IsNaN", [column])])


def _among(graph: _Graph, column: str, values: str) -> str:
    """Add whether a value is one of several: a row of answers for each, and whether one is yes."""
    beside = graph.add("Unsqueeze", [column, graph.constant("INT64", [1])])
    answers = graph.add("Cast", [graph.add("Equal", [beside, values])], to=graph.type_of("INT32"))
    most = graph.add("ReduceMax", [answers, graph.constant("INT64", [1])], keepdims=0)
    return graph.add("Cast", [most], to=graph.type_of("BOOL"))


def _label_type(labels: Sequence[Any]) -> str:
    kinds = {type(label) for label in labels}
    if len(kinds) == 1 and kinds <= set(_LABELS) and all(map(_fits, labels)):
        return _LABELS[kinds.pop()]
    raise ParameterError(
        f"the list predicts {', '.join(map(repr, labels))}; a tensor of ONNX holds texts, whole "
        "numbers of 64 bits, floats or truth values, of one kind.",
        hint="learn with classes of one kind, such as text.",
    )


def _fits(label: Any) -> bool:
    if isinstance(label, str):
        return is_unicode(label)
    return not isinstance(label, int) or -(2**63) <= label < 2**63
