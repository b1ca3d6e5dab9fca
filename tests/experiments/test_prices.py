"""The comparison of prices runs, goes on where it was stopped, and is what the page shows."""

from pathlib import Path

import pytest

import harness
from markdown_tables import markdown

prices = pytest.importorskip("prices")  # It needs pandas and scikit-learn.


def test_a_quick_run_has_every_price_once_and_can_be_repeated(tmp_path: Path) -> None:
    asked = ["--quick", "--output", str(tmp_path), "--scratch", str(tmp_path)]
    prices.main(asked)
    rows = harness.read(tmp_path / "prices.csv")
    assert len(rows) == len(prices.PRICES) * len(prices.OBJECTIVES)
    assert {row["status"] for row in rows} == {"optimal"}
    prices.main(asked)
    assert harness.read(tmp_path / "prices.csv") == rows
    assert len(prices.means(rows)) == 1 + len(rows)


def test_the_page_shows_what_was_measured() -> None:
    page = (harness.HERE.parent / "docs" / "objectives.md").read_text()
    table = prices.means(harness.read(harness.RESULTS / "prices.csv"))
    assert markdown(table) in page
