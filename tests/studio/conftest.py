"""One studio for all tests that only ask, which remembers nothing of who asks; and one browser."""

import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.needs import need
from tests.studio.server import Server, guests, served, written


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    path = written(guests(), tmp_path_factory.mktemp("studio"))
    with served(path, "--target", "returns", "--max-rules", "3") as found:
        yield found


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    need("chromium")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        yield started
        started.close()
