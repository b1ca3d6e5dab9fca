"""`samrule fit` and `show`: the model that `learn` returns, for people and for machines."""

import io
import json
import re
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

import samrule
from samrule.cli import main
from tests.cli.conftest import Done, write_hard_table
from tests.learning.test_class_weight import fraud

FIT = ["--target", "buys", "--exclude", "weight"]


def fitted_json(done: Done) -> dict:
    assert done.code == 0, done.err
    return json.loads(done.out)


@pytest.mark.parametrize(
    "exclude",
    [["weight,city"], ["weight", "city"], [" weight, city"], ['"weight",city']],
)
def test_columns_are_left_out_by_commas_or_by_repetition(
    run: Callable[..., Done], exclude: list[str]
) -> None:
    options = [word for one in exclude for word in ("--exclude", one)]
    done = run("fit", "good.csv", "--target", "buys", *options, "-o", "new.json")
    assert done.code == 0, done.err
    assert samrule.load("new.json").conditions.columns == ("age",)


def test_fit_writes_the_model_that_learn_returns(run: Callable[..., Done], folder: Path) -> None:
    done = run("fit", "good.csv", *FIT, "-o", "new.json", "--max-rules", "2", "--seed", "3")
    assert done.code == 0, done.err
    learned = samrule.learn("good.csv", "buys", exclude=["weight"], max_rules=2, random_state=3)
    assert samrule.load("new.json") == learned
    assert "  1  if " in done.out
    assert "It is therefore a best possible one, learned from 400 rows." in done.out
    assert "exact: 400 rows x " in done.out
    assert "Wrote new.json." in done.out
    assert done.err.startswith("reading 400 rows")
    assert not [path for path in folder.iterdir() if path.name.startswith(".")]


@pytest.mark.parametrize(
    "table",
    [
        ["good.parquet"],
        ["copies/*.csv"],
        ["copies"],
        ["copies/a.csv", "copies/b.csv"],
        ["one.duckdb"],
        ["one.duckdb", "--query", "FROM good"],
    ],
)
def test_tables_of_all_kinds_give_one_model(
    run: Callable[..., Done], folder: Path, table: list[str]
) -> None:
    import duckdb

    (folder / "copies").mkdir()
    lines = (folder / "good.csv").read_text().splitlines(keepends=True)
    (folder / "copies" / "a.csv").write_text("".join(lines[:100]))
    (folder / "copies" / "b.csv").write_text("".join([lines[0], *lines[100:]]))
    with duckdb.connect("one.duckdb") as database:
        database.execute("CREATE TABLE good AS FROM 'good.parquet'")
    found = fitted_json(run("fit", *table, *FIT, "--json", "--quiet"))
    expected = fitted_json(run("fit", "good.csv", *FIT, "--json", "--quiet"))
    assert found["text"] == expected["text"]
    assert found["rows"] == 400


def test_standard_input_is_spooled_and_removed(
    run: Callable[..., Done], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spool = folder / "spool"
    spool.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(spool))
    for code, text in ((0, (folder / "good.csv").read_bytes()), (1, b"")):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
        done = run("fit", "-", *FIT, "--quiet")
        assert done.code == code, done.err
        assert list(spool.iterdir()) == []
    assert "standard-input.csv is empty" in done.err


def test_json_is_all_there_is_on_standard_output(run: Callable[..., Done]) -> None:
    done = run("fit", "good.csv", *FIT, "--test", "0.25", "--json")
    found = fitted_json(done)
    assert found["certificate"]["holds"] is True
    assert found["rule_list"]["classes"] == ["no", "yes"]
    assert found["rows"] + found["test"]["n_rows"] == 400
    assert found["rows_used"] == {"drawn": 0, "scans": 1}
    assert found["test"]["unseen"] is True
    assert found["paper_rows"] > 1000
    assert found["interrupted"] is False
    assert found["written"] == []
    assert done.err.startswith("reading ")


def test_quiet_says_nothing_beside_the_result(run: Callable[..., Done]) -> None:
    assert run("fit", "good.csv", *FIT, "--quiet").err == ""


def test_the_model_never_sees_the_rows_held_out(run: Callable[..., Done], folder: Path) -> None:
    """Rows are told apart by a column of numbers: the rest, and only the rest, is counted."""
    numbered = ["number,buys"] + [f"{i},{'yes' if i % 2 else 'no'}" for i in range(1000)]
    (folder / "numbered.csv").write_text("\n".join(numbered) + "\n")
    found = fitted_json(
        run("fit", "numbered.csv", "--target", "buys", "--test", "0.3", "--json", "--quiet")
    )
    rules = [*found["rule_list"]["rules"], found["rule_list"]["default"]]
    assert sum(sum(rule["class_counts"]) for rule in rules) == found["rows"]
    assert found["rows"] + found["test"]["n_rows"] == 1000
    assert 200 < found["test"]["n_rows"] < 400


def test_the_test_may_be_another_table(run: Callable[..., Done], folder: Path) -> None:
    lines = (folder / "good.csv").read_text().splitlines(keepends=True)
    (folder / "other.csv").write_text("".join(lines[:201]))
    done = run("fit", "good.csv", *FIT, "--test", "other.csv", "--quiet", "--report", "page.html")
    assert done.code == 0, done.err
    assert "On other.csv:" in done.out
    assert "on 200 rows" in done.out
    page = " ".join((folder / "page.html").read_text().split())
    assert "On the test rows" in page
    # These are training rows, but nobody can know: so nobody says that the list never saw them.
    assert "the intervals hold only if the list never saw them" in page
    assert "held out" not in page
    assert "without the test rows" not in page
    asked = ("fit", "good.csv", *FIT, "--test", "other.csv", "--quiet", "--json")
    assert fitted_json(run(*asked))["test"]["unseen"] is None


@pytest.mark.parametrize("test", ["good.csv", "./good.csv", "link.csv", "copy.csv", "good.parquet"])
def test_the_training_table_is_no_test(run: Callable[..., Done], folder: Path, test: str) -> None:
    (folder / "link.csv").symlink_to("good.csv")
    shutil.copy(folder / "good.csv", folder / "copy.csv")
    done = run("fit", "good.csv", *FIT, "--test", test, "--quiet", "--report", "page.html")
    assert done.code == 0, done.err
    assert "this is no test" in done.out
    assert "never saw" not in done.out
    assert "On the test rows" not in (folder / "page.html").read_text()
    shown = run("fit", "good.csv", *FIT, "--test", test, "--quiet", "--json")
    assert fitted_json(shown)["test"]["unseen"] is False


def test_the_report_tells_what_the_test_found(run: Callable[..., Done], folder: Path) -> None:
    done = run("fit", "good.csv", *FIT, "--test", "0.25", "--quiet", "--report", "page.html")
    assert done.code == 0, done.err
    assert "On the test rows, held out before it was learned:" in done.out
    (n_test,) = re.findall(r"on (\d+) rows", done.out)
    page = " ".join((folder / "page.html").read_text().split())
    assert f"{n_test} test rows" in page
    assert "without the test rows" in page
    assert "the whole table" not in page
    assert "Of rows to come" in page
    assert "held out at random before the list was learned" in page


def test_weighted_runs_tell_real_shares_and_say_what_is_weighted(
    run: Callable[..., Done], folder: Path
) -> None:
    rng = np.random.default_rng(0)
    x, fraud = rng.integers(0, 100, 5000), rng.random(5000) < 0.01
    fraud |= (x >= 98) & (rng.random(5000) < 0.3)
    table = pa.table({"x": x, "w": np.where(fraud, 40, 1), "fraud": fraud.astype(int)})
    pa.parquet.write_table(table, folder / "fraud.parquet")
    fit = ("fit", "fraud.parquet", "--target", "fraud", "--max-rules", "1", "--quiet")
    for weights in (("--weights", "w"), ("--exclude", "w", "--class-weight", "balanced")):
        done = run(*fit, *weights, "-o", "new.json", "--test", "0.2", "--report", "page.html")
        fitted = samrule.load("new.json")
        rule = fitted.rule_list.rules[0]
        share = rule.class_counts[1] / rule.support
        assert rule.prediction == 1
        assert share < 0.5
        assert f"{100 * share:.1f} %" in done.out
        learned = f"learned +with rows {fitted.weighting}; here every row counts"
        assert re.search(learned, done.out)
        assert "a weighted loss below" in done.out
        assert fitted.certificate.weighted
        evaluated = run("evaluate", "new.json", "fraud.parquet")
        assert f"with rows {fitted.weighting}; here every row counts once" in evaluated.out
        asked = ("evaluate", "new.json", "fraud.parquet", "--precision", "0.02")
        assert "recall at precision 0.02  0 100.0 %, 1 " in run(*asked).out
        counted = json.loads(run(*asked, "--json").out)
        assert counted["lifts"]["class"] == 1
        assert counted["lifts"]["rules"][0]["lift"] > 1
        assert re.search(r"covers +right +1 +lift", done.out)
        assert f"1 in {100 * share:.3g}% (lift" in (folder / "page.html").read_text()
        assert f", 1 in {100 * share:.3g}% (lift" in str(fitted)
        assert counted["recall_at_precision"]["precision"] == 0.02
        assert counted["recall_at_precision"]["recall"][1] > 0
        assert counted["learned_with"] == fitted.weighting
        assert f"It was learned with rows {fitted.weighting}" in (folder / "page.html").read_text()
        assert ".0 rows" not in done.out + (folder / "page.html").read_text()
        shown = samrule.load("new.json").explain({"x": 99})
        assert f"with probability {fitted.predict_proba(pa.table({'x': [99]}))[0, 1]:.1%}" in str(
            shown
        )


def test_rows_without_a_class_are_left_out_if_asked(run: Callable[..., Done]) -> None:
    done = run(
        "fit", "null_class.csv", "--target", "buys", "--missing-target", "drop", "--json", "--quiet"
    )
    assert fitted_json(done)["rows"] == 2


def test_a_search_cut_short_says_what_is_proven(run: Callable[..., Done]) -> None:
    write_hard_table(Path("hard.parquet"))
    options = ("--max-rules", "8", "--strategy", "exact", "--time-limit", "0.1")
    found = fitted_json(run("fit", "hard.parquet", "--target", "y", *options, "--json", "--quiet"))
    assert found["certificate"]["holds"] is False
    assert found["interrupted"] is False
    assert 0 <= found["certificate"]["lower_bound"] < found["certificate"]["upper_bound"]


def test_show_prints_what_fit_printed(run: Callable[..., Done]) -> None:
    fitted = run("fit", "good.csv", *FIT, "-o", "new.json", "--quiet").out
    shown = run("show", "new.json").out
    assert (
        shown.splitlines()
        == [line for line in fitted.splitlines()[1:] if not line.startswith(("time", "Wrote"))][
            : len(shown.splitlines())
        ]
    )
    assert json.loads(run("show", "new.json", "--json").out)["target"] == "buys"


def test_the_report_is_written_beside_the_model(run: Callable[..., Done], folder: Path) -> None:
    done = run("fit", "good.csv", *FIT, "-o", "new.json", "--report", "page.html", "--quiet")
    assert done.code == 0, done.err
    assert "Wrote new.json." in done.out
    assert "Wrote page.html." in done.out
    assert "<html" in (folder / "page.html").read_text()


@pytest.mark.parametrize(("width", "has_bars"), [("60", False), ("120", True)])
def test_a_narrow_screen_gets_no_bars(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    width: str,
    has_bars: bool,
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", width)
    monkeypatch.setattr(sys, "argv", ["samrule", "show", "model.json"])
    with pytest.raises(SystemExit):
        main()
    out = capsys.readouterr().out
    assert ("█" in out) == has_bars


def test_a_search_that_may_take_hours_is_announced(run: Callable[..., Done], folder: Path) -> None:
    rng = np.random.default_rng(0)
    columns = {f"c{i}": rng.normal(size=2000) for i in range(20)}
    pa.parquet.write_table(pa.table({**columns, "y": columns["c0"] > 0}), folder / "wide.parquet")
    fit = ("fit", "wide.parquet", "--target", "y", "--max-terms", "2", "--quiet")
    fit += ("--strategy", "progressive", "--max-conditions", "none")
    done = run(*fit, "--time-limit", "0.2")
    assert done.code == 0
    assert done.err.startswith("Warning: ")
    assert "candidate rules of at most 2 terms" in done.err
    assert "within the time limit of 0.2 s" in done.err
    assert "\nHint: --max-terms 1 makes far fewer candidates" in done.err
    assert "--max-conditions 50" in done.err
    assert run(*fit, "--n-thresholds", "1", "--max-rules", "2").err == ""


def test_class_weights_reach_learn_as_they_are_written(run: Callable[..., Done]) -> None:
    asked = ["good.csv", *FIT, "--quiet", "-o", "new.json"]
    assert run("fit", *asked, "--class-weight", "no=1,yes=2.5").code == 0
    assert samrule.load("new.json").class_weight == (1.0, 2.5)
    assert run("fit", *asked, "--class-weight", "balanced").code == 0
    assert samrule.load("new.json").class_weight is not None
    for wrong, words in (("yes", "--class-weight has 'yes'"), ("maybe=2", "'no', 'yes'")):
        done = run("fit", *asked, "--class-weight", wrong)
        assert done.code == 1
        assert words in done.err


def test_command_line_report_and_text_say_it(
    run: Callable[..., Done],
    folder: Path,
) -> None:
    pa.parquet.write_table(fraud(), folder / "fraud.parquet")
    asked = ["fit", "fraud.parquet", "--target", "label", "--quiet"]
    done = run(*asked, "--report", "page.html", "-o", "model.json")
    assert done.code == 0
    assert "predicts fine for every row" in done.out
    assert "--class-weight balanced" in done.out
    assert "predicts fine for every row" in (folder / "page.html").read_text()
    assert "predicts fine for every row" in run("show", "model.json").out
    assert "predicts fine for every row" in json.loads(run(*asked, "--json").out)["advice"]["what"]
    assert "predicts fine for every row" in str(samrule.load("model.json"))


def test_support_and_memory_reach_learn(run: Callable[..., Done]) -> None:
    asked = ["fit", "good.csv", *FIT, "--quiet", "-o", "new.json"]
    done = run(*asked, "--min-support", "0.3", "--memory-limit", "64MB")
    assert done.code == 0, done.err
    assert samrule.load("new.json").settings.min_support == 0.3
    assert all(rule.support >= 120 for rule in samrule.load("new.json").rule_list.rules)
    done = run(*asked, "--memory-limit", "much")
    assert (done.code, "--memory-limit 500MB" in done.err) == (1, True)
    done = run(*asked, "--memory-limit", "5KB")
    assert (done.code, "--memory-limit is 5000; expected" in done.err) == (1, True)


@pytest.mark.parametrize("strategy", ["auto", "exact", "progressive", "paper", "tight"])
def test_a_list_without_rules_goes_through_every_command(
    run: Callable[..., Done], strategy: str
) -> None:
    options = ("--max-rules", "0", "--strategy", strategy, "--epsilon", "1", "--theta", "0.5")
    done = run("fit", "good.csv", *FIT, *options, "-o", "new.json", "--report", "page.html")
    assert done.code == 0, done.err
    assert "  1  always " in done.out
    assert "--max-rules 4 allows rules before the default." in done.out
    for command in (
        ("show", "new.json"),
        ("predict", "new.json", "good.csv", "-o", "predicted.csv"),
        ("evaluate", "new.json", "good.csv"),
        ("explain", "new.json", "--row", "age=1"),
        ("export", "new.json", "--to", "sql"),
    ):
        done = run(*command)
        assert done.code == 0, (command, done.err)


def test_objectives_and_costs_are_asked_for_by_name(run: Callable[..., Done], folder: Path) -> None:
    rng = np.random.default_rng(0)
    x = rng.integers(0, 100, 5000)
    label = np.where(rng.random(5000) < np.where(x >= 90, 0.3, 0.02), "bad", "good")
    pa.parquet.write_table(pa.table({"x": x, "outcome": label}), folder / "loans.parquet")
    fit = ("fit", "loans.parquet", "--target", "outcome", "--quiet", "-o", "new.json")
    done = run(*fit, "--objective", "brier", "--report", "page.html", "--max-rules", "1")
    assert "No probabilistic rule list of this shape has a Brier loss more than" in done.out
    assert re.search(r"objective +Brier score of the class shares", done.out)
    assert re.search(r"least Brier loss +0\.\d+ with 0", done.out)
    assert "Brier loss" in (folder / "page.html").read_text()
    assert samrule.load("new.json").loss_name == "Brier loss"
    assert "Brier loss" in run("show", "new.json").out
    done = run(*fit, "--cost", "bad:good=10", "--max-rules", "1", "--json")
    found = fitted_json(done)
    assert found["loss_name"] == found["certificate"]["loss_name"] == "cost"
    costs = [[0.0, 1.0], [0.1, 0.0]]
    assert found["objective"] == {"brier_share": 0.0, "costs": costs, "positive": None}
    assert "then bad" in found["text"]
    alerting = (*fit, "--alert-rate", "0.12", "--max-rules", "1")
    done = run(*alerting, "--report", "alerts.html")
    assert "that alerts on at most 12 % of the rows" in (folder / "alerts.html").read_text()
    assert re.search(r"alerts on bad +on \d+\.?\d* % of the rows, of which \d+", done.out)
    assert re.search(r"objective +rows missed, one as dear as [\d.]+ alerts in vain", done.out)
    assert "that alerts on at most 12 % of the rows finds more than" in done.out
    found = fitted_json(run(*alerting, "--json"))
    assert 0 < found["alerts"]["rate"] <= found["alerts"]["asked"] == 0.12
    assert 0 < found["alerts"]["recall"] <= found["most_found"] < 1
    assert re.search(r"alerts on bad +on ", run("evaluate", "new.json", "loans.parquet").out)
    evaluated = run("evaluate", "new.json", "loans.parquet", "--json")
    assert fitted_json(evaluated)["alerts"] == found["alerts"]
    done = run(*fit, "--objective", "f1", "--max-rules", "1")
    assert re.search(r"objective +F1 of class bad", done.out)
    assert re.search(r"No rule list of this shape has a 1 - F1 ", done.out)
    assert re.search(r"F1 of bad +0\.\d+", run("evaluate", "new.json", "loans.parquet").out)
    mixed = run(*fit, "--objective", "error=0.25,brier=0.75", "--json")
    assert fitted_json(mixed)["objective"]["brier_share"] == 0.75


def test_cross_validation_chooses_the_number_of_rules(run: Callable[..., Done]) -> None:
    done = run("fit", "good.csv", *FIT, "--max-rules", "cv")
    assert done.code == 0, done.err
    assert re.search(r"held out +0\.\d+ ± 0\.\d+ with 0, ", done.out)
    assert "chosen      at most 2 rules: 0.0000 on rows held out" in done.out
    assert "cross-validating 400 rows" in done.err
    found = fitted_json(run("fit", "good.csv", *FIT, "--max-rules", "cv", "--json", "--quiet"))
    assert found["cross_validation"]["max_rules"] == 2
    assert run("fit", "good.csv", *FIT, "--max-rules", "few").code == 1


def test_intervals_and_orders_are_asked_for(run: Callable[..., Done]) -> None:
    rows = [(n % 60, ["low", "mid", "high"][n // 60 % 3]) for n in range(360)]
    lines = [f"{age},{size},{(20 <= age < 40) and size != 'high'}" for age, size in rows]
    Path("sizes.csv").write_text("\n".join(["age,size,y", *lines]))
    asked = ["--intervals", "--order", "size=low,mid,high", "--max-terms", "2", "--max-rules", "1"]
    done = run("fit", "sizes.csv", "--target", "y", *asked, "--quiet")
    assert done.code == 0, done.err
    assert "20 <= age < 40" in done.out
    assert "size in {low, mid}" in done.out
    wrong = run("fit", "sizes.csv", "--target", "y", "--order", "size")
    assert wrong.code == 1
    assert "write --order size=low,mid,high" in wrong.err


def test_groups_and_prices_are_told(run: Callable[..., Done]) -> None:
    run("fit", "good.csv", *FIT, "-o", "new.json", "--max-conditions", "12")
    assert len(samrule.load("new.json").conditions) == 12
    done = run("evaluate", "new.json", "good.csv", "--groups", "city", "--prices")
    assert done.code == 0, done.err
    assert "By city, shares of rows in % for yes:" in done.out
    assert "brackets say nothing about rows to come" in done.out
    assert "without age the best loss rises by 0." in done.out
    found = fitted_json(run("evaluate", "new.json", "good.csv", "--groups", "city", "--json"))
    assert [one["group"] for one in found["groups"]["groups"]] == ["Roma", "Padova"]
    assert found["prices"] is None
    priced = fitted_json(run("evaluate", "new.json", "good.csv", "--prices", "--json"))
    assert {one["column"] for one in priced["prices"]} == {"age", "city"}
    refused = run("evaluate", "new.json", "good.csv", "--groups", "age")
    assert "--groups is 'age', which holds 72 different values" in refused.err
    assert run("report", "new.json", "good.csv", "--groups", "city", "-o", "p.html").code == 0
    assert "By city" in Path("p.html").read_text()
    assert "no table to count on" in run("report", "new.json", "--prices", "-o", "p.html").err


def test_constraints_and_their_prices_are_told(run: Callable[..., Done], folder: Path) -> None:
    rule = '{"conditions": [{"column": "age", "op": "<", "value": 30}], "prediction": "no"}'
    asked = ["--forbid-together", "age,city", "--first", rule, "--monotone", "age=+1"]
    done = run("fit", "good.csv", *FIT, *asked, "--price-constraints", "-o", "new.json")
    assert done.code == 0, done.err
    told = "forbid age with city; first if age < 30 then no; monotone age (+1)"
    assert re.search(rf"constraints +{re.escape(told)}", done.out)
    assert re.search(r"forbid age with city: 0\.\d+ \(loss 0\.\d+ with it, 0\.\d+ w", done.out)
    learned = samrule.load("new.json")
    assert str(learned.constraints) == told
    assert learned.constraints.obeyed_by(learned.rule_list)
    written = {"forbid": [["age", "city"]], "first": [json.loads(rule)], "monotone": {"age": 1}}
    (folder / "asked.json").write_text(json.dumps(written))
    found = fitted_json(
        run("fit", "good.csv", *FIT, "--constraints", "asked.json", "--price-constraints", "--json")
    )
    assert found["constraints"] == told.split("; ")
    assert found["text"] == str(learned.rule_list)
    assert [one["constraint"] for one in found["constraint_prices"]] == told.split("; ")
    assert all(0 <= one["least"] <= one["most"] for one in found["constraint_prices"])


def test_levels_in_order_can_be_monotone(run: Callable[..., Done], folder: Path) -> None:
    asked = ["--order", "city=Roma,Padova", "--monotone", "city=-1"]
    done = run("fit", "good.csv", *FIT, *asked, "-o", "new.json")
    assert done.code == 0, done.err
    assert "monotone city (Padova < Roma)" in done.out
    learned = samrule.load("new.json")
    assert learned.constraints.monotone == (("city", ("Padova", "Roma")),)
    (folder / "asked.json").write_text(json.dumps({"monotone": {"city": ["Padova", "Roma"]}}))
    again = run("fit", "good.csv", *FIT, "--constraints", "asked.json", "-o", "other.json")
    assert again.code == 0, again.err
    other = samrule.load("other.json")
    assert other.constraints == learned.constraints
    assert other.certificate.upper_bound == learned.certificate.upper_bound
    without = run("fit", "good.csv", *FIT, "--monotone", "city=-1")
    assert "or give levels an order" in without.err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--at-most", "age"], "--at-most has 'age'; expected COL=N"),
        (["--monotone", "age=2"], "--monotone has 2; expected 1 or -1"),
        (["--first", "if age"], "--first is no JSON"),
        (["--first", "{}"], "RULE.first[0] has no field 'conditions'"),
        (["--constraints", "nowhere.json"], "nowhere.json cannot be read"),
        (["--constraints", "good.csv"], "good.csv is no JSON"),
        (["--forbid", "agee"], "--forbid names 'agee'"),
        (["--forbid-together", "age"], "--forbid-together has 'age'; expected two different"),
        (["--together", "age"], "--together has 'age'; expected two different columns or more"),
        (["--require", "agee"], "did you mean 'age'?"),
        (["--require", "nothing like it"], "conditions are about 'age'"),
        (["--forbid", "age", "--require", "age"], "it is forbidden"),
        (["--first", '{"conditions": []}'], "expected one condition at least"),
        (["--require", "age,city", "--max-columns", "1"], "or 'at most 1 column' there is one"),
    ],
    ids=str,
)
def test_bad_constraints_are_told_in_options(
    run: Callable[..., Done], options: list[str], words: str
) -> None:
    done = run("fit", "good.csv", *FIT, *options)
    assert done.code == 1
    assert words in " ".join(done.err.split())
    assert "Hint:" in done.err
    assert not any(python in done.err for python in ("Binarizer", "Rule(", "('", "samrule."))
