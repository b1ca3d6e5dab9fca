"""Servers of our own, to run our SQL: each listens on a socket in its folder and nowhere else."""

import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

import pytest

from tests.needs import mariadb_programs, need, postgres_programs


@pytest.fixture(scope="session")
def postgres() -> Iterator[Any]:
    """A connection to a PostgreSQL server."""
    need("postgres")
    import psycopg

    programs = postgres_programs()
    assert programs is not None
    with server_folder("postgres") as (folder, user, log):

        def run(program: str, *arguments: str) -> None:
            command = [str(programs / program), "-D", str(folder / "data"), *arguments]
            # Its output goes to a file: the server inherits it and would keep a pipe open.
            subprocess.run(command, user=user, check=True, stdout=log, stderr=log, cwd=folder)

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


@pytest.fixture(scope="session")
def mariadb() -> Iterator[Any]:
    """A connection to a MariaDB server."""
    need("mariadb")
    import pymysql

    programs = mariadb_programs()
    assert programs is not None
    install, server = programs
    with server_folder("mysql") as (folder, user, log):
        data, socket = f"--datadir={folder / 'data'}", folder / "socket"
        options: dict[str, Any] = {"user": user, "stdout": log, "stderr": log, "cwd": folder}
        command = [install, "--no-defaults", data, "--auth-root-authentication-method=normal"]
        subprocess.run([*command, "--skip-test-db"], check=True, **options)
        command = [server, "--no-defaults", data, f"--socket={socket}", "--skip-networking"]
        running = subprocess.Popen([*command, "--innodb-flush-log-at-trx-commit=0"], **options)
        try:
            patience = time.monotonic() + 60
            while not socket.exists() and running.poll() is None and time.monotonic() < patience:
                time.sleep(0.05)
            with pymysql.connect(
                unix_socket=str(socket), user="root", charset="utf8mb4", autocommit=True
            ) as connection:
                connection.cursor().execute("CREATE DATABASE things CHARACTER SET utf8mb4")
                connection.select_db("things")
                yield connection
        finally:
            running.terminate()
            running.wait()


@contextmanager
def server_folder(owner: str) -> Iterator[tuple[Path, str | None, TextIO]]:
    """A folder for a server, the user to run it as (servers refuse to run as root), and a log."""
    folder = Path(tempfile.mkdtemp(prefix=f"samrule-{owner}-"))
    user = owner if os.geteuid() == 0 else None
    if user is not None:
        os.chown(folder, pwd.getpwnam(user).pw_uid, -1)
    try:
        with tempfile.TemporaryFile("w") as log:
            yield folder, user, log
    finally:
        shutil.rmtree(folder, ignore_errors=True)
