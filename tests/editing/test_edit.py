"""Edits: every loss is that of a full evaluation, undo returns what was there, pins stay."""

from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import samrule
from samrule import Condition
from samrule.constraints import Constraints
from samrule.editing import Edit, workbench
from samrule.editing.improved import improved
from samrule.errors import ColumnError, InputError, ParameterError


def guests(n_rows: int = 600, seed: int = 0) -> Any:
    rng = np.random.default_rng(seed)
    age, wait = rng.integers(18, 90, n_rows), rng.integers(0, 60, n_rows)
    city = rng.choice(["Padova", "Roma", "Bari", None], n_rows)
    stays = np.where(wait >= 45, 0, (age < 30) | (wait < 20)) ^ (rng.random(n_rows) < 0.1)
    returns = np.where(stays == 1, "yes", np.where(city == "Bari", "maybe", "no"))
    return pa.table({"age": age, "wait": wait, "city": city, "returns": returns})


@pytest.fixture(scope="module")
def start() -> Edit:
    return samrule.learn(guests(), "returns", max_rules=3, strategy="exact").edit()


def full_loss(edit: Edit) -> float:
    """The loss by another way: predictions of the list, row by row."""
    rows = guests()
    fitted = edit.fitted_list()
    wrong = np.mean(fitted.predict(rows) != np.array(rows["returns"].to_pylist()))
    return float(wrong + 1e-4 * edit.rule_list.n_rules)


def random_step(edit: Edit, rng: np.random.Generator) -> Edit:
    """Change something, whatever is possible."""
    conditions = list(edit.workbench.conditions)
    some = [conditions[place] for place in rng.choice(len(conditions), rng.integers(1, 3))]
    number = int(rng.integers(1, len(edit.rules) + 1)) if edit.rules else 0
    kind = rng.integers(7)
    if kind == 0 or not edit.rules:
        return edit.insert(int(rng.integers(1, len(edit.rules) + 2)), some)
    if kind in (1, 5):
        return edit.replace(number, some) if kind == 1 else narrowed(edit, number)
    if kind == 2:
        return edit.remove(number)
    if kind == 3:
        return edit.reorder((rng.permutation(len(edit.rules)) + 1).tolist())
    if kind == 4:
        return edit.relabel(number, rng.choice(["yes", "no", "maybe", None]))
    column = str(rng.choice(["age", "wait"]))
    return edit.replace(number, Condition(column, ">=", 30)).move_threshold(
        number, column, int(rng.integers(10, 80))
    )


def narrowed(edit: Edit, number: int) -> Edit:
    """Add the first condition that a rule does not have."""
    asked, known = edit.rules[number - 1].conditions, edit.workbench.conditions
    return edit.add_condition(number, next(one for one in known if one not in asked))


def test_every_loss_is_that_of_a_full_evaluation_and_steps_replay(start: Edit) -> None:
    for seed in range(40):
        rng = np.random.default_rng(seed)
        edit = start
        for _ in range(8):
            edit = random_step(edit, rng)
            assert edit.loss == pytest.approx(full_loss(edit), abs=1e-12), edit.steps
        again = start.replay(edit.to_json())
        assert again == edit
        assert again.to_json() == edit.to_json()
        assert str(again.rule_list) == str(edit.rule_list)


def test_undo_returns_the_very_value_before(start: Edit) -> None:
    changed = start.remove(1).forbid("age")
    assert changed.undo().undo() is start
    with pytest.raises(InputError, match="nothing to undo"):
        start.undo()


def test_reoptimized_lists_are_the_best_that_obey(start: Edit) -> None:
    without = start.forbid("wait").reoptimize()
    other = samrule.learn(guests().drop_columns(["wait"]), "returns", max_rules=3, strategy="exact")
    assert without.loss == pytest.approx(other.certificate.upper_bound)
    assert without.obeys
    assert not start.forbid("wait").obeys
    apart = start.forbid(("wait", "age")).reoptimize()
    assert apart.obeys
    assert apart.loss > start.loss
    with_city = start.require("city").reoptimize()
    assert "city" in {one.column for rule in with_city.rules for one in rule.conditions}
    assert with_city.loss >= start.best.lower_bound


def test_constraints_of_the_learned_list_stay() -> None:
    fitted = samrule.learn(
        guests(), "returns", max_rules=3, at_most={"wait": 1}, forbid=["city"], strategy="exact"
    )
    again = fitted.edit().remove(1).reoptimize()
    assert again.obeys
    assert again.loss == pytest.approx(fitted.edit().loss)


def test_pinned_rules_stay_at_the_head(start: Edit) -> None:
    old = Condition("age", ">=", 71)  # No cut that the binarizer made.
    inserted = start.insert(1, old).relabel(1, "no")
    pinned = inserted.pin(1).reoptimize()
    assert pinned.rule_list.rules[0].conditions == (old,)
    assert pinned.rule_list.rules[0].prediction == "no"
    assert pinned.rule_list.n_rules <= 4
    assert pinned.loss <= inserted.loss
    with pytest.raises(ParameterError, match="rule 1 is pinned already"):
        pinned.pin(1)


def test_replacements_are_those_that_trying_all_finds(start: Edit) -> None:
    edit = start.relabel(2, "no")
    for number in (1, 2, 3):
        found = edit.replacements(number, limit=5)
        tried = sorted(
            edit.replace(number, one).loss
            for one in edit.workbench.conditions
            if edit.rules[number - 1].conditions != (one,)
        )
        losses = [one.loss for one in found]
        assert losses == pytest.approx(tried[: len(losses)])
        best = edit.replace(number, found[0].rule.conditions)
        assert best.loss == found[0].loss
        assert found[0].price == pytest.approx(best.loss - edit.loss)


def test_sentences_compare_with_before_and_with_the_best(start: Edit) -> None:
    assert start.sentence.endswith(f"no worse than the best possible list, {start.loss:.4g}.")
    worse = start.remove(1)
    assert worse.worse_than_before > 0
    assert "worse than before" in worse.sentence
    assert "worse than the best possible list" in worse.sentence
    assert "as before" in start.reorder(range(1, len(start.rules) + 1)).sentence
    assert str(worse).startswith(str(worse.rule_list))


def test_a_list_of_another_shape_may_be_better_than_all_that_were_learned() -> None:
    rng = np.random.default_rng(0)
    left, right = rng.random(400) < 0.5, rng.random(400) < 0.5
    rows = pa.table({"left": left, "right": right, "both": left & right})
    edit = samrule.learn(rows, "both", max_rules=1, strategy="exact").edit()
    better = edit.insert(1, Condition("left", "==", True))
    better = better.add_condition(1, Condition("right", "==", True))
    assert better.loss == pytest.approx(1e-4)
    assert better.worse_than_best < 0
    assert better.sentence.endswith(
        f"; better than any list of the shape that was learned, {edit.lower_bound:.4g}."
    )


def test_comparisons_count_rows(start: Edit) -> None:
    other = start.remove(1)
    rows = guests()
    truth = np.array(rows["returns"].to_pylist())
    one, two = (edit.fitted_list().predict(rows) for edit in (start, other))
    found = start.compare(other)
    assert found.differ == np.count_nonzero(one != two) > 0
    assert found.first_right == np.count_nonzero((one != two) & (one == truth))
    assert found.second_right == np.count_nonzero((one != two) & (two == truth))
    assert samrule.compare(start.fitted, other) == found
    assert samrule.compare(start.fitted, other.fitted_list(), rows) == found
    assert str(start.compare(start)) == "Both lists predict the same for all 600 rows."
    with pytest.raises(InputError, match="neither list knows the rows"):
        samrule.compare(start.rule_list, other.rule_list)


def test_an_edited_list_is_saved_confirmed_and_exported(start: Edit, tmp_path: Path) -> None:
    edited = start.remove(2)
    fitted = edited.fitted_list()
    fitted.save(tmp_path / "edited.json")
    loaded = samrule.load(tmp_path / "edited.json")
    assert loaded.rule_list == edited.rule_list
    assert loaded.certificate.upper_bound == pytest.approx(edited.loss)
    assert loaded.certificate.lower_bound == pytest.approx(start.loss)
    confirmed = edited.confirm()
    assert confirmed.error_rate == pytest.approx(edited.loss - 1e-4 * edited.rule_list.n_rules)
    assert loaded.edit(guests()).rules == edited.rules


def test_a_sample_proves_nothing_about_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workbench, "MOST_ROWS", 200)
    edit = samrule.learn(guests(), "returns", max_rules=2, strategy="exact").edit()
    with pytest.raises(InputError, match="only 200 drawn rows are in memory"):
        edit.fitted_list()


def test_weights_and_probabilities_count() -> None:
    rows = guests().append_column("w", pa.array(np.arange(600) % 3))
    fitted = samrule.learn(
        rows, "returns", weights="w", objective="brier", max_rules=2, strategy="exact"
    )
    edit = fitted.edit()
    assert edit.loss == pytest.approx(fitted.certificate.upper_bound)
    assert edit.best.loss == pytest.approx(edit.loss)
    found = edit.replacements(1, limit=3)
    assert found[0].loss == pytest.approx(edit.replace(1, found[0].rule.conditions).loss)


def test_what_cannot_be_done_is_said(start: Edit) -> None:
    with pytest.raises(ParameterError, match="number is 9; expected a rule's, from 1 to 3"):
        start.remove(9)
    with pytest.raises(ParameterError, match="the class is 'never'"):
        start.relabel(1, "never")
    with pytest.raises(ParameterError, match="a rule has no conditions"):
        start.replace(1, [])
    with pytest.raises(ParameterError, match=r"the order is \[1, 1, 2\]"):
        start.reorder([1, 1, 2])
    with pytest.raises(ParameterError, match="rule 1 cuts no column 'city'"):
        start.move_threshold(1, "city", 3)
    with pytest.raises(ColumnError, match="income"):
        _ = start.insert(1, Condition("income", ">=", 3)).loss
    for text in ('{"format": "other"}', "[]", '{"format":"samrule edit","version":1,"steps":[1]}'):
        with pytest.raises(InputError):
            start.replay(text)


def test_a_pin_follows_its_rule_and_can_be_taken_back(start: Edit) -> None:
    pinned = start.pin(1).relabel(1, "no")
    assert pinned.pinned == pinned.rules[:1]
    assert pinned.reoptimize().rule_list.rules[0].prediction == "no"
    assert pinned.remove(1).pinned == ()
    assert pinned.unpin(1).pinned == ()
    with pytest.raises(ParameterError, match="rule 2 is not pinned"):
        pinned.unpin(2)


def test_what_was_said_can_be_taken_back(start: Edit) -> None:
    said = start.forbid("wait").forbid(("age", "city")).require("city")
    for what in ("wait", ("age", "city"), "city"):
        said = said.allow(what)
    assert said.constraints == start.constraints
    with pytest.raises(ParameterError, match="age with city is neither forbidden nor required"):
        said.allow(("age", "city"))


def test_another_list_can_be_chosen_whole(start: Edit) -> None:
    other = samrule.learn(guests(), "returns", max_rules=2, strategy="exact").rule_list
    chosen = start.pin(1).choose(other)
    assert str(chosen.rule_list) == str(other)
    assert all(rule.prediction is None for rule in chosen.rules)
    assert chosen.loss == pytest.approx(full_loss(chosen))
    said = start.choose([samrule.Rule((Condition("age", ">=", 30),), "maybe")], "yes")
    assert [rule.prediction for rule in said.rule_list] == ["maybe", "yes"]
    assert start.replay(said.to_json()) == said
    with pytest.raises(ParameterError, match="the class is 'never'"):
        start.choose([], "never")


def test_insertions_are_those_that_trying_all_finds(start: Edit) -> None:
    edit = start.relabel(2, "no")
    for number in (1, 2, 4):
        found = edit.insertions(number, limit=3)
        tried = sorted(edit.insert(number, one).loss for one in edit.workbench.conditions)
        assert [one.loss for one in found] == pytest.approx(tried[:3])
        assert found[0].price == found[0].loss - edit.loss
    assert {one.rule.conditions[0].column for one in edit.insertions(1, 5, "AGE")} == {"age"}
    with pytest.raises(ParameterError, match="from 1 to 4"):
        edit.insertions(5)


@pytest.mark.parametrize("weights", [None, "weight"])
@pytest.mark.parametrize("prediction", [None, "no"])
def test_additions_are_those_that_trying_all_finds(
    weights: str | None, prediction: str | None
) -> None:
    rows = guests().append_column("weight", pa.array(np.arange(600) % 4 + 0.5))
    if weights is None:
        rows = rows.drop_columns(["weight"])
    fitted = samrule.learn(rows, "returns", max_rules=3, strategy="exact", weights=weights)
    edit = fitted.edit().relabel(1, prediction).relabel(2, prediction)
    kept = edit.workbench.kept
    for number in (1, 2, 3):
        rule = edit.rules[number - 1]
        before = kept.deciders(edit.rules)
        n_decided = (before == number - 1).sum()
        tried = {}
        for one in edit.workbench.conditions:
            if one not in rule.conditions:
                narrowed = edit.add_condition(number, one)
                n_left = (kept.deciders(narrowed.rules) == number - 1).sum()
                if 0 < n_left < n_decided:
                    tried[one] = narrowed.loss
        found = edit.additions(number, limit=4)
        assert [one.loss for one in found] == pytest.approx(sorted(tried.values())[:4])
        for one in found:
            *same, added = one.rule.conditions
            assert tuple(same) == rule.conditions
            assert one.loss == edit.add_condition(number, added).loss
            assert one.price == one.loss - edit.loss
        words = [one.rule.conditions[-1] for one in edit.additions(number, 100, "AGE")]
        assert set(words) == {one for one in tried if one.column == "age"}


def test_a_rule_with_one_more_condition_is_a_rule_like_others(start: Edit, tmp_path: Path) -> None:
    city = Condition("city", "==", "Roma")
    narrow = start.relabel(1, "no").add_condition(1, city)
    assert narrow.rules[0].conditions == (*start.rules[0].conditions, city)
    assert narrow.rules[0].prediction == "no"
    assert narrow.undo().rules == start.relabel(1, "no").rules
    assert start.replay(narrow.to_json()) == narrow
    assert start.pin(1).add_condition(1, city).pinned[0].conditions[-1] == city
    # It keeps two conditions where the search looks for rules of one.
    again = narrow.pin(1).reoptimize()
    assert again.rule_list.rules[0].conditions == narrow.rules[0].conditions
    assert again.loss <= narrow.loss
    narrow.fitted_list().save(tmp_path / "narrow.json")
    assert samrule.load(tmp_path / "narrow.json").rule_list == narrow.rule_list
    with pytest.raises(ParameterError, match=r"rule 1 has the condition city = Roma already"):
        narrow.add_condition(1, city)


@pytest.mark.parametrize("weights", [None, "weight"])
def test_pairs_of_conditions_are_priced_as_if_each_were_tried(weights: str | None) -> None:
    rows = guests(300)
    rows = rows.append_column("weight", pa.array(np.arange(300) % 4 + 0.5))
    if weights is None:
        rows = rows.drop_columns(["weight"])
    fitted = samrule.learn(
        rows, "returns", max_rules=2, max_terms=2, strategy="exact", weights=weights
    )
    edit = fitted.edit()
    found = edit.replacements(1, limit=4)
    rule, kept = edit.rules[0], edit.workbench.kept
    pairs = combinations_with_replacement(edit.workbench.conditions, 2)
    tried = {
        round(edit.replace(1, pair).loss, 9)
        for pair in pairs
        if not np.array_equal(kept.deciders([samrule.Rule(pair, None)]), kept.deciders([rule]))
    }
    assert round(found[0].loss, 9) == min(tried)
    assert {round(one.loss, 9) for one in found} <= tried


def test_prices_are_what_the_list_loses_without_each_rule(start: Edit) -> None:
    assert list(start.prices) == pytest.approx(
        [start.remove(number).loss - start.loss for number in (1, 2, 3)]
    )


def test_a_search_that_ends_early_is_improved_and_says_so(start: Edit) -> None:
    """With hardly any work the list found obeys, and is nearly as good as the best one."""
    limited = samrule.editing.edit_of(start.fitted, work_limit=1000.0)
    for asked in (
        lambda edit: edit.require("city"),
        lambda edit: edit.forbid("age"),
        lambda edit: edit.pin(2),
        lambda edit: edit.insert(1, Condition("city", "==", "Roma")).pin(1).forbid("wait"),
    ):
        found, best = (asked(edit).reoptimize() for edit in (limited, start))
        assert found.obeys
        assert found.solution is not None
        assert found.solution.lower_bound <= best.loss <= found.loss <= best.loss * 1.1
        assert found.rules[: len(found.pinned)] == found.pinned
        assert asked(limited).reoptimize() == found


def test_with_more_effort_a_limited_search_goes_on_until_it_is_proven(start: Edit) -> None:
    limited = samrule.editing.edit_of(start.fitted, work_limit=1000.0)
    for asked, best in (
        (limited, start),
        (limited.require("city"), start.require("city").reoptimize()),
    ):
        found = asked.reoptimize()
        assert found.solution is not None
        assert found.solution.status is samrule.Status.WORK_LIMIT
        longer = found.reoptimize(100_000)
        assert longer.solution is not None
        assert longer.solution.status is samrule.Status.OPTIMAL
        assert longer.loss == best.loss
        assert longer.solution.lower_bound >= found.solution.lower_bound
        assert limited.replay(longer.to_json()) == longer
    assert '{"step": "reoptimize"}' in found.to_json()
    assert '{"step": "reoptimize", "effort": 100000}' in longer.to_json()
    with pytest.raises(ParameterError, match="effort is 0; expected 1 or more"):
        start.reoptimize(0)


def test_a_longer_search_for_the_best_list_of_all_says_more_of_it(start: Edit) -> None:
    limited = samrule.editing.edit_of(
        samrule.learn(guests(), "returns", max_rules=3), guests(), work_limit=50.0
    )
    assert limited.lower_bound < limited.loss
    longer = limited.reoptimize(1_000_000)
    assert longer.loss == longer.lower_bound == start.loss
    assert "no worse than the best possible list" in longer.sentence
    # Under constraints the bound is that of the lists that obey, not of all.
    assert limited.require("city").reoptimize(1_000_000).lower_bound < start.loss


def test_lists_that_are_priced_otherwise_are_refused() -> None:
    rows = guests()
    two = pa.array([one == "yes" for one in rows["returns"].to_pylist()])
    fitted = samrule.learn(rows.set_column(3, "returns", two), "returns", objective="f1")
    with pytest.raises(InputError, match="learned for its F1"):
        fitted.edit()


def test_lists_without_the_pinned_rule_in_front_are_not_counted(
    start: Edit, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With pairs of conditions there were 35,000 of them: half a minute for one pin."""
    pinned = start.pin(2).pinned
    heads = []
    counted = workbench.Workbench.judged

    def judged(bench: Any, rules: Any) -> Any:
        heads.append(rules[0].conditions if rules else ())
        return counted(bench, rules)

    monkeypatch.setattr(workbench.Workbench, "judged", judged)
    asked = Constraints(first=pinned)
    found = improved(start.workbench, [pinned, start.rules], asked, max_rules=3)
    assert found[0].conditions == pinned[0].conditions
    # The list at hand is counted as it is, and without each of its rules.
    others = [head for head in heads if head != pinned[0].conditions]
    assert len(others) <= 1 + len(start.rules) < len(heads)
