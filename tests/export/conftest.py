"""Servers that run our SQL: PostgreSQL in a folder of its own, Spark in this process's JVM."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="session")
def postgres() -> Iterator[Any]:
    """A connection to a PostgreSQL server of our own, which listens on a socket in its folder."""
    psycopg = pytest.importorskip("psycopg", reason="needs psycopg")
    programs = _postgres_programs()
    if programs is None:
        pytest.skip("needs PostgreSQL's server: apt-get install postgresql")
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


def _postgres_programs() -> Path | None:
    found = shutil.which("initdb")
    if found is not None:
        return Path(found).resolve().parent
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    return next((one for one in reversed(folders) if (one / "initdb").exists()), None)


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    sql = pytest.importorskip("pyspark.sql", reason="needs pyspark")
    session = (
        sql.SparkSession.builder.master("local[1]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.session.timeZone", "UTC")
        .getOrCreate()
    )
    yield session
    session.stop()
