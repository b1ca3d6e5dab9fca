"""Tables that several tests learn from."""

import pytest

from tests.learning.tables import people


@pytest.fixture(scope="session")
def table():
    return people(12_000)
