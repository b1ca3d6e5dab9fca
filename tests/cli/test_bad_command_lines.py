"""Every mistake we could think of gets one message, one hint, its exit code, and no traceback."""

import os
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Done

FIT = "fit good.csv --target buys --exclude weight --quiet"

# Command lines that are wrong in themselves, and what the message must say.
USAGE_MISTAKES = {
    "fitt good.csv": "No such command 'fitt'",
    "fit": "Missing argument 'TABLE",
    "fit good.csv": "Missing option '--target'",
    "fit good.csv --targt buys": "No such option: --targt .*--target",
    f"{FIT} --max-terms four": "'--max-terms'.*integer",
    f"{FIT} --epsilon": "'--epsilon' requires an argument",
    f"{FIT} --strategy guess": "'guess' is not one of 'auto', 'exact'",
    f"{FIT} --missing-target guess": "'guess' is not one of",
    "predict model.json good.csv": "Missing option '--output'",
    "explain model.json": "Missing option '--row'",
    "sample-size": "Missing option '--conditions'",
    "demo --rows 10": "'--rows'",
}

# Command lines that ask for what cannot be, and what the message and the hint must say.
MISTAKES = [
    # Files to read.
    ("fit nosuch.csv --target buys", "nosuch.csv does not exist", r"ending in \.parquet"),
    ("fit data/*.csv --target buys", r"data/\*.csv does not exist", "path or glob"),
    ("fit folder --target buys", "folder holds no table", r"ending in \.parquet"),
    ("fit nowhere.csv --target buys", "nowhere.csv holds no table", r"ending in \.parquet"),
    ("fit empty.csv --target buys", "empty.csv is empty", "how it was written"),
    ("fit header.csv --target buys", "there are no rows", "filter or the query"),
    ("fit twice.csv --target buys", "more than one column named 'age'", "rename or drop"),
    ("fit ragged.csv --target buys", "3 values in .*line 3", "correct that line"),
    ("fit text.parquet --target buys", "is not a Parquet file", "the ending of what it is"),
    ("fit cut.parquet --target buys", "cut.parquet is not|cut short or damaged", "."),
    ("fit nameless --target buys", "nameless does not say what it is", "rename it"),
    ("fit zipped.csv.gz --target buys", "is not compressed", "remove .gz from its name"),
    ("fit latin.csv --target buys", "latin.csv", "--encoding cp1252"),
    ("fit bad.jsonl --target buys", "bad.jsonl could not be read", "what its name says"),
    ("fit good.csv other.csv --target buys", "differ in their columns", "one header"),
    ("fit good.csv good.parquet --target buys", "of 2 kinds", "one kind at a time"),
    ("fit - good.csv --target buys", "standard input .* is one of 2 tables", "pipe them all"),
    ("fit shop.duckdb --target buys", "holds 2 tables", "--query"),
    ("fit shop.duckdb --query SELEC --target buys", "[Ss]yntax", "runs in DuckDB"),
    ("fit shop.duckdb --query FROM_c --target buys", "could not be read", "runs in DuckDB"),
    (f"{FIT} --query x", "only database files are queried", "--include|include"),
    # Columns.
    ("fit good.csv --target bys", "no column 'bys'", "did you mean 'buys'"),
    (f"{FIT} --exclude Age", "no column 'Age'", "did you mean 'age'"),
    (f"{FIT} --include cty", "no column 'cty'", "did you mean 'city'"),
    (f"{FIT} --include buys", "has no usable columns", "--include and --exclude"),
    ("fit only_target.csv --target buys", "has no usable columns", "--include and --exclude"),
    ("fit one_class.csv --target buys", "holds one class, 'no'", "nothing to learn"),
    ("fit constant.csv --target buys", "no column gives a condition", "columns' types"),
    ("fit null_class.csv --target buys", "missing in 1 of 3", "--missing-target drop"),
    ("fit good.csv --target buys --weights city", "'city' holds string", "convert it"),
    ("fit good.csv --target buys --weights weight", "'weight' has -1", "has weight 0"),
    ("fit good.csv --target buys --weights wait", "no column 'wait'", "did you mean 'weight'"),
    # Numbers.
    (f"{FIT} --epsilon -0.5", r"--epsilon is -0\.5; expected", "try --epsilon 0.1"),
    (f"{FIT} --epsilon nan", "--epsilon is nan; expected", "try --epsilon 0.1"),
    (f"{FIT} --theta inf", "--theta is inf; expected", "try --theta 0.05"),
    (f"{FIT} --delta 1", "--delta is 1.0; expected", "try --delta 0.05"),
    (f"{FIT} --regularization -1", "--regularization is -1.0", "try --regularization 0.0001"),
    (f"{FIT} --max-rules -1", "--max-rules is -1; expected", "try --max-rules 4"),
    (f"{FIT} --max-rules {10**30}", f"--max-rules is {10**30}; expected", "--max-rules 4"),
    (f"{FIT} --max-rules few", "--max-rules is .few.", "--max-rules 4"),
    (f"{FIT} --max-terms -3", "--max-terms is -3; expected", "try --max-terms 1"),
    (f"{FIT} --n-thresholds 0", "--n-thresholds is 0; expected", "12 serves"),
    ("fit wide.csv --target y --max-terms 99", "make about .e.\\d+ ", "--max-terms .*--max-cond"),
    (f"{FIT} --max-conditions some", "--max-conditions is .some.", "--max-conditions none"),
    (f"{FIT} --seed -1", "--seed is -1; expected", "--seed 0"),
    (f"{FIT} --threads 0", "--threads is 0; expected", "try --threads 1"),
    (f"{FIT} --threads {10**30}", f"--threads is {10**30}; expected", "try --threads 1"),
    (f"{FIT} --time-limit -1", "--time-limit is -1.0; expected", "leave --time-limit out"),
    (f"{FIT} --time-limit 0", "--time-limit is 0.0; expected a finite", "leave --time-limit out"),
    (f"{FIT} --time-limit nan", "--time-limit is nan; expected", "leave --time-limit out"),
    ("sample-size --conditions 9 --max-rules 4 --epsilon 9 --theta 0.1", "--epsilon is 9", "."),
    # The test.
    (f"{FIT} --test 0", "share of rows to hold out is 0.0", "0.2 holds out"),
    (f"{FIT} --test 1.5", "share of rows to hold out is 1.5", "0.2 holds out"),
    (f"{FIT} --test nan", "share of rows to hold out is nan", "0.2 holds out"),
    (f"{FIT} --test 1e-12", "both parts need rows", "another share"),
    (f"{FIT} --test nosuch.csv", "nosuch.csv does not exist", "path or glob"),
    (f"{FIT} --test other.csv", "other.csv has no column 'buys'", "the columns are"),
    # Files to write.
    (f"{FIT} -o no/such/model.json", "No such file or directory", "check the folder"),
    (f"{FIT} -o folder", "folder cannot be written: it is a folder", "name a file in it"),
    (f"{FIT} -o good.csv/model.json", "Not a directory", "check the folder"),
    (f"{FIT} -o /dev/full", "No space left on device", "df -h"),
    (f"{FIT} --report no/such/page.html", "No such file or directory", "check the folder"),
    ("predict model.json good.csv -o out.xlsx", "'out.xlsx'; expected a name ending", ".csv"),
    ("predict model.json good.csv -o no/such.csv", "No such file or directory", "folder"),
    ("predict model.json good.csv -o folder", "folder", "."),
    ("predict model.json good.csv -o /dev/full", "No space left on device", "df -h"),
    ("demo --rows 1000 --folder good.csv", "'good.csv' cannot be made", "--folder"),
    # Models.
    ("show nosuch.json", "nosuch.json cannot be read: No such file", "check the path"),
    ("show folder", "folder cannot be read: Is a directory", "check the path"),
    *(
        (f"show {name}", f"{name} is no model file", "samrule fit -o")
        for name in ("good.csv", "good.parquet", "empty.csv", "text.json", "cut.json")
    ),
    ("show list.json", "list.json has the format None", "samrule fit -o"),
    ("show nan.json", "NaN is not JSON", "samrule fit -o"),
    ("show newer.json", "newer.json is of version 99", "upgrade samrule"),
    ("show more.json", "field 'extra', which is unknown", "upgrade"),
    ("show less.json", "no field 'rule_list'", "cut off or edited"),
    ("evaluate model.json other.csv", "other.csv has no column", "the columns are"),
    ("evaluate model.json good.csv --target city", "'Padova', 'Roma'; .*'no', 'yes'", "as the"),
    ("fit good.csv --target buys --objective roc", "--objective is 'roc'", "--objective brier"),
    ("fit good.csv --target buys --objective error=x", "--objective has 'error=x'", "brier=0.5"),
    ("fit good.csv --target buys --cost yes=3", "--cost has 'yes=3'", "bad:good=10"),
    ("fit good.csv --target buys --cost yes:maybe=3", "--cost names 'maybe'", "the table does"),
    ("fit good.csv --target buys --objective f1 --cost a:b=3", "f1 does not depend on --cost", "."),
    ("fit good.csv --target buys --max-rules cvv", "a whole number from 0 to 1,000, or cv", "4"),
    ("fit good.csv --target buys --price-constraints", "without a constraint to price", "forbid"),
    ("fit good.csv --target buys --epsilon none --strategy paper", "must know --epsilon", "progr"),
    ("evaluate model.json good.csv --precision 2", "--precision is 2", "--precision 0.5"),
    ("evaluate model.json good.csv --target agee", "no column 'agee'", "did you mean 'age'"),
    ("evaluate model.json null_class.csv", "null_class.csv has no column|missing in", "."),
    ("predict model.json other.csv -o out.csv", "other.csv has no column", "columns are"),
    ("predict model.json other_types.csv -o out.csv", "age", "."),
    # Rows to explain.
    ("explain model.json --row 40", "'40'; expected a JSON object", "--row age=40"),
    ("explain model.json --row {age:40}", "expected COLUMN=VALUE or a JSON", "--row age=40"),
    ("explain model.json --row age=40 --row city", "'city'; expected COLUMN=VALUE", "--row"),
    ("explain model.json --row age=40 --row age=41", "'age' twice", "leave one"),
    ("explain model.json --row age=40", "no value for 'city'; rule 2", "--row COLUMN=VALUE"),
    ("explain model.json --row age=old --row city=Roma", "'old' for 'age'; expected", "=40"),
    ('explain model.json --row {"age":4,"city":5}', "5 for 'city'; expected a text", "=Padova"),
    ("explain model.json --row agee=40 --row city=Roma", "no column 'agee'", "mean 'age'"),
    ("fit ~nouser.csv --target y", "there is no user 'nouser.csv'", r"write \./~nouser"),
    (f"fit {'x' * 5000}.csv --target y", "File name too long", "ls -l"),
    (f"show {'x' * 5000}.json", "File name too long", "ls -l"),
    ("show /dev/zero", "no model file: it has more than", "samrule fit -o"),
    (f"explain model.json --row {'[' * 100_000}", "maximum recursion depth", "write --row"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "message"), USAGE_MISTAKES.items())
def test_wrong_command_lines_are_explained(
    run: Callable[..., Done], folder: Path, line: str, message: str
) -> None:
    command = line.split(maxsplit=1)[0]
    where = "samrule" if "No such command" in message else f"samrule {command}"
    check_explained(folder, run, line, code=2, message=message, hint=f"see {where} --help")


@pytest.mark.parametrize(
    ("line", "message", "hint"), MISTAKES, ids=[one[:60] for one, *_ in MISTAKES]
)
def test_mistakes_are_explained(
    run: Callable[..., Done], folder: Path, line: str, message: str, hint: str
) -> None:
    check_explained(folder, run, line, code=1, message=message, hint=hint)


def check_explained(
    folder: Path, run: Callable[..., Done], line: str, *, code: int, message: str, hint: str
) -> None:
    before = _files(folder)
    done = run(*line.split())
    assert done.code == code, done
    assert done.out == ""
    first, _, last = done.err.rstrip("\n").rpartition("\nHint: ")
    assert re.search(message, first, re.DOTALL), done.err
    assert re.search(hint, last), done.err
    assert re.match(r"[A-Z]\w+Error: ", first), "a message starts with the kind of error"
    assert "Traceback" not in done.err
    assert _files(folder) == before, "nothing may be left behind"


def test_there_are_many() -> None:
    assert len(USAGE_MISTAKES) + len(MISTAKES) >= 40


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_named(run: Callable[..., Done], folder: Path) -> None:
    (folder / "good.csv").chmod(0)
    done = run(*FIT.split())
    assert done.code == 1
    assert "good.csv cannot be read: Permission denied" in done.err


def test_an_unforeseen_failure_is_called_a_bug(
    run: Callable[..., Done], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("by accident")

    monkeypatch.setattr(sys.modules["samrule.cli.show"], "load_model", fail)
    done = run("show", "model.json")
    assert done.code == 3
    assert "Unexpected ZeroDivisionError: by accident\nHint: this is a bug" in done.err
    monkeypatch.setenv("SAMRULE_TRACEBACK", "1")
    assert "Traceback" in run("show", "model.json").err


def test_no_arguments_show_what_there_is(run: Callable[..., Done]) -> None:
    done = run()
    assert done.code == 2
    assert "Commands" in done.out
    assert "samrule demo" in done.err


def _files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }
