"""One studio for all tests that only ask: it remembers nothing of who asks."""

from collections.abc import Iterator

import pytest

from tests.studio.server import Server, guests, served, written


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    path = written(guests(), tmp_path_factory.mktemp("studio"))
    with served(path, "--target", "returns", "--max-rules", "3") as found:
        yield found
