"""Ctrl-C, SIGTERM and SIGHUP in a real process: the best list so far is kept, or nothing is."""

import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

import samrule
from tests.cli.conftest import write_hard_table

PROGRAM = [sys.executable, "-u", "-c", "from samrule.cli import main; main()"]


NOTHING = "Interrupted; nothing more was written.\n"


def interrupted(folder: Path, table: str, *options: str, at: str) -> tuple[int, str, str]:
    """Run fit, send SIGINT when standard error says `at`, and return what came of it."""
    command = [*PROGRAM, "fit", table, "--target", "y", "-o", "model.json", *options]
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
    options = ("--strategy", "exact", "--max-rules", "8")
    code, out, err = interrupted(tmp_path, "hard.parquet", *options, at="proven")
    assert code == 130, err
    assert "Interrupted: this is the best list found until then; it is in model.json." in err
    assert "Traceback" not in err
    assert "That does not prove it" in out
    fitted = samrule.load(tmp_path / "model.json")
    assert fitted.trace[-1].status == "interrupted"
    assert str(fitted.rule_list).splitlines()[0] in out
    assert fitted.certificate.lower_bound <= fitted.certificate.upper_bound


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_before_the_search_nothing_is_written(tmp_path: Path, sent: signal.Signals) -> None:
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
        process.send_signal(sent)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 128 + sent, err
    assert (out, err) == ("", NOTHING)
    assert list(tmp_path.iterdir()) == []


@pytest.fixture(scope="module")
def slow_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a table that takes a second to read, each time."""
    folder = tmp_path_factory.mktemp("slow")
    rows = "SELECT i % 61 AS age, i * 7919 % 97 AS wait, i % 61 >= 30 AS y FROM range(2000000) t(i)"
    duckdb.execute(f"COPY ({rows}) TO '{folder / 'slow.csv.gz'}'")
    return folder


def test_a_list_is_kept_when_its_scan_is_interrupted(slow_folder: Path) -> None:
    options = ("--strategy", "progressive")
    code, out, err = interrupted(slow_folder, "slow.csv.gz", *options, at="scanning")
    assert code == 130, err
    assert "Interrupted: this is the best list found until then; it is in model.json." in err
    assert "Traceback" not in err
    assert "if age >= 30 then true" in out
    assert "2,000 to validate" in out
    fitted = samrule.load(slow_folder / "model.json")
    assert fitted.trace[-1].status == "interrupted"
    assert fitted.counts == "sample"
    assert fitted.certificate.upper_evidence == "validation"
    assert fitted.certificate.upper_bound > fitted.certificate.lower_bound


def test_while_the_first_rows_are_read_there_is_nothing_to_keep(slow_folder: Path) -> None:
    (slow_folder / "model.json").write_text("as it was")
    code, out, err = interrupted(slow_folder, "slow.csv.gz", at="drawing 10,000")
    assert code == 130, err
    assert out == ""
    assert err.endswith(f"\n{NOTHING}")
    assert "Traceback" not in err
    assert (slow_folder / "model.json").read_text() == "as it was"
    assert {path.name for path in slow_folder.iterdir()} == {"slow.csv.gz", "model.json"}


def test_ctrl_c_while_the_program_starts_is_answered(tmp_path: Path) -> None:
    """A module that takes long to import: here, one that interrupts the process itself."""
    (tmp_path / "rich.py").write_text("import os, signal; os.kill(os.getpid(), signal.SIGINT)")
    done = subprocess.run(
        [*PROGRAM, "demo"], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", NOTHING)


def has_begun_to_write(folder: Path) -> bool:
    """Return whether a file on its way to out.csv holds something; empty ones come and go."""
    with suppress(FileNotFoundError):
        return any(path.stat().st_size for path in folder.glob(".*.out.csv"))
    return False


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_leaves_no_half_written_file_beside_the_output(
    slow_folder: Path, sent: signal.Signals
) -> None:
    model, out = slow_folder / "stopped.json", slow_folder / "out.csv"
    table = {"age": list(range(61)) * 2, "y": [age >= 30 for age in range(61)] * 2}
    samrule.learn(pa.table(table), "y").save(model)
    before = set(slow_folder.iterdir())
    with subprocess.Popen(
        [*PROGRAM, "predict", str(model), "slow.csv.gz", "-o", str(out)],
        stderr=subprocess.PIPE,
        text=True,
        cwd=slow_folder,
    ) as process:
        while not has_begun_to_write(slow_folder):
            assert process.poll() is None
        process.send_signal(sent)
        _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (128 + sent, NOTHING)
    assert set(slow_folder.iterdir()) == before


def test_a_signal_that_the_caller_ignores_is_ignored(tmp_path: Path) -> None:
    """As nohup does with SIGHUP."""
    program = (
        "import os, signal; signal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
        "from samrule.cli.signals import answered_signals\n"
        "with answered_signals() as stop:\n"
        "    os.kill(os.getpid(), signal.SIGHUP)\n"
        "print(stop.exit_code(0))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "0\n", "")
