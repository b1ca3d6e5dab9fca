"""Model files of version 1 are read, and written again as version 2.

`models/first_*.json` were written by commit 69adbf2, the first version; `models/last_*.json` are as
the last commits before version 2 wrote them. All learned from 12,000 rows in which x >= 1 says yes.
"""

import json
from pathlib import Path

import jsonschema
import pyarrow as pa
import pytest

import samrule
from samrule.errors import InputError
from samrule.learning.model_file import dumps, loads
from samrule.learning.model_file_v1 import as_version_2

FILES = sorted((Path(__file__).parent / "models").glob("*.json"))
SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "model.schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def model(name: str) -> samrule.FittedRuleList:
    return samrule.load(Path(__file__).parent / "models" / f"{name}.json")


def test_there_are_files_of_every_kind():
    kinds = ["first_by_weight", "first_fixed", "first_weighted", "last_fixed", "last_weighted"]
    assert [one.stem for one in FILES] == kinds


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_old_files_are_read_and_written_as_version_2(path):
    assert json.loads(path.read_text())["version"] == 1
    found = samrule.load(path)
    assert found.predict(pa.table({"x": [0, 1, 2]})).tolist() == ["no", "yes", "yes"]
    assert found.certificate.holds
    assert str(found).startswith("if ")
    written = dumps(found)
    VALIDATOR.validate(json.loads(written))
    assert json.loads(written)["version"] == 2
    assert loads(written) == found


@pytest.mark.parametrize("name", ["first_fixed", "last_fixed"])
def test_the_strategy_called_fixed_is_paper(name):
    found = model(name)
    assert (found.strategy, found.settings.strategy) == ("paper", "paper")
    assert found.certificate.train_rows == found.paper_rows


def test_what_the_first_files_do_not_say_is_not_made_up():
    found = model("first_fixed")
    assert found.rows_used is None
    assert found.spare_rows == 0
    assert (found.weights, found.class_weight, found.weighting) == (None, None, None)
    assert found.settings.min_support == 0
    assert found.evaluation.n_rows == found.certificate.train_rows


@pytest.mark.parametrize("name", ["first_by_weight", "first_weighted"])
def test_counts_of_weighted_rows_are_weights_not_rows(name):
    found = model(name)
    assert found.certificate.weighted
    assert found.weighting == "weighted"
    assert found.evaluation is None
    assert all(rule.weighted_counts for rule in found.rule_list)


def test_the_last_files_lose_nothing():
    found = model("last_weighted")
    assert (found.weights, found.settings.min_support) == ("w", 0.01)
    assert found.class_weight is not None
    assert found.rows_used.drawn > found.certificate.train_rows
    assert all(rule.class_counts and rule.weighted_counts for rule in found.rule_list)


@pytest.mark.parametrize("junk", [None, 7, "x", [], {}, [7], {"x": 7}])
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_damaged_old_files_are_refused_in_words(path, junk):
    data = json.loads(path.read_text())
    for name in set(data) - {"format", "version"}:
        optional = name in ("weights", "class_weight", "rows_used")
        is_text = name in ("target", "reason", "weights")
        if not (optional and junk is None) and not (is_text and junk == "x"):
            refused(data | {name: junk})
        if not optional:
            refused({one: value for one, value in data.items() if one != name})
    rules = data["rule_list"]
    for name in set(rules) - ({"rules"} if junk == [] else set()):
        refused(data | {"rule_list": rules | {name: junk}})


def refused(data: dict) -> None:
    with pytest.raises(InputError, match="the model"):
        loads(json.dumps(data).encode())


def test_the_file_given_is_left_as_it_is():
    data = json.loads(FILES[0].read_text())
    before = json.dumps(data)
    as_version_2(data)
    assert json.dumps(data) == before
