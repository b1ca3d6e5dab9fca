"""Model files: what goes in comes out, byte for byte the same, and nothing else gets in."""

import copy
import json
import operator
import pickle
import re
from dataclasses import replace
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path
from zoneinfo import ZoneInfo

import jsonschema
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import samrule
from samrule import Binarizer, learn
from samrule.errors import FileError, InputError, InputTypeError, OutputError
from samrule.learning.model_file import dumps, loads
from samrule.rules import Condition, Rule, RuleList
from tests.learning.tables import every_type, people

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "model.schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
STRATEGIES = ["exact", "progressive", "paper", "tight"]
EASY = {"epsilon": 1.0, "theta": 0.2, "random_state": 0, "max_rules": 2}


@pytest.fixture(scope="module")
def fitted():
    return learn(people(), "buys", **EASY)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_model_comes_back_and_follows_the_schema(strategy, tmp_path):
    fitted = learn(people(), "buys", strategy=strategy, **EASY)
    fitted.save(tmp_path / "model.json")
    found = samrule.load(tmp_path / "model.json")
    assert found == fitted
    assert str(found) == str(fitted)
    assert dumps(found) == dumps(fitted)
    VALIDATOR.validate(json.loads((tmp_path / "model.json").read_text()))


@pytest.mark.parametrize("column", ["whole", "price", "day", "moment", "clock", "flag"])
def test_cuts_of_every_type_come_back(column):
    table = every_type()
    late = [one >= 20 for one in table["level"].to_pylist()]
    fitted = learn(table.select([column]), late, max_rules=1)
    found = loads(dumps(fitted))
    assert found == fitted
    assert found.predict(table).tolist() == fitted.predict(table).tolist()
    VALIDATOR.validate(json.loads(dumps(fitted)))
    for ours, theirs in zip(fitted.conditions, found.conditions, strict=True):
        assert type(ours.value) is type(theirs.value)


@pytest.mark.parametrize(
    "classes",
    [
        (False, True),
        (0, 1),
        (0.0, 1.0),
        (0.5, float("inf")),
        ("a", "b"),
        (2**53 + 1, 2**53 + 2),
        (date(2021, 1, 1), date(2022, 1, 1)),
        (datetime(2021, 1, 1), datetime(2022, 1, 1)),
        (time(1), time(2)),
        ("\x00", 'é"\n\u2028'),
    ],
    ids=repr,
)
def test_classes_of_every_type_come_back(classes):
    table = people(200)
    labels = [classes[value == "yes"] for value in table["buys"].to_pylist()]
    fitted = learn(table.drop(["buys"]), pa.array(labels), max_rules=1)
    found = loads(dumps(fitted))
    assert found == fitted
    assert [type(one) for one in found.classes] == [type(one) for one in classes]
    assert found.predict(table).tolist() == fitted.predict(table).tolist()
    VALIDATOR.validate(json.loads(dumps(fitted)))


def test_zones_come_back(fitted):
    moment = datetime(2021, 10, 31, 2, 30, tzinfo=ZoneInfo("Europe/Rome"), fold=1)
    rules = (Rule((Condition("when", "<", moment),), None, (1, 2)),)
    other = RuleList(rules, Rule((), "no", (3, 4)), (None, "no"))
    found = loads(dumps(replace(fitted, rule_list=other))).rule_list
    assert found == other
    assert found.rules[0].conditions[0].value.fold == 1


def test_half_a_character_is_refused_both_ways(fitted):
    """JSON could escape it, but no table, terminal or file of predictions takes it."""
    other = RuleList((), Rule((), "\ud800", (3, 4)), ("no", "\ud800"))
    with pytest.raises(InputTypeError, match="half a character"):
        dumps(replace(fitted, rule_list=other))
    broken = dumps(fitted).replace(b'"reason": "', b'"reason": "\\ud800')
    with pytest.raises(InputError, match="half a character"):
        loads(broken)


def test_classes_that_json_cannot_say_are_refused_before_a_file_is_made(fitted, tmp_path):
    other = RuleList((), Rule((), (1, 2)), ((1, 2), (3, 4)))
    with pytest.raises(InputTypeError, match="cannot be written as JSON"):
        replace(fitted, rule_list=other).save(tmp_path / "model.json")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_same_seed_same_bytes_for_any_number_of_threads_and_either_source(strategy, tmp_path):
    table = people(12_000)  # More rows than pilot rows, so that these are drawn.
    pq.write_table(table, tmp_path / "table.parquet", row_group_size=1000)
    common = {**EASY, "strategy": strategy, "max_rules": 3}
    models = [
        dumps(learn(source, "buys", threads=threads, **common))
        for source in (table, tmp_path / "table.parquet")
        for threads in (1, 2)
    ]
    assert len(set(models)) == 1
    other = {**common, "random_state": 1}
    assert strategy == "exact" or dumps(learn(table, "buys", **other)) != models[0]


def test_no_times_are_kept(fitted):
    assert fitted.trace[0].seconds > 0
    assert loads(dumps(fitted)).trace[0].seconds is None
    assert b"seconds" not in dumps(fitted)


def test_models_can_be_pickled_and_copied(fitted):
    assert pickle.loads(pickle.dumps(fitted)) == fitted
    assert copy.deepcopy(fitted) == fitted


def test_left_out_columns_come_back():
    table = people(300).append_column("same", pa.array(["x"] * 300))
    fitted = learn(table, "buys", binarizer=Binarizer(n_thresholds=2))
    assert [str(one) for one in loads(dumps(fitted)).conditions.left_out] == [
        "same: it is always x"
    ]


def test_save_says_why_it_cannot(fitted, tmp_path):
    with pytest.raises(OutputError, match="cannot be written"):
        fitted.save(tmp_path / "no" / "folder" / "model.json")


@pytest.mark.parametrize("name", ["missing.json", "."])
def test_load_says_why_it_cannot(name, tmp_path):
    with pytest.raises(FileError, match="cannot be read"):
        samrule.load(tmp_path / name)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b'"samrule-model"',
        b"\xff\xfe",
        b"PAR1\x00\x00",
        b"[" * 100_000,
        b'{"format": "samrule-model"}',
        b'{"format": "samrule-model", "version": 3}',
        b'{"format": "samrule-model", "version": 2}',
        b'{"format": "samrule-model", "version": true}',
        b'{"format": "samrule-model", "version": 1}',
        b'{"format": "other", "version": 1}',
        b'{"format": "samrule-model", "format": "samrule-model", "version": 1}',
        b'{"format": "samrule-model", "version": NaN}',
        b'{"format": "samrule-model", "version": ' + b"1" * 5000 + b"}",
        b"cos\nsystem\n(S'echo'\ntR.",
    ],
)
def test_what_is_no_model_is_refused(content, tmp_path):
    path = tmp_path / "model.json"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"model\.json") as caught:
        samrule.load(path)
    assert caught.value.hint


def test_a_key_that_is_there_twice_is_refused(fitted):
    twice = dumps(fitted).replace(b'"target":', b'"target": "x", "target":', 1)
    with pytest.raises(InputError, match="same key twice"):
        loads(twice)


@pytest.mark.parametrize("number", [b"NaN", b"Infinity", b"1e999"])
def test_numbers_that_are_none_are_refused_everywhere(fitted, number):
    content = dumps(fitted)
    numbers = list(re.finditer(rb"(?<=[:\[ ])-?\d+\.?\d*(e-?\d+)?(?=[,\n])", content))
    assert len(numbers) > 20
    for found in numbers:
        with pytest.raises(InputError):
            loads(content[: found.start()] + number + content[found.end() :])


def places(data, path=()):
    """Every place in a JSON document, and what stands there."""
    yield path, data
    if isinstance(data, dict | list):
        for key in data if isinstance(data, dict) else range(len(data)):
            yield from places(data[key], (*path, key))


def changed(data, path, change):
    """A copy of the document in which one place is changed."""
    data = copy.deepcopy(data)
    *way, last = path
    parent = data
    for step in way:
        parent = parent[step]
    change(parent, last)
    return data


def without(parent, key):
    del parent[key]


def with_surprise(parent, key):
    parent[key] = {**parent[key], "surprise": 1}


def of_another_kind(parent, key):
    parent[key] = {"surprise": [parent[key]]}


@pytest.mark.parametrize("change", [without, with_surprise, of_another_kind])
def test_every_change_is_refused(change):
    """The reader and the schema agree: no field may be gone, of another kind, or new."""
    small = learn(people(200), "buys", max_rules=1, binarizer=Binarizer(n_thresholds=1))
    data = json.loads(dumps(small))
    n_changes = 0
    for path, value in list(places(data))[1:]:
        # Lists may be shorter, and a condition may leave its type to its value.
        if change is without and (isinstance(path[-1], int) or path[-1] == "type"):
            continue
        if change is with_surprise and not isinstance(value, dict):
            continue
        broken = changed(data, path, change)
        with pytest.raises(InputError):
            loads(json.dumps(broken).encode())
        assert not VALIDATOR.is_valid(broken), path
        n_changes += 1
    assert n_changes > 10


DIGITS = "1" * 401


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("rule_list.rules.0.class_counts", []),
        ("rule_list.default.class_counts", []),
        ("rule_list.default.class_counts", [int(DIGITS), 1]),
        ("rule_list.default.class_counts", [1e308, 1]),
        ("rule_list.default.class_counts", [-1, 1]),
        ("rule_list.rules.0.conditions.0.value", int(DIGITS)),
        ("rule_list.rules.0.conditions.0.value", {"integer": DIGITS}),
        ("rule_list.rules.0.conditions.0.value", {"decimal": "1e-999999999"}),
        ("rule_list.rules.0.conditions.0.value", {"decimal": "1e999999999"}),
        ("rule_list.rules.0.conditions.0.value", {"decimal": "0." + DIGITS}),
        (
            "rule_list.rules.0.conditions.0.value",
            {"datetime": "2021-01-01T00:00+00:00", "zone": "x" * 5000},
        ),
        (
            "rule_list.rules.0.conditions.0.value",
            {"datetime": "2021-01-01T00:00+00:00", "zone": "Europe"},
        ),
        ("certificate.epsilon", 0),
        ("certificate.theta", 1.5),
        ("certificate.delta", 1),
        ("certificate.train_rows", -1),
        ("certificate.train_rows", int(DIGITS)),
        ("certificate.lower_bound", -0.1),
        ("certificate.upper_bound", 1e300),
        ("certificate.achieved_epsilon", -1),
        ("certificate.achieved_epsilon", int(DIGITS)),
        ("settings.max_rules", -1),
        ("settings.max_rules", int(DIGITS)),
        ("settings.max_terms", int(DIGITS)),
        ("settings.regularization", 1e308),
        ("settings.regularization", -1),
        ("settings.min_support", 1.5),
        ("conditions.by_column.0.n_pairs", int(DIGITS)),
        ("trace", []),
        ("trace.0.path", []),
        ("trace.0.path", [-1]),
        ("trace.0.rows", int(DIGITS)),
        ("trace.0.loss", int(DIGITS)),
        ("trace.0.n_rules", -1),
        ("trace.0.validation_rows", -5),
        ("trace.0.validation_errors", -5),
    ],
    ids=lambda value: str(value)[:40],
)
def test_values_out_of_range_are_refused(fitted, path, value):
    """All of these were read once: they hung `predict`, or ended it as a bug of ours."""
    way = [int(step) if step.isdigit() else step for step in path.split(".")]
    data = changed(
        json.loads(dumps(fitted)), way, lambda parent, key: operator.setitem(parent, key, value)
    )
    with pytest.raises(InputError, match=r"expected|is no datetime"):
        loads(json.dumps(data).encode())


@pytest.mark.parametrize(
    "classes",
    [
        (1, "1"),
        (True, 2),
        (0.5, "a"),
        (date(2021, 1, 1), datetime(2021, 1, 1)),
        (datetime(2021, 1, 1), "a"),
        (2**64, 1),
        (Decimal("1e70"), Decimal("1e-70")),
    ],
    ids=repr,
)
def test_classes_that_no_column_holds_are_refused(fitted, classes):
    other = RuleList((), Rule((), classes[0], (3, 4)), classes)
    with pytest.raises(InputError, match=r"expected values of one (column|kind)"):
        loads(dumps(replace(fitted, rule_list=other)))
