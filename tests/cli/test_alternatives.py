"""`samrule alternatives` prints what `samrule.alternatives` finds."""

import json
from collections.abc import Callable
from pathlib import Path

import samrule
from tests.cli.conftest import Done


def test_lists_are_printed_best_first(run: Callable[..., Done], folder: Path) -> None:
    done = run("alternatives", "model.json", "good.csv", "--within", "900", "--show", "2")
    found = samrule.alternatives(samrule.load("model.json"), "good.csv", within=900)
    assert (done.code, done.err) == (0, "")
    assert len(found) > 2
    assert " ".join(found.sentence.split()) in " ".join(done.out.split())
    assert str(found[0].rule_list) in done.out
    assert str(found[1].rule_list) in done.out
    assert "\n3. loss" not in done.out


def test_prices_and_differences_are_told(run: Callable[..., Done], folder: Path) -> None:
    done = run("alternatives", "model.json", "good.csv", "--prices", "--different")
    assert done.code == 0
    assert "All use age, city." in done.out
    assert "Without age the least loss is" in done.out


def test_machines_get_json(run: Callable[..., Done], folder: Path) -> None:
    done = run("alternatives", "model.json", "good.csv", "--json")
    told = json.loads(done.out)
    assert told["complete"] is True
    assert told["columns"]["in_all"] == ["age", "city"]
    assert told["lists"][0]["loss"] == told["least_loss"]


def test_what_cannot_be_is_said_in_options(run: Callable[..., Done], folder: Path) -> None:
    done = run("alternatives", "model.json", "good.csv", "--within", "-1")
    assert done.code == 1
    assert "--within is -1" in done.err
    done = run("alternatives", "model.json", "other.csv")
    assert done.code == 1
    assert "Traceback" not in done.err


def test_a_search_without_end_ends(run: Callable[..., Done]) -> None:
    """Pairs of conditions and a Brier score took about ten minutes, without a word, and no end."""
    assert "[default: 60" in run("alternatives", "--help").out


def test_texts_of_a_table_are_printed_as_they_are(run: Callable[..., Done], folder: Path) -> None:
    rows = "[red]x[/],y,class\n" + "".join(f"{k % 7},{k % 2},{'ab'[k % 2]}\n" for k in range(200))
    Path("odd.csv").write_text(rows.replace("y,class", "[bold]y,class"))
    run("fit", "odd.csv", "--target", "class", "-o", "odd.json", "--quiet")
    done = run("alternatives", "odd.json", "odd.csv", "--prices", "--within", "0.5")
    assert done.code == 0
    assert "All use [bold]y." in done.out
    assert "Without [bold]y the least loss is" in done.out
    assert "None uses [red]x[/]." in done.out
    assert "if not [bold]y then a" in done.out or "[bold]y" in done.out.partition("1. loss")[2]


def test_a_number_of_lists_below_0_is_refused(run: Callable[..., Done], folder: Path) -> None:
    done = run("alternatives", "model.json", "good.csv", "--show", "-3")
    assert done.code == 2
    assert "'--show': Input should be greater than or equal to 0" in done.err
