"""How long the studio takes to answer: a hundred random edits of a real table, over HTTP.

Run: python benchmarks/studio.py --data-dir FOLDER [--max-terms 2] [--default] [--tables adult bank]

Starts `samrule studio` as people do, and asks as the page does. Prints the milliseconds that 50,
95 and 100 of 100 answers stay below, on the wall and of the server's processor time (Linux), for
each kind of edit and for what the page asks beside.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import numpy as np

from edited_tables import TARGETS, edit_options
from markdown_tables import markdown

SEED = 0
# Edits that people make one after another before they begin anew.
AT_ONCE = 5


@dataclass
class Studio:
    """A studio that runs, and how long its answers took."""

    process: subprocess.Popen[str]
    connection: HTTPConnection
    token: str
    taken: dict[str, list[tuple[float, float]]] = field(default_factory=dict)

    def ask(self, route: str, kind: str | None = None, **asked: Any) -> Any:
        """Return an answer, and note under its kind how long it took."""
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self.token}"}
        body = json.dumps(asked)
        processor, wall = self._processor_seconds(), time.perf_counter()
        self.connection.request("POST", f"/api/{route}", body, headers)
        response = self.connection.getresponse()
        text = response.read()
        found = time.perf_counter() - wall, self._processor_seconds() - processor
        if kind is not None:
            self.taken.setdefault(kind, []).append(found)
        assert response.status == 200, text.decode()
        return json.loads(text)

    def _processor_seconds(self) -> float:
        stat = Path(f"/proc/{self.process.pid}/stat")
        if not stat.exists():
            return float("nan")
        fields = stat.read_text().rpartition(")")[2].split()
        return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


@contextlib.contextmanager
def started(table: Path, target: str, options: list[str]) -> Iterator[Studio]:
    command = [sys.executable, "-c", "from samrule.cli import main; main()", "studio", str(table)]
    command += ["--target", target, "--no-browser", "--quiet", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            found = None
            while found is None:
                line = process.stdout.readline()
                assert line, "the studio ended before it began"
                found = re.search(r"http://127\.0\.0\.1:(\d+)/\?token=(\S+)", line)
            port, token = found.groups()
            yield Studio(process, HTTPConnection("127.0.0.1", int(port)), token)
        finally:
            process.send_signal(signal.SIGTERM)


def random_edit(studio: Studio, view: Any, columns: list[Any], rng: np.random.Generator) -> Any:
    """Change something as people do, and return what the page shows then."""
    steps, rules = view["steps"], view["rules"][:-1]
    kinds = [
        "forbid",
        "require",
        "insert",
        "pin",
        "replace",
        "move",
        "remove",
        "relabel",
        "reorder",
    ]
    kind = str(rng.choice(kinds if rules else kinds[:3]))
    number = int(rng.integers(1, len(rules) + 1)) if rules else 1
    again = {"step": "reoptimize"}
    column = str(rng.choice([one["name"] for one in columns]))
    more: list[Any]
    if kind in {"forbid", "require"}:
        if any(one["what"].get("column") == column for one in view["said"]):
            return view
        more = [{"step": kind, "what": {"column": column}}, again]
    elif kind == "pin":
        if rules[number - 1]["pinned"]:
            return view
        more = [{"step": "pin", "number": number}, again]
    elif kind == "insert":
        found = studio.ask("insertions", "insertions", steps=steps, number=number)["insertions"]
        conditions = [one["condition"] for one in found[0]["conditions"]]
        more = [{"step": "insert", "number": number, "conditions": conditions}]
    elif kind == "replace":
        asked = {"steps": steps, "number": number}
        found = studio.ask("replacements", "replacements", **asked)["replacements"]
        conditions = [one["condition"] for one in found[int(rng.integers(5))]["conditions"]]
        more = [{"step": "replace", "number": number, "conditions": conditions}]
    elif kind == "move":
        cut = [one for one in rules[number - 1]["conditions"] if one["has_cut"]]
        if not cut:
            return view
        column = cut[0]["condition"]["column"]
        found = studio.ask("column", "column", steps=steps, number=number, column=column)
        value = found["borders"][int(rng.integers(len(found["borders"])))]["value"]
        more = [{"step": "move_threshold", "number": number, "column": column, "value": value}]
    elif kind == "relabel":
        other = studio.ask("metrics", "metrics", steps=steps) and rules[-1]["prediction"]
        more = [{"step": "relabel", "number": number, "value": other}]
    elif kind == "reorder":
        order = (rng.permutation(len(rules)) + 1).tolist()
        more = [{"step": "reorder", "numbers": order}]
    else:
        more = [{"step": "remove", "number": number}]
    return studio.ask("edit", f"edit: {kind}", steps=steps + more)


def measured(
    table: Path, target: str, options: list[str], n_wanted: int
) -> dict[str, list[tuple[float, float]]]:
    rng = np.random.default_rng(SEED)
    with started(table, target, options) as studio:
        studio.connection.request(
            "GET", "/api/studio", headers={"Authorization": f"Bearer {studio.token}"}
        )
        columns = json.loads(studio.connection.getresponse().read())["columns"]
        view = start = studio.ask("edit", steps=[])
        n_edits = 0
        while n_edits < n_wanted:
            before = _n_edits(studio.taken)
            try:
                view = random_edit(studio, view, columns, rng)
            except AssertionError as error:
                # Two that cannot both be: required and forbidden, or more pins than rules.
                print(f"refused: {str(error)[:150]}", file=sys.stderr)
                view = start
            n_edits = _n_edits(studio.taken)
            if n_edits > before and n_edits % AT_ONCE == 0:
                view = start
        studio.ask("alternatives", "alternatives within 2 %")
        studio.ask("curve", "curve")
        for ratio in (0.5, 2.0, 10.0):
            studio.ask("costs", "costs", steps=[], ratio=ratio)
        return studio.taken


def _n_edits(taken: dict[str, list[tuple[float, float]]]) -> int:
    return sum(len(some) for kind, some in taken.items() if kind.startswith("edit"))


def main() -> None:
    parser = edit_options(__doc__.splitlines()[0])
    parser.add_argument("--edits", type=int, default=100)
    parser.add_argument("--default", action="store_true", help="the conditions of default calls")
    given = parser.parse_args()
    rows: list[list[Any]] = [
        ["table", "asked", "times", "50 of 100", "95", "100", "CPU 50", "CPU 95", "CPU 100"]
    ]
    for name in given.tables:
        test = given.data_dir / f"{name}_test.parquet"
        options = ["--max-rules", str(given.max_rules), "--max-terms", str(given.max_terms)]
        plain = ["--no-sets", "--no-intervals", "--max-conditions", "none"]
        options += [] if given.default else plain
        options += ["--test", str(test) if test.exists() else "none"]
        taken = measured(given.data_dir / f"{name}.parquet", TARGETS[name], options, given.edits)
        edits = [one for kind, some in taken.items() if kind.startswith("edit") for one in some]
        for kind, some in {"all edits": edits, **dict(sorted(taken.items()))}.items():
            wall, processor = 1000 * np.array(some).T
            shown = [np.quantile(one, [0.5, 0.95, 1]) for one in (wall, processor)]
            rows.append([name, kind, len(some), *(f"{one:.0f}" for one in np.concatenate(shown))])
    print(markdown(rows))


if __name__ == "__main__":
    main()
