"""Every engine, one after the other."""

from pathlib import Path

import pytest

from tests.sources.engines import ENGINES, Case, opened


@pytest.fixture(params=ENGINES)
def case(request: pytest.FixtureRequest, tmp_path: Path) -> Case:
    return opened(request.param, tmp_path)
