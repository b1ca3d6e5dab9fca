"""Samples that grow until the proof is good enough, or Ctrl-C ends the run."""

import itertools
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

from samrule import Binarizer, Status, learn
from samrule.learning import progressive, run
from samrule.learning.sample import RowSupply
from samrule.learning.search import search_rows
from samrule.theory import certify, progressive_schedule
from tests.learning.tables import hard, loss_on, people

ASKED = {"epsilon": 0.5, "theta": 0.1}


@pytest.fixture(autouse=True)
def every_table_is_small(monkeypatch):
    """Samples grow where no pilot rows are drawn, and where lists are checked on fresh rows."""
    monkeypatch.setattr(run, "PLANNED_ROWS", 10**9)


def test_progressive_stops_at_the_first_certificate_and_counts_on_the_table(table):
    fitted = learn(table, "buys", strategy="progressive", random_state=0, **ASKED)
    rows = [stage.rows for stage in fitted.trace]
    assert rows == sorted(set(rows))
    assert rows[-1] < 3000
    assert fitted.counts == "table"
    assert fitted.rule_list.support == 12_000
    assert fitted.certificate.upper_evidence == "scan"
    assert fitted.certificate.upper_bound == loss_on(fitted, table)
    scanned = [stage.table_loss for stage in fitted.trace if stage.table_loss is not None]
    assert min(scanned) == fitted.certificate.upper_bound
    larger = learn(table, "buys", strategy="progressive", random_state=0, epsilon=0.2, theta=0.1)
    assert len(larger.trace) > len(fitted.trace)


def test_progressive_checks_on_fresh_rows_where_the_table_is_not_scanned(table, monkeypatch):
    monkeypatch.setattr(run, "SCANNED_ROWS", 0)
    taken = []

    class Watched(RowSupply):
        def take(self, n_rows, **options):
            taken.append(super().take(n_rows, **options))
            return taken[-1]

    monkeypatch.setattr(run, "RowSupply", Watched)
    fitted = learn(table, "buys", strategy="progressive", random_state=0, **ASKED)
    certificate, last = fitted.certificate, fitted.trace[-1]
    assert certificate.holds
    assert certificate.upper_evidence == "validation"
    assert fitted.counts == "sample"
    assert last.validation_rows == 4 * last.rows
    assert last.table_loss is None
    # Pilot, rows held back; then training and validation rows in turn, none handed out twice.
    expected, rows = [10_000, progressive.CUT_SHORT_ROWS], 0
    for stage in fitted.trace:
        checked = stage.validation_errors is not None
        expected += [stage.rows - rows, *([4 * stage.rows] if checked else [])]
        rows = stage.rows
    assert [len(draw) for draw in taken] == expected
    assert len({draw.rows.tobytes() for draw in taken}) == len(taken)
    fresh = taken[-1].table
    wrong = fitted.predict(fresh) != np.array(fresh["buys"].to_pylist())
    assert wrong.sum() == last.validation_errors


def test_hopeless_stages_are_not_scanned(table, monkeypatch):
    asked = {"strategy": "progressive", "epsilon": 0.2, "theta": 0.1, "random_state": 0}
    fitted = learn(table, "buys", **asked)
    scanned = [stage.table_loss is not None for stage in fitted.trace]
    assert scanned == sorted(scanned)
    assert not scanned[0]
    monkeypatch.setattr(progressive, "_is_hopeless", lambda *_: False)
    eager = learn(table, "buys", **asked)
    assert all(stage.table_loss is not None for stage in eager.trace)
    assert eager.trace[-1].rows <= fitted.trace[-1].rows
    assert eager.certificate.holds
    assert fitted.certificate.holds


def test_a_list_that_rows_to_come_speak_against_is_not_scanned(table, monkeypatch):
    """Few rows flatter a list; with noise columns to choose from, many lists look good on them."""
    rng = np.random.default_rng(0)
    for number in range(30):
        table = table.append_column(f"noise{number}", pa.array(rng.random(len(table)) < 0.5))
    runs = {"strategy": "progressive", "epsilon": 0.5, "theta": 0.05}
    careful = [learn(table, "buys", **runs, random_state=seed) for seed in range(5)]
    assert [sum(stage.is_checked for stage in one.trace) for one in careful] == [1] * 5
    assert all(one.certificate.holds for one in careful)
    # By the rows that it was chosen for:
    monkeypatch.setattr(progressive, "_expected_loss", lambda solution, *_: solution.loss)
    hopeful = [learn(table, "buys", **runs, random_state=seed) for seed in range(5)]
    assert max(sum(stage.is_checked for stage in one.trace) for one in hopeful) > 1


def test_rows_that_will_check_a_list_are_not_looked_at_before(table, monkeypatch):
    monkeypatch.setattr(run, "SCANNED_ROWS", 0)

    class Blind(RowSupply):
        @property
        def waiting(self):
            raise AssertionError("these rows must stay unseen")

    monkeypatch.setattr(run, "RowSupply", Blind)
    fitted = learn(table, "buys", strategy="progressive", random_state=0, **ASKED)
    assert fitted.certificate.upper_evidence == "validation"


def test_a_stage_that_sees_one_class_is_no_obstacle():
    rng = np.random.default_rng(0)
    marked = rng.random(30_000) < 0.004
    columns = np.column_stack([marked, rng.random((30_000, 2)) < 0.5]).astype(int)
    fitted = learn(
        columns, marked, strategy="progressive", epsilon=1.0, theta=0.001, random_state=1,
        binarizer=Binarizer(scheme="paper"),
    )  # fmt: skip
    assert fitted.certificate.holds
    assert str(fitted.rule_list) == "if x0 = 1 then True\nelse False"


@pytest.mark.filterwarnings("ignore::samrule.errors.LongSearchWarning")
def test_a_search_that_does_not_end_is_left_for_one_of_more_rows():
    columns, labels = hard()
    asked = {
        "max_rules": 8,
        "random_state": 0,
        "binarizer": Binarizer(max_conditions=None),
        **ASKED,
    }
    fitted = learn(columns, labels, strategy="progressive", time_limit=3.0, **asked)
    assert [stage.status for stage in fitted.trace[:2]] == [Status.TIME_LIMIT] * 2
    assert fitted.trace[-1].rows > 4 * fitted.trace[0].rows


def test_a_search_that_ends_early_never_forgets_the_better_list_of_the_stage_before(
    table, monkeypatch
):
    monkeypatch.setattr(progressive, "_is_hopeless", lambda *_: True)
    monkeypatch.setattr(progressive, "_next_to_search", lambda one, _: one.place.number + 1)
    found = []

    def without_memory(task, conditions, rows, **place):
        found.append(search_rows(task, conditions, rows, **place))
        if len(found) < 2:
            return found[-1]
        default = replace(found[-1].rule_list, rules=())
        return replace(
            found[-1], rule_list=default, loss=0.5, lower_bound=0.0,
            status=Status.MEMORY_LIMIT,
        )  # fmt: skip

    monkeypatch.setattr(progressive, "search_rows", without_memory)
    fitted = learn(table, "buys", strategy="progressive", random_state=0, **ASKED)
    first, *others = [stage.status.value for stage in fitted.trace]
    assert first == "optimal"
    assert set(others) == {"memory_limit"}
    # The scan takes off last rules that say what the default says on the table.
    n_rules = fitted.rule_list.n_rules
    assert n_rules > 0
    assert [one.conditions for one in fitted.rule_list.rules] == [
        one.conditions for one in found[0].rule_list.rules[:n_rules]
    ]
    assert fitted.trace[-1].loss < 0.5
    assert fitted.certificate.upper_bound == loss_on(fitted, table)


def test_later_stages_are_told_what_earlier_ones_prove(monkeypatch):
    told = []

    def noted(*args, certified, **others):
        told.append(certified)
        return search_rows(*args, certified=certified, **others)

    monkeypatch.setattr(progressive, "search_rows", noted)
    # Every list is checked, as if it might do.
    monkeypatch.setattr(progressive, "_is_hopeless", lambda *_: False)
    fitted = learn(people(50_000), "buys", strategy="progressive", random_state=0, epsilon=0.05)
    assert told[0] is None
    assert len(told) > 2
    assert all(a >= b for a, b in itertools.pairwise(told[1:])), "it only ever gets better"
    assert told[-1] > 0.05 >= fitted.certificate.achieved_epsilon


@pytest.mark.parametrize("hopeless", [True, False])
@pytest.mark.parametrize("scan", [True, False])
def test_ctrl_c_while_rows_are_read_keeps_the_list_of_the_stage_before(
    table, monkeypatch, hopeless, scan
):
    monkeypatch.setattr(run, "SCANNED_ROWS", 10**9 if scan else 0)
    monkeypatch.setattr(progressive, "_is_hopeless", lambda *_: hopeless)
    monkeypatch.setattr(progressive, "_next_to_search", lambda one, _: one.place.number + 1)
    seen = []

    def interrupt(at):
        seen.append(at)
        if (at.phase, at.stage) == ("drawing", 3):
            raise KeyboardInterrupt

    asked = {"epsilon": 0.01, "theta": 0.01, "strategy": "progressive", "random_state": 0}
    fitted = learn(table, "buys", progress=interrupt, **asked)
    assert [stage.status.value for stage in fitted.trace] == ["optimal", "interrupted"]
    assert [stage.is_checked for stage in fitted.trace] == [not hopeless, True]
    assert fitted.certificate.train_rows == fitted.trace[-1].rows
    assert not fitted.certificate.holds
    assert fitted.certificate.lower_bound <= fitted.certificate.upper_bound
    assert seen[-1].phase == "drawing", "nothing more is read"
    assert fitted.certificate.upper_evidence == ("scan" if scan and not hopeless else "validation")


@pytest.mark.parametrize("seed", range(3, 6))
def test_ctrl_c_while_the_table_is_scanned_keeps_the_list_checked_on_rows_held_back(table, seed):
    def interrupt(at):
        if at.phase == "scanning":
            raise KeyboardInterrupt

    asked = {"strategy": "progressive", "random_state": seed, **ASKED}
    fitted = learn(table, "buys", progress=interrupt, **asked)
    whole = learn(table, "buys", **asked)
    assert fitted.trace[-1].status is Status.INTERRUPTED
    assert fitted.trace[-1].validation_rows == progressive.CUT_SHORT_ROWS
    assert fitted.trace[-1].path == whole.trace[len(fitted.trace) - 1].path
    assert fitted.counts == "sample"
    assert fitted.certificate.upper_evidence == "validation"
    # The upper bound is false with probability 0.05 / 64 at most, for each seed, the lower one with
    # its stage's share: with seed 2 it is, as with one in 300.
    assert fitted.certificate.lower_bound <= loss_on(fitted, table)
    assert fitted.certificate.upper_bound >= loss_on(fitted, table)


def test_ctrl_c_while_a_later_list_is_scanned_keeps_the_one_scanned_before(table, monkeypatch):
    monkeypatch.setattr(progressive, "_is_hopeless", lambda *_: False)
    scans = []

    def interrupt(at):
        scans.append(at.phase == "scanning")
        if sum(scans) == 2:
            raise KeyboardInterrupt

    asked = {"epsilon": 0.01, "theta": 0.01, "strategy": "progressive", "random_state": 0}
    fitted = learn(table, "buys", progress=interrupt, **asked)
    assert [stage.is_checked for stage in fitted.trace] == [True, False]
    assert fitted.trace[-1].status is Status.INTERRUPTED
    assert fitted.counts == "table"
    assert fitted.certificate.upper_bound == fitted.trace[0].table_loss == loss_on(fitted, table)


def test_ctrl_c_while_all_rows_are_read_after_samples_keeps_a_list():
    table = people(3_000)

    def interrupt(at):
        if at.phase == "reading":
            raise KeyboardInterrupt

    asked = {"epsilon": 0.01, "theta": 0.01, "strategy": "progressive", "random_state": 0}
    fitted = learn(table, "buys", progress=interrupt, **asked)
    assert fitted.trace[-1].status is Status.INTERRUPTED
    assert fitted.certificate.upper_bound >= loss_on(fitted, table)


def test_stages_that_promise_nothing_are_left_out():
    """Whether a stage is searched is a guess; sizes and shares are those of the schedule."""
    asked = {"strategy": "progressive", "epsilon": 0.1, "theta": 0.05, "random_state": 0}
    seen = []
    fitted = learn(people(200_000), "buys", progress=seen.append, **asked)
    searched = sorted({at.stage for at in seen if at.phase == "searching"})
    assert searched[0] == 1
    assert len(searched) < searched[-1], "some were left out"
    assert len(fitted.trace) == len(searched)
    assert fitted.certificate.holds


def test_the_shares_of_all_stages_and_of_a_run_cut_short_fit_into_delta(table, monkeypatch):
    spent = []

    def watched(**given):
        spent.append(given["shares"])
        return certify(**given)

    schedules = []

    def scheduled(*given, **named):
        schedules.append(progressive_schedule(*given, **named))
        return schedules[-1]

    monkeypatch.setattr(progressive, "certify", watched)
    monkeypatch.setattr(progressive, "progressive_schedule", scheduled)

    def interrupt(at):
        if at.phase == "scanning":
            raise KeyboardInterrupt

    for delta in (0.05, 0.1, 1e-3, 0.3):
        learn(
            table, "buys", strategy="progressive", delta=delta, progress=interrupt, random_state=0,
            **ASKED,
        )  # fmt: skip
        assert spent[-1].upper > 0
        assert schedules[-1].exact_total + Fraction(spent[-1].upper) <= Fraction(delta)
