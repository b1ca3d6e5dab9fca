"""The documentation site: no public name is missing, it builds without warning and network."""

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tools import benchmark_charts, site

from tests.needs import need

PROJECT = Path(__file__).parents[1]


def test_every_public_name_has_a_place_in_the_reference() -> None:
    placed = site.placed_names()
    others = "\n".join(site.other_names())
    assert "samrule.learn" in placed
    for name in site.public_names():
        assert name in placed or f":: {name}" in others, name


def test_the_reference_names_nothing_that_is_gone() -> None:
    for name in site.placed_names():
        module, _, attribute = name.rpartition(".")
        assert hasattr(importlib.import_module(module), attribute), name


def test_every_command_and_option_is_in_the_reference() -> None:
    page = "\n".join(site.commands())
    assert "## `samrule fit`" in page
    assert "| `--max-rules K" in page
    assert "[bold]" not in page


def test_the_glossary_is_that_of_the_architecture() -> None:
    rows = list(site.glossary())
    assert any(row.startswith("| certificate |") for row in rows)


def test_pages_that_lie_elsewhere_are_included() -> None:
    for name, page in site.OUTSIDE.items():
        assert (PROJECT / name).is_file(), name
        if page != "index":
            assert f"<!-- the file {name} -->" in (PROJECT / "docs" / f"{page}.md").read_text()


IN_SDIST = not benchmark_charts.RESULTS.is_file()


@pytest.mark.skipif(IN_SDIST, reason="an sdist has no records")
def test_the_charts_of_benchmarks_show_what_the_files_say() -> None:
    rows = benchmark_charts.rows_of(benchmark_charts.RESULTS)
    settings = {row["setting"] for row in rows if row["contender"] == "CORELS"}
    (drawn,) = benchmark_charts.lists_charts()
    assert {one for one in settings if f">{one}<" in drawn} == settings
    (adult,) = (
        one for one in rows if one["setting"] == "adult-k4" and one["contender"] == "CORELS"
    )
    assert f">{float(adult['seconds']):.0f} s<" in drawn
    assert drawn.count("stopped") == sum(
        row["contender"] == "CORELS" and row["status"] != "optimal" for row in rows
    )
    for chart in (benchmark_charts.peers_chart, benchmark_charts.rows_chart):
        assert "<circle" in next(chart())
    assert any(line.startswith("| adult | 0.1760 |") for line in benchmark_charts.losses_table())


@pytest.mark.slow
@pytest.mark.skipif(IN_SDIST, reason="an sdist has no records")
def test_the_site_builds_without_warnings_and_needs_no_network(tmp_path: Path) -> None:
    need("sphinx")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html"]
    done = subprocess.run(
        [*command, "-d", tmp_path / "trees", PROJECT / "docs", tmp_path / "site"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    pages = list((tmp_path / "site").rglob("*.html"))
    assert len(pages) > 40
    index = (tmp_path / "site" / "genindex.html").read_text()
    assert [name for name in site.public_names() if f"#{name}" not in index] == []
    for page in pages:
        loaded = re.findall(
            r'<(?:script|img|iframe)[^>]* src="(\w+://[^"]*)|<link[^>]* href="(\w+://[^"]*)',
            page.read_text(),
        )
        assert loaded == [], page
    for style in (tmp_path / "site").rglob("*.css"):
        assert not re.search(r"url\(['\"]?https?:|@import\s+['\"]?https?:", style.read_text()), (
            style
        )
