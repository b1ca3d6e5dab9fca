"""The studio as a command: it starts, says where it is, and ends with its terminal."""

import os
import pty
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import samrule
from tests.studio.server import Server, guests, served, written


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(guests(600), tmp_path_factory.mktemp("table"))


MAIN = "from samrule.cli import main; main()"


def run(*arguments: object, program: str = MAIN) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-c", program, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@contextmanager
def searching(table: Path, seconds: float) -> Iterator[tuple[Server, threading.Thread]]:
    """Start a studio and ask it something that takes long; so many seconds later it is at work."""
    many = ("--max-rules", "8", "--max-terms", "2", "--time-limit", "1")
    with served(table, "--target", "returns", *many) as server:
        asked = threading.Thread(target=_ask_in_vain, args=(server,), daemon=True)
        asked.start()
        asked.join(seconds)
        yield server, asked


def _ask_in_vain(server: Server) -> None:
    with suppress(OSError):
        server.ask("alternatives", within=0.5, limit=5000)


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_signals_end_it_with_the_codes_of_all_commands(table: Path, number: int, code: int) -> None:
    with served(table, "--target", "returns") as server:
        assert server.ask("edit", steps=[]).status == 200
        server.process.send_signal(number)
        _, said = server.process.communicate(timeout=60)
        assert server.process.returncode == code
        assert said == "The studio has ended.\n"
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", server.port))


def test_it_ends_while_a_search_runs(table: Path) -> None:
    with searching(table, 1) as (server, _):
        server.process.send_signal(signal.SIGTERM)
        server.process.communicate(timeout=60)
        assert server.process.returncode == 143


def test_it_ends_with_its_terminal(table: Path) -> None:
    leader, follower = pty.openpty()
    take_terminal = "import fcntl, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0)"
    program = f"{take_terminal}; {MAIN}"
    command = [sys.executable, "-c", program, "studio", str(table), "--target", "returns"]
    process = subprocess.Popen(
        [*command, "--no-browser", "--quiet"],
        stdin=follower,
        stdout=follower,
        stderr=follower,
        start_new_session=True,
    )
    os.close(follower)
    printed = b""
    while b"Ctrl-C ends it." not in printed:
        printed += os.read(leader, 1000)
    os.close(leader)  # The terminal is closed.
    assert process.wait(60) == 129


def test_one_search_does_not_hold_up_others(table: Path) -> None:
    with searching(table, 0.5) as (server, asked):
        assert server.ask("metrics", steps=[]).status == 200
        assert asked.is_alive()


def test_a_model_and_its_table(table: Path, tmp_path: Path) -> None:
    model = tmp_path / "model.json"
    done = run("fit", table, "--target", "returns", "--test", "0.2", "-o", model, "--quiet")
    assert done.returncode == 0, done.stderr
    with served(model, table, "--test", "0.2") as server:
        view = server.get("edit", steps=[])
        fitted = samrule.load(model)
        assert view["text"] == str(fitted.rule_list)
        assert view["loss"] == pytest.approx(fitted.certificate.upper_bound)
        assert view["test"]["n_rows"] > 0
    with served(model, table) as server:
        assert server.get("edit", steps=[])["test"] is None
        assert server.ask("groups", steps=[], column="city", rows="test").status == 422
        assert server.get("groups", steps=[], column="city")["rows"] == "learned"


def test_costs_of_two_classes(tmp_path: Path) -> None:
    rows = guests(600)
    yes = pa.array([one == "yes" for one in rows["returns"].to_pylist()])
    path = written(rows.set_column(3, "returns", yes), tmp_path)
    with served(path, "--target", "returns", "--max-rules", "2") as server:
        for ratio in (0.2, 1.0, 7.0):
            found = server.get("costs", steps=[], ratio=ratio)
            best, own = found["best"], found["learned"]
            cost = own["n_false_second"] + ratio * own["n_false_first"]
            n_rows = sum(one["n_rows"] for one in server.get("edit", steps=[])["rules"])
            assert own["cost"] == pytest.approx(cost / n_rows)
            paid = 1e-4 * max(ratio, 1) * (len(best["rules"]) - 2)
            assert best["learned"]["cost"] + paid <= own["cost"] + 1e-12
            step = {"step": "choose", "rules": best["rules"], "default": best["default"]}
            chosen = server.get("edit", steps=[step])
            assert (
                server.get("costs", steps=chosen["steps"], ratio=ratio)["learned"]
                == best["learned"]
            )


def test_what_is_wrong_is_told_before_anything_is_learned(table: Path) -> None:
    done = run("studio", table)
    assert done.returncode == 1
    assert "expected --target for a table, or a model file" in done.stderr
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = run("studio", table, "--target", "returns", "--port", port)
    assert done.returncode == 1
    assert f"port {port} of 127.0.0.1 cannot be used" in done.stderr
    done = run("studio", table, "--target", "returns", "--port", "99999")
    assert done.returncode == 2


def test_without_the_extra_one_message_says_how_to_get_it(table: Path) -> None:
    program = f"import sys; sys.modules['uvicorn'] = None; {MAIN}"
    done = run("studio", table, "--target", "returns", program=program)
    assert done.returncode == 1
    assert done.stderr == (
        "MissingExtraError: the studio needs the package uvicorn, which is not installed.\n"
        "Hint: run: pip install 'samrule[studio]'\n"
    )


def test_hostile_names_and_values_are_only_text(tmp_path: Path) -> None:
    attack, turned = "<img src=x onerror=alert(1)>", "\u202e'; DROP TABLE x; --"
    rows = guests(600)
    rows = rows.rename_columns([attack, "__proto__", turned, "constructor"])
    values = [attack if one == "yes" else turned for one in rows["constructor"].to_pylist()]
    path = written(rows.set_column(3, "constructor", pa.array(values)), tmp_path)
    with served(path, "--target", "constructor", "--max-rules", "2") as server:
        view = server.get("edit", steps=[])
        for column in (attack, "__proto__", turned):
            assert server.get("column", steps=[], column=column, number=1)["n_rows"] > 0
            step = {"step": "forbid", "what": {"column": column}}
            assert server.get("edit", steps=[step, {"step": "reoptimize"}])["obeys"]
        report = server.get("export", steps=view["steps"], to="report")["text"]
        assert attack not in report
        names = [one["name"] for one in _studio(server)["columns"]]
        assert names == [attack, "__proto__", turned]


def _studio(server: Server) -> Any:
    headers = {"Authorization": f"Bearer {server.token}"}
    return server.request("GET", "/api/studio", headers=headers).json
