"""Every mistake we could think of gets one message, one hint, its exit code, and no traceback."""

import os
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Done

FIT = "fit good.csv --target buys --exclude weight --quiet"

# A command line, the exit code, and what the message and the hint must say.
MISTAKES = [
    # The command line itself.
    ("fitt good.csv", 2, "No such command 'fitt'", "samrule --help"),
    ("fit", 2, "Missing argument 'TABLE", "samrule fit --help"),
    ("fit good.csv", 2, "Missing option '--target'", "samrule fit --help"),
    ("fit good.csv --targt buys", 2, "No such option: --targt .*--target", "samrule fit --help"),
    (f"{FIT} --max-rules four", 2, "'--max-rules'.*integer", "samrule fit --help"),
    (f"{FIT} --epsilon", 2, "'--epsilon' requires an argument", "samrule fit --help"),
    (f"{FIT} --strategy guess", 2, "'guess' is not one of 'auto', 'exact'", "samrule fit --help"),
    (f"{FIT} --missing-target guess", 2, "'guess' is not one of", "samrule fit --help"),
    ("predict model.json good.csv", 2, "Missing option '--output'", "samrule predict --help"),
    ("explain model.json", 2, "Missing option '--row'", "samrule explain --help"),
    ("sample-size", 2, "Missing option '--conditions'", "samrule sample-size --help"),
    ("demo --rows 10", 2, "'--rows'", "samrule demo --help"),
    # Files to read.
    ("fit nosuch.csv --target buys", 1, "nosuch.csv does not exist", r"ending in \.parquet"),
    ("fit data/*.csv --target buys", 1, r"data/\*.csv does not exist", "path or glob"),
    ("fit folder --target buys", 1, "folder holds no table", r"ending in \.parquet"),
    ("fit nowhere.csv --target buys", 1, "nowhere.csv holds no table", r"ending in \.parquet"),
    ("fit empty.csv --target buys", 1, "empty.csv is empty", "how it was written"),
    ("fit header.csv --target buys", 1, "there are no rows", "filter or the query"),
    ("fit twice.csv --target buys", 1, "more than one column named 'age'", "rename or drop"),
    ("fit ragged.csv --target buys", 1, "3 values in .*line 3", "correct that line"),
    ("fit text.parquet --target buys", 1, "is not a Parquet file", "the ending of what it is"),
    ("fit cut.parquet --target buys", 1, "cut.parquet is not|cut short or damaged", "."),
    ("fit nameless --target buys", 1, "nameless does not say what it is", "rename it"),
    ("fit zipped.csv.gz --target buys", 1, "is not compressed", "remove .gz from its name"),
    ("fit latin.csv --target buys", 1, "latin.csv", "UTF-8|iconv|is what its name says"),
    ("fit bad.jsonl --target buys", 1, "bad.jsonl could not be read", "what its name says"),
    ("fit good.csv other.csv --target buys", 1, "differ in their columns", "one header"),
    ("fit good.csv good.parquet --target buys", 1, "of 2 kinds", "one kind at a time"),
    ("fit - good.csv --target buys", 1, "standard input .* is one of 2 tables", "pipe them all"),
    ("fit shop.duckdb --target buys", 1, "holds 2 tables", "--query"),
    ("fit shop.duckdb --query SELEC --target buys", 1, "[Ss]yntax", "runs in DuckDB"),
    ("fit shop.duckdb --query FROM_c --target buys", 1, "could not be read", "runs in DuckDB"),
    (f"{FIT} --query x", 1, "only database files are queried", "--include|include"),
    # Columns.
    ("fit good.csv --target bys", 1, "no column 'bys'", "did you mean 'buys'"),
    (f"{FIT} --exclude Age", 1, "no column 'Age'", "did you mean 'age'"),
    (f"{FIT} --include cty", 1, "no column 'cty'", "did you mean 'city'"),
    (f"{FIT} --include buys", 1, "has no usable columns", "include and exclude"),
    ("fit only_target.csv --target buys", 1, "has no usable columns", "include and exclude"),
    ("fit one_class.csv --target buys", 1, "holds one class, 'no'", "nothing to learn"),
    ("fit constant.csv --target buys", 1, "no column gives a condition", "columns' types"),
    ("fit null_class.csv --target buys", 1, "missing in 1 of 3", "--missing-target drop"),
    ("fit good.csv --target buys --weights city", 1, "'city' holds string", "convert it"),
    ("fit good.csv --target buys --weights weight", 1, "'weight' has -1", "has weight 0"),
    ("fit good.csv --target buys --weights wait", 1, "no column 'wait'", "did you mean 'weight'"),
    # Numbers.
    (f"{FIT} --epsilon -0.5", 1, r"--epsilon is -0\.5; expected", "try --epsilon 0.1"),
    (f"{FIT} --epsilon nan", 1, "--epsilon is nan; expected", "try --epsilon 0.1"),
    (f"{FIT} --theta inf", 1, "--theta is inf; expected", "try --theta 0.05"),
    (f"{FIT} --delta 1", 1, "--delta is 1.0; expected", "try --delta 0.05"),
    (f"{FIT} --regularization -1", 1, "--regularization is -1.0", "try --regularization 0.0001"),
    (f"{FIT} --max-rules 0", 1, "--max-rules is 0; expected", "try --max-rules 4"),
    (f"{FIT} --max-rules {10**30}", 1, f"--max-rules is {10**30}; expected", "--max-rules 4"),
    (f"{FIT} --max-terms -3", 1, "--max-terms is -3; expected", "try --max-terms 1"),
    (f"{FIT} --seed -1", 1, "--seed is -1; expected", "--seed 0"),
    (f"{FIT} --threads 0", 1, "--threads is 0; expected", "try --threads 1"),
    (f"{FIT} --threads {10**30}", 1, f"--threads is {10**30}; expected", "try --threads 1"),
    (f"{FIT} --time-limit -1", 1, "--time-limit is -1.0; expected", "leave --time-limit out"),
    (f"{FIT} --time-limit 0", 1, "--time-limit is 0.0; expected more", "leave --time-limit out"),
    (f"{FIT} --time-limit nan", 1, "--time-limit is nan; expected", "leave --time-limit out"),
    ("sample-size --conditions 9 --max-rules 4 --epsilon 9 --theta 0.1", 1, "--epsilon is 9", "."),
    # The test.
    (f"{FIT} --test 0", 1, "share of rows to hold out is 0.0", "0.2 holds out"),
    (f"{FIT} --test 1.5", 1, "share of rows to hold out is 1.5", "0.2 holds out"),
    (f"{FIT} --test nan", 1, "share of rows to hold out is nan", "0.2 holds out"),
    (f"{FIT} --test 1e-12", 1, "both parts need rows", "another share"),
    (f"{FIT} --test nosuch.csv", 1, "nosuch.csv does not exist", "path or glob"),
    (f"{FIT} --test other.csv", 1, "other.csv has no column 'buys'", "the columns are"),
    # Files to write.
    (f"{FIT} -o no/such/model.json", 1, "No such file or directory", "check the folder"),
    (f"{FIT} -o folder", 1, "folder cannot be written: it is a folder", "name a file in it"),
    (f"{FIT} -o good.csv/model.json", 1, "Not a directory", "check the folder"),
    (f"{FIT} -o /dev/full", 1, "No space left on device", "df -h"),
    (f"{FIT} --report no/such/page.html", 1, "No such file or directory", "check the folder"),
    ("predict model.json good.csv -o out.xlsx", 1, "'out.xlsx'; expected a name ending", ".csv"),
    ("predict model.json good.csv -o no/such.csv", 1, "No such file or directory", "folder"),
    ("predict model.json good.csv -o folder", 1, "folder", "."),
    ("predict model.json good.csv -o /dev/full", 1, "No space left on device", "df -h"),
    ("demo --rows 1000 --folder good.csv", 1, "'good.csv' cannot be made", "--folder"),
    # Models.
    ("show nosuch.json", 1, "nosuch.json cannot be read: No such file", "check the path"),
    ("show folder", 1, "folder cannot be read: Is a directory", "check the path"),
    ("show good.csv", 1, "good.csv is no model file", "samrule fit -o"),
    ("show good.parquet", 1, "good.parquet is no model file", "samrule fit -o"),
    ("show empty.csv", 1, "empty.csv is no model file", "samrule fit -o"),
    ("show text.json", 1, "text.json is no model file", "samrule fit -o"),
    ("show list.json", 1, "list.json has the format None", "samrule fit -o"),
    ("show nan.json", 1, "NaN is not JSON", "samrule fit -o"),
    ("show cut.json", 1, "cut.json is no model file", "samrule fit -o"),
    ("show newer.json", 1, "newer.json is of version 99", "upgrade samrule"),
    ("show more.json", 1, "field 'extra', which is unknown", "upgrade"),
    ("show less.json", 1, "no field 'rule_list'", "cut off or edited"),
    ("evaluate model.json other.csv", 1, "other.csv has no column", "the columns are"),
    ("evaluate model.json good.csv --target agee", 1, "no column 'agee'", "did you mean 'age'"),
    ("evaluate model.json null_class.csv", 1, "null_class.csv has no column|missing in", "."),
    ("predict model.json other.csv -o out.csv", 1, "other.csv has no column", "columns are"),
    ("predict model.json other_types.csv -o out.csv", 1, "age", "."),
    # Rows to explain.
    ("explain model.json --row 40", 1, "'40'; expected a JSON object", "--row age=40"),
    ("explain model.json --row {age:40}", 1, "expected COLUMN=VALUE or a JSON", "--row age=40"),
    ("explain model.json --row age=40 --row city", 1, "'city'; expected COLUMN=VALUE", "--row"),
    ("explain model.json --row age=40 --row age=41", 1, "'age' twice", "leave one"),
    ("explain model.json --row age=40", 1, "no value for 'city'", "--row 'city=VALUE'"),
    ("explain model.json --row age=old --row city=Roma", 1, "'old' for 'age'; expected", "=40"),
    ('explain model.json --row {"age":4,"city":5}', 1, "5 for 'city'; expected a text", "=Padova"),
    ("explain model.json --row agee=40 --row city=Roma", 1, "no column 'agee'", "mean 'age'"),
]  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES, ids=[line for line, *_ in MISTAKES])
def test_mistakes_are_explained(
    run: Callable[..., Done], folder: Path, mistake: tuple[str, int, str, str]
) -> None:
    line, code, message, hint = mistake
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
    assert len(MISTAKES) >= 40


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
