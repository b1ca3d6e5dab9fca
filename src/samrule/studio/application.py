"""The studio as a web application (ASGI): its routes, the page, and errors in words."""

import time
from collections.abc import Awaitable, Callable
from importlib import resources

from pydantic import BaseModel, ValidationError
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount
from starlette.routing import Route as Served
from starlette.staticfiles import StaticFiles

from samrule.errors import SamruleError
from samrule.studio.desk import Desk
from samrule.studio.routes import API, ROUTES, Route, openapi


def application(desk: Desk) -> Starlette:
    """Return the application for a desk; whoever serves it puts `Guard` in front."""
    description = openapi()

    def described(_: Request) -> Response:
        return JSONResponse(description)

    served = [
        Served(one.path, _endpoint(one, desk), methods=["GET" if one.asked is None else "POST"])
        for one in ROUTES
    ]
    served.append(Served("/openapi.json", described, methods=["GET"]))
    page = resources.files("samrule.studio") / "page"
    files = StaticFiles(directory=str(page), html=True, check_dir=False)
    return Starlette(
        routes=[Mount(API, routes=served), Mount("/", files)],
        exception_handlers={SamruleError: _told, ValidationError: _invalid, HTTPException: _other},
    )


def _endpoint(route: Route, desk: Desk) -> Callable[[Request], Awaitable[Response]]:
    """Return who answers a route; in a thread, so that a long search holds up nobody."""

    async def answered(request: Request) -> Response:
        asked: BaseModel | None = None
        if route.asked is not None:
            asked = route.asked.model_validate_json(await request.body())
        return await run_in_threadpool(_answer, route, desk, asked)

    return answered


def _answer(route: Route, desk: Desk, asked: BaseModel | None) -> Response:
    started = time.perf_counter()
    text = route.answer(desk, asked).model_dump_json()
    took = f"work;dur={1000 * (time.perf_counter() - started):.1f}"
    return Response(text, media_type="application/json", headers={"server-timing": took})


def _told(_: Request, error: Exception) -> Response:
    assert isinstance(error, SamruleError)
    return _error(422, str(error.message), error.hint)


def _invalid(_: Request, error: Exception) -> Response:
    """Say where a request is not as it should be."""
    assert isinstance(error, ValidationError)
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(map(str, first["loc"])) or "the request"
    return _error(422, f"{where}: {first['msg']}.", "see /api/openapi.json.")


def _other(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    found = _error(error.status_code, f"{error.detail}.", None)
    found.headers.update(error.headers or {})
    return found


def _error(status: int, message: str, hint: str | None) -> Response:
    return JSONResponse({"error": {"message": message, "hint": hint}}, status)
