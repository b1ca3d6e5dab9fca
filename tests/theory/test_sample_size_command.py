"""The `samrule sample-size` command, as a user runs it."""

import builtins
import sys

import pytest

from samrule.cli import main

ADULT = ["--conditions", "174", "--max-rules", "4", "--epsilon", "0.5", "--theta", "0.025"]


@pytest.fixture
def run(monkeypatch, capsys):
    def _run(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["samrule", "sample-size", *arguments])
        with pytest.raises(SystemExit) as exit_:
            main()
        output = capsys.readouterr()
        return exit_.value.code, output.out, output.err

    return _run


def test_it_prints_both_sizes_and_what_they_mean(run):
    code, out, err = run(*ADULT)

    assert (code, err) == (0, "")
    assert "the paper's size           32,479" in out
    assert "samrule's size             19,520   (40% fewer)" in out
    assert "With probability 95 %" in out
    assert "0.025            0.0375" in out


def test_lists_without_rules_need_rows_too(run):
    code, out, err = run(*ADULT, "--max-rules", "0")

    assert (code, err) == (0, "")
    assert out.startswith("Rows to draw for lists of a default alone:")


def test_a_bad_parameter_gives_one_message_and_exit_code_one(run):
    code, out, err = run(*ADULT[:-1], "2")

    assert (code, out) == (1, "")
    assert err == (
        "ParameterError: --theta is 2.0; expected a number, above 0 and at most 1.\n"
        "Hint: try --theta 0.05.\n"
    )


def test_a_missing_option_is_bad_usage(run):
    assert run(*ADULT[:-2])[0] == 2


def test_it_draws_the_figure(run, tmp_path):
    path = tmp_path / "rows.png"
    code, out, _ = run(*ADULT, "--plot", str(path))

    assert code == 0
    assert f"Wrote {path}." in out
    assert path.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("name", ["rows.unknown", "missing/rows.png"])
def test_a_figure_that_cannot_be_written_gives_one_message(run, tmp_path, name):
    code, _, err = run(*ADULT, "--plot", str(tmp_path / name))

    assert code == 1
    assert err.startswith("ParameterError: cannot write the plot to")
    assert "Hint: name a file ending in .png" in err


def test_drawing_without_matplotlib_names_the_extra(run, monkeypatch, tmp_path):
    real_import = builtins.__import__

    def import_without_matplotlib(name, *arguments, **keywords):
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return real_import(name, *arguments, **keywords)

    monkeypatch.setattr(builtins, "__import__", import_without_matplotlib)
    code, _, err = run(*ADULT, "--plot", str(tmp_path / "rows.png"))

    assert code == 1
    assert 'pip install "samrule[plot]"' in err
