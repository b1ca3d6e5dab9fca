"""Lists nearly as good as the best one, from tables and from learned lists."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import samrule
from samrule.editing import workbench
from samrule.errors import ColumnError, InputError, ParameterError, ParameterTypeError
from samrule.solver.good_lists import good_lists


def guests(n_rows: int = 3000, seed: int = 0) -> Any:
    rng = np.random.default_rng(seed)
    age, wait = rng.integers(18, 90, n_rows), rng.integers(0, 60, n_rows)
    returns = np.where(wait >= 45, False, (age < 30) | (wait < 20)) ^ (rng.random(n_rows) < 0.1)
    far = (age < 30) ^ (rng.random(n_rows) < 0.02)
    return pa.table({"age": age, "wait": wait, "far": far, "returns": returns})


@pytest.fixture(scope="module")
def found() -> samrule.Alternatives:
    return samrule.alternatives(guests(), "returns", max_rules=3, within=0.1)


def test_they_are_in_order_and_within_what_was_asked(found: samrule.Alternatives) -> None:
    losses = [one.loss for one in found]
    assert found.complete
    assert losses == sorted(losses)
    assert losses[0] == pytest.approx(found.least_loss)
    assert losses[-1] <= found.most_loss <= 1.1 * found.least_loss * (1 + 1e-12)
    assert len(found) > 3


def test_each_loss_is_that_of_its_list_on_the_table(found: samrule.Alternatives) -> None:
    for one in found[:20]:
        counted = samrule.evaluate(one.rule_list, guests(), "returns")
        assert one.loss == pytest.approx(counted.error_rate + 1e-4 * one.rule_list.n_rules)


def test_no_two_predict_the_same(found: samrule.Alternatives) -> None:
    rows = samrule.open_table(guests(), target="returns")
    seen = {samrule.evaluate(one.rule_list, rows).confusion.tobytes() for one in found}
    predicted = {found._found.predicted(place).tobytes() for place in range(len(found))}
    assert len(seen) <= len(predicted) == len(found)


def test_a_learned_list_knows_its_rows_and_a_loaded_one_is_given_them(
    found: samrule.Alternatives, tmp_path: Path
) -> None:
    fitted = samrule.learn(guests(), "returns", max_rules=3, strategy="exact")
    fitted.save(tmp_path / "model.json")
    loaded = samrule.load(tmp_path / "model.json")
    again = samrule.alternatives(fitted, within=0.1)
    assert [str(one) for one in again] == [str(one) for one in found]
    assert [str(one) for one in samrule.alternatives(loaded, guests(), within=0.1)] == [
        str(one) for one in found
    ]
    with pytest.raises(InputError, match="does not know its rows"):
        samrule.alternatives(loaded)
    with pytest.raises(ParameterError, match="max_rules is 2, but the list is learned already"):
        samrule.alternatives(fitted, max_rules=2)


def test_a_pickled_list_leaves_its_table_behind() -> None:
    fitted = samrule.learn(guests(), "returns", max_rules=2)
    copied = pickle.loads(pickle.dumps(fitted))
    assert copied == fitted
    assert fitted.source is not None
    assert copied.source is None


def test_columns_are_in_all_some_or_none(found: samrule.Alternatives) -> None:
    used = found.columns
    assert used.in_all == ("wait",)
    assert set(used.in_all + used.in_some + used.in_none) == {"age", "wait", "far"}
    for column in used.in_some:
        using = sum(column in one.columns for one in found)
        assert 0 < using < len(found)
    asked = [str(one) for one in found.conditions.in_all + found.conditions.in_some]
    assert any("wait" in one for one in asked)


def test_the_price_of_a_column_is_that_of_learning_without_it(found: samrule.Alternatives) -> None:
    without = found.without("age")
    other = samrule.learn(guests().drop_columns(["age"]), "returns", max_rules=3, strategy="exact")
    assert without.is_proven
    assert without.loss_without == pytest.approx(other.certificate.upper_bound)
    assert without.most == pytest.approx(without.loss_without - found.least_loss)
    assert "age" not in str(without.rule_list)
    with pytest.raises(ColumnError, match="no condition asks for 'income'"):
        found.without("income")


def test_those_that_differ_most_begin_with_the_best(found: samrule.Alternatives) -> None:
    chosen = found.most_different(3)
    assert str(chosen[0]) == str(found[0])
    assert len({str(one) for one in chosen}) == 3
    with pytest.raises(ParameterError, match="n_lists is 0"):
        found.most_different(0)


def test_they_are_a_dataframe_too(found: samrule.Alternatives) -> None:
    frame = found.to_frame()
    assert list(frame.columns) == ["loss", "rules", "columns", "rule_list"]
    assert len(frame) == len(found)
    assert frame["rule_list"][0] == str(found[0].rule_list)


def test_a_limit_is_said(found: samrule.Alternatives) -> None:
    few = samrule.alternatives(guests(), "returns", max_rules=3, within=0.1, limit=2)
    assert [str(one) for one in few] == [str(one) for one in found[:2]]
    assert not few.complete
    assert "the limit on lists was reached" in few.sentence


def test_nothing_is_claimed_from_a_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workbench, "MOST_ROWS", 500)
    some = samrule.alternatives(guests(), "returns", max_rules=2, within=0.05)
    assert some.n_rows == 500
    assert not some.complete
    assert "Nothing is claimed about the whole table" in some.sentence


def test_weights_and_other_losses_count() -> None:
    table = guests(800)
    found = samrule.alternatives(
        table, "returns", max_rules=2, within=0.05, class_weight={True: 3}, objective="brier"
    )
    fitted = samrule.learn(
        table, "returns", max_rules=2, class_weight={True: 3}, objective="brier", strategy="exact"
    )
    assert found.complete
    assert found.least_loss == pytest.approx(fitted.certificate.upper_bound)


def test_bad_values_are_refused_in_words() -> None:
    with pytest.raises(ParameterError, match="within is -1"):
        samrule.alternatives(guests(100), "returns", within=-1)
    with pytest.raises(ParameterTypeError, match="limit is 'many'"):
        samrule.alternatives(guests(100), "returns", limit="many")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="with a limit on alerts"):
        samrule.alternatives(guests(300), "returns", alert_rate=0.3)


def test_forbidden_columns_stay_forbidden_and_columns_are_limited() -> None:
    found = samrule.alternatives(guests(), "returns", max_rules=2, forbid=["age"], within=0.1)
    assert found.complete
    assert all("age" not in one.columns for one in found)
    limits: dict[str, Any] = {"at_most": {"wait": 1}, "forbid": [("age", "far")]}
    asked = samrule.learn(guests(), "returns", max_rules=3, **limits)
    some = samrule.alternatives(asked, within=0.1)
    assert some.complete
    assert len(some) > 1
    assert some[0].rule_list == asked.rule_list
    assert all(asked.constraints.obeyed_by(one.rule_list) for one in some)
    everything = samrule.alternatives(guests(), "returns", max_rules=3, within=0.5)
    better = [one for one in everything if one.loss < some.least_loss]
    assert better
    assert not any(asked.constraints.obeyed_by(one.rule_list) for one in better)
    without = some.without("wait").rule_list
    assert asked.constraints.obeyed_by(without)
    assert "wait" not in {one.column for rule in without.rules for one in rule.conditions}


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"require": ["age"]}, "require age"),
        ({"monotone": {"age": 1}}, "monotone age"),
        ({"together": [("age", "wait")]}, "age and wait together"),
    ],
)
def test_other_constraints_are_refused(asked: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=f"learned to obey: {words}"):
        samrule.alternatives(guests(), "returns", max_rules=2, **asked)


def test_the_text_shows_the_best_ones(found: samrule.Alternatives) -> None:
    text = str(found)
    assert found.sentence in text
    assert str(found[0].rule_list) in text


def test_a_matrix_of_conditions_gives_the_same_lists() -> None:
    rng = np.random.default_rng(3)
    rows = rng.random((200, 5)) < 0.5
    labels = rows[:, 0] ^ (rng.random(200) < 0.2)
    named = [f"x{place}" for place in range(5)]
    found = good_lists(rows, labels, names=named, within=0.2, max_rules=2)
    assert found.complete
    assert len(found) >= 1
