"""`learn`: every strategy against the exact optimum, limits, weights, and what is refused."""

import itertools
import math
import os
import signal
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samrule import Binarizer, Status, learn, open_table
from samrule.errors import (
    ColumnError,
    InputError,
    LongSearchWarning,
    ParameterError,
    ParameterTypeError,
    SamruleError,
    TargetError,
)
from samrule.learning import progressive, run
from samrule.learning.min_support import counted_on_table
from samrule.learning.sample import RowSupply
from samrule.learning.search import search_rows
from samrule.learning.search_size import check_size
from samrule.learning.table_counts import table_loss
from samrule.learning.task import Deadline, RowsUsed, Settings, Task
from samrule.rules import Condition, Rule, RuleList
from samrule.theory import certify, progressive_schedule, sample_size
from tests.learning.tables import hard, people
from tests.reference.brute_force import best_lists
from tests.reference.by_weight import by_weight

ASKED = {"epsilon": 0.5, "theta": 0.1}


@pytest.fixture(scope="module")
def table():
    return people(12_000)


def loss_on(fitted, table):
    return (
        fitted.evaluate(table).error_rate
        + fitted.settings.regularization * fitted.rule_list.n_rules
    )


def test_exact_finds_what_trying_all_lists_finds():
    rng = np.random.default_rng(5)
    for _ in range(20):
        columns = (rng.random((40, 4)) < 0.5).astype(int)
        labels = rng.integers(0, 3, 40)
        fitted = learn(
            columns, labels, max_rules=2, max_terms=2, regularization=0.02, strategy="exact"
        )
        conditions = fitted.conditions.transform(
            pa.table({f"x{i}": columns[:, i] for i in range(4)})
        )
        oracle = best_lists(
            conditions.astype(int).tolist(),
            labels.tolist(),
            [1] * 40,
            n_classes=3,
            max_rules=2,
            max_terms=2,
            rule_cost=Fraction(2, 100) * 40,
            min_weight=0,
        )
        expected = [float(cost / 40) for cost, _ in oracle]
        assert fitted.trace[0].path == pytest.approx(expected)
        assert fitted.certificate.lower_bound == pytest.approx(expected[-1])
        assert fitted.certificate.upper_bound == pytest.approx(expected[-1])
        assert (fitted.certificate.achieved_epsilon, fitted.certificate.holds) == (0, True)


@pytest.mark.parametrize("strategy", ["exact", "progressive", "paper", "tight"])
def test_every_strategy_keeps_its_promise_here(strategy, table):
    fitted = learn(table, "buys", strategy=strategy, random_state=4, **ASKED)
    best = learn(table, "buys", strategy="exact", binarizer=fitted.conditions)
    optimum, certificate = best.certificate.lower_bound, fitted.certificate
    assert fitted.strategy == strategy
    assert certificate.holds
    assert certificate.lower_bound <= optimum
    assert optimum <= loss_on(fitted, table) <= certificate.upper_bound + 1e-12
    assert loss_on(fitted, table) <= optimum + ASKED["epsilon"] * max(optimum, ASKED["theta"])
    assert certificate.drawn == ("whole_table" if strategy == "exact" else "with_replacement")
    assert certificate.pilot_rows == 10_000
    assert certificate.train_rows == fitted.trace[-1].rows


def test_fixed_draws_the_papers_rows_and_tight_fewer(table):
    rows = {}
    for method in ("paper", "tight"):
        fitted = learn(table, "buys", strategy=method, random_state=0, **ASKED)
        rows[method] = fitted.certificate.train_rows
        assert fitted.counts == "sample"
        assert fitted.rule_list.support == rows[method]
        assert rows[method] == sample_size(
            len(fitted.conditions), max_rules=4, method=method, delta=0.05, **ASKED
        )
    assert rows["tight"] < rows["paper"]
    assert fitted.certificate.argument == "a_priori"


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


def test_a_scan_gives_each_rule_the_class_that_most_of_its_rows_have():
    columns, labels = np.array([[0], [0], [0], [1], [1]]), ["a", "b", "b", "c", "a"]
    source = open_table(columns, labels)
    task = Task(
        source=source, target="target", class_shares={"a": 0.4, "b": 0.4, "c": 0.2},
        settings=Settings(), binarizer=Binarizer(), rng=np.random.default_rng(0),
        deadline=Deadline(),
    )  # fmt: skip
    first = Rule((Condition("x0", "==", 0),), "a")
    found = counted_on_table(RuleList((first,), Rule((), "c"), ("a", "b", "c")), task).rule_list
    assert [(rule.prediction, rule.class_counts) for rule in found] == [
        ("b", (1, 2, 0)),
        ("c", (1, 0, 1)),  # A tie: what was predicted stays.
    ]
    assert table_loss(found, task) == 2 / 5 + 1e-4


def test_last_rules_that_say_what_the_default_says_are_left_out():
    columns, labels = np.array([[0], [1], [1], [2], [3]]), ["a", "b", "b", "b", "b"]
    task = Task(
        source=open_table(columns, labels), target="target", class_shares={"a": 0.2, "b": 0.8},
        settings=Settings(), binarizer=Binarizer(), rng=np.random.default_rng(0),
        deadline=Deadline(),
    )  # fmt: skip
    rules = tuple(Rule((Condition("x0", "==", value),), "a") for value in (0, 1, 2))
    found = counted_on_table(RuleList(rules, Rule((), "b"), ("a", "b")), task).rule_list
    assert [(rule.prediction, rule.class_counts) for rule in found] == [
        ("a", (1, 0)),
        ("b", (0, 4)),
    ]


def test_more_terms_than_conditions_are_as_good_as_all():
    columns = np.random.default_rng(0).integers(0, 2, (3000, 1))
    for strategy in ("progressive", "paper"):
        fitted = learn(columns, columns[:, 0], max_terms=9, strategy=strategy, **ASKED)
        assert fitted.certificate.holds


def test_a_table_smaller_than_the_sample_is_searched_as_a_whole():
    small = people(400)
    fitted = learn(small, "buys", strategy="progressive", epsilon=0.01, theta=0.01, random_state=0)
    assert [stage.rows for stage in fitted.trace] == [250, 400]
    assert fitted.certificate.argument == "exact"
    assert fitted.certificate.achieved_epsilon == 0


def test_auto_is_exact_where_that_is_affordable(table, monkeypatch):
    fitted = learn(table, "buys", random_state=0)
    candidates = len(fitted.conditions)
    assert fitted.strategy == "exact"
    assert fitted.reason == (
        f"12,000 rows x {candidates} candidate rules can be searched as a whole"
    )
    monkeypatch.setattr(run, "AFFORDABLE", 12_000 * candidates - 1)
    fitted = learn(table, "buys", random_state=0, **ASKED)
    assert fitted.strategy == "progressive"
    assert "too many to search as a whole" in fitted.reason
    monkeypatch.setattr(run, "AFFORDABLE", 12_000 * candidates * 4)
    assert learn(table, "buys", max_rules=5, random_state=0).strategy == "exact"
    assert learn(table, "buys", max_rules=6, random_state=0, **ASKED).strategy == "progressive"


def test_conditions_can_be_given(table):
    conditions = Binarizer(scheme="paper").fit(open_table(table, "buys"))
    fitted = learn(table, "buys", binarizer=conditions, strategy="progressive", **ASKED)
    assert fitted.conditions is conditions
    assert fitted.certificate.pilot_rows == 0
    assert "conditions given" in fitted.shape


@pytest.mark.parametrize("given", [False, True])
def test_one_pass_over_the_table_draws_all_rows_of_an_easy_run(table, given, monkeypatch):
    source = open_table(table, "buys")
    passes = []
    draw = source.draw
    monkeypatch.setattr(source, "draw", lambda m, **how: passes.append(m) or draw(m, **how))
    conditions = Binarizer().fit(source) if given else None
    asked = {"strategy": "progressive", "epsilon": 0.3, "theta": 0.1, "random_state": 0}
    fitted = learn(source, binarizer=conditions, **asked)
    assert len(fitted.trace) > 1
    assert len(passes) == 1


def test_a_source_can_be_given(table):
    fitted = learn(open_table(table, "buys"), random_state=0)
    assert fitted == learn(table, "buys", random_state=0)
    assert fitted == learn(open_table(table, "buys"), "buys", random_state=0)


def test_columns_can_be_left_out(table):
    assert set(learn(table, "buys", exclude=["age"]).conditions.columns) == {"city", "income"}
    assert set(learn(table, "buys", include=["age"]).conditions.columns) == {"age"}


def test_identifiers_are_recognized_among_rows_drawn_twice(table):
    named = table.append_column("name", pa.array([f"row {i}" for i in range(len(table))]))
    fitted = learn(named, "buys", strategy="progressive", random_state=0, **ASKED)
    assert [one.column for one in fitted.conditions.left_out] == ["name"]


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


# Rare classes: a small sample may hold one class alone.


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


# Weights


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10_000), st.booleans())
def test_weights_count_rows(seed, whole_numbers):
    """Weight 2 is a row twice, weight 0 a row that is not there."""
    rng = np.random.default_rng(seed)
    n_rows = 60
    columns = rng.integers(0, 6, (n_rows, 3))
    labels = rng.choice(["a", "b", "c"], n_rows)
    weights = rng.integers(0, 3, n_rows)
    weights[:2], labels[:2] = 1, ["a", "b"]
    repeated = np.repeat(np.arange(n_rows), weights)
    asked = {"max_rules": 2, "strategy": "exact", "regularization": 0.01}
    as_given = weights if whole_numbers else weights.astype(float)
    weighted = learn(columns, labels, weights=as_given, **asked)
    plain = learn(columns[repeated], labels[repeated], **asked)
    assert by_weight(weighted.rule_list) == plain.rule_list
    assert weighted.conditions == plain.conditions
    assert weighted.certificate.lower_bound == plain.certificate.lower_bound
    assert weighted.certificate.upper_bound == plain.certificate.upper_bound
    assert [stage.path for stage in weighted.trace] == [stage.path for stage in plain.trace]


def weighted_people(n_rows):
    table = people(n_rows)
    rng = np.random.default_rng(1)
    weights = np.where(np.array(table["buys"]) == "yes", 4.0, 0.5) * rng.random(n_rows)
    return table.append_column("w", pa.array(weights))


@pytest.mark.parametrize("strategy", ["exact", "progressive", "paper"])
def test_weighted_losses_are_certified(strategy):
    table = weighted_people(12_000)
    fitted = learn(table, "buys", weights="w", strategy=strategy, random_state=2, **ASKED)
    best = learn(table, "buys", weights="w", strategy="exact", binarizer=fitted.conditions)
    loss = fitted.evaluate(table, weights="w").error_rate + 1e-4 * fitted.rule_list.n_rules
    certificate, optimum = fitted.certificate, best.certificate.upper_bound
    assert certificate.holds
    assert certificate.lower_bound <= optimum
    assert loss <= certificate.upper_bound + 1e-12
    assert loss <= optimum + ASKED["epsilon"] * max(optimum, ASKED["theta"])
    assert certificate.drawn == ("whole_table" if strategy == "exact" else "by_weight")
    assert "w" not in fitted.conditions.columns
    unweighted = learn(table, "buys", exclude=["w"], strategy="exact", binarizer=fitted.conditions)
    assert abs(unweighted.certificate.lower_bound - optimum) > 0.02


@pytest.mark.parametrize("strategy", ["exact", "progressive", "validated", "paper"])
def test_shares_are_those_of_real_rows_whatever_they_weigh(strategy, monkeypatch):
    if strategy == "validated":
        monkeypatch.setattr(run, "SCANNED_ROWS", 0)
        strategy = "progressive"
    table = weighted_people(12_000)
    fitted = learn(table, "buys", weights="w", strategy=strategy, random_state=2, **ASKED)
    real = fitted.evaluate(table.drop_columns("w"))
    assert [rule.class_counts for rule in fitted.rule_list] == [
        rule.class_counts for rule in real.rules
    ]
    assert (fitted.counts, fitted.weights) == ("table", "w")
    covered, right = real.rules[0].coverage, real.rules[0].accuracy
    assert f"# covers {covered:.1%}, right in {right:.1%}" in str(fitted)
    weighed = fitted.evaluate(table, weights="w")
    for rule, other in zip(fitted.rule_list, weighed.rules, strict=True):
        assert rule.weighted_counts == pytest.approx(other.class_counts)
        assert (
            abs(other.accuracy - rule.probabilities[fitted.classes.index(rule.prediction)]) > 0.02
        )
    place = fitted.apply(table)
    shares = np.array([rule.class_counts for rule in fitted.rule_list]) + 1
    assert fitted.predict_proba(table) == pytest.approx(
        (shares / shares.sum(axis=1, keepdims=True))[place]
    )


def test_rows_used_are_all_rows_looked_at():
    table = people(12_000)
    drawn = []

    class Watched(RowSupply):
        def take(self, n_rows, *, ahead=0):
            before = 0 if self.waiting is None else len(self.waiting)
            taken = super().take(n_rows, ahead=ahead)
            after = 0 if self.waiting is None else len(self.waiting)
            drawn.append(len(taken) + after - before)
            return taken

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "RowSupply", Watched)
        fitted = learn(table, "buys", strategy="progressive", random_state=2, **ASKED)
    scanned = sum(stage.table_loss is not None for stage in fitted.trace)
    assert fitted.rows_used == RowsUsed(drawn=sum(drawn), scans=1 + scanned)
    assert fitted.rows_used.drawn > 10_000 + fitted.certificate.train_rows
    exact = learn(table, "buys", strategy="exact")
    assert exact.rows_used == RowsUsed(drawn=10_000, scans=2)


def test_upper_bounds_are_not_rounded_down():
    table = people(2000)
    for seed in range(20):
        weights = np.random.default_rng(seed).random(2000)
        fitted = learn(
            table.append_column("w", pa.array(weights)), "buys", weights="w", max_rules=2,
            strategy="progressive", epsilon=1.0, theta=0.5, random_state=seed,
        )  # fmt: skip
        wrong = fitted.predict(table) != np.array(table["buys"].to_pylist())
        exact = [Fraction(weight) for weight in weights.tolist()]
        errors = sum(itertools.compress(exact, wrong)) / sum(exact)
        price = Fraction("0.0001") * fitted.rule_list.n_rules
        assert fitted.certificate.upper_evidence == "scan"
        assert errors + price <= Fraction(fitted.certificate.upper_bound)


def test_a_class_without_weight_is_not_there():
    columns = np.arange(30).reshape(-1, 1)
    labels = np.repeat(["a", "b", "c"], 10)
    weights = np.repeat([1, 2, 0], 10)
    assert learn(columns, labels, weights=weights).classes == ("a", "b")
    with pytest.raises(TargetError, match="one class"):
        learn(columns, labels, weights=np.repeat([1, 0, 0], 10))


# Limits


@pytest.mark.filterwarnings("ignore::samrule.errors.LongSearchWarning")
@pytest.mark.parametrize("strategy", ["exact", "progressive", "paper"])
def test_a_time_limit_ends_the_run_with_what_is_proven(strategy):
    columns, labels = hard()
    fitted = learn(
        columns, labels, max_rules=8, strategy=strategy, time_limit=1.0, random_state=0, **ASKED
    )
    assert fitted.trace[-1].status is Status.TIME_LIMIT
    assert fitted.certificate.lower_bound < fitted.certificate.upper_bound
    assert fitted.certificate.lower_bound <= loss_on_arrays(fitted, columns, labels)
    assert fitted.certificate.upper_bound >= loss_on_arrays(fitted, columns, labels)
    # Seconds are the solver's business; here only that the limit covers all stages together.
    assert sum(stage.seconds for stage in fitted.trace) < 20


@pytest.mark.filterwarnings("ignore::samrule.errors.LongSearchWarning")
def test_a_search_that_does_not_end_is_left_for_one_of_more_rows():
    columns, labels = hard()
    asked = {"max_rules": 8, "random_state": 0, **ASKED}
    fitted = learn(columns, labels, strategy="progressive", time_limit=3.0, **asked)
    assert [stage.status for stage in fitted.trace[:2]] == [Status.TIME_LIMIT] * 2
    assert fitted.trace[-1].rows > 4 * fitted.trace[0].rows


def loss_on_arrays(fitted, columns, labels):
    wrong = np.mean(fitted.predict(columns) != labels)
    return wrong + fitted.settings.regularization * fitted.rule_list.n_rules - 1e-12


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
    assert str(fitted.rule_list) == str(found[0].rule_list)
    assert fitted.trace[-1].loss < 0.5
    assert fitted.certificate.upper_bound == loss_on(fitted, table)


# Many candidate rules


def wide(n_columns):
    rng = np.random.default_rng(0)
    columns = rng.normal(size=(20_000, n_columns))
    return columns, (columns[:, 0] > 0.5) & (columns[:, 1] > 0)


def test_more_candidates_than_can_be_searched_are_refused():
    columns, labels = wide(30)
    message = r"max_terms is 9, and \d+ conditions make about \de\+\d+ candidate rules"
    with pytest.raises(ParameterError, match=message) as refused:
        learn(columns, labels, max_terms=9)
    assert refused.value.hint == "try max_terms=2, or fewer conditions with n_thresholds=2."
    with pytest.raises(ParameterError, match="max_terms is 1000000000, and"):
        learn(columns, labels, max_terms=10**9)


def test_many_candidates_are_warned_of_and_a_time_limit_ends_their_making():
    columns, labels = wide(30)
    message = r"\d+ conditions make \d\d\d,\d\d\d candidate rules of at most 2 terms"
    with pytest.warns(LongSearchWarning, match=message) as told:
        fitted = learn(columns, labels, max_terms=2, time_limit=0.3, random_state=0)
    assert told[0].filename == __file__, "it points to who called"
    assert fitted.trace[-1].status is Status.TIME_LIMIT
    assert fitted.certificate.lower_bound <= fitted.certificate.upper_bound


def warned(*, seconds=math.inf, binarizer=None, **asked):
    """Return the warning before a search that would be long."""
    columns, labels = wide(6)
    conditions = Binarizer().fit(columns, labels)
    task = SimpleNamespace(
        settings=Settings(**asked),
        deadline=Deadline(seconds=seconds),
        binarizer=binarizer or Binarizer(),
    )
    with pytest.warns(LongSearchWarning) as told:
        check_size(task, conditions)
    return told[0].message


def test_many_rules_are_warned_of_too():
    told = warned(max_rules=9)
    assert "a search for the best 9 of them may take hours" in told.message
    assert "time_limit=60" in told.hint
    assert "max_rules=5" in told.hint
    assert "n_thresholds=2" in told.hint
    assert "max_terms" not in told.hint


def test_hints_never_name_what_is_in_force():
    told = warned(max_rules=9, seconds=5, binarizer=Binarizer(n_thresholds=2))
    assert "within the time limit of 5 s" in told.message
    assert "time_limit" not in told.hint
    assert "n_thresholds" not in told.hint
    given = Binarizer().fit(*wide(6))
    assert "n_thresholds" not in warned(max_rules=9, binarizer=given).hint
    assert "max_terms=1" in warned(max_rules=6, max_terms=2).hint


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


@pytest.mark.parametrize("asked", [{"max_rules": 2, "max_terms": 2}, {"max_terms": 1}])
def test_what_is_searched_in_a_while_is_not_warned_of(asked):
    columns, labels = wide(5)
    assert learn(columns, labels, random_state=0, strategy="progressive", **asked).trace


@pytest.mark.filterwarnings("ignore::samrule.errors.LongSearchWarning")
@pytest.mark.parametrize("strategy", ["exact", "progressive"])
def test_ctrl_c_in_a_search_keeps_the_best_list(strategy):
    columns, labels = hard()
    seen = []

    def interrupt(at):
        seen.append(at)
        if at.loss is not None:
            os.kill(os.getpid(), signal.SIGINT)

    fitted = learn(
        columns, labels, max_rules=8, strategy=strategy, random_state=0, progress=interrupt, **ASKED
    )
    assert fitted.trace[-1].status is Status.INTERRUPTED
    assert fitted.certificate.lower_bound <= fitted.certificate.upper_bound
    assert seen[-1].phase == ("searching" if strategy == "exact" else "scanning")


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


def test_ctrl_c_before_the_first_list_is_passed_on(table):
    def interrupt(at):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        learn(table, "buys", strategy="progressive", progress=interrupt, **ASKED)


def test_progress_tells_the_phases(table):
    seen = []
    learn(table, "buys", strategy="progressive", random_state=0, progress=seen.append, **ASKED)
    phases = [key for key, _ in itertools.groupby(at.phase for at in seen)]
    assert phases[:2] == ["drawing", "searching"]
    assert phases[-2:] == ["searching", "scanning"]
    stages = [at.stage for at in seen]
    assert stages == sorted(stages)
    assert all(0 <= at.share <= 1 and at.stage <= at.n_stages for at in seen)
    times = [at.elapsed for at in seen]
    assert times == sorted(times)


# What is refused


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"max_rules": -1}, ParameterError, "max_rules is -1"),
        ({"max_rules": 2.5}, ParameterError, "max_rules is 2.5"),
        ({"max_rules": "4"}, ParameterTypeError, "max_rules is '4'"),
        ({"max_rules": 10**6}, ParameterError, "max_rules is 1000000"),
        ({"max_terms": 0}, ParameterError, "max_terms is 0"),
        ({"regularization": -1}, ParameterError, "regularization is -1"),
        ({"epsilon": 0}, ParameterError, "epsilon is 0"),
        ({"epsilon": 2}, ParameterError, "epsilon is 2"),
        ({"theta": None}, ParameterTypeError, "theta is None"),
        ({"delta": 1}, ParameterError, "delta is 1"),
        ({"strategy": "best"}, ParameterError, "strategy is 'best'"),
        ({"strategy": ["auto"]}, ParameterError, "strategy is"),
        ({"binarizer": "paper"}, ParameterTypeError, "binarizer is 'paper'"),
        ({"time_limit": 0}, ParameterError, "time_limit is 0"),
        ({"time_limit": "1"}, ParameterTypeError, "time_limit is '1'"),
        ({"random_state": -1}, ParameterError, "random_state is -1"),
        ({"random_state": "x"}, ParameterError, "random_state is 'x'"),
        ({"threads": 0}, ParameterError, "threads is 0"),
        ({"progress": 1}, ParameterTypeError, "progress is 1"),
        ({"target": None}, TargetError, "no target"),
        ({"target": "byus"}, ColumnError, "no column 'byus'"),
        ({"target": "income"}, TargetError, "different values"),
        ({"include": ["agee"]}, ColumnError, "no column 'agee'"),
        ({"exclude": ["age", "city", "income"]}, InputError, "no usable columns"),
        ({"weights": "city"}, InputError, "weight column 'city'"),
    ],
    ids=repr,
)  # fmt: skip
def test_what_makes_no_sense_is_refused_with_a_hint(changed, error, message, table):
    asked = {"target": "buys", **changed}
    with pytest.raises(error, match=message) as caught:
        learn(table, asked.pop("target"), **asked)
    assert isinstance(caught.value, SamruleError)


def test_a_target_of_an_unknown_kind_is_refused(table):
    lists = table.append_column("list", pa.array([[1]] * len(table)))
    with pytest.raises(TargetError, match="'list' holds list"):
        learn(lists, "list")


def test_roles_of_an_open_source_are_settled(table):
    source = open_table(table, "buys")
    for changed in ({"target": "city"}, {"weights": "income"}, {"exclude": ["age"]}):
        with pytest.raises(ParameterError, match="open already"):
            learn(source, **changed)


def test_given_conditions_must_fit_the_table(table):
    conditions = Binarizer().fit(open_table(table, "city"))
    with pytest.raises(InputError, match="'buys', the target"):
        learn(table, "buys", binarizer=conditions)
    with pytest.raises(ColumnError, match="no column 'income'"):
        learn(table.drop(["income"]), "buys", binarizer=Binarizer().fit(open_table(table, "buys")))


def test_a_table_that_changed_is_noticed(tmp_path, table):
    pq.write_table(table, tmp_path / "t.parquet")
    source = open_table(tmp_path / "t.parquet", "buys")
    classes = source.classes()

    class Changing(type(source)):
        def classes(self):
            return type(classes)(("no", "perhaps"), (1, 1), 0)

    source.__class__ = Changing
    with pytest.raises(InputError, match="other classes than when they were counted"):
        learn(source, strategy="exact")


@pytest.mark.parametrize("strategy", ["paper", "tight"])
def test_samples_that_no_memory_holds_are_refused_before_they_are_drawn(strategy):
    with pytest.raises(ParameterError, match=r"would draw [\d,]+ rows.*\n.*progressive"):
        learn(people(200), "buys", epsilon=1e-3, theta=1e-3, strategy=strategy)
