"""Files that a command reads and writes: which are the same, and which can be written."""

import os
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import combinations
from pathlib import Path

from samrule.cli.tables import STANDARD_INPUT
from samrule.errors import OutputError
from samrule.output import check_writable


def check_outputs(
    outputs: Sequence[Path | None], *, tables: Sequence[str] = (), files: Iterable[Path] = ()
) -> None:
    """Raise, before the work begins, if an output could not be written or would replace an input.

    Parameters
    ----------
    outputs
        The files to write; None for those not asked for.
    tables
        The tables to read, as TABLE... names them.
    files
        Other files that are read, such as the model.
    """
    paths = [path for path in outputs if path is not None and str(path) != STANDARD_INPUT]
    if not paths:
        return
    inputs = [*_identities(tables), *((str(one), _identity(one)) for one in files)]
    for path in paths:
        for name, identity in inputs:
            if identity is not None and identity == _identity(path):
                raise OutputError(
                    f"{path} is to be written, and it is {name}, which is read; writing would "
                    "replace it.",
                    hint="write to another file.",
                )
        check_writable(path)
    for one, other in combinations(paths, 2):
        if os.path.realpath(one) == os.path.realpath(other) and not one.is_char_device():
            raise OutputError(
                f"{other} is to be written twice, by two options; expected two files.",
                hint="give one of them another name.",
            )


def files_in_common(some: Sequence[str], others: Sequence[str]) -> bool:
    """Whether tables are read from a file that other tables are read from too."""
    files, more = ({found for _, found in _identities(each) if found} for each in (some, others))
    return not files.isdisjoint(more)


_Identity = tuple[int, int]


def _identities(tables: Iterable[str]) -> Iterable[tuple[str, _Identity | None]]:
    """Yield every file that tables are read from, and what tells it from all others."""
    from samrule.sources.paths import local_files

    for one in tables:
        if one == STANDARD_INPUT:
            with suppress(OSError, ValueError):  # A standard input that is no file has no number.
                status = os.fstat(sys.stdin.fileno())
                yield "standard input", (status.st_dev, status.st_ino)
        else:
            for path in local_files(one):
                yield str(path), _identity(path)


def _identity(path: Path) -> _Identity | None:
    """Return device and number of a file, the same through all its links; None for devices."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        return None
    return (status.st_dev, status.st_ino) if path.is_file() else None
