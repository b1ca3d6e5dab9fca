"""Run one contender as a fresh process and say what it cost."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Run:
    """What a finished process printed and used.

    `peak_mb` starts at the size of the process that started it (Linux keeps the larger of the
    two), so the starter must stay small.
    """

    stdout: str
    stderr: str
    exit_code: int
    seconds: float
    cpu_seconds: float
    peak_mb: float
    timed_out: bool


def run(
    command: Sequence[str | Path],
    *,
    time_limit: float,
    memory_limit: int | None = None,
    folder: Path | None = None,
) -> Run:
    """Run `command` in `folder`, ending it after `time_limit` seconds.

    `memory_limit` caps the address space in bytes: a contender that needs more fails by itself
    instead of taking the machine down with it.
    """
    start = time.perf_counter()
    process = subprocess.Popen(
        [str(part) for part in command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
    )
    if memory_limit is not None:
        resource.prlimit(process.pid, resource.RLIMIT_AS, (memory_limit, memory_limit))
    expired = threading.Event()

    def end() -> None:
        expired.set()
        # Not process.kill, which would reap a process that has just ended: wait4 must see it.
        with suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGKILL)

    alarm = threading.Timer(time_limit, end)
    alarm.start()
    stdout, stderr = _read_both(process)
    _, status, usage = os.wait4(process.pid, 0)
    alarm.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    return Run(
        stdout=stdout,
        stderr=stderr,
        exit_code=process.returncode,
        seconds=time.perf_counter() - start,
        cpu_seconds=usage.ru_utime + usage.ru_stime,
        peak_mb=usage.ru_maxrss / 1024,
        timed_out=expired.is_set(),
    )


def _read_both(process: subprocess.Popen[str]) -> tuple[str, str]:
    """Read both streams to their end without reaping the process: wait4 must see its usage."""
    errors: list[str] = []
    reader = threading.Thread(target=lambda: errors.append(process.stderr.read()))
    reader.start()
    output = process.stdout.read()
    reader.join()
    return output, errors[0]
