"""Files written whole or not at all."""

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from samrule.errors import OutputError, SamruleError


def write_whole(path: str | os.PathLike[str], content: bytes) -> None:
    """Write the file, or leave what was there before as it was, and raise.

    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp()) / "model.json"
    >>> write_whole(target, b"{}")
    >>> target.read_bytes()
    b'{}'
    """
    with whole_file(path) as place, place.open("wb") as file:
        file.write(content)


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a path to write to; what is written there takes the name asked for at the end.

    The content goes to a file beside it first, with the same ending, is flushed to the disk, and
    takes the name last. If anything goes wrong before, what was there stays as it was. Devices and
    pipes are written to directly: they have no content to keep, and must not be replaced.

    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp()) / "rows.csv"
    >>> with whole_file(target) as place:
    ...     _ = place.write_text("a,b")
    ...     target.exists()
    False
    >>> target.read_text()
    'a,b'
    """
    try:
        if _takes_a_stream(path):
            yield Path(path)
            return
        # Through links: the link stays one, and what it points to is replaced.
        target = Path(os.path.realpath(path))
        beside = target.with_name(f".{secrets.token_hex(6)}.{target.name}")
        try:
            beside.open("xb").close()
            yield beside
            with beside.open("rb") as file:
                os.fsync(file.fileno())
            beside.replace(target)
        finally:
            with suppress(OSError):
                beside.unlink(missing_ok=True)
    except SamruleError:
        raise  # Whoever writes may be reading too, and FileError is an OSError.
    except OSError as error:
        raise OutputError(
            f"{os.fspath(path)} cannot be written: {_reason(error)}; nothing was changed.",
            hint="check the folder, its permissions and the space left (df -h).",
        ) from None


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raise now what writing the file later would raise, as far as can be told: work is long."""
    if Path(path).is_dir():
        raise OutputError(
            f"{os.fspath(path)} cannot be written: it is a folder.", hint="name a file in it."
        )
    if _takes_a_stream(path):
        return
    with suppress(_NothingToWriteError), whole_file(path):
        raise _NothingToWriteError


class _NothingToWriteError(Exception):
    """Leaves `whole_file` before anything takes the name."""


def _takes_a_stream(path: str | os.PathLike[str]) -> bool:
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _reason(error: OSError) -> str:
    """Return what the system says; Arrow puts more before it."""
    return os.strerror(error.errno) if error.errno else str(error)
