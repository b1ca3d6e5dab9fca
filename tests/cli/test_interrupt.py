"""Ctrl-C in a real process: the best list so far is kept, or nothing is."""

import signal
import subprocess
import sys
from pathlib import Path

import samrule
from tests.cli.conftest import write_hard_table

PROGRAM = [sys.executable, "-u", "-c", "from samrule.cli import main; main()"]


def interrupted(folder: Path, *options: str, at: str) -> tuple[int, str, str]:
    """Run fit, send SIGINT when standard error says `at`, and return what came of it."""
    command = [*PROGRAM, "fit", "hard.parquet", "--target", "y", "--max-rules", "8", *options]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder
    ) as process:
        assert process.stderr is not None
        told = ""
        while at not in told:
            line = process.stderr.readline()
            assert line, f"ended without saying {at!r}: {told}"
            told += line
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    return process.returncode, out, told + err


def test_the_best_list_so_far_is_printed_and_written(tmp_path: Path) -> None:
    write_hard_table(tmp_path / "hard.parquet")
    # The second line of a search comes after five seconds: by then it runs for certain.
    options = ("--strategy", "exact", "-o", "model.json")
    code, out, err = interrupted(tmp_path, *options, at="proven")
    assert code == 130, err
    assert "Interrupted: this is the best list found until then; it is in model.json." in err
    assert "Traceback" not in err
    assert "That does not prove it" in out
    fitted = samrule.load(tmp_path / "model.json")
    assert fitted.trace[-1].status == "interrupted"
    assert str(fitted.rule_list).splitlines()[0] in out
    assert fitted.certificate.lower_bound <= fitted.certificate.upper_bound


def test_before_the_search_nothing_is_written(tmp_path: Path) -> None:
    """Standard input that never ends keeps the command reading."""
    with subprocess.Popen(
        [*PROGRAM, "fit", "-", "--target", "y", "-o", "model.json"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        env={"TMPDIR": str(tmp_path), "PATH": ""},
    ) as process:
        while not list(tmp_path.glob("samrule-*/*.csv")):
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert (out, err) == ("", "Interrupted; nothing more was written.\n")
    assert list(tmp_path.iterdir()) == []
