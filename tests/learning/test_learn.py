"""`learn`: every strategy against the exact optimum, limits, weights, and what is refused."""

import itertools
import os
import signal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samrule import Status, learn, open_table
from samrule.errors import (
    ColumnError,
    InputError,
    ParameterError,
    ParameterTypeError,
    SamruleError,
    TargetError,
)
from samrule.learning import run
from samrule.learning.model_file import dumps, loads
from samrule.learning.sample import RowSupply
from samrule.learning.task import RowsUsed
from tests.learning.tables import hard, loss_on, loss_on_arrays, people
from tests.reference.by_weight import by_weight

ASKED = {"epsilon": 0.5, "theta": 0.1}


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
    otherwise = {"exact": "whole_table", "progressive": "row_by_row"}
    assert certificate.drawn == otherwise.get(strategy, "with_replacement")
    assert certificate.pilot_rows == 10_000
    assert certificate.train_rows in [stage.rows for stage in fitted.trace]


def test_more_terms_than_conditions_are_as_good_as_all():
    columns = np.random.default_rng(0).integers(0, 2, (3000, 1))
    for strategy in ("progressive", "paper"):
        fitted = learn(columns, columns[:, 0], max_terms=9, strategy=strategy, **ASKED)
        assert fitted.certificate.holds


def test_a_source_can_be_given(table):
    fitted = learn(open_table(table, "buys"), random_state=0)
    assert fitted == learn(table, "buys", random_state=0)
    assert fitted == learn(open_table(table, "buys"), "buys", random_state=0)


def test_columns_can_be_left_out(table):
    assert set(learn(table, "buys", exclude=["age"]).conditions.columns) == {"city", "income"}
    assert set(learn(table, "buys", include=["age"]).conditions.columns) == {"age"}


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


def test_a_class_without_weight_is_not_there():
    columns = np.arange(30).reshape(-1, 1)
    labels = np.repeat(["a", "b", "c"], 10)
    weights = np.repeat([1, 2, 0], 10)
    assert learn(columns, labels, weights=weights).classes == ("a", "b")
    with pytest.raises(TargetError, match="one class"):
        learn(columns, labels, weights=np.repeat([1, 0, 0], 10))


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
@pytest.mark.parametrize("strategy", ["exact", "progressive"])
def test_ctrl_c_in_a_search_keeps_the_best_list(strategy):
    columns, labels = hard()
    seen = []

    def interrupt(at):
        is_first = all(one.loss is None for one in seen)
        seen.append(at)
        if at.loss is not None and is_first:  # A second one might find nobody listening.
            os.kill(os.getpid(), signal.SIGINT)

    fitted = learn(
        columns, labels, max_rules=8, strategy=strategy, random_state=0, progress=interrupt, **ASKED
    )
    assert fitted.trace[-1].status is Status.INTERRUPTED
    assert fitted.certificate.lower_bound <= fitted.certificate.upper_bound
    assert seen[-1].phase == ("searching" if strategy == "exact" else "scanning")


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
    assert "scanning" in phases
    stages = [at.stage for at in seen]
    assert stages == sorted(stages)
    assert all(0 <= at.share <= 1 and at.stage <= at.n_stages for at in seen)
    times = [at.elapsed for at in seen]
    assert times == sorted(times)


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


@pytest.mark.parametrize("strategy", ["exact", "progressive"])
def test_a_relative_price_comes_to_a_share_of_the_tables_loss_without_rules(strategy) -> None:
    rng = np.random.default_rng(0)
    table = rng.integers(0, 9, (20_000, 2))
    labels = (table[:, 0] >= 7) & (rng.random(20_000) < 0.6)
    asked = {"strategy": strategy, "max_rules": 2, "random_state": 0, "epsilon": 0.5}
    found = learn(table, labels, regularization="0.01 relative", **asked)
    assert found.settings.relative_regularization == 0.01
    assert found.settings.regularization == pytest.approx(0.01 * labels.mean(), rel=1e-12)
    same = learn(table, labels, regularization=found.settings.regularization, **asked)
    assert same.rule_list == found.rule_list
    assert same.certificate == found.certificate
    assert loads(dumps(found)) == found
