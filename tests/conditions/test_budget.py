"""A budget of conditions is kept, and spent where it matters."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samrule import Binarizer, ConditionEncoder, learn
from samrule.errors import ParameterError
from samrule.rules import Operator

N = 600
RNG = np.random.default_rng(0)
TABLE = pa.table(
    {
        "noise": RNG.normal(size=N),
        "age": RNG.integers(18, 90, N),
        "again": RNG.integers(0, 10, N),
        "city": RNG.choice(["Bari", "Oslo", "Rio", "Roma"], N),
        "gap": pa.array(RNG.normal(size=N), mask=RNG.random(N) < 0.3),
    }
)
BUYS = (np.array(TABLE["age"]) >= 50) ^ (RNG.random(N) < 0.1)
OPPOSITE = {Operator.AT_LEAST: Operator.LESS, Operator.IN: Operator.NOT_IN}


@settings(max_examples=25, deadline=None)
@given(st.integers(2, 150), st.booleans(), st.booleans())
def test_a_budget_is_kept_and_spent(max_conditions: int, more: bool, classes: bool) -> None:
    scheme = "supervised" if classes else "quantile"
    asked = Binarizer(scheme, sets=more and classes, intervals=more)
    target = BUYS if classes else None
    everything = set(asked.fit(TABLE, target))
    found = asked.set_params(max_conditions=max_conditions).fit(TABLE, target)
    assert set(found) <= everything
    # A condition and its opposite go together, so one may be left over.
    assert min(max_conditions, len(everything)) - 1 <= len(found) <= max_conditions
    for one in found:
        if one.op in OPPOSITE and more:
            continue
        opposite = OPPOSITE.get(one.op)
        assert opposite is None or any(
            other.op == opposite and other.values == one.values for other in found
        )
    empty = {one.column for one in found.left_out}
    assert empty | set(found.columns) == {*TABLE.column_names}


def test_the_first_condition_is_the_best_and_likenesses_come_last() -> None:
    found = Binarizer(max_conditions=2).fit(TABLE, BUYS)
    assert [str(one) for one in found] == ["age >= 50", "age < 50"]
    assert found.left_out[0].reason == ("the 2 conditions asked for say more about other columns")
    twice = TABLE.append_column("copy", TABLE["age"])
    chosen = Binarizer(max_conditions=10).fit(twice, BUYS)
    cuts = {(one.op, one.value) for one in chosen if one.column == "age"}
    assert not cuts & {(one.op, one.value) for one in chosen if one.column == "copy"}


def test_learn_and_the_encoder_keep_to_it() -> None:
    assert len(learn(TABLE, BUYS, binarizer=Binarizer(max_conditions=20)).conditions) == 20
    encoder = ConditionEncoder(max_conditions=20).fit(TABLE.to_pandas(), BUYS)
    assert encoder.transform(TABLE.to_pandas()).shape == (N, 20)
    with pytest.raises(ParameterError, match="max_conditions is 1; expected a whole number"):
        Binarizer(max_conditions=1).fit(TABLE, BUYS)
