"""Runs that were stopped go on where they were, and nothing is lost in the CSV."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import harness


def jobs(n):
    return [{"table": "t", "seed": seed} for seed in range(n)]


def test_finished_runs_are_not_run_again(tmp_path):
    path = tmp_path / "runs.csv"
    seen = []

    def measure(job):
        if job["seed"] == 2 and len(seen) < 3:
            seen.append("stopped")
            raise KeyboardInterrupt
        seen.append(job["seed"])
        return {"loss": job["seed"] / 3}

    with pytest.raises(KeyboardInterrupt):
        harness.run_all(jobs(4), measure, path)
    rows = harness.run_all(jobs(4), measure, path)

    assert seen == [0, 1, "stopped", 2, 3]
    assert [row["seed"] for row in rows] == [0, 1, 2, 3]
    assert rows[1]["loss"] == pytest.approx(1 / 3, rel=1e-7)


@pytest.mark.parametrize("value", [1.0, 0.025, 3, "text", 1e-9, 1 / 3])
def test_a_run_is_recognized_whatever_tells_it_from_others(tmp_path, value):
    job, path = {"epsilon": value}, tmp_path / "runs.csv"
    for _ in range(2):
        rows = harness.run_all([job], lambda job: {"loss": 1}, path)
    assert len(rows) == 1


def test_every_line_says_who_measured(tmp_path):
    (row,) = harness.run_all(jobs(1), lambda job: {"loss": 0.5}, tmp_path / "runs.csv")

    assert row["version"]
    assert "cores" in row["machine"]
    assert row["commit"]


def test_runs_of_another_version_are_not_taken_for_done(tmp_path, monkeypatch):
    path = tmp_path / "runs.csv"
    harness.run_all(jobs(1), lambda job: {"loss": 1}, path)
    monkeypatch.setattr(harness.samrule, "__version__", "next")

    assert len(harness.run_all(jobs(1), lambda job: {"loss": 2}, path)) == 2


@given(st.one_of(st.integers(), st.floats(allow_nan=False), st.just("a;b,c"), st.none()))
def test_values_come_back_from_the_csv_as_they_went_in(value):
    text = "" if value is None else str(harness.shown(value))
    back = harness.number(text)

    if isinstance(value, float):
        assert back == pytest.approx(value, rel=1e-7)
    else:
        assert back == value
