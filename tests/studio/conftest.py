"""One studio for all tests that only ask, which remembers nothing of who asks; and one browser."""

import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.needs import need
from tests.studio import page as pages
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


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with pages.studio(pages.guests(), "returns", tmp_path_factory.mktemp("guests")) as found:
        yield found


@pytest.fixture(scope="module")
def hostile_address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with pages.studio(
        pages.hostile(), "javascript:alert(1)", tmp_path_factory.mktemp("hostile")
    ) as found:
        yield found


@pytest.fixture
def opened(browser: Browser) -> Iterator[pages.Opener]:
    """Open an address in a new window; whatever goes wrong in it fails the test."""
    contexts: list[BrowserContext] = []
    trouble: list[str] = []

    def open_page(address: str, *, refuses: bool = False, **options: object) -> Page:
        context = browser.new_context(**{"viewport": pages.DESKTOP, **options})  # type: ignore[arg-type]
        contexts.append(context)
        context.set_default_timeout(pages.PATIENCE)
        page = context.new_page()
        pages.watched(page, address, trouble, refuses)
        page.goto(address)
        expect(page.locator(".card").first).to_be_visible(timeout=pages.PATIENCE)
        return page

    expect.set_options(timeout=pages.PATIENCE)
    yield open_page
    for context in contexts:
        context.close()
    assert trouble == []
