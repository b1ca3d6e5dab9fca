"""What the studio answers is what a full evaluation of the list says."""

import json
import threading
from typing import Any

import numpy as np
import pytest

import samrule
from samrule import Condition
from samrule.export.json import condition_from_dict, value_from_json
from samrule.sources.open import open_table
from samrule.sources.parts import held_out
from tests.studio.server import Server, guests

CLASSES = ["maybe", "no", "yes"]


def parts() -> tuple[Any, Any]:
    """The rows that the studio learned from, and those it held out."""
    rest, test = held_out(open_table(guests(), "returns"), 0.2, random_state=0)
    return tuple(samrule.open_table(_table(one), "returns") for one in (rest, test))  # type: ignore[return-value]


def _table(source: Any) -> Any:
    return source.whole_table(10**6)


LEARNED, TEST = parts()


def rule_list_of(view: Any) -> samrule.RuleList:
    """The list as the page shows it, put together again."""
    rules = [
        samrule.Rule(
            tuple(condition_from_dict(one["condition"]) for one in rule["conditions"]),
            value_from_json(rule["prediction"]),
            tuple(rule["class_counts"]),
        )
        for rule in view["rules"]
    ]
    return samrule.RuleList(tuple(rules[:-1]), rules[-1], tuple(CLASSES))


def check(view: Any) -> None:
    """Every figure of a view is that of an evaluation by another way."""
    rule_list = rule_list_of(view)
    found = samrule.evaluate(rule_list, LEARNED)
    assert view["loss"] == pytest.approx(found.error_rate + 1e-4 * rule_list.n_rules, abs=1e-12)
    assert [tuple(rule["class_counts"]) for rule in view["rules"]] == [
        one.row_counts for one in found.rules
    ]
    assert view["lower_bound"] <= view["loss"] or view["worse_than_best"] < 0
    tested = samrule.evaluate(rule_list, TEST)
    assert view["test"]["error_rate"] == pytest.approx(tested.error_rate)
    assert [rule["test"]["n_rows"] for rule in view["rules"]] == [
        one.n_rows for one in tested.rules
    ]
    for rule in view["rules"][:-1]:
        rest = [one for one in rule_list.rules if one != rule_list.rules[rule["number"] - 1]]
        if len(rest) == rule_list.n_rules - 1 and not any(one["chosen"] for one in view["rules"]):
            assert rule["loss_without"] == pytest.approx(best_loss(rest), abs=1e-12)


def best_loss(rules: list[samrule.Rule]) -> float:
    """The loss of rules that predict what fits."""
    plain = samrule.RuleList(tuple(rules), samrule.Rule((), "no"), tuple(CLASSES))
    found = samrule.evaluate(plain, LEARNED)
    wrong = sum(sum(one.row_counts) - max(one.row_counts) for one in found.rules)
    return float(wrong / found.n_rows + 1e-4 * len(rules))


def random_step(view: Any, rng: np.random.Generator) -> list[dict[str, Any]]:
    """What a person could do next; now and then it cannot be done."""
    n_rules = len(view["rules"]) - 1
    number = int(rng.integers(1, max(2, n_rules + 1)))
    condition = {"column": "age", "op": ">=", "value": int(rng.integers(18, 90))}
    other = {"column": "city", "op": "==", "value": str(rng.choice(["Roma", "Bari"]))}
    column = {"column": str(rng.choice(["age", "wait", "city"]))}
    return [
        [{"step": "insert", "number": number, "conditions": [condition]}],
        [{"step": "replace", "number": number, "conditions": [condition, other]}],
        [{"step": "remove", "number": number}],
        [{"step": "reorder", "numbers": (rng.permutation(n_rules) + 1).tolist()}],
        [{"step": "relabel", "number": number, "value": rng.choice([*CLASSES, None])}],
        [{"step": "move_threshold", "number": number, "column": "age", "value": 40}],
        [{"step": "pin", "number": number}, {"step": "reoptimize"}],
        [{"step": "forbid", "what": column}, {"step": "reoptimize"}],
        [{"step": "require", "what": column}, {"step": "reoptimize"}],
        [{"step": "choose", "rules": [{"conditions": [other], "prediction": None}],
          "default": "no"}],
    ][int(rng.integers(10))]  # fmt: skip


@pytest.mark.parametrize("seed", range(6))
def test_every_edit_has_the_loss_of_a_full_evaluation_and_undo_returns_the_same_bytes(
    server: Server, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    first = server.ask("edit", steps=[])
    history, view = [first.body], first.json
    check(view)
    for _ in range(8):
        found = server.ask("edit", steps=view["steps"] + random_step(view, rng))
        assert found.status in (200, 422), found.body
        if found.status == 200:
            view = found.json
            history.append(found.body)
            check(view)
    for body in reversed(history):
        assert server.ask("edit", steps=json.loads(body)["steps"]).body == body


def test_steps_come_back_as_they_were_understood(server: Server) -> None:
    steps = [
        {"step": "insert", "number": 1, "conditions": [{"column": "age", "op": ">=", "value": 71}]},
        {"step": "relabel", "number": 1, "value": "no"},
        {"step": "pin", "number": 1},
        {"step": "unpin", "number": 1},
        {"step": "forbid", "what": {"columns": ["age", "city"]}},
        {"step": "forbid", "what": {"condition": {"column": "city", "op": "==", "value": "Bari"}}},
        {"step": "allow", "what": {"columns": ["age", "city"]}},
    ]
    view = server.get("edit", steps=steps)
    again = server.get("edit", steps=view["steps"])
    assert again == view
    assert [one["step"] for one in view["steps"]] == [one["step"] for one in steps]
    assert view["rules"][0]["chosen"]
    assert [one["text"] for one in view["said"]] == ["forbid city = Bari"]
    assert view["loss_before"] == view["loss"]


def test_the_best_list_that_obeys_is_that_of_the_library(server: Server) -> None:
    view = server.get(
        "edit", steps=[{"step": "forbid", "what": {"column": "wait"}}, {"step": "reoptimize"}]
    )
    assert view["obeys"]
    assert view["search"] == {"status": "optimal", "proven": True, "longer": None}
    assert "wait" not in view["columns"]
    rows = _table(LEARNED).drop_columns(["wait"])
    other = samrule.learn(rows, "returns", max_rules=3, strategy="exact")
    assert view["loss"] == pytest.approx(other.certificate.upper_bound)


def test_replacements_and_insertions_have_the_price_of_the_edit(server: Server) -> None:
    start = server.get("edit", steps=[])
    for number in (1, 2, 3):
        asked = {"steps": [], "number": number, "limit": 4}
        for one in server.get("replacements", **asked)["replacements"]:
            conditions = [some["condition"] for some in one["conditions"]]
            step = {"step": "replace", "number": number, "conditions": conditions}
            edited = server.get("edit", steps=[step])
            assert edited["loss"] == one["loss"]
            assert one["price"] == pytest.approx(one["loss"] - start["loss"])
        found = server.get("insertions", **asked, contains="CITY")["insertions"]
        assert found
        assert all("city" in one["text"] for one in found)
        conditions = [some["condition"] for some in found[0]["conditions"]]
        step = {"step": "insert", "number": number, "conditions": conditions}
        assert server.get("edit", steps=[step])["loss"] == found[0]["loss"]


def test_losses_along_a_cut_are_those_of_moving_it_there(server: Server) -> None:
    steps = [
        {
            "step": "replace",
            "number": 2,
            "conditions": [
                {"column": "wait", "op": "<", "value": {"float": "30.0"}},
                {"column": "city", "op": "!=", "value": "Roma"},
            ],
        }
    ]
    found = server.get("column", steps=steps, column="wait", number=2)
    assert found["borders"][found["cut"]["border"]]["value"] == {"float": "30.0"}
    for border in found["borders"][::5]:
        moved = {"step": "move_threshold", "number": 2, "column": "wait", "value": border["value"]}
        edited = server.get("edit", steps=[*steps, moved])
        assert edited["loss"] == pytest.approx(border["loss"], abs=1e-12)


@pytest.mark.parametrize("number", [None, 2])
def test_a_histogram_counts_the_rows_that_reach_the_rule(
    server: Server, number: int | None
) -> None:
    view = server.get("edit", steps=[])
    rows, reached = _table(LEARNED), None
    if number is not None:
        first = condition_from_dict(view["rules"][0]["conditions"][0]["condition"])
        reached = ~first.holds(rows[first.column].to_numpy())
    for column in ("wait", "city"):
        found = server.get("column", steps=[], column=column, number=number)
        labels = np.array(rows["returns"].to_pylist())
        inside = np.ones(len(labels), dtype=bool) if reached is None else reached
        assert found["n_rows"] == np.count_nonzero(inside)
        counted = [one["counts"] for one in found["bins"] + found["levels"]] + [found["missing"]]
        expected = [np.count_nonzero(labels[inside] == one) for one in CLASSES]
        assert np.sum(counted, axis=0).tolist() == expected
        if column == "wait":
            values = rows["wait"].to_numpy()[inside]
            edges = [float(value_from_json(one["value"])) for one in found["borders"]]
            bins = np.searchsorted(edges, values[~np.isnan(values)], side="right")
            assert [sum(one["counts"]) for one in found["bins"]] == np.bincount(
                bins, minlength=len(edges) + 1
            ).tolist()


def test_alternatives_curve_and_prices_are_those_of_the_library(server: Server) -> None:
    fitted = samrule.learn(LEARNED, max_rules=3, strategy="exact", random_state=0)
    expected = samrule.alternatives(fitted, within=0.05)
    found = server.get("alternatives", within=0.05)
    assert [one["loss"] for one in found["lists"]] == [one.loss for one in expected]
    assert found["sentence"] == expected.sentence
    last = found["lists"][-1]
    step = {"step": "choose", "rules": last["rules"], "default": last["default"]}
    chosen = server.get("edit", steps=[step])
    assert chosen["loss"] == pytest.approx(last["loss"])
    assert chosen["text"] == last["text"]
    without = server.get("without", column="wait")
    assert without["loss"] == pytest.approx(expected.without("wait").loss_without)
    points = server.get("curve")["points"]
    assert [one["loss"] for one in points] == pytest.approx(list(fitted.path))
    assert points[-1]["test_error"] == pytest.approx(
        samrule.evaluate(fitted.rule_list, TEST).error_rate
    )


def test_metrics_groups_and_comparison_are_those_of_an_evaluation(server: Server) -> None:
    view = server.get("edit", steps=[])
    rule_list = rule_list_of(view)
    expected = samrule.evaluate(rule_list, TEST, groups="city")
    metrics = server.get("metrics", steps=[])["test"]
    assert metrics["auc"] == pytest.approx(expected.scores.auc)
    assert metrics["log_loss"] == pytest.approx(expected.scores.log_loss)
    assert metrics["brier"] == pytest.approx(expected.scores.brier)
    assert metrics["confusion"] == expected.confusion.tolist()
    groups = server.get("groups", steps=[], column="city")
    assert expected.audit is not None
    assert [(one["name"], one["errors"]["n_hits"]) for one in groups["groups"]] == [
        (one.name, one.errors.n_hits) for one in expected.audit.groups
    ]
    other = [{"step": "remove", "number": 1}]
    found = server.get("compare", steps=[], other=other)
    lists = rule_list, rule_list_of(server.get("edit", steps=other))
    said = [
        np.array([rule.prediction for rule in one])[
            samrule.rules.meaning.deciding_rules(one, _table(LEARNED))
        ]
        for one in lists
    ]
    assert found["learned"]["differ"] == np.count_nonzero(said[0] != said[1])


def test_rows_are_explained_by_the_rule_that_decides_them(server: Server) -> None:
    view = server.get("edit", steps=[])
    wrong = server.get("rows", steps=[], wrong=True, count=200)
    assert wrong["n_rows"] == round(view["test"]["error_rate"] * view["test"]["n_rows"])
    assert not any(one["right"] for one in wrong["rows"])
    for row in wrong["rows"][:5]:
        found = server.get("explain", steps=[], row=row["row"])
        assert (found["rule"], found["prediction_text"]) == (row["rule"], row["predicted"])
        assert found["actual"] == row["actual"]
        typed = dict(zip(wrong["columns"], row["values"], strict=True))
        again = server.get("explain", steps=[], values=typed)
        assert again["sentences"] == found["sentences"]
    assert server.ask("explain", steps=[], values={"wait": "long"}).status == 422
    assert server.ask("explain", steps=[], row=10**8).status == 422
    assert server.ask("explain", steps=[]).status == 422


def test_exports_are_what_the_library_writes_and_edits_replay(server: Server) -> None:
    steps = [{"step": "forbid", "what": {"column": "age"}}, {"step": "reoptimize"}]
    view = server.get("edit", steps=steps)
    rule_list = rule_list_of(view)
    found = {
        to: server.get("export", steps=steps, to=to)["text"]
        for to in ("model", "json", "sql", "python", "markdown", "report", "edits")
    }
    assert found["sql"] == rule_list.to_sql("duckdb") + "\n"
    assert samrule.RuleList.from_json(found["json"]) == rule_list
    assert json.loads(found["model"])["rule_list"] == json.loads(found["json"])
    assert "<html" in found["report"]
    assert server.get("load", text=found["edits"]) == view
    assert server.ask("load", text="{").status == 422
    assert server.ask("export", steps=[], to="sql", dialect="klingon").status == 422


def test_a_table_of_three_classes_has_no_ratio_of_costs(server: Server) -> None:
    found = server.ask("costs", steps=[], ratio=2.0)
    assert found.status == 422
    assert "3 classes" in found.json["error"]["message"]


def test_confirm_counts_every_row(server: Server) -> None:
    found = server.get("confirm", steps=[])
    assert found["n_rows"] == LEARNED.n_rows


def test_what_cannot_be_done_is_told(server: Server) -> None:
    for steps, message in [
        ([{"step": "remove", "number": 9}], "expected a rule's, from 1 to"),
        ([{"step": "unpin", "number": 1}], "rule 1 is not pinned"),
        ([{"step": "allow", "what": {"column": "age"}}], "neither forbidden nor required"),
        ([{"step": "dance"}], "has the step 'dance'"),
        ([{"step": "relabel", "number": 1, "value": "never"}], "the class is 'never'"),
        ([{"step": "forbid", "what": {"column": "salary"}}, {"step": "reoptimize"}], "salary"),
    ]:
        found = server.ask("edit", steps=steps)
        assert found.status == 422, found.body
        assert message in found.json["error"]["message"]


def test_two_tabs_do_not_disturb_each_other(server: Server) -> None:
    """Two that edit at the same time get what each would get alone."""
    of_tab = [
        [{"step": "forbid", "what": {"column": column}}, {"step": "reoptimize"}]
        for column in ("age", "wait")
    ]
    alone = [server.ask("edit", steps=steps).body for steps in of_tab]
    seen: list[list[bytes]] = [[], []]

    def edits(tab: int) -> None:
        for _ in range(10):
            seen[tab].append(server.ask("edit", steps=of_tab[tab]).body)
            extra = {"step": "remove", "number": 1}
            server.ask("edit", steps=[*of_tab[tab], extra])

    threads = [threading.Thread(target=edits, args=(tab,)) for tab in (0, 1)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert [set(some) for some in seen] == [{alone[0]}, {alone[1]}]


def test_conditions_that_hold_nowhere_are_fine(server: Server) -> None:
    never = {"column": "age", "op": ">=", "value": 1000}
    view = server.get("edit", steps=[{"step": "insert", "number": 1, "conditions": [never]}])
    assert view["rules"][0]["n_rows"] == 0
    assert view["rules"][0]["accuracy"] is None
    assert str(Condition("age", ">=", 1000)) == view["rules"][0]["text"]


def test_a_search_is_not_longer_than_a_thousand_times(server: Server) -> None:
    found = server.get("edit", steps=[{"step": "reoptimize", "effort": 1000}])
    assert found["search"] == {"status": "optimal", "proven": True, "longer": None}
    assert found["steps"] == [{"step": "reoptimize", "effort": 1000}]
    refused = server.ask("edit", steps=[{"step": "reoptimize", "effort": 1001}])
    assert refused.status == 422
    assert (
        "steps[0].effort is 1001; expected at most 1000 here." in refused.json["error"]["message"]
    )
