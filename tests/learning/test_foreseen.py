"""What another thread does while a run is planned: only the time it takes differs."""

import threading
from dataclasses import replace

import pyarrow.parquet as pq
import pytest

from samrule import learn, open_table
from samrule.learning import planned, run, sample
from samrule.sources.duckdb.source import DuckDBSource
from tests.learning.tables import people

ASKED = {"strategy": "progressive", "epsilon": 0.3, "theta": 0.05, "threads": 2}


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("table") / "people.parquet"
    pq.write_table(people(60_000), path)
    return path


def in_order(path, **asked):
    """Learn with one thread alone."""
    source = open_table(path, "buys")
    source.scans_beside = False
    return learn(source, **asked)


def told(fitted):
    return (fitted.rule_list, fitted.certificate, fitted.trace, fitted.rows_used)


def counting_threads(monkeypatch, change=lambda found: found):
    """Return who counts lists on the table, as they do; what they count may be changed."""
    threads, tally = [], DuckDBSource._tally

    def counted(self, *rest):
        threads.append(threading.current_thread())
        return change(tally(self, *rest))

    monkeypatch.setattr(DuckDBSource, "_tally", counted)
    return threads


@pytest.mark.parametrize("seed", range(4))
def test_a_run_is_the_same_with_and_without_another_thread(path, seed):
    beside = learn(path, "buys", random_state=seed, **ASKED)
    assert told(beside) == told(in_order(path, random_state=seed, **ASKED))


def test_lists_are_counted_while_the_run_is_planned(path, monkeypatch):
    threads, here = counting_threads(monkeypatch), threading.current_thread()
    fitted = learn(path, "buys", random_state=0, **ASKED)
    assert len(threads) == 1  # Both lists are the same one, and it is counted once.
    assert threads[0] is not here
    assert not threads[0].is_alive()
    assert fitted.rows_used.scans == 2
    for one_thread in ({**ASKED, "threads": 1}, {**ASKED, "max_terms": 2, "theta": 0.5}):
        threads.clear()
        learn(path, "buys", random_state=0, **one_thread)
        assert set(threads) == {here}


def test_more_rows_than_were_foreseen_are_searched_after_all(path, monkeypatch):
    """A plan may ask for more rows than were drawn ahead."""
    monkeypatch.setattr(sample, "FIRST_ROWS", 500)
    asked = {**ASKED, "epsilon": 0.1, "random_state": 0}
    beside, alone = learn(path, "buys", **asked), in_order(path, **asked)
    assert beside.certificate.train_rows > 1000
    assert told(beside)[:3] == told(alone)[:3]
    assert beside.rows_used.drawn == alone.rows_used.drawn


@pytest.mark.parametrize("work", [1e6, 1e7, 4e8, 8e9])
def test_the_work_left_does_not_depend_on_the_other_thread(path, monkeypatch, work):
    """Where little is left, searches get the less the later they come."""
    left, really_counted = [], run._really_counted

    def ended(outcome, task):
        left.append(task.work.left)
        return really_counted(outcome, task)

    monkeypatch.setattr(run, "_really_counted", ended)
    monkeypatch.setattr(run, "AFFORDABLE", 1)
    monkeypatch.setitem(learn.__globals__, "AUTO_WORK", work)
    asked = {**ASKED, "strategy": "auto", "random_state": 1}
    assert told(learn(path, "buys", **asked))[:3] == told(in_order(path, **asked))[:3]
    assert left[0] == left[1] < work


def test_an_error_of_the_other_thread_ends_the_run(path, monkeypatch):
    def broken(found):
        raise OSError("the table is gone")

    counting_threads(monkeypatch, change=broken)
    with pytest.raises(OSError, match="gone"):
        learn(path, "buys", random_state=0, **ASKED)


def test_ctrl_c_while_planning_keeps_the_pilots_list_and_no_thread(path, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    threads, before = counting_threads(monkeypatch), threading.active_count()
    monkeypatch.setattr(planned, "seen_on_pilot", interrupted)
    fitted = learn(path, "buys", random_state=0, **ASKED)
    assert fitted.was_interrupted
    assert fitted.certificate.validation_rows > 0
    assert not any(one.is_alive() for one in threads)
    assert threading.active_count() == before


def test_what_was_foreseen_of_other_rows_is_no_answer(path, monkeypatch):
    """Rows in memory that are other ones, and lists that are other ones, are asked for again."""
    foresee, here = planned._Run._foresee, threading.current_thread()

    def other(self, task):
        found = foresee(self, task)
        return replace(found, memory=replace(found.memory), rule_lists=[])

    monkeypatch.setattr(planned._Run, "_foresee", other)
    threads = counting_threads(monkeypatch)
    fitted = learn(path, "buys", random_state=0, **ASKED)
    assert threads[1:] == [here]
    assert told(fitted)[:3] == told(in_order(path, random_state=0, **ASKED))[:3]
