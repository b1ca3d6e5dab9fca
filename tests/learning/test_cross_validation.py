"""`max_rules="cv"`: the fewest rules that are as good as any, as far as rows held out tell."""

import json

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from samrule import Binarizer, RuleListClassifier, learn, solve
from samrule.errors import InputError, ParameterError, ParameterTypeError
from samrule.learning.cross_validation import (
    MOST_CHOSEN_RULES,
    N_FOLDS,
    CrossValidation,
    _fold_losses,
    _folds,
    _loss,
)
from samrule.learning.model_file import dumps, loads
from samrule.learning.search import class_places
from samrule.learning.task import Deadline, Settings, Task
from samrule.objective import Objective
from samrule.report.page import page
from samrule.rules import Rule, RuleList
from samrule.rules.meaning import deciding_rules
from samrule.sources import open_table
from samrule.sources.draw import Draw
from tests.learning.tables import people
from tests.learning.test_model_file import VALIDATOR

CURVES = st.lists(
    st.tuples(st.floats(0, 1), st.floats(0, 0.2)), min_size=1, max_size=MOST_CHOSEN_RULES + 1
)


@given(CURVES)
def test_the_choice_is_the_fewest_rules_within_one_standard_error(curve):
    losses, errors = zip(*curve, strict=True)
    found = CrossValidation(100, 10, losses, errors)
    assert losses[found.best] == min(losses)
    within = [k for k in range(len(losses)) if losses[k] <= losses[found.best] + errors[found.best]]
    assert found.max_rules == min(within)
    assert f"at most {found.max_rules} rule" in str(found)


def test_parts_hold_every_class_evenly_and_a_row_drawn_twice_once():
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 400, 1000)
    places = (rows % 10 == 0).astype(np.int32)
    drawn = Draw(pa.table({"x": rows}), rows, 400, None, replace=True)
    fold_of = _folds(drawn, places, rng)
    part_of = dict(zip(rows.tolist(), fold_of.tolist(), strict=True))
    assert [part_of[row] for row in rows.tolist()] == fold_of.tolist()
    for of_class in (0, 1):
        distinct = {row for row in part_of if (row % 10 == 0) == of_class}
        sizes = np.bincount([part_of[row] for row in distinct], minlength=N_FOLDS)
        assert sizes.max() - sizes.min() <= 1


@pytest.mark.parametrize("weighted", [False, True])
def test_losses_on_a_part_are_those_of_lists_learned_without_it(weighted):
    table = people(400)
    if weighted:
        table = table.append_column("w", pa.array(np.arange(400) % 3 + 1))
    source = open_table(table, "buys", weights="w" if weighted else None)
    task = Task(
        source=source,
        target="buys",
        class_shares={"no": 0.5, "yes": 0.5},
        settings=Settings(),
        binarizer=Binarizer(),
        rng=np.random.default_rng(0),
        deadline=Deadline(),
    )
    held_out = np.arange(400) % N_FOLDS == 3
    drawn = Draw(table, np.arange(400), 400, None, replace=False)
    found = _fold_losses(task, drawn, held_out)
    learning, judged = table.filter(pa.array(~held_out)), table.filter(pa.array(held_out))
    conditions = Binarizer().fit(learning, "buys", "w" if weighted else None)
    weights = np.ones(400) if not weighted else table["w"].to_numpy().astype(float)
    for max_rules, loss in enumerate(found):
        best = solve(
            conditions.pack(learning),
            class_places(learning["buys"], task),
            classes=task.classes,
            weights=weights[~held_out] if weighted else None,
            max_rules=max_rules,
        ).rule_list
        said = np.array([rule.prediction for rule in best])[deciding_rules(best, judged)]
        wrong = said != judged["buys"].to_numpy()
        assert loss == pytest.approx(weights[held_out] @ wrong / weights[held_out].sum())


def test_the_loss_is_what_the_objective_counts():
    some = RuleList((), Rule((), "no", (3, 1)), ("no", "yes"))
    counts = np.array([[6.0, 2.0]])
    assert _loss(Objective(), some, counts) == 0.25
    share = 2 / 6  # of "yes", smoothed
    brier = (6 * share**2 + 2 * (1 - share) ** 2) / 8
    assert _loss(Objective(brier_share=1), some, counts) == pytest.approx(brier)
    assert _loss(Objective(costs=((0.0, 0.1), (1.0, 0.0))), some, counts) == 0.25
    assert _loss(Objective(positive=1), some, counts) == 1.0
    assert _loss(Objective(positive=0), some, counts) == pytest.approx(1 - 2 * 6 / 14)
    assert _loss(Objective(positive=1), some, np.array([[6.0, 0.0]])) == 0.0


@pytest.fixture(scope="module")
def fitted():
    return learn(people(), "buys", max_rules="cv", random_state=0)


def test_a_list_of_two_rules_is_found_again(fitted):
    assert fitted.settings.max_rules == fitted.cross_validation.max_rules == 2
    assert fitted.rule_list.n_rules == 2
    assert fitted.cross_validation.n_rows == 3000
    assert fitted.certificate.holds
    assert fitted.cross_validation.losses[2] == pytest.approx(0.1, abs=0.02)


@pytest.mark.parametrize("objective", ["brier", "f1"])
def test_any_objective_can_be_chosen_by(objective):
    asked = {"max_rules": "cv", "objective": objective, "random_state": 0}
    fitted = learn(people(500), "buys", **asked)
    assert fitted.settings.max_rules == fitted.cross_validation.max_rules >= 1
    assert learn(people(500), "buys", **asked).cross_validation == fitted.cross_validation


def test_of_large_tables_rows_are_drawn_for_it():
    fitted = learn(people(12_000), "buys", max_rules="cv", random_state=0)
    assert fitted.cross_validation.n_rows == 10_000
    assert fitted.settings.max_rules == fitted.rule_list.n_rules == 2
    assert fitted.rows_used.drawn >= 20_000  # For the conditions, and for this.


def test_the_file_keeps_the_curve(fitted):
    VALIDATOR.validate(json.loads(dumps(fitted)))
    assert loads(dumps(fitted)) == fitted
    damaged = json.loads(dumps(fitted))
    damaged["cross_validation"]["curve"][1]["loss"] = -1
    with pytest.raises(InputError, match=r"cross_validation\.curve\[1\]\.loss is -1"):
        loads(json.dumps(damaged).encode())


def test_the_page_draws_the_curve(fitted):
    shown = page(fitted)
    assert "How many rules pay off" in shown
    assert "At most 2 rules:" in shown
    assert "How many rules pay off" not in page(learn(people(), "buys", max_rules=1))


def test_the_classifier_chooses_too():
    table = people().to_pandas()
    model = clone(RuleListClassifier(max_rules="cv", random_state=0))
    model.fit(table[["age", "city"]], table["buys"])
    assert model.cross_validation_.max_rules == len(model.rule_list_.rules) == 2


def test_what_cannot_be_chosen_is_refused():
    with pytest.raises(ParameterError, match="max_rules='cv' is given with alert_rate"):
        learn(people(), "buys", max_rules="cv", alert_rate=0.1)
    with pytest.raises(InputError, match="cross-validation needs at least 10"):
        learn(people(9), "buys", max_rules="cv")
    with pytest.raises(ParameterTypeError, match="max_rules is 'cross'"):
        learn(people(), "buys", max_rules="cross")
    with pytest.raises(ParameterTypeError, match="max_rules is 'cv'"):
        solve([[1], [0]], [0, 1], max_rules="cv")
