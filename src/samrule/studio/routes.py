"""What can be asked of the studio: each route turns steps into a list, and the list into an answer.

`openapi` describes them all from the types of their requests and answers.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from samrule import __version__
from samrule.editing.steps import read_steps, step_to_dict
from samrule.errors import InputError, SamruleError
from samrule.studio import questions, views
from samrule.studio.cards import edit_view
from samrule.studio.column import column_view
from samrule.studio.desk import Desk
from samrule.studio.files import file_view
from samrule.studio.judging import compare_view, costs_view, groups_view, metrics_view
from samrule.studio.lists import alternatives_view, candidates, curve_view, without_view
from samrule.studio.rows import explanation_view, rows_view

# Where all routes are.
API = "/api"
# What else is answered, in the form of `ErrorAnswer`.
_ERRORS = {
    400: "no JSON",
    401: "the token is missing or wrong",
    403: "another host or origin",
    405: "another method",
    413: "too large",
    415: "another content type",
    422: "values that cannot be used",
}


@dataclass(frozen=True, slots=True)
class Route:
    """A question, its answer, and who knows it.

    Parameters
    ----------
    path
        Where to ask, below `API`.
    asked, answered
        The types of the request and of the answer; the request of a GET is None.
    answer
        Takes the desk and the request.
    """

    path: str
    asked: type[questions.Request] | None
    answered: type[BaseModel]
    answer: Callable[[Desk, Any], BaseModel]


def _studio(desk: Desk, _: None) -> views.StudioView:
    """Return what never changes."""
    return desk.view


def _edit(desk: Desk, asked: questions.Steps) -> views.EditView:
    """Return the list that steps make."""
    return edit_view(desk, desk.edit(asked.steps))


def _load(desk: Desk, asked: questions.Load) -> views.EditView:
    """Return the list that a file of edits makes."""
    try:
        steps = read_steps(asked.text)
    except SamruleError:
        raise
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"the file is no JSON: {error}.", hint="give a file that the studio exported."
        ) from None
    return edit_view(desk, desk.edit([step_to_dict(step) for step in steps]))


def _replacements(desk: Desk, asked: questions.Replacements) -> views.ReplacementsView:
    """Return rules that could stand in a rule's place."""
    found = desk.edit(asked.steps).replacements(asked.number, asked.limit)
    return views.ReplacementsView(replacements=candidates(found))


def _insertions(desk: Desk, asked: questions.Insertions) -> views.InsertionsView:
    """Return rules that could be inserted."""
    edit = desk.edit(asked.steps)
    found = edit.insertions(asked.number, asked.limit, asked.contains)
    return views.InsertionsView(insertions=candidates(found))


def _additions(desk: Desk, asked: questions.Additions) -> views.AdditionsView:
    """Return a rule with conditions that could be added."""
    found = desk.edit(asked.steps).additions(asked.number, asked.limit, asked.contains)
    return views.AdditionsView(additions=candidates(found))


def _column(desk: Desk, asked: questions.ColumnOf) -> views.ColumnView:
    """Return a column's histogram by class."""
    return column_view(desk.edit(asked.steps), asked.column, asked.number)


def _alternatives(desk: Desk, asked: questions.AlternativesWithin) -> views.AlternativesView:
    """Return all lists nearly as good as the best one."""
    return alternatives_view(desk, asked.within, asked.limit, asked.seconds)


def _without(desk: Desk, asked: questions.WithoutColumn) -> views.WithoutView:
    """Return the best list without a column."""
    return without_view(desk, asked.column)


def _curve(desk: Desk, _: questions.Nothing) -> views.CurveView:
    """Return the best lists of 0, 1, 2, ... rules."""
    return curve_view(desk)


def _metrics(desk: Desk, asked: questions.Steps) -> views.MetricsView:
    """Return figures of merit."""
    return metrics_view(desk, desk.edit(asked.steps))


def _costs(desk: Desk, asked: questions.CostRatio) -> views.CostsView:
    """Return what the list costs at a ratio of costs, beside the best one there."""
    return costs_view(desk, desk.edit(asked.steps), asked.ratio)


def _groups(desk: Desk, asked: questions.GroupsOf) -> views.GroupsView:
    """Return how the list treats the groups of a column."""
    return groups_view(desk, desk.edit(asked.steps), asked.column, asked.rows)


def _compare(desk: Desk, asked: questions.CompareWith) -> views.CompareView:
    """Return where the list differs from another one."""
    return compare_view(desk, desk.edit(asked.steps), desk.edit(asked.other))


def _rows(desk: Desk, asked: questions.RowsLike) -> views.RowsView:
    """Return rows to look at."""
    return rows_view(desk, desk.edit(asked.steps), asked)


def _explain(desk: Desk, asked: questions.Explain) -> views.ExplanationView:
    """Return why a row is predicted as it is."""
    return explanation_view(desk, desk.edit(asked.steps), asked)


def _confirm(desk: Desk, asked: questions.Steps) -> views.ConfirmView:
    """Count the list on every row of the table."""
    found = desk.edit(asked.steps).confirm()
    sentence = f"Wrong on {found.error_rate:.4%} of all {found.n_rows:,} rows of the table."
    return views.ConfirmView(n_rows=found.n_rows, error_rate=found.error_rate, sentence=sentence)


def _export(desk: Desk, asked: questions.Export) -> views.FileView:
    """Return the list in other words."""
    return file_view(desk, desk.edit(asked.steps), asked.to, asked.dialect)


ROUTES = (
    Route("/studio", None, views.StudioView, _studio),
    Route("/edit", questions.Steps, views.EditView, _edit),
    Route("/load", questions.Load, views.EditView, _load),
    Route("/replacements", questions.Replacements, views.ReplacementsView, _replacements),
    Route("/insertions", questions.Insertions, views.InsertionsView, _insertions),
    Route("/additions", questions.Additions, views.AdditionsView, _additions),
    Route("/column", questions.ColumnOf, views.ColumnView, _column),
    Route("/alternatives", questions.AlternativesWithin, views.AlternativesView, _alternatives),
    Route("/without", questions.WithoutColumn, views.WithoutView, _without),
    Route("/curve", questions.Nothing, views.CurveView, _curve),
    Route("/metrics", questions.Steps, views.MetricsView, _metrics),
    Route("/costs", questions.CostRatio, views.CostsView, _costs),
    Route("/groups", questions.GroupsOf, views.GroupsView, _groups),
    Route("/compare", questions.CompareWith, views.CompareView, _compare),
    Route("/rows", questions.RowsLike, views.RowsView, _rows),
    Route("/explain", questions.Explain, views.ExplanationView, _explain),
    Route("/confirm", questions.Steps, views.ConfirmView, _confirm),
    Route("/export", questions.Export, views.FileView, _export),
)


def openapi() -> dict[str, Any]:
    """Return the description of all routes (OpenAPI)."""
    asked: list[Any] = [(route.asked, "validation") for route in ROUTES if route.asked is not None]
    answered: list[Any] = [(route.answered, "serialization") for route in ROUTES]
    refs, schemas = models_json_schema(
        list(dict.fromkeys([*asked, *answered, (views.ErrorAnswer, "serialization")])),
        ref_template="#/components/schemas/{model}",
    )

    def content(model: type[BaseModel], mode: Any) -> dict[str, Any]:
        return {"application/json": {"schema": refs[model, mode]}}

    errors = {
        str(status): {"description": text, "content": content(views.ErrorAnswer, "serialization")}
        for status, text in _ERRORS.items()
    }
    paths: dict[str, Any] = {}
    for route in ROUTES:
        answer = {"description": "OK", "content": content(route.answered, "serialization")}
        operation: dict[str, Any] = {
            "operationId": route.path.removeprefix("/"),
            "summary": route.answer.__doc__,
            "responses": {"200": answer, **errors},
        }
        if route.asked is not None:
            body = {"required": True, "content": content(route.asked, "validation")}
            operation["requestBody"] = body
        paths[API + route.path] = {"get" if route.asked is None else "post": operation}
    return {
        "openapi": "3.1.0",
        "info": {"title": "samrule studio", "version": __version__},
        "paths": paths,
        "components": {
            "schemas": schemas["$defs"],
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"token": []}],
    }
