"""The studio as a web application (ASGI): its routes, the page, and errors in words."""

import time
from collections.abc import Awaitable, Callable
from importlib import resources

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount
from starlette.routing import Route as Served
from starlette.staticfiles import StaticFiles

from samrule.studio.answers import Answer, answer, refused
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
        exception_handlers={HTTPException: _other},
    )


def _endpoint(route: Route, desk: Desk) -> Callable[[Request], Awaitable[Response]]:
    """Return who answers a route; in a thread, so that a long search holds up nobody."""

    async def answered(request: Request) -> Response:
        return await run_in_threadpool(_timed, route, desk, await request.body())

    return answered


def _timed(route: Route, desk: Desk, body: bytes) -> Response:
    started = time.perf_counter()
    found = answer(desk, route, body)
    took = f"work;dur={1000 * (time.perf_counter() - started):.1f}"
    return _response(found, 422 if found.is_error else 200, {"server-timing": took})


def _other(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return _response(refused(f"{error.detail}."), error.status_code, dict(error.headers or {}))


def _response(found: Answer, status: int, headers: dict[str, str]) -> Response:
    return Response(found.text, status, headers, media_type="application/json")
