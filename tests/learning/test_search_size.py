"""Searches that would take too long are told of before they begin."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from samrule import Binarizer, Status, learn
from samrule.errors import (
    LongSearchWarning,
    ParameterError,
)
from samrule.learning.search_size import check_size
from samrule.learning.task import Deadline, Settings

ALL = Binarizer(max_conditions=None)


def wide(n_columns):
    rng = np.random.default_rng(0)
    columns = rng.normal(size=(20_000, n_columns))
    return columns, (columns[:, 0] > 0.5) & (columns[:, 1] > 0)


def test_more_candidates_than_can_be_searched_are_refused():
    columns, labels = wide(30)
    message = r"max_terms is 9, and \d+ conditions make about \de\+\d+ candidate rules"
    with pytest.raises(ParameterError, match=message) as refused:
        learn(columns, labels, max_terms=9, binarizer=ALL)
    assert refused.value.hint == "try max_terms=2, or fewer conditions with max_conditions=50."
    with pytest.raises(ParameterError, match="max_terms is 1000000000, and"):
        learn(columns, labels, max_terms=10**9, binarizer=ALL)


def test_many_candidates_are_warned_of_and_a_time_limit_ends_their_making():
    columns, labels = wide(30)
    message = r"\d+ conditions make \d\d\d,\d\d\d candidate rules of at most 2 terms"
    with pytest.warns(LongSearchWarning, match=message) as told:
        fitted = learn(
            columns,
            labels,
            max_terms=2,
            time_limit=0.1,
            random_state=0,
            strategy="progressive",
            binarizer=ALL,
        )
    assert told[0].filename == __file__, "it points to who called"
    assert fitted.trace[-1].status is Status.TIME_LIMIT
    assert fitted.certificate.lower_bound <= fitted.certificate.upper_bound


def warned(*, seconds=math.inf, binarizer=None, **asked):
    """Return the warning before a search that would be long."""
    columns, labels = wide(6)
    conditions = Binarizer().fit(columns, labels)
    task = SimpleNamespace(
        settings=Settings(strategy="exact", **asked),
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
    assert "max_conditions=50" in told.hint
    assert "max_terms" not in told.hint


def test_hints_never_name_what_is_in_force():
    told = warned(max_rules=9, seconds=5, binarizer=Binarizer(max_conditions=50))
    assert "within the time limit of 5 s" in told.message
    assert "time_limit" not in told.hint
    assert "max_conditions" not in told.hint
    given = Binarizer().fit(*wide(6))
    assert "max_conditions" not in warned(max_rules=9, binarizer=given).hint
    assert "max_terms=1" in warned(max_rules=6, max_terms=2).hint


@pytest.mark.parametrize("asked", [{"max_rules": 2, "max_terms": 2}, {"max_terms": 1}])
def test_what_is_searched_in_a_while_is_not_warned_of(asked):
    columns, labels = wide(5)
    assert learn(columns, labels, random_state=0, strategy="progressive", **asked).trace


def test_auto_is_not_warned_of_because_it_ends_its_searches_itself():
    columns, labels = wide(6)
    conditions = Binarizer().fit(columns, labels)
    task = SimpleNamespace(settings=Settings(max_rules=9), deadline=Deadline())
    check_size(task, conditions)
