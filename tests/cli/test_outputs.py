"""A command never replaces what it reads, by whatever name the output is given."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Done

COMMANDS = [
    "fit good.csv --target buys -o good.csv",
    "fit good.csv --target buys -o ./folder/../good.csv",
    "fit good.csv --target buys -o linked.csv",
    "fit hard.csv --target buys -o good.csv",
    "fit g*d.csv --target buys -o good.csv",
    "fit file://{here}/good.csv --target buys -o good.csv",
    "fit good.csv --target buys --report good.csv",
    "fit good.parquet --target buys --test good.csv -o good.csv",
    "predict model.json good.csv -o good.csv",
    "predict model.json good.csv -o hard.csv",
    "report model.json -o model.json",
    "report model.json good.csv -o good.csv",
    "export model.json --to json -o model.json",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_an_output_that_is_read_is_refused(
    run: Callable[..., Done], folder: Path, command: str
) -> None:
    Path("linked.csv").symlink_to("good.csv")
    os.link("good.csv", "hard.csv")
    before = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    done = run(*command.format(here=folder).split())
    assert done.code == 1
    assert done.out == ""
    assert "which is read; writing would replace it.\nHint: write to another file." in done.err
    assert {path: path.read_bytes() for path in folder.iterdir() if path.is_file()} == before


def test_one_name_for_two_outputs_is_refused(run: Callable[..., Done]) -> None:
    done = run("fit", "good.csv", "--target", "buys", "-o", "new", "--report", "./new")
    assert done.code == 1
    assert "new is to be written twice" in done.err
    assert not Path("new").exists()
