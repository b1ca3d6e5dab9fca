"""Options and fixtures all tests share."""

import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings

from tests.needs import required

# A program, not a test: it needs atheris, which `pip install --group fuzz` brings.
collect_ignore = ["fuzz/with_atheris.py"]

# No test asserts how long something took on the wall.
settings.register_profile("samrule", deadline=None)
settings.load_profile("samrule")

# Read when scipy is first imported; without it scikit-learn skips one of its checks.
os.environ["SCIPY_ARRAY_API"] = "1"

# Files that take longest, slow tests included, are begun first: no core waits for the last of them.
LONGEST = [
    "solver/test_objectives.py",
    "solver/test_against_brute_force.py",
    "statistical/test_planned_coverage.py",
    "statistical/test_sources.py",
    "sources/test_every_source.py",
    "test_packaging.py",
    "fuzz/test_fuzz.py",
    "sources/spark/test_source.py",
    "solver/test_conjunction_search.py",
    "export/test_agreement_in_spark.py",
    "statistical/test_coverage.py",
    "sources/test_arrow_files.py",
    "statistical/test_pipeline.py",
    "cli/test_interrupt.py",
    "export/test_sql.py",
    "cli/test_streams.py",
    "export/test_agreement.py",
    "test_readme.py",
]


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
    ranks = {Path(__file__).parent / name: rank for rank, name in enumerate(LONGEST)}
    items.sort(key=lambda item: ranks.get(item.path, len(ranks)))
    if config.getoption("--data-dir") is None:
        skip = pytest.mark.skip(reason="needs the benchmark tables: pass --data-dir")
        for item in items:
            if item.get_closest_marker("data"):
                item.add_marker(skip)


@pytest.fixture
def data_dir(request: pytest.FixtureRequest) -> Path:
    return request.config.getoption("--data-dir")
