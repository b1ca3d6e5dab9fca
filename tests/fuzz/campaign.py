"""Fuzz a target: run cases in a child process, start another where one dies or hangs.

``python -m tests.fuzz.campaign csv --cases 20000`` prints every finding and one last line for
docs/records/fuzz.md; ``--only 17`` runs one case again, in this process.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from tests.fuzz.targets import TARGETS

PROJECT = Path(__file__).parents[2]
# A case that has used so much processor time will not end: others take a hundredth of a second.
HANG_SECONDS = 30


@dataclass
class Findings:
    """What a campaign found; nothing, if all is well."""

    target: str
    cases: int
    seed: int
    raw: list[str] = field(default_factory=list)
    crashes: list[str] = field(default_factory=list)
    hangs: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return (
            f"{datetime.now(UTC):%Y-%m-%d %H:%M} {self.target}: {self.cases:,} cases, seed "
            f"{self.seed}: {len(self.crashes)} crashes, {len(self.raw)} raw exceptions, "
            f"{len(self.hangs)} hangs"
        )


def campaign(name: str, cases: int, seed: int = 0, *, first: int = 0) -> Findings:
    """Run the cases, in as many processes as it takes."""
    found = Findings(name, cases, seed)
    with tempfile.TemporaryDirectory(prefix="samrule-fuzz-") as place:
        folder, start, last = Path(place), first, first + cases
        while start < last:
            start = _run(found, start, last, folder)
    return found


def _run(found: Findings, start: int, last: int, folder: Path) -> int:
    """Run cases until one ends the process; return the number to go on with."""
    (folder / "at").write_bytes(b"%012d" % start)
    command = [sys.executable, "-m", "tests.fuzz.cases", found.target, str(found.seed)]
    with (folder / "out").open("w+") as out, (folder / "err").open("w+") as err:
        child = subprocess.Popen(
            [*command, str(start), str(last), str(folder)], stdout=out, stderr=err, cwd=PROJECT
        )
        hung = not _ended(child, folder)
        out.seek(0)
        found.raw += [line.strip() for line in out]
        err.seek(0)
        told = err.read()[-300:]
    at = int((folder / "at").read_bytes())
    if hung:
        found.hangs.append(json.dumps({"case": at}))
    elif child.returncode != 0:
        found.crashes.append(json.dumps({"case": at, "code": child.returncode, "told": told}))
    return at if at == last else at + 1


def _ended(child: "subprocess.Popen[bytes]", folder: Path) -> bool:
    """Wait for the process to end; kill it, and return False, if a case takes too long."""
    at, since = b"", 0.0
    while child.poll() is None:
        time.sleep(0.2)
        now, used = (folder / "at").read_bytes(), _processor_seconds(child.pid)
        if now != at:
            at, since = now, used
        elif used - since > HANG_SECONDS:
            child.kill()
            child.wait()
            return False
    return True


def _processor_seconds(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("target", choices=TARGETS)
    parser.add_argument("--cases", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--only", type=int, help="run this one case here, and fail as it fails")
    given = parser.parse_args()
    if given.only is not None:
        content, rng = TARGETS[given.target].case(given.seed, given.only)
        sys.stdout.write(f"{content[:2000]!r}\n")
        with tempfile.TemporaryDirectory() as place:
            TARGETS[given.target].use(content, rng, Path(place))
        return
    found = campaign(given.target, given.cases, given.seed, first=given.first)
    for line in [*found.crashes, *found.hangs, *found.raw]:
        sys.stdout.write(f"{line}\n")
    sys.stdout.write(f"{found}\n")
    sys.exit(bool(found.crashes or found.raw or found.hangs))


if __name__ == "__main__":
    main()
