"""A budget of conditions is kept, and spent where it matters."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samrule import Binarizer, ConditionEncoder, constraint_prices, learn
from samrule.conditions.budget import within_budget
from samrule.conditions.pilot import pilot_of
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


def test_the_first_condition_is_the_best_and_of_two_that_say_the_same_one_is_taken() -> None:
    found = Binarizer(max_conditions=2).fit(TABLE, BUYS)
    assert [str(one) for one in found] == ["age >= 50", "age < 50"]
    assert found.left_out[0].reason.startswith("2 conditions on other columns say more; ")
    twice = TABLE.append_column("copy", TABLE["age"])
    chosen = Binarizer(max_conditions=10).fit(twice, BUYS)
    cuts = {(one.op, one.value) for one in chosen if one.column == "age"}
    assert not cuts & {(one.op, one.value) for one in chosen if one.column == "copy"}


def test_what_matters_among_few_rows_comes_before_what_others_say_already() -> None:
    """Each cut of a tells more by itself than one of b, which matters where a is low."""
    rng = np.random.default_rng(1)
    a, b, noise = rng.normal(size=(3, 4000))
    labels = np.where(a > 0.5, True, np.where(a < -1, b > 0, False)) ^ (rng.random(4000) < 0.05)
    table = pa.table({"a": a, "b": b, "noise": noise})
    near = [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]
    cut = Binarizer(cuts={"a": [-1, *near], "b": [-0.5, 0, 0.5], "noise": near}, intervals=False)
    made = cut.fit(table, labels)
    kept = within_budget(made.by_column, pilot_of(table, labels, None), 8)
    asked = {(one.column, one.value) for some in kept for one in some}
    assert {("a", 0.5), ("a", -1), ("b", 0)} <= asked


def test_by_default_a_hundred_conditions_are_made_of_classes_and_all_of_other_schemes() -> None:
    wide = pa.table({f"x{i}": RNG.normal(size=N) for i in range(30)})
    labels = np.array(wide["x0"]) + np.array(wide["x1"]) > 0
    assert len(Binarizer().fit(wide, labels)) == 100
    assert len(Binarizer(max_conditions=None).fit(wide, labels)) > 500
    assert len(Binarizer("quantile").fit(wide)) == 30 * 24
    assert ConditionEncoder().fit(wide.to_pandas(), labels).n_features_in_ == 30


def test_columns_to_keep_have_all_their_conditions_beside_the_budget() -> None:
    everything = Binarizer(max_conditions=None).fit(TABLE, BUYS)
    found = Binarizer(max_conditions=4, keep=["noise"], cuts={"again": [3, 5]}).fit(TABLE, BUYS)
    of_noise = {one for one in everything if one.column == "noise"}
    assert of_noise == {one for one in found if one.column == "noise"}
    assert sum(one.column == "again" for one in found) == 4
    assert sum(one.column not in ("noise", "again") for one in found) == 4
    with pytest.raises(KeyError, match="'noises'"):
        Binarizer(keep=["noises"]).fit(TABLE, BUYS)
    with pytest.raises(TypeError, match="keep is 'noise'; expected a list of column names"):
        Binarizer(keep="noise").fit(TABLE, BUYS)


def test_constraints_keep_the_conditions_of_the_columns_they_name() -> None:
    wide = pa.table({f"x{i}": RNG.normal(size=N) for i in range(30)})
    labels = np.array(wide["x0"]) + np.array(wide["x1"]) > 0
    free = learn(wide, labels, max_rules=2).conditions
    dropped = sorted({*wide.column_names} - {*free.columns})[0]
    held = learn(wide, labels, max_rules=2, require=[dropped])
    assert dropped in held.columns
    without = learn(wide, labels, max_rules=2, forbid=["x0"]).conditions
    assert len(without) == 100
    # A condition named by how it reads may be of any column.
    [cut, *_] = Binarizer(max_conditions=None).fit(wide, labels)
    assert len(learn(wide, labels, max_rules=1, forbid=[str(cut)]).conditions) > 500


def test_prices_of_constraints_compare_lists_of_the_same_conditions() -> None:
    wide = pa.table({f"x{i}": RNG.normal(size=N) for i in range(30)})
    labels = np.array(wide["x0"]) + np.array(wide["x1"]) > 0
    (price,) = constraint_prices(wide, labels, max_rules=2, forbid=["x0"])
    free = learn(wide, labels, max_rules=2, binarizer=Binarizer(keep=["x0"]))
    assert price.without.upper_bound == free.certificate.upper_bound
    assert price.least == price.most > 0


def test_conditions_are_spread_by_weight_as_if_rows_were_repeated() -> None:
    times = RNG.integers(1, 4, N)
    asked = Binarizer("quantile", max_conditions=30)
    weighed = asked.fit(TABLE, weights=times)
    repeated = asked.fit(TABLE.take(np.repeat(np.arange(N), times)))
    assert list(weighed) == list(repeated)


def test_learn_and_the_encoder_keep_to_it() -> None:
    assert len(learn(TABLE, BUYS, binarizer=Binarizer(max_conditions=20)).conditions) == 20
    encoder = ConditionEncoder(max_conditions=20).fit(TABLE.to_pandas(), BUYS)
    assert encoder.transform(TABLE.to_pandas()).shape == (N, 20)
    with pytest.raises(ParameterError, match="max_conditions is 1; expected a whole number"):
        Binarizer(max_conditions=1).fit(TABLE, BUYS)
