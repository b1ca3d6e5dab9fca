"""Conditions that are given, or learned on pilot rows."""

import pyarrow as pa
import pytest

from samrule import Binarizer, learn, open_table
from samrule.errors import (
    ColumnError,
    InputError,
)

ASKED = {"epsilon": 0.5, "theta": 0.1}


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


def test_identifiers_are_recognized_among_rows_drawn_twice(table):
    named = table.append_column("name", pa.array([f"row {i}" for i in range(len(table))]))
    fitted = learn(named, "buys", strategy="progressive", random_state=0, **ASKED)
    assert [one.column for one in fitted.conditions.left_out] == ["name"]


def test_given_conditions_must_fit_the_table(table):
    conditions = Binarizer().fit(open_table(table, "city"))
    with pytest.raises(InputError, match="'buys', the target"):
        learn(table, "buys", binarizer=conditions)
    with pytest.raises(ColumnError, match="no column 'income'"):
        learn(table.drop(["income"]), "buys", binarizer=Binarizer().fit(open_table(table, "buys")))
