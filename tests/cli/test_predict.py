"""`samrule predict`, `evaluate` and `explain` say what the model says, row by row."""

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

import samrule
from samrule.sources.base import BATCH_ROWS
from tests.cli.conftest import Done

READERS = {
    "out.csv": pa.csv.read_csv,
    "out.parquet": pq.read_table,
    "out.arrow": pa.feather.read_table,
}


@pytest.mark.parametrize("name", READERS)
def test_predictions_are_those_of_the_model_in_row_order(
    run: Callable[..., Done], folder: Path, name: str
) -> None:
    done = run("predict", "model.json", "good.parquet", "-o", name)
    assert (done.code, done.out, done.err) == (0, "", "")
    fitted = samrule.load("model.json")
    found = READERS[name](folder / name)
    assert found.column_names == ["prediction", "probability_no", "probability_yes", "rule"]
    assert found["prediction"].to_pylist() == fitted.predict("good.parquet").tolist()
    shares = np.column_stack([found["probability_no"], found["probability_yes"]])
    np.testing.assert_allclose(shares, fitted.predict_proba("good.parquet"))
    assert (np.array(found["rule"]) - 1).tolist() == fitted.apply("good.parquet").tolist()


def test_tables_longer_than_a_batch_keep_their_order(
    run: Callable[..., Done], folder: Path
) -> None:
    age = np.random.default_rng(0).integers(18, 90, 2 * BATCH_ROWS + 7)
    pq.write_table(pa.table({"age": age, "city": ["Padova"] * len(age)}), "long.parquet")
    assert run("predict", "model.json", "long.parquet", "-o", "out.parquet").code == 0
    found = pq.read_table("out.parquet")["prediction"].to_pylist()
    assert found == samrule.load("model.json").predict("long.parquet").tolist()


def test_a_list_without_rules_predicts_every_row(run: Callable[..., Done], folder: Path) -> None:
    samrule.learn("good.csv", "buys", regularization=1).save("default.json")
    assert run("predict", "default.json", "good.csv", "-o", "out.csv").code == 0
    assert pa.csv.read_csv("out.csv")["rule"].to_pylist() == [1] * 400


def test_a_table_without_rows_gives_a_file_without_rows(run: Callable[..., Done]) -> None:
    assert run("predict", "model.json", "header.csv", "-o", "out.csv").code == 0
    assert Path("out.csv").read_text().count("\n") == 1


def test_predictions_that_fail_midway_leave_the_old_file(
    run: Callable[..., Done], folder: Path
) -> None:
    rows = ["age,city"] + ["20,Roma"] * 70_000 + ["old,Roma"]
    Path("broken.csv").write_text("\n".join(rows) + "\n")
    Path("out.csv").write_text("what was here before")
    before = sorted(folder.iterdir())
    done = run("predict", "model.json", "broken.csv", "-o", "out.csv")
    assert done.code == 1
    assert re.search(r"'old' in .*line 70,002", done.err)
    assert Path("out.csv").read_text() == "what was here before"
    assert sorted(folder.iterdir()) == before


def test_evaluate_counts_what_python_counts(run: Callable[..., Done]) -> None:
    done = run("evaluate", "model.json", "good.parquet", "--json")
    assert done.code == 0, done.err
    found = json.loads(done.out)
    expected = samrule.load("model.json").evaluate("good.parquet")
    assert found["error_rate"] == expected.error_rate
    assert found["confusion"] == expected.confusion.tolist()
    assert [rule["coverage"] for rule in found["rules"]] == [
        rule.coverage for rule in expected.rules
    ]
    text = run("evaluate", "model.json", "good.parquet").out
    assert re.search(rf"error rate +{expected.error_rate:.6f} on 400 rows", text)
    assert "most likely it is the same table" in text
    assert found["auc"] == expected.scores.auc
    precision = expected.scores.average_precision
    assert re.search(rf"average precision +{precision:.6f} of {expected.classes[1]}\n", text)
    assert found["recall"] == list(expected.scores.recall)
    assert "true \\ predicted" in text


def test_evaluate_takes_another_target(run: Callable[..., Done], folder: Path) -> None:
    renamed = (folder / "good.csv").read_text().replace("buys", "label", 1)
    Path("renamed.csv").write_text(renamed)
    assert run("evaluate", "model.json", "renamed.csv", "--target", "label").code == 0


def test_a_rule_that_decides_nothing_has_no_accuracy(run: Callable[..., Done]) -> None:
    Path("young.csv").write_text("age,city,buys\n20,Padova,no\n")
    found = json.loads(run("evaluate", "model.json", "young.csv", "--json").out)
    assert None in [rule["accuracy"] for rule in found["rules"]]


@pytest.mark.parametrize(
    "row",
    [
        ["--row", '{"age": 70, "city": "Padova"}'],
        ["--row", "age=70", "--row", "city=Padova"],
        ["--row", "age=70.0", "--row", "city=Padova", "--row", "buys=no"],
    ],
)
def test_explain_tells_the_story_of_the_row(run: Callable[..., Done], row: list[str]) -> None:
    done = run("explain", "model.json", *row)
    assert done.code == 0, done.err
    story = samrule.load("model.json").explain({"age": 70, "city": "Padova"})
    assert done.out == f"{story}\n"


def test_a_missing_value_is_written_as_nothing(run: Callable[..., Done]) -> None:
    done = run("explain", "model.json", "--row", "age=", "--row", "city=Padova")
    assert done.code == 0, done.err
    story = samrule.load("model.json").explain({"age": None, "city": "Padova"})
    assert done.out == f"{story}\n"


@pytest.mark.parametrize("name", READERS)
def test_kept_columns_stand_before_the_predictions(
    run: Callable[..., Done], folder: Path, name: str
) -> None:
    given = pq.read_table("good.parquet").append_column("a,b", pa.array(range(400)))
    pq.write_table(given, "ids.parquet")
    keep = ["--keep", "weight, age", "--keep", '"a,b"']
    done = run("predict", "model.json", "ids.parquet", *keep, "-o", name)
    assert (done.code, done.out, done.err) == (0, "", "")
    found = READERS[name](folder / name)
    assert found.column_names[:4] == ["weight", "age", "a,b", "prediction"]
    for column in ("weight", "age", "a,b"):
        assert found[column].to_pylist() == given[column].to_pylist()
    fitted = samrule.load("model.json")
    assert found["prediction"].to_pylist() == fitted.predict("good.parquet").tolist()


def test_kept_columns_must_be_there_be_free_and_be_writable(run: Callable[..., Done]) -> None:
    pq.write_table(
        pa.table({"age": [1], "city": ["Roma"], "rule": [1], "list": [[1]]}), "odd.parquet"
    )
    predict = ["predict", "model.json", "odd.parquet", "-o", "out.csv"]
    assert "no column 'agee'" in run(*predict, "--keep", "agee").err
    assert "--keep names 'rule', and the predictions have" in run(*predict, "--keep", "rule").err
    assert "CSV has no way to write that" in run(*predict, "--keep", "list").err
    assert not Path("out.csv").exists()


def test_explain_asks_only_for_what_it_needs(run: Callable[..., Done]) -> None:
    """The first rule asks for one column; the others are needed only if it does not decide."""
    fitted = samrule.load("model.json")
    (first,) = fitted.rule_list.rules[0].conditions
    (other,) = {"age", "city"} - {first.column}
    decided = {"age": "70", "city": "Roma"}
    done = run("explain", "model.json", "--row", f"{first.column}={decided[first.column]}")
    assert done.out.startswith("Rule 1 applies: "), done.err
    left = {"age": "20", "city": "Padova"}
    done = run("explain", "model.json", "--row", f"{first.column}={left[first.column]}")
    assert f"the row has no value for {other!r}; rule 2 asks for it." in done.err


def test_a_whole_row_of_json_may_have_columns_that_the_model_never_saw(
    run: Callable[..., Done],
) -> None:
    row = {"id": [7], "age": 70, "city": "Padova", "weight": "heavy"}
    done = run("explain", "model.json", "--row", json.dumps(row))
    assert done.out == f"{samrule.load('model.json').explain({'age': 70, 'city': 'Padova'})}\n"


def test_formulas_are_escaped_if_asked(run, folder):
    """Text of a table can start with = + - @, which a spreadsheet would run."""
    rows = "age,-name\n" + "".join(f"{age},{text}\n" for age, text in enumerate(FORMULAS))
    (folder / "formulas.csv").write_text(rows)
    labels = pa.table({"age": [1, 2] * 50, "y": ["=1+1", "no"] * 50})
    samrule.learn(labels, "y").save(folder / "formula.json")
    command = ["predict", "formula.json", "formulas.csv", "--keep=-name", "-o", "out.csv"]
    assert run(*command).code == 0
    raw = (folder / "out.csv").read_text()
    assert "=1+1" in raw
    assert "'=" not in raw
    assert run(*command, "--escape-formulas").code == 0
    header, *lines = list(csv.reader((folder / "out.csv").read_text().splitlines()))
    assert header[0] == "'-name"
    assert [line[0] for line in lines] == [f"'{one}" for one in FORMULAS[:-1]] + ["plain"]
    assert {line[1] for line in lines} == {"'=1+1", "no"}
    assert all(float(line[2]) >= 0 for line in lines), "numbers stay numbers"


FORMULAS = ["=1+1", "+1x", "-1x", "@SUM(A1)", "plain"]
