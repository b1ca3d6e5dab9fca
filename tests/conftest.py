"""Options and fixtures all tests share."""

import os
import signal
from pathlib import Path

import pytest

from tests.needs import required

# A program, not a test: it needs atheris, which `pip install --group fuzz` brings.
collect_ignore = ["fuzz/with_atheris.py"]

# Read when scipy is first imported; without it scikit-learn skips one of its checks.
os.environ["SCIPY_ARRAY_API"] = "1"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--data-dir",
        type=Path,
        default=None,
        help="folder with the benchmark tables (Parquet); without it `data` tests are skipped",
    )


def pytest_configure(config: pytest.Config) -> None:
    data_dir = config.getoption("--data-dir")
    if data_dir is not None and not data_dir.is_dir():
        raise pytest.UsageError(f"--data-dir {data_dir} is not a folder")
    required()
    # Jobs in the background of a shell ignore Ctrl-C; some tests send it and wait for an answer.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--data-dir") is None:
        skip = pytest.mark.skip(reason="needs the benchmark tables: pass --data-dir")
        for item in items:
            if item.get_closest_marker("data"):
                item.add_marker(skip)


@pytest.fixture
def data_dir(request: pytest.FixtureRequest) -> Path:
    return request.config.getoption("--data-dir")
