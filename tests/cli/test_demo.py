"""`samrule demo`: finds what it hid, writes a whole table, and says so in plain text."""

import csv
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from samrule.cli import app
from samrule.cli.demo import HIDDEN_LIST, predictions, random_trains, write_csv
from samrule.errors import OutputError


def test_demo_finds_the_hidden_list_with_proof(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["demo", "-o", str(tmp_path / "trains.csv")])
    assert done.exit_code == 0, done.output
    assert "the hidden list, found again" in done.output
    assert "if snow and wind km/h >= 50 then late" in done.output
    assert "optimal: no list of up to 3 rules" in done.output
    assert "\x1b" not in done.output


def test_demo_writes_the_table_it_learned_from(tmp_path: Path) -> None:
    path = tmp_path / "trains.csv"
    CliRunner().invoke(app, ["demo", "-o", str(path), "--rows", "500", "--seed", "3"])
    with path.open(newline="") as file:
        header, *rows = csv.reader(file)
    assert len(rows) == 500
    assert header[-1] == "outcome"
    assert {row[-1] for row in rows} == {"late", "on time"}
    assert list(tmp_path.iterdir()) == [path]


def test_noise_turns_the_stated_share_around() -> None:
    # 20,000 coin flips at 10 %: outside 0.1 +- 0.015 once in 10^12 seeds.
    trains = random_trains(20_000, 0.1, np.random.default_rng(5))
    truth = predictions(HIDDEN_LIST, trains.columns, 20_000)
    assert abs(np.mean(truth != trains.outcome) - 0.1) < 0.015


def test_unwritable_file_leaves_nothing_behind(tmp_path: Path) -> None:
    trains = random_trains(100, 0.1, np.random.default_rng(0))
    with pytest.raises(OutputError, match="No such file or directory"):
        write_csv(tmp_path / "nowhere" / "trains.csv", trains)
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match=r"folder.*Is a directory"):
        write_csv(tmp_path / "folder", trains)
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_errors_are_one_message_without_a_traceback(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from samrule.cli import main; main()", "demo", "-o", "no/such/x"],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("OutputError: cannot write 'no/such/x'")
    assert "Hint: " in done.stderr
    assert "Traceback" not in done.stderr


def test_help_names_the_command() -> None:
    done = CliRunner().invoke(app, ["--help"])
    assert "demo" in done.output
