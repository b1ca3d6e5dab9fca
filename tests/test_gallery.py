"""The gallery: every example runs, prints and draws. The site draws them again."""

import runpy
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))


def test_there_is_a_gallery() -> None:
    assert len(EXAMPLES) >= 7


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_prints_and_draws(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert path.name.startswith("plot_"), "else the gallery shows no picture"
    monkeypatch.chdir(tmp_path)
    plt.close("all")
    with plt.rc_context({"backend": "agg"}):
        runpy.run_path(str(path))
    assert capsys.readouterr().out
    assert plt.get_fignums()
    plt.close("all")
