"""Models as JSON files: nothing but data, the same bytes for the same model, read strictly.

docs/model.schema.json is the published form. A file of another version or with fields that are not
known here is refused: a model must never be half understood.
"""

import json
import math
import os
from collections.abc import Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, Literal, get_args

from samrule.binarizer import Conditions, LeftOut
from samrule.errors import FileError, InputError, SamruleError
from samrule.export.json import (
    checked_fields,
    checked_list,
    condition_from_dict,
    condition_to_dict,
    rule_list_from_dict,
    rule_list_to_dict,
    strict_json,
)
from samrule.learning.fitted import FittedRuleList
from samrule.learning.strategies import Counts
from samrule.learning.task import Settings, Strategy
from samrule.learning.trace import StageResult
from samrule.output import write_whole
from samrule.solver import Status
from samrule.theory import Certificate
from samrule.theory.conjunctions import Column

FORMAT = "samrule-model"
VERSION = 1


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
        content = Path(path).read_bytes()
    except OSError as error:
        raise FileError(
            f"{name} cannot be read: {error.strerror}.", hint="check the path with ls -l."
        ) from None
    return loads(content, name)


def dumps(fitted: FittedRuleList) -> bytes:
    """Return the model as the bytes of its file."""
    text = json.dumps(_model(fitted), indent=1, ensure_ascii=False, allow_nan=False)
    # Half a surrogate pair has no UTF-8; its escape is JSON all the same.
    return (text + "\n").encode("utf-8", "backslashreplace")


def loads(content: bytes, name: str = "the model") -> FittedRuleList:
    """Return the model whose file has these bytes; `name` is what errors call it."""
    try:
        data = strict_json(content)
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"{name} is no model file: {error}.",
            hint="pass a file that FittedRuleList.save or 'samrule fit -o' wrote.",
        ) from None
    _check_format(data, name)
    try:
        return _fitted(data)
    except SamruleError as error:
        raise InputError(f"{name}: {error.message}", hint=error.hint) from None


def _model(fitted: FittedRuleList) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "version": VERSION,
        "target": fitted.target,
        "settings": asdict(fitted.settings),
        "strategy": fitted.strategy,
        "reason": fitted.reason,
        "counts": fitted.counts,
        "rule_list": rule_list_to_dict(fitted.rule_list),
        "certificate": asdict(fitted.certificate),
        "conditions": _conditions_to_dict(fitted.binarizer),
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
            "rule_list",
            "certificate",
            "conditions",
            "trace",
        ),
    )
    trace = checked_list(found["trace"], "trace")
    return FittedRuleList(
        rule_list=rule_list_from_dict(found["rule_list"]),
        certificate=_record(Certificate, found["certificate"], "certificate"),
        trace=tuple(_stage_from_dict(one, f"trace[{i}]") for i, one in enumerate(trace)),
        binarizer=_conditions_from_dict(found["conditions"]),
        settings=_record(Settings, found["settings"], "settings"),
        strategy=_checked(found["strategy"], Strategy, "strategy"),
        reason=_checked(found["reason"], str, "reason"),
        target=_checked(found["target"], str, "target"),
        counts=_checked(found["counts"], Counts, "counts"),
    )


def _check_format(data: object, name: str) -> None:
    written = data.get("format") if isinstance(data, dict) else None
    if written != FORMAT:
        raise InputError(
            f"{name} has the format {written!r}; expected {FORMAT!r}.",
            hint="pass a file that FittedRuleList.save or 'samrule fit -o' wrote.",
        )
    assert isinstance(data, dict)
    version = data.get("version")
    if version != VERSION or isinstance(version, bool):
        raise InputError(
            f"{name} is of version {version!r}; this samrule reads version {VERSION}.",
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
        written = checked_list(column["conditions"], f"{where}.conditions")
        if not written:
            raise InputError(f"{where}.conditions is empty; expected at least one.")
        by_column.append(
            tuple(
                condition_from_dict(condition, f"{where}.conditions[{j}]")
                for j, condition in enumerate(written)
            )
        )
        counts.append(Column(len(written), _checked(column["n_pairs"], int, f"{where}.n_pairs")))
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
    path = checked_list(found["path"], f"{where}.path")
    return StageResult(
        rows=_checked(found["rows"], int, f"{where}.rows"),
        n_rules=_checked(found["n_rules"], int, f"{where}.n_rules"),
        loss=_checked(found["loss"], float, f"{where}.loss"),
        lower_bound=_checked(found["lower_bound"], float, f"{where}.lower_bound"),
        status=Status(_checked(found["status"], _StatusName, f"{where}.status")),
        path=tuple(_checked(one, float, f"{where}.path[{i}]") for i, one in enumerate(path)),
        table_loss=_checked_or_none(found["table_loss"], float, f"{where}.table_loss"),
        validation_rows=_checked(found["validation_rows"], int, f"{where}.validation_rows"),
        validation_errors=_checked_or_none(
            found["validation_errors"], int, f"{where}.validation_errors"
        ),
    )


_StatusName = Literal["optimal", "time_limit", "memory_limit", "interrupted"]


def _record(kind: Any, data: object, where: str) -> Any:
    """Return a dataclass of plain fields, each of its type."""
    kinds: Mapping[str, Any] = {field.name: field.type for field in fields(kind)}
    found = checked_fields(data, where, list(kinds))
    return kind(
        **{name: _checked(found[name], type_, f"{where}.{name}") for name, type_ in kinds.items()}
    )


def _checked(value: object, kind: Any, where: str) -> Any:
    """Return a value of a plain type, or one of a Literal's; a whole number is a fine float."""
    allowed = get_args(kind)
    if allowed:
        if not isinstance(value, str) or value not in allowed:
            raise InputError(f"{where} is {value!r}; expected one of {', '.join(allowed)}.")
        return value
    if kind is float and type(value) in (int, float) and math.isfinite(value):  # type: ignore[arg-type]
        return float(value)  # type: ignore[arg-type]
    if kind is float or type(value) is not kind:
        raise InputError(f"{where} is {value!r}; expected a value of type {kind.__name__}.")
    return value


def _checked_or_none(value: object, kind: Any, where: str) -> Any:
    return None if value is None else _checked(value, kind, where)
