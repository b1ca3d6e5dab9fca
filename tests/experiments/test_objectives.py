"""The comparison of objectives runs, goes on where it was stopped, and is drawn."""

from pathlib import Path

import pytest

import harness
from markdown_tables import markdown

objectives = pytest.importorskip("objectives")  # It needs pandas and scikit-learn.


def test_a_quick_run_has_every_method_once_and_can_be_repeated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["--quick", "--output", str(tmp_path), "--scratch", str(tmp_path)]
    objectives.main(asked)
    rows = harness.read(tmp_path / "objectives.csv")
    assert [row["method"] for row in rows] == [
        *objectives.LISTS,
        *objectives.TREES,
        "logistic regression",
    ]
    by_method = {row["method"]: row for row in rows}
    assert by_method["brier"]["status"] == "optimal"
    assert by_method["brier"]["brier"] <= by_method["error"]["brier"]
    objectives.main(asked)
    assert harness.read(tmp_path / "objectives.csv") == rows
    assert "| others | brier | 2 | 1 |" in " ".join(capsys.readouterr().out.split())


def test_means_keep_the_rare_table_apart() -> None:
    row = {"method": "brier", "max_rules": 4, **dict.fromkeys(objectives.FIGURES, 0.5)}
    header, *lines = objectives.means(
        [{**row, "table": "adult"}, {**row, "table": "bank"}, {**row, "table": "kdd, rare"}]
    )
    assert header[:4] == ("tables", "method", "rules", "runs")
    assert [line[0] for line in lines] == ["others", "kdd, rare"]
    assert [line[3] for line in lines] == [2, 1]


def test_the_page_shows_what_was_measured() -> None:
    page = (harness.HERE.parent / "docs" / "objectives.md").read_text()
    table = objectives.means(harness.read(harness.RESULTS / "objectives.csv"))
    assert markdown(table) in page
