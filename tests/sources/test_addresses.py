"""Addresses are one more way to name a file: what is read is the same."""

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from samrule import open_table
from samrule.errors import FileError, InputError, ParameterError
from samrule.sources.duckdb.files import copied_here, remote_parquet_source
from samrule.sources.paths import local_files
from tests.sources.engines import (
    MIXED,
    TARGET,
    mixed_table,
    number_table,
    write_csv,
    write_json,
    write_svmlight,
)

FILES = ["csv", "csv.gz", "csv.zst", "tsv", "parquet", "jsonl", "feather", "arrow-stream"]


@pytest.mark.parametrize("engine", FILES)
def test_a_file_address_is_a_path(engine: str, tmp_path: Path) -> None:
    path = MIXED[engine](mixed_table(), tmp_path)
    source, expected = open_table(path.as_uri(), TARGET), open_table(path, TARGET)
    assert source.schema.equals(expected.schema)
    assert source.draw(100, random_state=0).table.equals(expected.draw(100, random_state=0).table)


def test_file_addresses_may_be_lists_globs_and_folders_with_blanks(tmp_path: Path) -> None:
    folder = tmp_path / "a b 100%25"
    folder.mkdir()
    for name in ("one.csv", "two.csv"):
        write_csv(mixed_table(), folder / name)
    for address in (
        f"file://{folder}",
        folder.as_uri(),
        f"file://localhost{folder}/*.csv",
        [(folder / name).as_uri() for name in ("one.csv", "two.csv")],
        [str(folder / "one.csv"), f"file://{folder}/two.csv"],
    ):
        assert open_table(address, TARGET).n_rows == 2 * mixed_table().num_rows


def remote(path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Make DuckDB find a file of this machine at an address from afar; ours is the same."""

    def fetched(name: str, address: str, folder: Path) -> list[Path]:
        return copied_here(name, address.replace("far://", "file://"), folder)

    def in_place(name: str, address: str, options: Any) -> Any:
        return remote_parquet_source(name, address.replace("far://", "file://"), options)

    monkeypatch.setattr("samrule.sources.duckdb.files.copied_here", fetched)
    monkeypatch.setattr("samrule.sources.duckdb.files.remote_parquet_source", in_place)
    return f"far://{path}"


@pytest.mark.parametrize("scheme", ["file", "far"])
def test_late_fractions_are_not_rounded_and_words_stay_words(
    scheme: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "t.csv"
    path.write_text("x,y\n" + "1,yes\n2,no\n" * 15_000 + "1.5,yes\n")
    address = remote(path, monkeypatch) if scheme == "far" else path.as_uri()
    with pytest.raises(InputError, match=r"'1.5' in row 30,001"):
        open_table(address, "y").column("x")
    path.write_text("x,y\n1,yes\n2,no\n")
    assert open_table(address, "y").classes().values == ("no", "yes")
    lines = tmp_path / "t.jsonl"
    lines.write_text('{"x": 1, "y": "a"}\n' * 30_000 + '{"x": 1.5, "y": "b"}\n')
    address = remote(lines, monkeypatch) if scheme == "far" else lines.as_uri()
    with pytest.raises(InputError, match=r"1\.5.*held whole numbers before"):
        open_table(address, "y").column("x")


@pytest.mark.parametrize("kind", ["csv", "csv.gz", "jsonl", "parquet", "svm", "feather"])
def test_files_from_afar_are_read_as_if_they_were_here(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    path = tmp_path / f"t.{kind}"
    if kind == "svm":
        write_svmlight(number_table(["label", "f1", "f2"]), path)
    else:
        path = MIXED[kind](mixed_table(), tmp_path)
    expected = open_table(path, "label" if kind == "svm" else TARGET)
    source = open_table(remote(path, monkeypatch), expected.target)
    assert source.schema.equals(expected.schema)
    assert source.draw(100, random_state=0).table.equals(expected.draw(100, random_state=0).table)
    del source
    assert not list((tmp_path / "temporary").iterdir()), "copies do not outlive the source"


def test_globs_from_afar_are_all_their_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place in range(3):
        write_json(mixed_table(), tmp_path / f"{place}.jsonl")
    assert open_table(remote(tmp_path / "*.jsonl", monkeypatch), TARGET).n_rows == 900
    with pytest.raises(FileError, match="there is no file"):
        open_table(remote(tmp_path / "none.jsonl", monkeypatch), TARGET)
    pq.write_table(mixed_table(), tmp_path / "0.parquet")
    assert open_table(remote(tmp_path / "*.parquet", monkeypatch), TARGET).n_rows == 300
    assert local_files("far://x.csv") == []


def test_a_query_is_for_databases_alone(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"query is given for far://t\.parquet"):
        open_table("far://user:secret@t.parquet", query="SELECT 1")
