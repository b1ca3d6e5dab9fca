"""What every source promises, whatever holds the table."""

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
import scipy.sparse

from samrule import Binarizer, Condition, RuleList, evaluate
from samrule.errors import ColumnError, ParameterError
from samrule.random_streams import stream
from samrule.rules import Rule
from samrule.sources import open_table
from samrule.sources.class_weights import with_class_weights
from tests.sources.engines import ENGINES, MIXED, Case, each, opened


def whole(case: Case) -> pa.Table:
    return pa.Table.from_batches(list(case.source.scan()), case.source.schema)


def test_schema_names_types_and_roles(case: Case) -> None:
    assert case.source.schema.equals(case.table.schema)
    assert case.source.target == case.table.column_names[-1]
    assert list(case.source.features) == case.table.column_names[:-1]


def test_scan_yields_every_row_in_order(case: Case) -> None:
    assert case.source.n_rows == case.table.num_rows
    assert whole(case).to_pylist() == case.table.to_pylist()


def test_scan_yields_chosen_columns_in_the_order_asked_for(case: Case) -> None:
    chosen = case.table.column_names[::-2]
    found = pa.Table.from_batches(list(case.source.scan(chosen)))
    assert found.to_pylist() == case.table.select(chosen).to_pylist()


@pytest.mark.parametrize("replace", [True, False])
def test_draw_gives_the_same_rows_from_every_engine(case: Case, replace: bool) -> None:
    n_rows = case.table.num_rows
    draw = case.source.draw(n_rows, random_state=7, replace=replace)
    rng = stream("draw", 7)
    rows = rng.integers(0, n_rows, n_rows) if replace else rng.permutation(n_rows)
    if replace:
        assert draw.rows.tolist() == rows.tolist()
    else:
        assert sorted(draw.rows.tolist()) == list(range(n_rows))
    assert len(draw) == draw.table.num_rows == n_rows
    assert draw.table.equals(case.table.take(pa.array(draw.rows)).combine_chunks())
    assert draw.table.equals(case.source.draw(n_rows, random_state=7, replace=replace).table)


def test_draw_may_be_far_larger_than_the_table(case: Case) -> None:
    draw = case.source.draw(5000, random_state=1)
    assert draw.table.equals(case.table.take(pa.array(draw.rows)))
    assert case.source.draw(0, random_state=1).table.num_rows == 0


def test_levels_count_every_value(case: Case) -> None:
    for name in case.table.column_names:
        values = case.table[name].to_pylist()
        found = case.source.levels(name)
        expected = Counter(value for value in values if value is not None)
        assert dict(zip(found.values, found.counts, strict=True)) == expected
        assert found.n_missing == values.count(None)
        assert list(found.counts) == sorted(found.counts, reverse=True)


def test_same_conditions_from_the_same_pilot(case: Case) -> None:
    target = case.table.column_names[-1]
    rows = stream("draw", 3).integers(0, case.table.num_rows, 200)
    reference = Binarizer().fit(case.table.take(pa.array(rows)), target)
    assert tuple(Binarizer().fit(case.source.draw(200, random_state=3), target)) == tuple(reference)


def test_evaluation_is_exact_to_the_last_row(case: Case) -> None:
    """Against the slow way: each condition asked of each value in Python."""
    target = case.table.column_names[-1]
    conditions = list(Binarizer(n_thresholds=2).fit(case.source))
    classes = tuple(sorted(set(case.table[target].to_pylist())))
    rules = tuple(
        Rule((conditions[place], conditions[-1 - place]), classes[place % 2])
        for place in range(0, len(conditions) // 2, 2)
    )
    rule_list = RuleList(rules, Rule((), classes[0]), classes)
    expected = np.zeros((2, 2))
    for row in case.table.to_pylist():
        decided = next(
            rule
            for rule in rule_list
            if all(
                one.holds(np.array([row[one.column]], dtype=object))[0] for one in rule.conditions
            )
        )
        expected[classes.index(row[target]), classes.index(decided.prediction)] += 1
    found = evaluate(rule_list, case.source)
    assert found.confusion.tolist() == expected.tolist()
    assert found.n_rows == found.weight == case.table.num_rows
    n_wrong = case.table.num_rows - np.trace(expected)
    assert found.error_rate == n_wrong / case.table.num_rows
    assert sum(one.coverage for one in found.rules) == pytest.approx(1)


def test_columns_that_are_not_there_are_named_with_near_ones(case: Case) -> None:
    known = case.source.features[0]
    with pytest.raises(ColumnError, match=f"did you mean '{known}'"):
        list(case.source.scan([known.upper()]))
    with pytest.raises(KeyError):
        case.source.levels("no such column")


def test_more_rows_than_there_are_cannot_be_drawn_without_replacement(case: Case) -> None:
    with pytest.raises(ParameterError, match="without replacement"):
        case.source.draw(case.table.num_rows + 1, random_state=0, replace=False)


@pytest.mark.parametrize("engine", each(MIXED))
def test_weighted_rows_are_drawn_in_proportion(engine: str, tmp_path) -> None:
    """Zero weights never; chi-square on the rest, false alarm 1 in a million per engine."""
    table = opened("pyarrow", tmp_path).table.slice(0, 12)
    table = table.append_column("weight", pa.array([0, 1, 2, 3, 0, 5, 1, 1, 8, 2, 0, 4]))
    source = open_table(MIXED[engine](table, tmp_path), "class", weights="weight")
    draw = source.draw(5000, random_state=11)
    weights = table["weight"].to_numpy()
    counts = np.bincount(draw.rows, minlength=12)
    positive = weights > 0
    assert counts[~positive].sum() == 0
    expected = 5000 * weights[positive] / weights.sum()
    # The 1 - 1e-6 quantile of chi-square with 8 degrees of freedom.
    assert ((counts[positive] - expected) ** 2 / expected).sum() < 42.70
    assert "weight" not in draw.table.column_names
    assert draw.table.equals(table.drop_columns("weight").take(pa.array(draw.rows)))
    assert str(draw).startswith("5,000 of 12 rows, drawn in proportion to weight")


@pytest.mark.parametrize("engine", each(MIXED))
def test_rows_without_a_class_are_an_error_or_left_out(engine: str, tmp_path) -> None:
    table = opened("pyarrow", tmp_path).table.slice(0, 40)
    target = pa.array([None if row % 10 == 3 else "a" if row % 2 else "b" for row in range(40)])
    table = table.set_column(4, "class", target)
    data = MIXED[engine](table, tmp_path)
    with pytest.raises(ValueError, match="missing in 4 of 40 rows"):
        open_table(data, "class").classes()
    source = open_table(data, "class", missing_target="drop")
    kept = table.filter(pa.array([row % 10 != 3 for row in range(40)]))
    assert source.n_rows == 36
    assert source.classes().counts == (20, 16)
    draw = source.draw(50, random_state=0)
    assert draw.n_source_rows == 36
    assert draw.table.equals(kept.take(pa.array(draw.rows)))
    whole = pa.Table.from_batches(list(source.scan()), source.schema)
    assert whole.to_pylist() == kept.to_pylist()
    found = evaluate(RuleList((), Rule((), "a"), ("a", "b")), source)
    assert (found.n_rows, found.error_rate) == (36, 20 / 36)


@pytest.mark.parametrize("engine", each(MIXED))
def test_rows_left_out_may_have_any_weight(engine: str, tmp_path) -> None:
    table = opened("pyarrow", tmp_path).table.slice(0, 8)
    table = table.set_column(4, "class", pa.array(["a", None, "b", "a", None, "b", "a", "b"]))
    table = table.append_column("weight", pa.array([1.0, -5.0, 0.0, 2.0, 1e9, 5.0, 0.0, 0.0]))
    source = open_table(
        MIXED[engine](table, tmp_path), "class", weights="weight", missing_target="drop"
    )
    assert np.bincount(source.draw(8000, random_state=1).rows, minlength=4)[1] == 0
    # Three standard deviations and a half: a false alarm in 2,000, but the seed is fixed.
    assert (
        abs((source.draw(8000, random_state=1).rows == 0).mean() - 1 / 8)
        < 3.5 * (7 / 64 / 8000) ** 0.5
    )
    assert evaluate(RuleList((), Rule((), "a"), ("a", "b")), source).error_rate == 5 / 8


def test_rows_without_a_class_are_left_out_of_sparse_tables_and_svmlight(tmp_path) -> None:
    matrix = scipy.sparse.csr_array(np.diag([1.0, 2.0, 3.0, 4.0]))
    target = np.array(["a", None, "b", "a"], dtype=object)
    path = tmp_path / "t.svm"
    path.write_text("1 1:1\nnan 2:2\n-1 3:3\n1 4:4\n")
    for source in (
        open_table(matrix, target, missing_target="drop"),
        open_table(path, missing_target="drop"),
    ):
        assert source.n_rows == 3
        assert source.classes().counts == (2, 1)
        values = [
            max(list(row.values())[:4]) for row in source.draw(50, random_state=0).table.to_pylist()
        ]
        assert set(values) == {1, 3, 4}


def test_rows_cannot_be_left_out_without_a_target(tmp_path) -> None:
    with pytest.raises(ParameterError, match="no target"):
        open_table(opened("pyarrow", tmp_path).table, missing_target="drop")


@pytest.mark.parametrize("engine", each(MIXED))
def test_given_texts_are_missing(engine: str, tmp_path) -> None:
    table = opened("pyarrow", tmp_path).table.slice(0, 40)
    city = ["?" if row % 5 == 0 else "" if row % 5 == 1 else "Roma" for row in range(40)]
    target = ["?" if row == 7 else "a" if row % 2 else "b" for row in range(40)]
    table = table.set_column(2, "city", pa.array(city)).set_column(4, "class", pa.array(target))
    data = MIXED[engine](table, tmp_path)
    assert "?" in open_table(data, "class").levels("city").values
    source = open_table(data, "class", missing_values=["?", ""], missing_target="drop")
    kept = [row for row in range(40) if row != 7]
    cleaned = [None if city[row] in {"?", ""} else "Roma" for row in kept]
    assert source.n_rows == 39
    assert source.column("city").to_pylist() == cleaned
    assert source.levels("city").n_missing == cleaned.count(None)
    draw = source.draw(60, random_state=2)
    assert draw.table["city"].to_pylist() == [cleaned[row] for row in draw.rows]
    missing = Rule((Condition("city", "is missing", type="text"),), "a")
    found = evaluate(RuleList((missing,), Rule((), "b"), ("a", "b")), source)
    assert found.rules[0].n_rows == cleaned.count(None)


def test_draw_splits_into_consecutive_parts(tmp_path) -> None:
    draw = opened("pyarrow", tmp_path).source.draw(100, random_state=0)
    pilot, training, validation = draw.split(10, 60, 30)
    assert [len(part) for part in (pilot, training, validation)] == [10, 60, 30]
    joined = pa.concat_tables([pilot.table, training.table, validation.table])
    assert joined.combine_chunks().equals(draw.table.combine_chunks())
    with pytest.raises(ParameterError, match="101"):
        draw.split(101)


def test_every_engine_is_here() -> None:
    assert len(ENGINES) == len(set(ENGINES)) > 20


def test_class_weights_weigh_rows_in_draws_and_tallies(case: Case) -> None:
    target = str(case.source.target)
    classes = sorted(set(case.table[target].to_pylist()), key=str)
    weight = {one: 1 + 2 * place for place, one in enumerate(classes)}
    weighted = with_class_weights(case.source, weight)
    in_memory = with_class_weights(open_table(case.table, target), weight)
    assert (
        weighted.draw(500, random_state=3).rows.tolist()
        == in_memory.draw(500, random_state=3).rows.tolist()
    )
    always = RuleList((), Rule((), classes[0]), tuple(classes))
    found = weighted.tally(always, target, weighted.weights)
    counts = Counter(case.table[target].to_pylist())
    assert dict(found.n_rows) == {(0, one): counts[one] for one in classes}
    assert dict(found.weight) == {(0, one): counts[one] * weight[one] for one in classes}
    of_rows = [weight[one] for one in case.table[target].to_pylist()]
    assert weighted.column(str(weighted.weights)).to_pylist() == of_rows


def test_several_lists_are_counted_in_one_scan_as_each_by_itself(case: Case) -> None:
    target = str(case.source.target)
    classes = tuple(sorted(set(case.table[target].to_pylist()), key=str))
    column = next(name for name in case.source.features)
    value = next(one for one in case.table[column].to_pylist() if one is not None)
    rule = Rule((Condition(column, "==", value),), classes[-1])
    other = Rule((Condition(column, "!=", value),), classes[0])
    lists = [
        RuleList((rule,), Rule((), classes[0]), classes),
        RuleList((), Rule((), classes[0]), classes),
        RuleList((other, rule), Rule((), classes[0]), classes),
    ]
    for several in (lists, lists[:1], lists[1:2]):
        found = case.source.tallies(several, target)
        alone = [case.source.tally(one, target) for one in several]
        for one, same in zip(found, alone, strict=True):
            assert dict(one.n_rows) == {key: n for key, n in same.n_rows.items() if n}
            assert sum(one.n_rows.values()) == len(case.table)
