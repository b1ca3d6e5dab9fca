"""Numbers in prose about benchmarks are those of the CSV files: the paper, README, comparison."""

import re
from pathlib import Path
from statistics import mean

import pytest
from tools.benchmark_charts import HEURISTICS, OURS, RESULTS, rows_of

PROJECT = Path(__file__).parents[1]
PAPER = PROJECT / "paper" / "paper.md"

pytestmark = pytest.mark.skipif(
    not (PAPER.is_file() and RESULTS.is_file()), reason="an sdist has no records"
)


def seconds(setting: str, contender: str) -> float:
    (found,) = (
        float(row["seconds"])
        for row in rows_of(RESULTS)
        if (row["setting"], row["contender"], row["status"]) == (setting, contender, "optimal")
    )
    return found


def one_line(path: Path) -> str:
    return " ".join(path.read_text().split())


def test_the_paper_quotes_the_times_that_were_measured() -> None:
    text = one_line(PAPER)
    for setting, pattern, places in (
        ("adult-k4", r"(\d+) s on a sample of the adult table and `samrule` ([\d.]+) s", (0, 2)),
        ("a9a-k4", r"on a9a ([\d.]+) s and ([\d.]+) s", (1, 3)),
        ("mushroom-k5", r"on mushroom with five rules ([\d.]+) s and ([\d.]+) s", (1, 2)),
    ):
        quoted = re.search(pattern, text)
        assert quoted is not None, setting
        measured = seconds(setting, "CORELS"), seconds(setting, OURS)
        assert [float(one) for one in quoted.groups()] == [
            round(one, place) for one, place in zip(measured, places, strict=True)
        ]


@pytest.mark.parametrize(
    ("page", "sentence"),
    [
        ("docs/comparison.md", "On adult with four rules CORELS took {} s and samrule {} s"),
        (
            "README.md",
            "On 10,650 rows of the adult table with four rules, CORELS found the optimum in {} s, "
            "samrule in {} s",
        ),
    ],
)
def test_pages_quote_the_times_that_were_measured(page: str, sentence: str) -> None:
    quoted = re.search(sentence.replace("{}", r"([\d.]+)"), one_line(PROJECT / page))
    assert quoted is not None
    measured = seconds("adult-k4", "CORELS"), seconds("adult-k4", OURS)
    assert [float(one) for one in quoted.groups()] == [round(measured[0]), round(measured[1], 2)]


def test_trees_are_better_where_the_paper_and_the_comparison_say_so() -> None:
    losses: dict[str, dict[str, list[float]]] = {}
    for row in rows_of(HEURISTICS):
        if row["loss"]:
            by_method = losses.setdefault(row["method"], {})
            by_method.setdefault(row["table"], []).append(float(row["loss"]))
    lists, trees = losses["samrule, exact"], losses["pystreed"]
    better = [table for table in lists if mean(trees[table]) < mean(lists[table]) - 1e-9]
    assert (len(better), len(lists)) == (4, 8)
    assert "a lower loss on four of eight tables" in one_line(PAPER)
    assert "had a lower loss on four of eight tables" in one_line(PROJECT / "README.md")
    assert "On four of eight tables an optimal tree" in one_line(PROJECT / "docs" / "comparison.md")
