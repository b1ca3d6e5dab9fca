"""What some tests need and not every machine has: they are skipped without it, and say so.

``SAMRULE_REQUIRE=java`` (names with commas between) makes them fail instead, so that nobody takes
a machine that lacks something for one that passed. A new need is one entry here.
"""

import os
import shutil
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest


def _has_java() -> bool:
    home = os.environ.get("JAVA_HOME")
    return shutil.which("java") is not None or (
        home is not None and (Path(home) / "bin" / "java").exists()
    )


def postgres_programs() -> Path | None:
    """Return the folder of PostgreSQL's server programs, which Debian keeps off the path."""
    found = shutil.which("initdb")
    if found is not None:
        return Path(found).resolve().parent
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    return next((one for one in reversed(folders) if (one / "initdb").exists()), None)


def mariadb_programs() -> tuple[str, str] | None:
    """Return MariaDB's installer of databases and its server, which Debian keeps off the path."""
    folders = f"{os.environ.get('PATH', '')}:/usr/sbin"
    install = shutil.which("mariadb-install-db", path=folders)
    server = shutil.which("mariadbd", path=folders)
    return None if install is None or server is None else (install, server)


# What it is called, whether it is here, and how to get it.
NEEDS: dict[str, tuple[Callable[[], bool], str]] = {
    "java": (_has_java, "apt-get install default-jre-headless"),
    "chromium": (lambda: shutil.which("chromium") is not None, "apt-get install chromium"),
    "postgres": (lambda: postgres_programs() is not None, "apt-get install postgresql"),
    "mariadb": (lambda: mariadb_programs() is not None, "apt-get install mariadb-server"),
    "binutils": (lambda: shutil.which("objdump") is not None, "apt-get install binutils"),
    "jupyterlab": (lambda: find_spec("jupyterlab") is not None, "pip install jupyterlab"),
    "sphinx": (lambda: find_spec("sphinx") is not None, "make docs"),
    "latex": (lambda: shutil.which("pdflatex") is not None, "apt-get install texlive-latex-base"),
}


def need(what: str) -> None:
    """Skip the test if this machine lacks something; fail it if that was required."""
    is_here, how = NEEDS[what]
    if is_here():
        return
    message = f"needs {what}: {how}"
    if what in required():
        pytest.fail(f"SAMRULE_REQUIRE names it, but this test {message}")
    pytest.skip(message)


def required() -> set[str]:
    """Return what SAMRULE_REQUIRE names."""
    names = {name.strip() for name in os.environ.get("SAMRULE_REQUIRE", "").split(",")} - {""}
    if names - set(NEEDS):
        raise pytest.UsageError(
            f"SAMRULE_REQUIRE names {', '.join(sorted(names - set(NEEDS)))}; "
            f"expected some of {', '.join(NEEDS)}"
        )
    return names
