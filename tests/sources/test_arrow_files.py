"""Damaged Arrow data is an error, and never the end of the process."""

import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest

from samrule import open_table
from samrule.errors import InputError
from tests.sources import damaged_arrow

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("kind", ["file", "stream"])
@pytest.mark.parametrize("n_cases", [60, pytest.param(1_500, marks=pytest.mark.slow)])
def test_changed_bytes_end_no_process(kind: str, n_cases: int, tmp_path: Path) -> None:
    command = [sys.executable, "-m", damaged_arrow.__name__, str(tmp_path), kind, "0", f"{n_cases}"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    last = done.stdout.splitlines()[-1:]
    assert done.returncode == 0, f"after case {last}: {done.returncode}\n{done.stderr[-2000:]}"
    assert done.stdout.count("refused:") > n_cases // 10, "some of the changes are seen"


def damaged_text() -> pa.Array:
    """Three texts, one of which ends far behind the letters that are there."""
    offsets = pa.py_buffer(b"".join(one.to_bytes(4, "little") for one in (0, 10**9, 2, 3)))
    return pa.StringArray.from_buffers(3, offsets, pa.py_buffer(b"abc"))


class Capsule:
    def __init__(self, table: pa.Table) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)


@pytest.mark.parametrize("hand_over", [lambda table: table, Capsule, lambda t: t.to_reader()])
def test_damaged_tables_that_are_handed_over_are_refused(hand_over) -> None:
    table = pa.table({"text": damaged_text(), "class": [0, 1, 1]})
    with pytest.raises(InputError, match="damaged"):
        open_table(hand_over(table), "class")
