"""A file is of the kind that its name announces, or an error says what it is."""

import gzip
import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.sources.engines import mixed_table
from tests.sources.opening import caught, written


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.parquet", b"a,b\n1,2\n", "t.parquet is not a Parquet file"),
        ("t.csv", b"PAR1....PAR1", "t.csv is a Parquet file"),
        ("t.csv", b"\x1f\x8b\x08\x00", r"t.csv is compressed \(.gz\)"),
        ("t.csv.gz", b"a,b\n1,2\n", "t.csv.gz is not compressed"),
        ("t.arrow", b"a,b\n1,2\n", "t.arrow is not an Arrow file"),
        ("t.jsonl", b'{"a": 1}\n{"a"', "t.jsonl could not be read"),
        ("t.json", b'[{"a": 1}, {"a": 2}]', "expected JSON lines"),
        ("t.parquet", b"", "t.parquet is not a Parquet file"),
        ("t.svm", b"1 1:2\nyes 1:2\n", "t.svm, line 2 is 'yes 1:2'"),
        ("t.svm", b"1 1:2:3 4\n", "t.svm, line 1 is"),
        ("t.csv", b"a,b\n1,\xff\n", "t.csv"),
        ("t.duckdb", b"nothing", "t.duckdb could not be read"),
        ("t.xlsx", b"PK\x03\x04", "t.xlsx cannot be read as a workbook"),
        ("t.xyz", b"PK\x03\x04", "t.xyz does not say what it is"),
    ],
)
def test_file_is_not_what_its_name_says(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    error = caught(written(tmp_path, name, content))
    assert re.search(message, error.message), error.message


def test_cut_short_files_are_told(tmp_path: Path) -> None:
    pq.write_table(mixed_table(), tmp_path / "whole.parquet")
    content = (tmp_path / "whole.parquet").read_bytes()
    error = caught(written(tmp_path, "t.parquet", content[: len(content) // 2]))
    assert "cut short" in error.message
    assert isinstance(error, OSError)
    with pa.ipc.new_file(tmp_path / "whole.arrow", mixed_table().schema) as writer:
        writer.write_table(mixed_table())
    content = (tmp_path / "whole.arrow").read_bytes()
    assert "cut short" in caught(written(tmp_path, "t.arrow", content[: len(content) // 2])).message
    content = gzip.compress(b"x,y\n" + b"1,a\n" * 20_000)
    assert "cannot be read" in caught(written(tmp_path, "t.csv.gz", content[:-20])).message
