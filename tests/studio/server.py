"""The studio as a process of its own, and a client that asks it over HTTP."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Server:
    """A studio that runs."""

    process: subprocess.Popen[str]
    port: int
    token: str

    def request(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """Ask anything, with these headers and no others."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, body, dict(headers or {}))
            response = connection.getresponse()
            found = response.read()
            names = {name.lower(): value for name, value in response.getheaders()}
            return Answer(response.status, names, found)
        finally:
            connection.close()

    def ask(self, route: str, **asked: Any) -> Answer:
        """Ask as the page does."""
        headers = {
            "Authorization": f"Bearer {self.token}",
            "Content-Type": "application/json",
            "Origin": f"http://127.0.0.1:{self.port}",
        }
        return self.request("POST", f"/api/{route}", json.dumps(asked).encode(), headers)

    def get(self, route: str, **asked: Any) -> Any:
        """Ask what must be answered."""
        found = self.ask(route, **asked)
        assert found.status == 200, found.body.decode()
        return found.json


@contextmanager
def served(*arguments: object) -> Iterator[Server]:
    """Start a studio from a command line, as people do."""
    command = [sys.executable, "-c", "from samrule.cli import main; main()", "studio"]
    command += [*map(str, arguments), "--no-browser", "--quiet"]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    ) as process:
        try:
            assert process.stdout is not None
            found = None
            while found is None:
                line = process.stdout.readline()
                if not line:
                    assert process.stderr is not None
                    raise AssertionError(process.stderr.read())
                found = re.search(r"http://127\.0\.0\.1:(\d+)/\?token=(\S+)", line)
            yield Server(process, int(found[1]), found[2])
        finally:
            process.kill()


def guests(n_rows: int = 1200, seed: int = 0) -> Any:
    """A table with numbers, text, missing values and three classes."""
    rng = np.random.default_rng(seed)
    age, wait = rng.integers(18, 90, n_rows), rng.integers(0, 60, n_rows)
    city = rng.choice(["Padova", "Roma", "Bari", None], n_rows)
    stays = np.where(wait >= 45, 0, (age < 30) | (wait < 20)) ^ (rng.random(n_rows) < 0.1)
    returns = np.where(stays == 1, "yes", np.where(city == "Bari", "maybe", "no"))
    waited = pa.array(wait.astype(float), mask=rng.random(n_rows) < 0.05)
    return pa.table({"age": age, "wait": waited, "city": city, "returns": returns})


def written(table: Any, folder: Path) -> Path:
    path = folder / "guests.parquet"
    pq.write_table(table, path)
    return path
