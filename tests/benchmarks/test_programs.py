"""Every program of benchmarks/ and experiments/ still finds what it imports."""

import doctest
import importlib
from pathlib import Path

import pytest

import markdown_tables

PROJECT = Path(__file__).parents[2]
PROGRAMS = sorted(
    path.stem
    for folder in ("benchmarks", "experiments")
    for path in (PROJECT / folder).glob("*.py")
)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_finds_what_it_imports(name: str) -> None:
    importlib.import_module(name)


def test_wide_tables_go_on_in_a_further_one() -> None:
    header = ["table", *(f"figure {n}" for n in range(12))]
    text = markdown_tables.markdown([header, ["adult", *range(12)], ["bank", *range(12)]])

    assert doctest.testmod(markdown_tables).failed == 0
    assert max(map(len, text.splitlines())) <= markdown_tables.WIDTH
    for table in text.split("\n\n"):
        assert [line.split()[1] for line in table.splitlines()[2:]] == ["adult", "bank"]
    assert all(name in text for name in header)
