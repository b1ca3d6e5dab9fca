"""Documents tell the truth: every program, session and command in them prints what they show.

Blocks run in order, in one folder and with one set of Python names per document: ``python`` (then
``text`` is what it prints), ``pycon`` (a doctest) and ``console`` (commands after ``$``, then what
they print, on standard error only if they fail). Times may differ. Blocks without a language, such
as ``make run``, are not run.

``python -m tests.test_readme`` writes what is printed now into the documents.
"""

import contextlib
import doctest
import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pyarrow.csv
import pyarrow.parquet
import pytest

from samrule.cli import main

ROOT = Path(__file__).parents[1]
SHORT = [
    "README.md",
    "docs/alternatives.md",
    "docs/arguing.md",
    "docs/cli.md",
    "docs/long-tables.md",
    "docs/solve.md",
    "docs/start.md",
    "docs/tables.md",
    "docs/theory/paired.md",
    "docs/tutorial.md",
]
# Documents that use what the first program of another writes.
FILES_FROM = {"README.md": "docs/start.md"}
LONG = ["docs/fraud.md", "docs/credit.md", "docs/records/newcomer-messy.md"]

_BLOCK = re.compile(r"^```(python|pycon|text|console)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_SECONDS = re.compile(r"\b\d+(\.\d+)? s\b")


@pytest.mark.parametrize(
    "name", [*SHORT, *[pytest.param(one, marks=pytest.mark.slow) for one in LONG]]
)
def test_what_is_shown_is_what_happens(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    make_files(name)
    for shown, found in outputs((ROOT / name).read_text()):
        assert without_times(found) == without_times(shown)


def test_the_readme_shows_python_and_the_command_line() -> None:
    kinds = [kind for kind, _ in _BLOCK.findall((ROOT / "README.md").read_text())]
    assert {"python", "text", "console"} <= set(kinds)


def test_the_makefile_has_what_the_readme_names() -> None:
    makefile = (ROOT / "Makefile").read_text()
    targets = re.findall(r"(?:^|`)make (\w+)", (ROOT / "README.md").read_text(), re.MULTILINE)
    assert {"run", "test"} <= set(targets)
    for target in targets:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_commands_that_the_readme_names_in_passing_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are in ``backticks``; those without arguments are asked for their help.

    So is the studio, which would serve without end: tests/studio starts it.
    """
    monkeypatch.chdir(tmp_path)
    readme = (ROOT / "README.md").read_text()
    make_files("README.md")
    for _ in outputs(readme):  # These make the files that the others use.
        pass
    pyarrow.csv.write_csv(pyarrow.parquet.read_table("guests.parquet"), "new.csv")
    named = set(re.findall(r"`(samrule [^`]+)`", readme))
    assert len(named) >= 7
    for command in named:
        arguments = shlex.split(command)
        runs = len(arguments) > 2 and arguments[1] != "studio"
        done = samrule_run(arguments if runs else [*arguments, "--help"])
        assert done.code == 0, (command, done)


def test_extras_that_the_readme_names_exist() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    named = re.findall(r"pip install 'samrule\[(\w+)\]'", (ROOT / "README.md").read_text())
    assert named
    assert set(named) <= set(project["optional-dependencies"])


def make_files(name: str) -> None:
    """Run the program that writes the files a document uses."""
    if name in FILES_FROM:
        program = re.search(
            r"^```python\n(.*?)^```$",
            (ROOT / FILES_FROM[name]).read_text(),
            re.DOTALL | re.MULTILINE,
        )
        assert program is not None
        program_output(program[1], {"__name__": "__main__"})


def outputs(document: str) -> Iterator[tuple[str, str]]:
    """Run a document's blocks in order; yield what it shows and what was printed."""
    names: dict[str, object] = {"__name__": "__main__"}
    printed = ""
    for kind, block in _BLOCK.findall(document):
        if kind == "python":
            printed = program_output(block, names)
        elif kind == "text":
            yield block, printed
        elif kind == "pycon":
            yield "", session_failures(block, names)
        else:
            for command, shown in commands(block):
                yield shown, command_output(command)


def program_output(program: str, names: dict[str, object]) -> str:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(program, "document", "exec"), names)
    return printed.getvalue()


def session_failures(session: str, names: dict[str, object]) -> str:
    """Return what doctest complains about; nothing if the session is as shown."""
    test = doctest.DocTestParser().get_doctest(session, names, "document", None, None)
    assert test.examples
    complaints: list[str] = []
    doctest.DocTestRunner().run(test, out=complaints.append, clear_globs=False)
    names.update(test.globs)
    return "".join(complaints)


def commands(block: str) -> Iterator[tuple[str, str]]:
    """Yield the commands of a console block, each with the output shown after it."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        found = re.match(r"((?:[^\n]*\\\n)*[^\n]*\n)(.*)", part, re.DOTALL)
        assert found is not None
        yield found[1].strip(), found[2]


def command_output(command: str) -> str:
    """Run samrule in this process, which is quick; what needs a shell gets one."""
    if command.startswith("samrule ") and not re.search(r"[|<>\\]", command):
        done = samrule_run(shlex.split(command))
    else:
        found = subprocess.run(
            ["bash", "-c", f"set -o pipefail; {command}"],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
        )
        done = CliRun(found.returncode, found.stdout, found.stderr)
    return done.out if done.code == 0 else done.out + done.err


def samrule_run(arguments: list[str]) -> "CliRun":
    out, err = io.StringIO(), io.StringIO()
    with (
        pytest.MonkeyPatch.context() as patch,
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        patch.setattr(sys, "argv", arguments)
        with pytest.raises(SystemExit) as exit_:
            main()
    return CliRun(int(exit_.value.code or 0), out.getvalue(), err.getvalue())


class CliRun(NamedTuple):
    """What a command left."""

    code: int
    out: str
    err: str


def without_times(text: str) -> str:
    lines = [line.rstrip() for line in _SECONDS.sub("some s", text).strip("\n").splitlines()]
    return "\n".join(lines)


def refresh(path: Path) -> None:
    """Write into a document what its programs and commands print; sessions are left to people."""
    names: dict[str, object] = {"__name__": "__main__"}
    printed = ""

    def refreshed(block: re.Match[str]) -> str:
        nonlocal printed
        kind, content = block.groups()
        if kind == "text":
            return f"```text\n{tidy(printed)}```"
        if kind == "console":
            shown = [f"$ {one}\n{tidy(command_output(one))}" for one, _ in commands(content)]
            return "```console\n" + "\n".join(shown) + "```"
        if kind == "python":
            printed = program_output(content, names)
        elif complaints := session_failures(content, names):
            sys.stderr.write(complaints)
        return block[0]

    path.write_text(_BLOCK.sub(refreshed, path.read_text()))


def tidy(text: str) -> str:
    return "".join(f"{line.rstrip()}\n" for line in text.rstrip().splitlines())


if __name__ == "__main__":
    for name in [*SHORT, *LONG]:
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            make_files(name)
            refresh(ROOT / name)
