"""Files are written whole or not at all."""

import os
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor

import pytest

from samrule.errors import FileError, OutputError
from samrule.output import check_writable, whole_file, write_whole


def test_content_replaces_what_was_there(tmp_path):
    path = tmp_path / "model.json"
    path.write_bytes(b"old")
    write_whole(path, b"new")
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [tmp_path / "model.json"]


def test_new_files_have_the_usual_permissions(tmp_path):
    (tmp_path / "other").write_bytes(b"")
    write_whole(tmp_path / "model.json", b"")
    modes = {(tmp_path / name).stat().st_mode for name in ("other", "model.json")}
    assert len(modes) == 1


def test_links_stay_links(tmp_path):
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to("real")
    write_whole(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"


def test_pipes_and_devices_are_written_to_and_not_replaced(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as reader:
        content = reader.submit(pipe.read_bytes)
        write_whole(pipe, b"new")
        assert content.result() == b"new"
    assert pipe.is_fifo()
    assert list(tmp_path.iterdir()) == [pipe]


def test_what_cannot_be_written_is_told_beforehand(tmp_path):
    (tmp_path / "old").write_bytes(b"old")
    for name in ("old", "new"):
        check_writable(tmp_path / name)
    for name in (".", "no/such/folder/new", "old/new"):
        with pytest.raises(OutputError, match="cannot be written"):
            check_writable(tmp_path / name)
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"old"]


def test_errors_of_reading_keep_their_name(tmp_path):
    with pytest.raises(FileError, match="cut short"), whole_file(tmp_path / "new"):
        raise FileError("cut short")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["no/such/folder/model.json", "."])
def test_a_place_that_cannot_be_written_is_named(tmp_path, name):
    with pytest.raises(OutputError, match="cannot be written") as caught:
        write_whole(tmp_path / name, b"new")
    assert caught.value.hint
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_leaves_the_old_file_and_no_other(tmp_path):
    """A limit on the size of files stands in for a disk that is full."""
    (tmp_path / "model.json").write_bytes(b"old")
    program = textwrap.dedent(
        f"""
        import resource, signal
        from samrule.errors import OutputError
        from samrule.output import write_whole
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        try:
            write_whole({str(tmp_path / "model.json")!r}, b"x" * 100_000)
        except OutputError as error:
            print(error)
        """
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert "cannot be written: File too large; nothing was changed." in done.stdout
    assert (tmp_path / "model.json").read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [tmp_path / "model.json"]
