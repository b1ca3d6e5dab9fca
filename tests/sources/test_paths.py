"""Paths, globs and folders name files, or an error says why they do not."""

import os
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from samrule import open_table
from samrule.errors import FileError
from tests.sources.engines import mixed_table
from tests.sources.opening import caught, written


def test_paths_that_are_not_there(tmp_path: Path) -> None:
    assert "does not exist" in caught(tmp_path / "no.csv").message
    assert "does not exist" in caught(str(tmp_path / "*.csv")).message
    assert "holds no table" in caught(tmp_path).message
    assert isinstance(caught(tmp_path), OSError)
    file = written(tmp_path, "t.csv", "x,y\n1,a\n")
    assert "does not exist" in caught(file / "u.csv").message
    (tmp_path / "folder.csv").mkdir()
    assert "holds no table" in caught(tmp_path / "folder.csv").message


def test_folder_without_permission(tmp_path: Path) -> None:
    folder = tmp_path / "closed"
    folder.mkdir(mode=0o000)
    me = os.geteuid()
    if me == 0:
        os.seteuid(65534)  # Root may read everything; nobody may not.
    try:
        with pytest.raises(FileError, match=r"may not be read|permission|does not exist") as error:
            open_table(folder)
    finally:
        os.seteuid(me)
    assert error.value.hint


def test_globs_folders_and_lists_are_the_same_table(tmp_path: Path) -> None:
    for number in range(3):
        pq.write_table(mixed_table(10, seed=number), tmp_path / f"{number}.parquet")
    paths = sorted(tmp_path.iterdir())
    draws = [
        open_table(data, "class").draw(50, random_state=0).table
        for data in (tmp_path, str(tmp_path / "*.parquet"), paths, [str(path) for path in paths])
    ]
    assert all(draw.equals(draws[0]) for draw in draws)


def test_names_with_stars_and_brackets_are_taken_literally(tmp_path: Path) -> None:
    for name in ("a[1]*.parquet", "it's.parquet"):
        pq.write_table(mixed_table(10), tmp_path / name)
        assert open_table(tmp_path / name, "class").draw(5, random_state=0).table.num_rows == 5
    path = written(tmp_path, "[x]'.csv", "x,y\n1,a\n")
    assert open_table(path, "y").n_rows == 1
