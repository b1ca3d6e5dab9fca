"""`samrule export`, as a user runs it."""

import sqlite3
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from samrule import RuleList, learn, load
from samrule.cli import main


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "people.json"
    ages = list(range(18, 88))
    people = pa.table({"age\x1b[31m": ages, "buys": ["no" if age < 40 else "yes" for age in ages]})
    learn(people, "buys").save(path)
    return path


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> Any:
    def _run(*arguments: object) -> tuple[Any, str, str]:
        monkeypatch.setattr(sys, "argv", ["samrule", "export", *map(str, arguments)])
        with pytest.raises(SystemExit) as exit_:
            main()
        sys.stdout.flush()
        output = capfdbinary.readouterr()
        return exit_.value.code, output.out.decode(), output.err.decode()

    return _run


def test_sql_runs_as_printed(run: Any, model: Path) -> None:
    code, out, err = run(model, "--to", "sql", "--dialect", "sqlite", "--table", "main.people")
    assert (code, err) == (0, "")
    connection = sqlite3.connect(":memory:")
    connection.execute('CREATE TABLE people ("age\x1b[31m" INTEGER)')
    connection.execute("INSERT INTO people VALUES (39), (40), (NULL)")
    found = [row[-1] for row in connection.execute(out)]
    connection.close()
    assert found[:2] == ["no", "yes"]


@pytest.mark.parametrize(
    ("to", "begins"),
    [
        ("sql", "CASE\n  WHEN "),
        ("python", "def predict(row):\n"),
        ("json", '{\n "classes": ["no"'.replace('["no"', "[")),
        ("markdown", "| | conditions |"),
        ("latex", "\\begin{tabular}"),
    ],
)
def test_every_target_is_printed_or_written(
    run: Any, model: Path, tmp_path: Path, to: str, begins: str
) -> None:
    code, out, err = run(model, "--to", to)
    assert (code, err) == (0, "")
    assert out.startswith(begins)
    assert out.endswith("\n")
    path = tmp_path / "list.txt"
    assert run(model, "--to", to, "-o", path) == (0, "", "")
    assert path.read_bytes().decode() == out
    if to == "json":
        assert RuleList.from_json(out).classes == ("no", "yes")


def test_onnx_is_written_byte_by_byte(run: Any, model: Path, tmp_path: Path) -> None:
    path = tmp_path / "list.onnx"
    assert run(model, "--to", "onnx", "-o", path) == (0, "", "")
    assert path.read_bytes() == load(model).rule_list.to_onnx()
    asked = ("--probabilities", "--rule")
    assert run(model, "--to", "onnx", *asked, "-o", path) == (0, "", "")
    assert path.read_bytes() == load(model).rule_list.to_onnx(rule=True)


def test_sql_gives_probabilities_and_the_rule(run: Any, model: Path) -> None:
    code, out, err = run(model, "--to", "sql", "--probabilities", "--rule")
    assert (code, err) == (0, "")
    for name in ("probability_no", "probability_yes", "rule"):
        assert f'AS "{name}"' in out


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--to", "sql", "--dialect", "oracle"], "ParameterError: --dialect is 'oracle'"),
        (["--to", "python", "--table", "t"], "ParameterError: --dialect and --table"),
        (["--to", "latex", "--rule"], "ParameterError: --probabilities or --rule"),
        (["--to", "sql", "-o", "no/such/folder/x.sql"], "OutputError: no/such/folder/x.sql"),
    ],
)
def test_what_cannot_be_done_is_one_message(
    run: Any, model: Path, arguments: list[str], expected: str
) -> None:
    code, out, err = run(model, *arguments)
    assert (code, out) == (1, "")
    assert err.startswith(expected)
    assert "Traceback" not in err


def test_a_model_that_is_not_there_is_one_message(run: Any, tmp_path: Path) -> None:
    code, out, err = run(tmp_path / "none.json", "--to", "sql")
    assert (code, out) == (1, "")
    assert err.startswith("FileError: ")
