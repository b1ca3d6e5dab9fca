"""Standard streams that are closed or full: one message, exit code 1, no traceback."""

import subprocess
import sys
from pathlib import Path

import pytest

COMMANDS = ["show model.json", "show model.json --json", "--help", "--version"]
COMMANDS += ["predict model.json good.csv -o -", "evaluate model.json good.csv"]


def in_shell(folder: Path, line: str) -> subprocess.CompletedProcess[str]:
    program = f"{sys.executable} -m samrule {line}"
    return subprocess.run(
        ["bash", "-c", program], capture_output=True, text=True, check=False, cwd=folder
    )


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("command", COMMANDS)
def test_a_full_standard_output_is_told(folder: Path, command: str) -> None:
    done = in_shell(folder, f"{command} > /dev/full")
    assert done.returncode == 1
    message, hint = done.stderr.splitlines()
    assert message == "OutputError: standard output cannot be written: No space left on device."
    assert hint.startswith("Hint: ")


@pytest.mark.parametrize("command", COMMANDS[:1] + COMMANDS[-2:])
def test_a_closed_standard_output_is_told(folder: Path, command: str) -> None:
    done = in_shell(folder, f"{command} >&-")
    assert done.returncode == 1
    assert done.stderr.splitlines()[0] == "OutputError: standard output is closed."


def test_a_closed_standard_input_is_told(folder: Path) -> None:
    done = in_shell(folder, "fit - --target buys <&-")
    assert done.returncode == 1
    assert done.stderr.startswith("FileError: standard input is closed")


def test_a_closed_standard_error_changes_nothing_but_that_nobody_is_told(folder: Path) -> None:
    assert in_shell(folder, "show none.json 2>&-").returncode == 1
    assert "age" in in_shell(folder, "show model.json 2>&-").stdout


def test_a_name_that_is_not_utf_8_is_told(folder: Path) -> None:
    (folder / "good.csv").rename(folder / "caf\udce9.csv")
    for name in ("$'caf\\xe9.csv'", "'caf*.csv'"):
        done = in_shell(folder, f"fit {name} --target buys")
        assert done.returncode == 1
        assert "is not a name in UTF-8" in done.stderr
