"""A PostgreSQL server of our own, to run our SQL."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.needs import need, postgres_programs


@pytest.fixture(scope="session")
def postgres() -> Iterator[Any]:
    """A connection to a PostgreSQL server of our own, which listens on a socket in its folder."""
    need("postgres")
    import psycopg

    programs = postgres_programs()
    assert programs is not None
    folder = Path(tempfile.mkdtemp(prefix="samrule-postgres-"))
    # The server refuses to run as root.
    user = "postgres" if os.geteuid() == 0 else None
    if user is not None:
        os.chown(folder, pwd.getpwnam(user).pw_uid, -1)

    def run(program: str, *arguments: str) -> None:
        command = [str(programs / program), "-D", str(folder / "data"), *arguments]
        # Its output goes to a file: the server inherits it and would keep a pipe open.
        with (folder.parent / f"{folder.name}.log").open("a") as log:
            subprocess.run(command, user=user, check=True, stdout=log, stderr=log, cwd=folder)

    try:
        run("initdb", "-U", "samrule", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        run("pg_ctl", "-w", "start", "-o", f"-k {folder} -c listen_addresses='' -c fsync=off")
        try:
            with psycopg.connect(
                host=str(folder), user="samrule", dbname="postgres", autocommit=True
            ) as connection:
                connection.execute("SET TimeZone = 'UTC'")
                yield connection
        finally:
            run("pg_ctl", "-w", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        (folder.parent / f"{folder.name}.log").unlink(missing_ok=True)
