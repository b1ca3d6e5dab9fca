"""A rule list as a dataframe, one row per rule."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import pyarrow as pa

from samrule.errors import MissingExtraError, ParameterError
from samrule.export.labels import class_names, plain_label
from samrule.rules import RuleList, conjunction_text


@dataclass(frozen=True, slots=True)
class RuleRow:
    """What tables say of a rule; None where the list does not know what its rules decided.

    Parameters
    ----------
    conditions
        As text; empty for the default.
    prediction
        The predicted class.
    support
        Training rows it decided.
    coverage
        Their share of all.
    probability
        Share of the predicted class among them.
    """

    conditions: str
    prediction: Any
    support: float | None
    coverage: float | None
    probability: float | None


def rule_rows(rule_list: RuleList) -> list[RuleRow]:
    """Return what tables say of each rule, the default last."""
    total = rule_list.support
    return [
        RuleRow(
            conditions=conjunction_text(rule.conditions),
            prediction=plain_label(rule.prediction),
            support=rule.support if rule.class_counts else None,
            coverage=rule.support / total if rule.class_counts and total else None,
            probability=rule.probabilities[rule_list.classes.index(rule.prediction)]
            if rule.class_counts
            else None,
        )
        for rule in rule_list
    ]


def rule_list_frame(rule_list: RuleList, backend: str = "pandas") -> Any:
    """Return the rules as a dataframe of pandas, polars or pyarrow.

    >>> from samrule.rules import Rule
    >>> rule_list_frame(RuleList((), Rule((), "no", (3, 1)), ("no", "yes")), "pyarrow").to_pylist()
    ... # doctest: +NORMALIZE_WHITESPACE
    [{'rule': 1, 'conditions': '', 'prediction': 'no', 'support': 4, 'coverage': 1.0,
      'probability': 0.75, 'count of no': 3, 'count of yes': 1}]
    """
    return frame_of(lambda: _arrow_table(rule_list), backend)


def frame_of(table: Callable[[], Any], backend: str) -> Any:
    """Return an Arrow table, made if the library is there, as a dataframe of it."""
    if backend not in _BACKENDS:
        raise ParameterError(
            f"backend is {backend!r}; expected one of {', '.join(map(repr, _BACKENDS))}.",
            hint="pandas, polars and most others also take a pyarrow table.",
        )
    try:
        library = import_module(backend)
    except ImportError as error:
        raise MissingExtraError(
            f"to_frame was asked for {backend}, which is not installed.",
            hint=f'pip install {backend}, or pass backend="pyarrow".',
        ) from error
    return _BACKENDS[backend](library, table())


def _arrow_table(rule_list: RuleList) -> Any:
    rows = rule_rows(rule_list)
    columns = {
        "rule": pa.array(range(1, len(rows) + 1), pa.int64()),
        "conditions": pa.array([row.conditions for row in rows], pa.string()),
        "prediction": _labels([row.prediction for row in rows]),
        "support": _amounts([row.support for row in rows]),
        "coverage": pa.array([row.coverage for row in rows], pa.float64()),
        "probability": pa.array([row.probability for row in rows], pa.float64()),
    }
    for place, name in enumerate(class_names(rule_list)):
        counts = [rule.class_counts[place] if rule.class_counts else None for rule in rule_list]
        columns[f"count of {name}"] = _amounts(counts)
    return pa.table(columns)


def _amounts(values: list[Any]) -> Any:
    """Return whole numbers as such, unless sums of weights are beyond 64 bits."""
    try:
        return pa.array(values)
    except (OverflowError, pa.ArrowInvalid):
        return pa.array([None if one is None else float(one) for one in values], pa.float64())


def _labels(labels: list[Any]) -> Any:
    try:
        return pa.array(labels)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
        # Classes of several kinds, or beyond Arrow's: as people read them.
        return pa.array([str(label) for label in labels], pa.string())


_BACKENDS: dict[str, Callable[[Any, Any], Any]] = {
    "pandas": lambda _, table: table.to_pandas(),
    "polars": lambda polars, table: polars.from_arrow(table),
    "pyarrow": lambda _, table: table,
}
