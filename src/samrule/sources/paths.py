"""The files that a path, a glob, a folder or an address names."""

import glob
import re
from pathlib import Path
from urllib.parse import unquote

from samrule.errors import FileError
from samrule.sources.kinds import KINDS, ending

# Addresses of this machine.
_FILE = "file://"


def local_files(given: str) -> list[Path]:
    """Return the files of this machine that a path, glob, folder or ``file://`` address names."""
    if is_remote(given):
        return []
    if not given.startswith(_FILE):
        return _expanded(given)
    path = given.removeprefix(_FILE).removeprefix("localhost")
    # Addresses write a blank as %20; many people do not.
    is_as_written = Path(path).exists() or glob.glob(path)  # noqa: PTH207
    return _expanded(path if is_as_written else unquote(path))


def is_remote(given: str) -> bool:
    """Whether an address names files of another machine."""
    return "://" in given and not given.startswith(_FILE)


def without_credentials(text: str) -> str:
    """Return what an engine said without user names, passwords and signed parts of addresses."""
    text = re.sub(r"(\w+://)[^\s/@]*@", r"\1", text)
    return re.sub(r"\?[^\s\"']*", "", text)


def _expanded(given: str) -> list[Path]:
    """Return the files a path, a folder or a glob stands for, sorted by name."""
    try:
        path = Path(given).expanduser()
        if path.is_dir():
            found = [one for one in path.iterdir() if ending(one) in KINDS and one.is_file()]
        elif path.exists():
            found = [path]
        else:
            found = [Path(one) for one in glob.glob(str(path), recursive=True)]  # noqa: PTH207
    except RuntimeError:
        user = given.partition("/")[0]
        raise FileError(
            f"{given} does not exist: there is no user {user[1:]!r} on this machine.",
            hint=f"write ./{given} if the name begins with a tilde.",
        ) from None
    except PermissionError:
        raise FileError(
            f"the folder of {path.name!r} may not be read: permission denied.",
            hint="ask its owner, or check with ls -ld.",
        ) from None
    except OSError as error:
        raise FileError(
            f"{given[:60]!r} cannot be read: {error.strerror}.", hint="check the path with ls -l."
        ) from None
    if not found:
        what = "holds no table we know" if path.is_dir() else "does not exist"
        raise FileError(
            f"{given} {what}.", hint=f"expected a path or glob ending in {', '.join(KINDS)}."
        )
    for one in found:
        _check_path(one)
    return sorted(found)


def _check_path(path: Path) -> None:
    """Raise for names that this system can have and engines cannot be told."""
    try:
        str(path).encode("utf-8")
    except UnicodeEncodeError:
        raise FileError(
            f"{path.name!r} is not a name in UTF-8, which is what DuckDB and Arrow open.",
            hint="rename it, or make a link to it: ln -s old new.csv",
        ) from None
