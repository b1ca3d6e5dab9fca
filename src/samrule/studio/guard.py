"""Who may ask: the page of this server, with its token, from this machine, in few bytes.

A server on the loopback can be reached by every page that a browser here shows, so each request
must name this host (a name of somebody else that points here is refused: DNS rebinding), come from
no other origin, and carry the token, which the address has that the terminal printed.
"""

import hmac
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs

from samrule.export.json import strict_json

# Steps and files of edits are far smaller.
MOST_BYTES = 1 << 20

Scope = Mapping[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[Mapping[str, Any]], Awaitable[None]]
App = Callable[[Any, Receive, Send], Awaitable[None]]

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
_HEADERS = [
    (b"content-security-policy", _POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
]


class _RefusedError(Exception):
    """A request that is not answered, and why."""

    def __init__(self, status: HTTPStatus, message: str, hint: str) -> None:
        super().__init__(message)
        self.status = status
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Guard:
    """Refuses requests before the application sees them.

    Parameters
    ----------
    app
        The application (ASGI).
    token
        What whoever asks must know.
    port
        Where the server listens.
    """

    app: App
    token: str
    port: int

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            return  # A web socket: nobody asks for one here.
        given_token = self._token_in_address(scope)
        answer = _with_headers(send, self._cookie() if given_token else None)
        try:
            headers = _headers(scope)
            self._check_origin(headers)
            self._check_token(given_token, headers)
            body = await _body(scope, headers, receive)
        except _RefusedError as refused:
            await _refuse(refused, scope, answer)
            return
        await self.app(scope, _again(body, receive), answer)

    def _check_origin(self, headers: Mapping[str, str]) -> None:
        hosts = {f"{name}:{self.port}" for name in ("127.0.0.1", "localhost")}
        if headers.get("host") not in hosts:
            raise _RefusedError(
                HTTPStatus.FORBIDDEN,
                f"the host is {headers.get('host', '')!r}; expected 127.0.0.1:{self.port}.",
                "open the address that the terminal shows.",
            )
        origin = headers.get("origin")
        if origin is not None and origin not in {f"http://{one}" for one in hosts}:
            raise _RefusedError(
                HTTPStatus.FORBIDDEN,
                f"the request comes from {origin!r}; expected this server's own page.",
                "open the address that the terminal shows.",
            )

    def _check_token(self, given: bool, headers: Mapping[str, str]) -> None:
        if given or any(map(self._is_token, _tokens(headers, self._cookie_name))):
            return
        raise _RefusedError(
            HTTPStatus.UNAUTHORIZED,
            "the token is missing or wrong.",
            "open the address that the terminal shows, with its token.",
        )

    def _token_in_address(self, scope: Scope) -> bool:
        query = parse_qs(scope["query_string"].decode("latin-1"))
        return scope["path"] == "/" and any(map(self._is_token, query.get("token", [])))

    def _is_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(), self.token.encode())

    @property
    def _cookie_name(self) -> str:
        # Cookies do not know ports: two studios must not share one.
        return f"samrule-studio-{self.port}"

    def _cookie(self) -> str:
        return f"{self._cookie_name}={self.token}; Path=/; HttpOnly; SameSite=Strict"


def _headers(scope: Scope) -> dict[str, str]:
    """Return the headers; one that comes twice has no meaning that all agree on."""
    found: dict[str, str] = {}
    for name, value in scope["headers"]:
        key = name.decode("latin-1").lower()
        if key in found and key in ("host", "origin", "content-length", "content-type"):
            raise _RefusedError(
                HTTPStatus.BAD_REQUEST, f"the header {key!r} comes twice.", "send it once."
            )
        found[key] = value.decode("latin-1")
    return found


def _tokens(headers: Mapping[str, str], cookie_name: str) -> list[str]:
    found = []
    scheme, _, given = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        found.append(given.strip())
    try:
        cookies = SimpleCookie(headers.get("cookie", ""))
    except CookieError:
        return found
    if cookie_name in cookies:
        found.append(cookies[cookie_name].value)
    return found


async def _body(scope: Scope, headers: Mapping[str, str], receive: Receive) -> bytes:
    """Return the whole body of a request: JSON that can be written again, or nothing."""
    body = b""
    more = True
    while more:
        message = await receive()
        body += message.get("body", b"")
        more = message["type"] == "http.request" and message.get("more_body", False)
        if len(body) > MOST_BYTES:
            raise _RefusedError(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                f"the request is larger than {MOST_BYTES:,} bytes.",
                "send fewer steps, or a smaller file.",
            )
    if scope["method"] == "POST":
        _check_json(body, headers.get("content-type", ""))
    return body


def _check_json(body: bytes, content_type: str) -> None:
    if content_type.partition(";")[0].strip().lower() != "application/json":
        raise _RefusedError(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
            f"the content type is {content_type!r}; expected application/json.",
            "send JSON.",
        )
    try:
        # Halves of characters can be written as JSON, but not in an answer.
        json.dumps(strict_json(body), ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise _RefusedError(
            HTTPStatus.BAD_REQUEST, f"the request is no JSON: {error}.", "send a JSON object."
        ) from None


def _again(body: bytes, receive: Receive) -> Receive:
    """Return what hands over a body that was read already, then whatever comes next."""
    messages = iter([{"type": "http.request", "body": body, "more_body": False}])

    async def received() -> dict[str, Any]:
        first = next(messages, None)
        return await receive() if first is None else first

    return received


def _with_headers(send: Send, cookie: str | None) -> Send:
    """Return what sends an answer with the headers that every answer has."""

    async def sent(message: Mapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            more = [] if cookie is None else [(b"set-cookie", cookie.encode())]
            message = {**message, "headers": [*message["headers"], *_HEADERS, *more]}
        await send(message)

    return sent


async def _refuse(refused: _RefusedError, scope: Scope, send: Send) -> None:
    error = {"message": str(refused), "hint": refused.hint}
    if scope["path"].startswith("/api/"):
        content_type, text = "application/json", json.dumps({"error": error})
    else:
        content_type = "text/plain; charset=utf-8"
        text = f"samrule studio: {error['message']}\nHint: {error['hint']}\n"
    body = text.encode()
    headers = [
        (b"content-type", content_type.encode()),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": refused.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
