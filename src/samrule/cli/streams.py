"""Standard output and error that are closed, or on a disk that is full."""

import errno
import os
import sys
from contextlib import suppress
from typing import TypeGuard

from samrule.errors import OutputError

_HINT = "send it to a file on a disk with space left (df -h), or to /dev/null."

# What the system says of a stream that takes nothing more.
_UNWRITABLE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF}


def check_standard_output() -> None:
    """Raise if standard output is closed; messages that nobody can see go nowhere."""
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
    if sys.stdout is None:
        raise OutputError("standard output is closed.", hint=_HINT)


def is_standard_output_error(error: Exception) -> TypeGuard[OSError]:
    """Whether an error is that of a stream that was open already: it names no file."""
    return isinstance(error, OSError) and error.errno in _UNWRITABLE and error.filename is None


def unwritable_message(error: OSError) -> str:
    """Say why standard output takes nothing more, and let go of what was to be written."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return f"OutputError: standard output cannot be written: {error.strerror}.\nHint: {_HINT}"
