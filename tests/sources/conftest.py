"""Every engine, one after the other."""

from pathlib import Path

import pytest

from tests.sources.engines import ENGINES, Case, each, opened


@pytest.fixture(params=each(ENGINES))
def case(request: pytest.FixtureRequest, tmp_path: Path) -> Case:
    return opened(request.param, tmp_path)
