"""Answers as JSON, whoever carries them: a server to a page, or a kernel to a notebook."""

from dataclasses import dataclass

from pydantic import ValidationError

from samrule.errors import SamruleError
from samrule.studio.desk import Desk
from samrule.studio.routes import Route
from samrule.studio.views import ErrorAnswer, ErrorText


@dataclass(frozen=True, slots=True)
class Answer:
    """What was asked for as JSON, or what is wrong with the question.

    Parameters
    ----------
    text
        JSON: an answer of the route, or an `ErrorAnswer`.
    is_error
        Whether it is an `ErrorAnswer`.
    """

    text: str
    is_error: bool = False


def answer(desk: Desk, route: Route, body: bytes | str) -> Answer:
    """Return what a route says to a question written as JSON; a route that asks none reads none."""
    try:
        asked = None if route.asked is None else route.asked.model_validate_json(body)
        return Answer(route.answer(desk, asked).model_dump_json())
    except SamruleError as error:
        return refused(str(error.message), error.hint)
    except ValidationError as error:
        return refused(_where(error), "see /api/openapi.json.")


def refused(message: str, hint: str | None = None) -> Answer:
    """Return an answer that says what is wrong, and what to do."""
    found = ErrorAnswer(error=ErrorText(message=message, hint=hint))
    return Answer(found.model_dump_json(), is_error=True)


def _where(error: ValidationError) -> str:
    """Say where a question is not as it should be."""
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(map(str, first["loc"])) or "the request"
    return f"{where}: {first['msg']}."
