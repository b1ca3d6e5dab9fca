"""Damaged files are told about: no crash, no raw exception, no hang (docs/records/fuzz.md)."""

import pytest

from tests.fuzz.campaign import campaign
from tests.fuzz.targets import TARGETS


@pytest.mark.parametrize("cases", [40, pytest.param(750, marks=pytest.mark.slow)])
@pytest.mark.parametrize("target", TARGETS)
def test_damaged_files_are_told_about(target: str, cases: int) -> None:
    found = campaign(target, cases)
    assert (found.crashes, found.hangs, found.raw) == ([], [], [])
