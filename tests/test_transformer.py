"""The encoder is a scikit-learn transformer like any other, and says what `Binarizer` says."""

from typing import Any
from unittest import SkipTest

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from samrule import Binarizer, ConditionEncoder, open_table
from samrule.errors import InputError, ParameterError, TargetError

RNG = np.random.default_rng(0)
N = 200
COLUMNS: dict[str, list[Any]] = {
    "age": RNG.integers(18, 90, N).tolist(),
    "city": [None if n % 9 == 0 else str(RNG.choice(["Padova", "Roma"])) for n in range(N)],
    "weight": [None if n % 7 == 0 else float(RNG.normal(70, 9)) for n in range(N)],
    "signup": [f"2021-{1 + n % 12:02d}-01" for n in range(N)],
}
LABELS = np.where(np.array(COLUMNS["age"]) > 50, "yes", "no")


@parametrize_with_checks([ConditionEncoder()])
def test_scikit_learn_checks_pass_and_none_is_skipped(estimator: Any, check: Any) -> None:
    try:
        check(estimator)
    except SkipTest as reason:
        pytest.fail(f"skipped: {reason}")


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame,
        pl.DataFrame,
        pl.LazyFrame,
        pa.table,
        lambda columns: [list(row) for row in zip(*columns.values(), strict=True)],
        lambda columns: np.array(list(zip(*columns.values(), strict=True)), dtype=object),
    ],
)
def test_any_table_gives_the_conditions_of_the_binarizer(frame: Any) -> None:
    table = frame(COLUMNS)
    encoder = ConditionEncoder().fit(table, LABELS)
    expected = Binarizer().fit(open_table(pa.table(COLUMNS)), LABELS)
    named = encoder.get_feature_names_out(
        None if hasattr(encoder, "feature_names_in_") else list(COLUMNS)
    )
    assert named.tolist() == [str(condition) for condition in expected]
    found = encoder.transform(table)
    assert found.dtype == np.uint8
    np.testing.assert_array_equal(found, expected.transform(pa.table(COLUMNS)))


def test_sparse_tables_are_taken_as_they_are() -> None:
    dense = RNG.integers(0, 3, (N, 4)).astype(float)
    encoder = ConditionEncoder().fit(scipy.sparse.csr_array(dense), LABELS)
    np.testing.assert_array_equal(
        encoder.transform(scipy.sparse.csc_matrix(dense)),
        ConditionEncoder().fit(dense, LABELS).transform(dense),
    )


def test_without_classes_cuts_are_quantiles() -> None:
    table = pd.DataFrame(COLUMNS)
    expected = [str(one) for one in Binarizer("quantile").fit(pa.table(COLUMNS))]
    for labels in (None, RNG.normal(size=N)):
        assert ConditionEncoder().fit(table, labels).get_feature_names_out().tolist() == expected


def test_output_may_be_a_dataframe_with_the_conditions_as_names() -> None:
    table = pd.DataFrame(COLUMNS)
    encoder = ConditionEncoder().set_output(transform="pandas").fit(table, LABELS)
    found = encoder.transform(table)
    assert found.columns.tolist() == encoder.get_feature_names_out().tolist()
    assert set(found.dtypes) == {np.dtype(np.uint8)}


def test_an_array_may_follow_a_dataframe() -> None:
    frame = pd.DataFrame(RNG.normal(size=(N, 3)), columns=["a", "b", "c"])
    encoder = ConditionEncoder().fit(frame, LABELS)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        found = encoder.transform(frame.to_numpy())
    np.testing.assert_array_equal(found, encoder.transform(frame))


def test_columns_may_be_called_by_numbers() -> None:
    frame = pd.DataFrame(RNG.normal(size=(N, 2)))
    encoder = ConditionEncoder(n_thresholds=1).fit(frame, LABELS)
    assert encoder.get_feature_names_out()[0].startswith("0 >= ")
    assert encoder.get_feature_names_out(["a", "b"])[0].startswith("a >= ")


def test_it_works_in_a_pipeline() -> None:
    model = make_pipeline(ConditionEncoder(), LogisticRegression())
    assert model.fit(pd.DataFrame(COLUMNS), LABELS).score(pd.DataFrame(COLUMNS), LABELS) > 0.95


def test_bad_input_is_told() -> None:
    table = pd.DataFrame(COLUMNS)
    with pytest.raises(TargetError, match="no target was given"):
        ConditionEncoder("supervised").fit(table)
    with pytest.raises(ParameterError, match="scheme is 'best'"):
        ConditionEncoder("best").fit(table)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="target has 3 entries; expected 200"):
        ConditionEncoder().fit(table, [0, 1, 0])
