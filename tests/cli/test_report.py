"""`samrule report` as typed."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import samrule


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    table = pa.table({"age": np.arange(100), "old": np.arange(100) >= 60})
    samrule.learn(table, "old").save(tmp_path / "model.json")
    pq.write_table(table.slice(50), tmp_path / "test.parquet")
    return tmp_path


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    program = "from samrule.cli import main; main()"
    return subprocess.run(
        [sys.executable, "-c", program, "report", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(("table", "rows"), [([], "100 rows"), (["test.parquet"], "50 rows")])
def test_a_model_alone_or_with_a_table_gives_a_page(
    folder: Path, table: list[str], rows: str
) -> None:
    done = run(folder, "model.json", *table, "-o", "page.html")
    assert (done.returncode, done.stdout, done.stderr) == (0, "Wrote page.html.\n", "")
    page = (folder / "page.html").read_text()
    assert "Rule list for old" in page
    assert rows in page


def test_a_page_that_cannot_be_written_is_not_begun(folder: Path) -> None:
    done = run(folder, "model.json", "-o", "nowhere/page.html")
    assert done.returncode == 1
    assert "cannot be written" in done.stderr
    assert "Traceback" not in done.stderr
