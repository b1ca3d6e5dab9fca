"""Models as JSON files: nothing but data, the same bytes for the same model, read strictly.

docs/model.schema.json is the published form. Files of version 1 are read, too. A file of another
version or with fields that are not known here is refused: a model must never be half understood.
"""

import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, fields
from functools import partial
from pathlib import Path
from typing import Any, Literal, get_args

import pyarrow as pa

from samrule.checks import MOST_RULES, PARAMETERS, Strategy, checked
from samrule.conditions import Conditions, LeftOut
from samrule.constraints import NO_CONSTRAINTS, Constraints
from samrule.errors import FileError, InputError, InputTypeError, SamruleError
from samrule.export.json import (
    checked_fields,
    checked_list,
    condition_from_dict,
    condition_to_dict,
    rule_list_from_dict,
    rule_list_to_dict,
    shown,
    strict_json,
)
from samrule.learning.alert_rate import AlertRate
from samrule.learning.constraints_file import constraints_from_dict, constraints_to_dict
from samrule.learning.cross_validation import CrossValidation
from samrule.learning.model import FittedRuleList
from samrule.learning.model_file_v1 import as_version_2
from samrule.learning.outcome import Counts
from samrule.learning.stage import StageResult
from samrule.learning.task import RowsUsed, Settings
from samrule.objective import Objective
from samrule.output import write_whole
from samrule.rules import RuleList, type_of
from samrule.solver import Status
from samrule.theory import Certificate
from samrule.theory.conjunctions import Column

FORMAT = "samrule-model"
VERSION = 2
_READABLE_VERSIONS = (1, VERSION)
# A million conditions fit; a device that never ends does not.
_MOST_BYTES = 1 << 28


def save(fitted: FittedRuleList, path: str | os.PathLike[str]) -> None:
    """Write the model to a file, whole or not at all."""
    write_whole(path, dumps(fitted))


def load(path: str | os.PathLike[str]) -> FittedRuleList:
    """Return the model that `FittedRuleList.save` wrote.

    Nothing in the file is executed. What is not understood is refused, with the place where it
    stands.

    Examples
    --------
    >>> import tempfile, numpy as np
    >>> from samrule import learn
    >>> fitted = learn(np.array([[20], [30], [40], [50]]), ["no", "no", "yes", "yes"])
    >>> path = Path(tempfile.mkdtemp()) / "model.json"
    >>> fitted.save(path)
    >>> load(path) == fitted
    True
    """
    name = os.fspath(path)
    try:
        with Path(path).open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise FileError(
            f"{name} cannot be read: {reason}.", hint="check the path with ls -l."
        ) from None
    if len(content) > _MOST_BYTES:
        raise InputError(
            f"{name} is no model file: it has more than {_MOST_BYTES:,} bytes.",
            hint="pass a file that FittedRuleList.save or 'samrule fit -o' wrote.",
        )
    return loads(content, name)


def dumps(fitted: FittedRuleList) -> bytes:
    """Return the model as the bytes of its file."""
    text = json.dumps(_model(fitted), indent=1, ensure_ascii=False, allow_nan=False)
    try:
        return (text + "\n").encode("utf-8")
    except UnicodeEncodeError as error:
        raise InputTypeError(f"the model {_broken_text(error)}", hint=_BROKEN_TEXT_HINT) from None


def loads(content: bytes, name: str = "the model") -> FittedRuleList:
    """Return the model whose file has these bytes; `name` is what errors call it."""
    try:
        data = strict_json(content)
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"{name} is no model file: {error}.",
            hint="pass a file that FittedRuleList.save or 'samrule fit -o' wrote.",
        ) from None
    _check_text(data, name)
    _check_format(data, name)
    try:
        return _fitted(data if data["version"] == VERSION else as_version_2(data))
    except SamruleError as error:
        raise InputError(f"{name}: {error.message}", hint=error.hint) from None


def _check_text(data: object, name: str) -> None:
    """Raise for half a surrogate pair: JSON can escape it, but no table or screen takes it."""
    try:
        json.dumps(data, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError as error:
        raise InputError(f"{name} {_broken_text(error)}", hint=_BROKEN_TEXT_HINT) from None


def _broken_text(error: UnicodeEncodeError) -> str:
    return f"has the character {error.object[error.start]!r} in a text, which is half a character."


_BROKEN_TEXT_HINT = "was the table read with errors='surrogateescape'? read it with its encoding."


def _model(fitted: FittedRuleList) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "version": VERSION,
        "target": fitted.target,
        "settings": asdict(fitted.settings),
        "strategy": fitted.strategy,
        "reason": fitted.reason,
        "counts": fitted.counts,
        "class_weight": None if fitted.class_weight is None else list(fitted.class_weight),
        "weights": fitted.weights,
        "rows_used": None if fitted.rows_used is None else asdict(fitted.rows_used),
        "objective": asdict(fitted.objective),
        "alerts": None if fitted.alerts is None else asdict(fitted.alerts),
        "cross_validation": _curve_to_dict(fitted.cross_validation),
        "constraints": constraints_to_dict(fitted.constraints) if fitted.constraints else None,
        "rule_list": rule_list_to_dict(fitted.rule_list),
        "certificate": asdict(fitted.certificate),
        "conditions": _conditions_to_dict(fitted.conditions),
        "trace": [_stage_to_dict(stage) for stage in fitted.trace],
    }


def _fitted(data: dict[str, Any]) -> FittedRuleList:
    found = checked_fields(
        data,
        "the model",
        (
            "format",
            "version",
            "target",
            "settings",
            "strategy",
            "reason",
            "counts",
            "class_weight",
            "weights",
            "rows_used",
            "objective",
            "alerts",
            "cross_validation",
            "constraints",
            "rule_list",
            "certificate",
            "conditions",
            "trace",
        ),
    )
    trace = _filled_list(found["trace"], "trace")
    rule_list = _rule_list(found["rule_list"])
    return FittedRuleList(
        rule_list=rule_list,
        certificate=_record(Certificate, found["certificate"], "certificate"),
        trace=tuple(_stage_from_dict(one, f"trace[{i}]") for i, one in enumerate(trace)),
        conditions=_conditions_from_dict(found["conditions"]),
        settings=_settings(found["settings"], rule_list.n_rules),
        strategy=_checked(found["strategy"], Strategy, "strategy"),
        reason=_checked(found["reason"], str, "reason"),
        target=_checked(found["target"], str, "target"),
        counts=_checked(found["counts"], Counts, "counts"),
        class_weight=_class_weight_from_list(found["class_weight"], len(rule_list.classes)),
        weights=_or_none(_text, found["weights"], "weights"),
        rows_used=_or_none(partial(_record, RowsUsed), found["rows_used"], "rows_used"),
        objective=_objective(found["objective"], len(rule_list.classes)),
        alerts=_alerts(found["alerts"], found["objective"], len(rule_list.classes)),
        cross_validation=_or_none(_curve, found["cross_validation"], "cross_validation"),
        constraints=_constraints(found["constraints"]),
    )


def _rule_list(data: object) -> RuleList:
    """Return a rule list whose classes were those of one column, and whose rules saw rows."""
    found = rule_list_from_dict(data)
    try:
        _check_one_column(found.classes)
    except (pa.ArrowException, OverflowError, ValueError, TypeError) as error:
        raise InputError(
            f"rule_list.classes are {shown(found.classes)}; expected values of one column: "
            f"{shown(str(error))}."
        ) from None
    kinds = {type_of(one) for one in found.classes} - {None}
    if len(kinds) > 1:
        raise InputError(
            f"rule_list.classes are {shown(found.classes)}: {' and '.join(sorted(map(str, kinds)))}"
            "; expected values of one kind."
        )
    for number, rule in enumerate(found):
        if not (rule.class_counts or rule.weighted_counts):
            raise InputError(
                f"rule {number + 1} of rule_list has no class_counts; expected one per class."
            )
    return found


def _settings(data: object, n_rules: int) -> Settings:
    """Return settings that a list of so many rules can have been learned with."""
    found: Settings = _record(Settings, data, "settings")
    if found.regularization * n_rules > 1:
        raise InputError(
            f"settings.regularization is {found.regularization!r} with {n_rules} rules; expected "
            "rules that cost 1 at most together: no rule at all is better otherwise."
        )
    return found


def _check_one_column(classes: Sequence[object]) -> None:
    """Raise unless a column could hold the classes; most need no Arrow, which loads pandas."""
    for one in classes:
        if type(one) is str:
            one.encode()
        elif type(one) is int:
            one.to_bytes(8, "big", signed=True)
        else:
            pa.array(classes)
            return


def _objective(data: object, n_classes: int) -> Objective:
    found = checked_fields(data, "objective", ("brier_share", "costs", "positive"))
    share = _share(found["brier_share"], "objective.brier_share")
    if found["positive"] is not None:
        return _f1(found, n_classes)
    if found["costs"] is None:
        return Objective(share)
    rows = checked_list(found["costs"], "objective.costs")
    costs = tuple(
        tuple(
            _share(cost, f"objective.costs[{i}][{j}]")
            for j, cost in enumerate(checked_list(row, f"objective.costs[{i}]"))
        )
        for i, row in enumerate(rows)
    )
    if [len(row) for row in costs] != [n_classes] * n_classes:
        raise InputError(
            f"objective.costs have rows of {[len(row) for row in costs]} costs; expected "
            f"{n_classes} rows of {n_classes}, one per class."
        )
    return Objective(share, costs)


def _f1(found: Mapping[str, Any], n_classes: int) -> Objective:
    place = _count(found["positive"], "objective.positive")
    if n_classes != 2 or place > 1 or found["brier_share"] != 0 or found["costs"] is not None:
        raise InputError(
            f"objective is F1 of class {place} of {n_classes}; expected one of two, and no costs."
        )
    return Objective(positive=place)


def _alerts(data: object, objective: Any, n_classes: int) -> AlertRate | None:
    """Return a rate of alerts on one of two classes, with the costs of its misses."""
    if data is None:
        return None
    found = checked_fields(data, "alerts", ("share", "place"))
    place = _count(found["place"], "alerts.place")
    if n_classes != 2 or place > 1 or objective["costs"] is None:
        raise InputError(
            f"alerts are on class {place} of {n_classes}; expected one of two, with costs."
        )
    return AlertRate(checked("alert_rate", _checked(found["share"], float, "alerts.share")), place)


def _constraints(data: object) -> Constraints:
    return NO_CONSTRAINTS if data is None else constraints_from_dict(data)


def _curve_to_dict(curve: CrossValidation | None) -> dict[str, Any] | None:
    if curve is None:
        return None
    steps = zip(curve.losses, curve.standard_errors, strict=True)
    return {
        "n_rows": curve.n_rows,
        "n_folds": curve.n_folds,
        "curve": [{"loss": loss, "standard_error": error} for loss, error in steps],
    }


def _curve(data: object, where: str) -> CrossValidation:
    found = checked_fields(data, where, ("n_rows", "n_folds", "curve"))
    steps = [
        checked_fields(one, f"{where}.curve[{i}]", ("loss", "standard_error"))
        for i, one in enumerate(_filled_list(found["curve"], f"{where}.curve"))
    ]
    return CrossValidation(
        n_rows=_count(found["n_rows"], f"{where}.n_rows"),
        n_folds=_count(found["n_folds"], f"{where}.n_folds"),
        losses=_curve_part(steps, "loss", where),
        standard_errors=_curve_part(steps, "standard_error", where),
    )


def _curve_part(steps: Sequence[Mapping[str, Any]], name: str, where: str) -> tuple[float, ...]:
    return tuple(_share(one[name], f"{where}.curve[{i}].{name}") for i, one in enumerate(steps))


def _share(value: object, where: str) -> float:
    number: float = _checked(value, float, where)
    if not 0 <= number <= 1:
        raise InputError(f"{where} is {number!r}; expected a number from 0 to 1.")
    return number


def _class_weight_from_list(data: object, n_classes: int) -> tuple[float, ...] | None:
    if data is None:
        return None
    found = checked_list(data, "class_weight")
    if len(found) != n_classes:
        raise InputError(
            f"class_weight has {len(found)} entries; expected {n_classes}, one per class."
        )
    weights = [_checked(one, float, f"class_weight[{i}]") for i, one in enumerate(found)]
    for i, one in enumerate(weights):
        if one <= 0:
            raise InputError(f"class_weight[{i}] is {one!r}; expected a number above 0.")
    return tuple(weights)


def _check_format(data: object, name: str) -> None:
    written = data.get("format") if isinstance(data, dict) else None
    if written != FORMAT:
        raise InputError(
            f"{name} has the format {written!r}; expected {FORMAT!r}.",
            hint="pass a file that FittedRuleList.save or 'samrule fit -o' wrote.",
        )
    assert isinstance(data, dict)
    version = data.get("version")
    if type(version) is not int or version not in _READABLE_VERSIONS:
        known = " and ".join(map(str, _READABLE_VERSIONS))
        raise InputError(
            f"{name} is of version {version!r}; this samrule reads versions {known}.",
            hint="upgrade samrule, or learn the model again.",
        )


def _conditions_to_dict(conditions: Conditions) -> dict[str, Any]:
    return {
        "by_column": [
            {
                "conditions": [condition_to_dict(one) for one in column],
                "n_pairs": count.n_pairs,
            }
            for column, count in zip(conditions.by_column, conditions.counts, strict=True)
        ],
        "left_out": [{"column": one.column, "reason": one.reason} for one in conditions.left_out],
    }


def _conditions_from_dict(data: object) -> Conditions:
    found = checked_fields(data, "conditions", ("by_column", "left_out"))
    by_column, counts = [], []
    for i, one in enumerate(checked_list(found["by_column"], "conditions.by_column")):
        where = f"conditions.by_column[{i}]"
        column = checked_fields(one, where, ("conditions", "n_pairs"))
        written = _filled_list(column["conditions"], f"{where}.conditions")
        by_column.append(
            tuple(
                condition_from_dict(condition, f"{where}.conditions[{j}]")
                for j, condition in enumerate(written)
            )
        )
        counts.append(Column(len(written), _count(column["n_pairs"], f"{where}.n_pairs")))
    left_out = [
        _record(LeftOut, one, f"conditions.left_out[{i}]")
        for i, one in enumerate(checked_list(found["left_out"], "conditions.left_out"))
    ]
    return Conditions(tuple(by_column), tuple(counts), tuple(left_out))


def _stage_to_dict(stage: StageResult) -> dict[str, Any]:
    """Write a stage without its time: no two runs take equally long."""
    written = {**asdict(stage), "status": str(stage.status), "path": list(stage.path)}
    del written["seconds"]
    return written


def _stage_from_dict(data: object, where: str) -> StageResult:
    names = [field.name for field in fields(StageResult) if field.name != "seconds"]
    found = checked_fields(data, where, names)
    path = _filled_list(found["path"], f"{where}.path")
    return StageResult(
        rows=_count(found["rows"], f"{where}.rows"),
        n_rules=_count(found["n_rules"], f"{where}.n_rules"),
        loss=_loss(found["loss"], f"{where}.loss"),
        lower_bound=_loss(found["lower_bound"], f"{where}.lower_bound"),
        status=Status(_checked(found["status"], _StatusName, f"{where}.status")),
        path=tuple(_loss(one, f"{where}.path[{i}]") for i, one in enumerate(path)),
        table_loss=_or_none(_loss, found["table_loss"], f"{where}.table_loss"),
        validation_rows=_count(found["validation_rows"], f"{where}.validation_rows"),
        validation_errors=_or_none(
            _count, found["validation_errors"], f"{where}.validation_errors"
        ),
        validation_loss=_or_none(_share, found["validation_loss"], f"{where}.validation_loss"),
    )


_StatusName = Literal[
    "optimal", "within_tolerance", "time_limit", "work_limit", "memory_limit", "interrupted"
]


def _record(kind: Any, data: object, where: str) -> Any:
    """Return a dataclass of plain fields, each of its type and in its range."""
    kinds: Mapping[str, Any] = {field.name: field.type for field in fields(kind)}
    found = checked_fields(data, where, list(kinds))
    return kind(
        **{name: _field(found[name], type_, f"{where}.{name}") for name, type_ in kinds.items()}
    )


def _field(value: object, kind: Any, where: str) -> Any:
    """Return the value of a dataclass's field, by its type and its name."""
    name = where.rpartition(".")[2]
    if kind is int:
        return _count(value, where)
    if name.endswith("_bound"):
        return _loss(value, where)
    if name in PARAMETERS and kind is float:
        return checked(name, _checked(value, float, where))
    if name in PARAMETERS and kind == float | None:
        return _or_none(lambda one, _: checked(name, _checked(one, float, where)), value, where)
    return _checked(value, kind, where)


def _count(value: object, where: str) -> int:
    """Return a number of rows, rules or pairs: what fits into 64 bits."""
    if type(value) is not int or not 0 <= value < 2**63:
        raise InputError(f"{where} is {shown(value)}; expected a whole number of 0 or more.")
    return value


def _loss(value: object, where: str) -> float:
    """Return a loss: at most every row is wrong, and every rule is paid for."""
    number: float = _checked(value, float, where)
    if not 0 <= number <= 1 + MOST_RULES:
        raise InputError(f"{where} is {number!r}; expected a loss, from 0 to {1 + MOST_RULES:,}.")
    return number


def _text(value: object, where: str) -> str:
    text: str = _checked(value, str, where)
    return text


def _filled_list(data: object, where: str) -> list[Any]:
    found = checked_list(data, where)
    if not found:
        raise InputError(f"{where} is empty; expected at least one entry.")
    return found


def _checked(value: object, kind: Any, where: str) -> Any:
    """Return a value of a plain type, or one of a Literal's; a whole number is a fine float."""
    allowed = get_args(kind)
    if allowed:
        if not isinstance(value, str) or value not in allowed:
            raise InputError(f"{where} is {shown(value)}; expected one of {', '.join(allowed)}.")
        return value
    if kind is float and type(value) in (int, float) and abs(value) <= sys.float_info.max:  # type: ignore[arg-type]
        return float(value)  # type: ignore[arg-type]
    if kind is float or type(value) is not kind:
        raise InputError(f"{where} is {shown(value)}; expected a value of type {kind.__name__}.")
    return value


def _or_none(read: Callable[[object, str], Any], value: object, where: str) -> Any:
    return None if value is None else read(value, where)
