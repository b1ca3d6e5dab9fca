"""Files written whole or not at all."""

import os
import secrets
from contextlib import suppress
from pathlib import Path

from samrule.errors import OutputError


def write_whole(path: str | os.PathLike[str], content: bytes) -> None:
    """Write the file, or leave what was there before as it was, and raise.

    The content goes to a file beside it first, is flushed to the disk, and takes the name last.

    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp()) / "model.json"
    >>> write_whole(target, b"{}")
    >>> target.read_bytes()
    b'{}'
    """
    # Through links: the link stays one, and what it points to is replaced.
    target = Path(os.path.realpath(path))
    beside = target.with_name(f".{target.name}.{secrets.token_hex(6)}.part")
    try:
        with beside.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(target)
    except OSError as error:
        raise OutputError(
            f"{os.fspath(path)} cannot be written: {error.strerror}; nothing was changed.",
            hint="check the folder, its permissions and the space left (df -h).",
        ) from None
    finally:
        with suppress(OSError):
            beside.unlink(missing_ok=True)
