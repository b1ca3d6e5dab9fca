"""A list as a file to keep: a model, SQL, Python, a report, or the edits themselves."""

from collections.abc import Callable
from dataclasses import dataclass

from samrule.editing import Edit
from samrule.learning.model_file import dumps
from samrule.report import page
from samrule.studio.desk import Desk
from samrule.studio.views import FileView


@dataclass(frozen=True, slots=True)
class _Kind:
    """What a file is called, what kind it is, and who writes it."""

    name: str
    media_type: str
    write: Callable[[Desk, Edit, str], str]


def file_view(desk: Desk, edit: Edit, to: str, dialect: str) -> FileView:
    """Return the file that was asked for."""
    kind = _KINDS[to]
    text = kind.write(desk, edit, dialect)
    return FileView(file_name=kind.name, media_type=kind.media_type, text=text.rstrip("\n") + "\n")


def _report(desk: Desk, edit: Edit, _: str) -> str:
    tested = None if desk.test is None else desk.test.evaluation(edit.rule_list)
    return page(edit.fitted_list(), test=tested, held_out=True)


_KINDS = {
    "model": _Kind(
        "model.json", "application/json", lambda _, edit, __: dumps(edit.fitted_list()).decode()
    ),
    "json": _Kind("rules.json", "application/json", lambda _, edit, __: edit.rule_list.to_json()),
    "sql": _Kind("rules.sql", "application/sql", lambda _, edit, sql: edit.rule_list.to_sql(sql)),
    "python": _Kind("rules.py", "text/x-python", lambda _, edit, __: edit.rule_list.to_python()),
    "markdown": _Kind(
        "rules.md", "text/markdown", lambda _, edit, __: edit.rule_list.to_markdown()
    ),
    "report": _Kind("report.html", "text/html", _report),
    "edits": _Kind("edits.json", "application/json", lambda _, edit, __: edit.to_json()),
}
