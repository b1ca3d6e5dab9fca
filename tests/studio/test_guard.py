"""Who is refused: without the token, from elsewhere, by another name, with too much."""

import json

import pytest

from tests.studio.server import Server


def as_page(server: Server, **headers: str) -> dict[str, str]:
    known = {
        "Authorization": f"Bearer {server.token}",
        "Content-Type": "application/json",
        "Host": f"127.0.0.1:{server.port}",
    }
    return {**known, **headers}


ASKED = json.dumps({"steps": []}).encode()


def test_a_wrong_or_missing_token_is_refused(server: Server) -> None:
    for given in ({}, {"Authorization": "Bearer wrong"}, {"Cookie": f"token={server.token}"}):
        for path in ("/api/studio", "/", "/api/openapi.json", "/nothing"):
            assert server.request("GET", path, headers=given).status == 401, (given, path)
        headers = {"Content-Type": "application/json", **given}
        found = server.request("POST", "/api/edit", ASKED, headers)
        assert found.status == 401
        assert "token" in found.json["error"]["message"]
    assert server.request("GET", "/?token=wrong").status == 401
    # The token in the address opens the page, and nothing else.
    assert server.request("GET", f"/api/studio?token={server.token}").status == 401


def test_the_address_lets_in_and_a_cookie_keeps_the_door_open(server: Server) -> None:
    found = server.request("GET", f"/?token={server.token}")
    assert found.status == 200
    assert b"<script" in found.body
    cookie = found.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    given = {"Cookie": cookie.partition(";")[0]}
    assert server.request("GET", "/api/studio", headers=given).status == 200
    assert server.request("GET", "/", headers=given).status == 200
    assert "set-cookie" not in server.request("GET", "/", headers=given).headers


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "[::1]:{port}", ""]
)
def test_other_hosts_are_refused(server: Server, host: str) -> None:
    headers = as_page(server, Host=host.format(port=server.port))
    assert server.request("POST", "/api/edit", ASKED, headers).status in (400, 403)
    assert server.request("GET", f"/?token={server.token}", headers=headers).status in (400, 403)


@pytest.mark.parametrize(
    "origin",
    [
        *("http://evil.example", "null", "https://127.0.0.1:{port}", "http://127.0.0.1:1"),
        "http://127.0.0.1:{port}.evil.example",
    ],
)
def test_other_origins_are_refused(server: Server, origin: str) -> None:
    headers = as_page(server, Origin=origin.format(port=server.port))
    found = server.request("POST", "/api/edit", ASKED, headers)
    assert found.status == 403
    assert "access-control-allow-origin" not in found.headers


def test_localhost_is_this_machine_too(server: Server) -> None:
    host = f"localhost:{server.port}"
    headers = as_page(server, Host=host, Origin=f"http://{host}")
    assert server.request("POST", "/api/edit", ASKED, headers).status == 200


def test_too_much_is_refused(server: Server) -> None:
    body = json.dumps({"steps": [], "padding": "x" * (1 << 21)}).encode()
    found = server.request("POST", "/api/edit", body, as_page(server))
    assert found.status == 413
    steps = [{"step": "reoptimize"}] * 2001
    assert server.ask("edit", steps=steps).status == 422


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"{", 400),
        (b"[" * 100_000, 400),
        (b'{"steps": []} x', 400),
        (b'{"steps": [], "steps": []}', 400),
        (b'{"steps": [{"step": "relabel", "number": 1, "value": NaN}]}', 400),
        (b'{"steps": [{"step": "relabel", "number": 1, "value": 1e400}]}', 422),
        (b'{"steps": [{"step": "relabel", "number": 1, "value": "\\ud800"}]}', 400),
        (b"\xff\xfe", 400),
        (b"9" * 5000, 400),
        (b'{"steps": {}}', 422),
        (b"null", 422),
        (b'{"steps": [], "other": 1}', 422),
    ],
)
def test_what_is_no_request_is_refused_in_words(server: Server, body: bytes, status: int) -> None:
    found = server.request("POST", "/api/edit", body, as_page(server))
    assert found.status == status, found.body
    assert set(found.json["error"]) == {"message", "hint"}


def test_other_types_and_methods_are_refused(server: Server) -> None:
    plain = as_page(server, **{"Content-Type": "text/plain"})
    assert server.request("POST", "/api/edit", ASKED, plain).status == 415
    assert server.request("GET", "/api/edit", headers=as_page(server)).status == 405
    assert server.request("PUT", "/api/edit", ASKED, as_page(server)).status == 405
    assert server.request("GET", "/api/nothing", headers=as_page(server)).status == 404
    for path in ("/../pyproject.toml", "/..%2f..%2fserver.py", "/%2e%2e/server.py", "//etc/passwd"):
        assert server.request("GET", path, headers=as_page(server)).status in (400, 404), path


def test_every_answer_says_what_the_page_may_do(server: Server) -> None:
    for found in (
        server.request("GET", "/api/studio"),
        server.request("GET", f"/?token={server.token}"),
        server.ask("edit", steps=[]),
        server.ask("edit", steps={}),
    ):
        policy = found.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert found.headers["x-content-type-options"] == "nosniff"
        assert found.headers["cache-control"] == "no-store"
        assert found.headers["cross-origin-resource-policy"] == "same-origin"
