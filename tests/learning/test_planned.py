"""A run planned on pilot rows: what it counts, what it fixes beforehand, and how it ends."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from samrule import Binarizer, Status, learn
from samrule.learning import outlook, paired_search, planned, run
from samrule.learning.plan import plan
from samrule.learning.sample import RowSupply
from samrule.learning.search import search_rows
from samrule.sources.memory import MemorySource
from samrule.theory import PairedWeights, certify, planned_schedule
from tests.learning.tables import hard, loss_on, people

SEARCHING = (planned, outlook, paired_search)
ASKED = {"strategy": "progressive", "epsilon": 0.3, "theta": 0.05, "random_state": 0}


@pytest.fixture(scope="module")
def large():
    return people(60_000)


def test_the_pilots_list_comes_first_and_the_best_list_counted_is_returned(large):
    fitted = learn(large, "buys", **ASKED)
    pilot, memory, stage = fitted.trace
    assert pilot.rows == 10_000
    # All rows in memory were searched, too.
    assert memory.rows > 25_000
    assert stage.rows == fitted.certificate.train_rows < 10_000
    counted = [one.table_loss for one in fitted.trace if one.table_loss is not None]
    assert pilot.table_loss == counted[0]
    assert fitted.certificate.upper_bound == min(counted) == loss_on(fitted, large)
    assert fitted.certificate.holds
    assert fitted.certificate.argument == "a_posteriori"
    assert fitted.counts == "table"
    assert fitted.certificate.drawn == "row_by_row"


def test_a_run_makes_one_pass_to_draw_rows_and_one_to_count_lists(large, monkeypatch):
    """Beside the one that counts classes; all lists are counted together."""
    draws, scans = [], []
    draw, tallies = MemorySource.draw, MemorySource.tallies

    def drawn(self, n_rows, **options):
        draws.append(n_rows)
        return draw(self, n_rows, **options)

    def counted(self, rule_lists, target):
        scans.append(len(rule_lists))
        return tallies(self, rule_lists, target)

    def worse(self):
        """Leave a rule out, so that all rows in memory know a better list."""
        search_pilot(self)
        first = self.first.rule_list
        self._first = replace(self.first, rule_list=replace(first, rules=first.rules[1:]))
        self.to_count = [replace(self.to_count[0], rule_list=self.first.rule_list)]

    search_pilot = planned._Run.search_pilot
    monkeypatch.setattr(planned._Run, "search_pilot", worse)
    monkeypatch.setattr(MemorySource, "draw", drawn)
    monkeypatch.setattr(MemorySource, "tallies", counted)
    fitted = learn(large, "buys", **ASKED)
    assert fitted.certificate.holds
    assert len(draws) == 1
    assert scans == [2]
    assert fitted.rows_used.scans == 2
    losses = [stage.table_loss for stage in fitted.trace[:2]]
    assert fitted.certificate.upper_bound == losses[1] < losses[0]


def test_no_row_is_drawn_twice_and_the_number_of_rows_is_left_to_chance(large, monkeypatch):
    sizes = []
    grown = planned.without_repeats

    def watched(rows, n_rows, supply):
        found = grown(rows, n_rows, supply)
        assert len(set(found.rows.tolist())) == len(found) == n_rows
        sizes.append(n_rows)
        return found

    monkeypatch.setattr(planned, "without_repeats", watched)
    for seed in range(4):
        learn(large, "buys", **ASKED | {"random_state": seed, "epsilon": 0.05})
    assert len(set(sizes)) > 1


def test_the_same_seed_gives_the_same_run_for_any_number_of_threads(large):
    first = learn(large, "buys", threads=1, **ASKED)
    second = learn(large, "buys", threads=2, **ASKED)
    assert first.rule_list == second.rule_list
    assert first.certificate == second.certificate
    assert first.trace == second.trace


def test_pilot_rows_alone_decide_the_plan(large, monkeypatch):
    """Rows that a bound rests on must not be looked at before sizes and weights are fixed.

    They are packed together with the pilot rows, but no search sees them.
    """
    taken, was_planned = [], []

    class Watched(RowSupply):
        def take(self, n_rows, **options):
            taken.append(super().take(n_rows, **options))
            return taken[-1]

    def watched(*given, **how):
        was_planned.append(len(taken))
        return plan(*given, **how)

    seen = []

    def noted(task, conditions, rows, **options):
        if not was_planned:
            seen.append(rows)
            searched = options["prepared"]
            assert np.array_equal(searched.conditions.bits, conditions.pack(rows).bits)
            places = [task.classes.index(one) for one in rows["buys"].to_pylist()]
            assert searched.classes.tolist() == places
        return search_rows(task, conditions, rows, **options)

    monkeypatch.setattr(run, "RowSupply", Watched)
    monkeypatch.setattr(planned, "plan", watched)
    for module in SEARCHING:
        monkeypatch.setattr(module, "search_rows", noted)
    learn(large, "buys", **ASKED | {"epsilon": 0.05})
    # Pilot rows, and rows held back, which nothing is learned from.
    assert was_planned == [2]
    pilot = taken[0].table
    assert [len(rows) for rows in seen] == [10_000, *[2500] * 4, 10_000, 10_000]
    assert all(rows.slice(0, 5) in [pilot.slice(k * 2500, 5) for k in range(4)] for rows in seen)


@pytest.mark.parametrize("delta", [0.05, 0.3, 1e-3])
@pytest.mark.parametrize("min_support", [0, 0.05])
def test_shares_of_all_stages_and_of_a_run_cut_short_fit_into_delta(
    large, monkeypatch, delta, min_support
):
    schedules, spent = [], []

    def scheduled(*given, **named):
        schedules.append(planned_schedule(*given, **named))
        return schedules[-1]

    def watched(**given):
        spent.append(given.get("shares"))
        return certify(**given)

    monkeypatch.setattr("samrule.learning.plan.planned_schedule", scheduled)
    monkeypatch.setattr(planned, "certify", watched)
    learn(large, "buys", delta=delta, min_support=min_support, **ASKED)
    used = {one for one in spent if one is not None}
    assert used <= {stage.shares for stage in schedules[-1].stages}
    cut_short = Fraction(planned.CUT_SHORT_SHARE * delta)
    support = Fraction(delta) / 8 if min_support else 0
    assert schedules[-1].exact_total + cut_short + support <= Fraction(delta)


def test_a_plan_for_nearly_all_of_the_table_searches_all_of_it(table):
    fitted = learn(table, "buys", **ASKED | {"epsilon": 0.001})
    assert fitted.certificate.argument == "exact"
    assert [stage.rows for stage in fitted.trace] == [10_000, 12_000]
    assert fitted.rows_used.scans == 2, "the pilot's list is not counted in vain"


def test_stages_in_reserve_follow_and_then_the_whole_table(large, monkeypatch):
    """With a plan that is far too hopeful."""

    def hopeful(task, settled, outlook, delta, **how):
        return plan(task, settled, replace(outlook, loss=0.0), delta, **how)

    monkeypatch.setattr(planned, "plan", hopeful)
    frugal = learn(large, "buys", **ASKED | {"epsilon": 0.001})
    small = [stage.rows for stage in frugal.trace if stage.rows < 10_000]
    assert len(small) == 1, "once its list is counted, it is known that none of the others could do"
    monkeypatch.setattr(planned._Run, "_is_promising", lambda *_: True)
    fitted = learn(large, "buys", **ASKED | {"epsilon": 0.001})
    sizes = [stage.rows for stage in fitted.trace if stage.rows < 10_000]
    assert sizes == pytest.approx([200, 400, 800], rel=0.2)
    assert fitted.trace[-1].rows == 60_000
    assert fitted.certificate.argument == "exact"


@pytest.mark.parametrize("weights", [None, PairedWeights(8, 9)])
def test_a_stage_is_searched_with_the_weights_of_the_plan(large, monkeypatch, weights):
    def fixed(task, settled, outlook, delta, **how):
        schedule = plan(task, settled, outlook, delta, **how)
        stages = tuple(replace(one, weights=weights) for one in schedule.stages[:1])
        return replace(schedule, stages=stages)

    monkeypatch.setattr(planned, "plan", fixed)
    fitted = learn(large, "buys", **ASKED)
    stage = fitted.trace[2]
    assert stage.lower_bound <= stage.loss
    assert (len(stage.path) == 1) == (weights is not None)


@pytest.mark.filterwarnings("ignore::samrule.errors.LongSearchWarning")
def test_where_there_is_next_to_no_work_for_it_the_pilots_list_is_planned_for(monkeypatch):
    columns, labels = hard(12_000)
    monkeypatch.setattr(planned, "MOST_WORK", 1e5)
    monkeypatch.setattr(outlook, "PLANNING_WORK", 1e5)
    asked = {
        "max_rules": 3,
        "time_limit": 3.0,
        "binarizer": Binarizer(max_conditions=None),
        **ASKED,
    }
    fitted = learn(columns, labels, **asked | {"epsilon": 1.0, "theta": 0.2})
    assert fitted.trace[0].rows == 10_000
    assert fitted.trace[1].status is Status.WORK_LIMIT  # All rows in memory.
    assert fitted.trace[2].rows < 2000


def interrupted(at_phase, *, times=1):
    seen = []

    def interrupt(at):
        seen.append(at.phase == at_phase and at.loss is None)
        if sum(seen) == times:
            raise KeyboardInterrupt

    return interrupt


def test_ctrl_c_while_the_first_list_is_counted_keeps_it_checked_on_rows_held_back(large):
    fitted = learn(large, "buys", progress=interrupted("scanning"), **ASKED)
    certificate = fitted.certificate
    assert fitted.was_interrupted
    assert fitted.counts == "sample"
    assert certificate.upper_evidence == "validation"
    assert fitted.trace[-1].validation_rows == planned.CUT_SHORT_ROWS
    assert certificate.lower_bound == 0
    assert not certificate.holds
    assert certificate.upper_bound >= loss_on(fitted, large)


@pytest.mark.parametrize("which", [1, 3, 5, 6])
def test_ctrl_c_in_a_search_that_only_plans_ends_the_run_with_the_pilots_list(
    large, monkeypatch, which
):
    searches = []

    def stopped(*given, **named):
        searches.append(search_rows(*given, **named))
        is_it = len(searches) == which + 1
        return replace(searches[-1], status=Status.INTERRUPTED) if is_it else searches[-1]

    for module in SEARCHING:
        monkeypatch.setattr(module, "search_rows", stopped)
    fitted = learn(large, "buys", **ASKED | {"epsilon": 0.05})
    assert len(searches) == which + 1, "nothing more is searched"
    assert fitted.was_interrupted
    assert [stage.rows for stage in fitted.trace] == [10_000]
    assert fitted.certificate.upper_evidence == "validation"


def test_ctrl_c_before_rows_of_a_stage_are_drawn_keeps_the_pilots_list(large):
    fitted = learn(large, "buys", progress=interrupted("drawing", times=2), **ASKED)
    assert fitted.was_interrupted
    assert [stage.rows for stage in fitted.trace] == [10_000]
    assert fitted.certificate.upper_bound > loss_on(fitted, large)
    assert fitted.certificate.upper_evidence == "validation"
    assert fitted.certificate.lower_bound == 0


def test_ctrl_c_before_a_larger_stage_keeps_what_was_proven(large, monkeypatch):
    def hopeful(task, settled, outlook, delta, **how):
        return plan(task, settled, replace(outlook, loss=0.0), delta, **how)

    monkeypatch.setattr(planned, "plan", hopeful)
    monkeypatch.setattr(planned._Run, "_is_promising", lambda *_: True)
    asked = ASKED | {"epsilon": 0.001}
    fitted = learn(large, "buys", progress=interrupted("drawing", times=3), **asked)
    assert fitted.was_interrupted
    assert fitted.certificate.upper_bound == loss_on(fitted, large)
    assert 0 < fitted.certificate.lower_bound < fitted.certificate.upper_bound
    assert fitted.certificate.train_rows < 300


def test_given_conditions_get_a_pilot_of_their_own(large):
    conditions = learn(large, "buys", **ASKED).conditions
    fitted = learn(large, "buys", binarizer=conditions, **ASKED)
    assert fitted.trace[0].rows == 10_000
    assert fitted.certificate.pilot_rows == 0
    assert fitted.certificate.holds


@pytest.mark.parametrize("asked", [{"objective": "brier"}, {"costs": {("yes", "no"): 3}}])
def test_other_losses_are_planned_with_their_own_bounds(large, asked):
    fitted = learn(large, "buys", **ASKED, **asked)
    assert fitted.certificate.holds
    assert fitted.trace[0].rows == 10_000
    assert len(fitted.trace[2].path) > 1, "not weighted"
    assert fitted.certificate.drawn == "with_replacement"


def test_rows_drawn_by_weight_are_compared_with_the_pilots_list_too():
    table = people(60_000)
    weights = np.random.default_rng(0).integers(0, 4, len(table)).astype(float)
    weighted = table.append_column("weight", [weights])
    fitted = learn(weighted, "buys", weights="weight", **ASKED)
    assert fitted.certificate.holds
    assert fitted.certificate.drawn == "by_weight"
    assert fitted.certificate.argument == "a_posteriori"


def test_hard_searches_need_no_weights_where_rows_are_cheap(large, monkeypatch):
    first_weights = []

    def watched(task, settled, outlook, delta, *, is_hard):
        free = replace(outlook, penalties={PairedWeights(4, 5): 0.0}, enough_rows=None)
        for one in (False, True):
            schedule = plan(task, settled, free, delta, is_hard=one)
            first_weights.append(schedule.stages[0].weights)
        return plan(task, settled, outlook, delta, is_hard=is_hard)

    monkeypatch.setattr(planned, "plan", watched)
    learn(large, "buys", **ASKED)
    assert first_weights == [PairedWeights(4, 5), None]


@pytest.mark.filterwarnings("ignore::samrule.errors.LongSearchWarning")
def test_hard_searches_get_more_rows_and_more_tolerance(large, monkeypatch):
    hard_ones = []

    def watched(*given, is_hard):
        hard_ones.append(is_hard)
        return plan(*given, is_hard=is_hard)

    monkeypatch.setattr(planned, "plan", watched)
    easy = learn(large, "buys", **ASKED)
    monkeypatch.setattr(planned, "LARGE_WORK", 10)
    hard_one = learn(large, "buys", max_terms=2, **ASKED)
    assert hard_ones == [False, True]
    assert hard_one.certificate.holds
    assert hard_one.certificate.train_rows > 2 * easy.certificate.train_rows
