"""The two commands on a machine where something is missing: one sentence, what to install."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import LONGEST

MAKEFILE = Path(__file__).parents[1] / "Makefile"


def make(target: str, tmp_path: Path, python: str | None = None) -> str:
    """Run make with a PATH that has little more than a shell, in an empty project."""
    tools = tmp_path / "bin"
    tools.mkdir()
    for tool in ("make", "sh", "find", "nproc", "touch", "rm"):
        found = shutil.which(tool)
        assert found is not None
        (tools / tool).symlink_to(found)
    if python is not None:
        (tools / "python3").symlink_to(python)
    (tmp_path / "native").mkdir()
    (tmp_path / "CMakeLists.txt").touch()
    (tmp_path / "pyproject.toml").touch()
    done = subprocess.run(
        ["make", "-f", str(MAKEFILE), target],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={"PATH": os.fspath(tools)},
    )
    assert done.returncode != 0
    assert not (tmp_path / ".venv").exists()
    return done.stderr


@pytest.mark.parametrize("target", ["run", "test"])
def test_missing_compiler_is_one_sentence(tmp_path: Path, target: str) -> None:
    first, *_ = make(target, tmp_path, sys.executable).splitlines()
    assert first.startswith("samrule needs a C++20 compiler: install g++ 11 or newer")


def test_missing_python_is_one_sentence(tmp_path: Path) -> None:
    first, *_ = make("lint", tmp_path).splitlines()
    assert first.startswith("samrule needs Python 3.11 or newer: install it")


def test_old_python_is_one_sentence(tmp_path: Path) -> None:
    old = tmp_path / "old_python"
    old.write_text("#!/bin/sh\nexit 1\n")  # As 3.10 answers "are you 3.11 or newer?".
    old.chmod(0o755)
    first, *_ = make("lint", tmp_path, os.fspath(old)).splitlines()
    assert first.startswith("samrule needs Python 3.11 or newer: install it")


def test_files_that_are_begun_first_exist() -> None:
    assert [name for name in LONGEST if not (Path(__file__).parent / name).exists()] == []
