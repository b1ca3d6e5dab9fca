"""Columns that name rows give no conditions; columns that describe them do."""

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from samrule import Binarizer, learn, open_table
from samrule.errors import ColumnError, ParameterTypeError

N = 2000
RNG = np.random.default_rng(0)
YES = RNG.random(N) < 0.4
AGE = RNG.integers(18, 90, N)

IDENTIFIERS = {
    "row": np.arange(N),
    "n": np.arange(N, 0, -1),
    "time": np.cumsum(RNG.integers(1, 5, N)),
    "tx": 1_000_000_000 + RNG.permutation(N),
    "with holes": [None, *map(float, range(1, N))],
    "customer_id": RNG.permutation(10 * N)[:N],
    "CustomerID": RNG.permutation(10 * N)[:N],
    "__index_level_0__": AGE,
    "name": [f"person {place}" for place in range(N)],
    "huge": np.arange(N, dtype=np.uint64) + np.uint64(2**62),
}
FEATURES = {
    "income": RNG.integers(0, 10**7, N),
    "cents": RNG.permutation(10 * N)[:N],
    "change": RNG.permutation(N) - N // 2,
    "id": RNG.integers(0, 50, N),
    "valid": RNG.integers(0, 10**7, N),
    "paid": RNG.random(N),
    "year": RNG.integers(1990, 2020, N),
    "sorted": np.sort(AGE),
    "rising": np.sort(RNG.random(N)),
    "city": RNG.choice(["Padova", "Roma"], N),
}


@pytest.mark.parametrize("name", IDENTIFIERS)
def test_what_names_rows_is_left_out_and_can_be_forced_in(name: str) -> None:
    table = pa.table({name: pa.array(IDENTIFIERS[name], from_pandas=True), "age": AGE})
    found = Binarizer(min_level_share=0).fit(table, YES)
    (left_out,) = found.left_out
    assert left_out.column == name
    assert left_out.reason.endswith("; --force or Binarizer(force=...) uses it")
    assert not any(one.op != "is missing" and one.column == name for one in found)
    forced = Binarizer(min_level_share=0, force=[name]).fit(table, YES)
    assert forced.columns == (name, "age")
    assert forced.left_out == ()


@pytest.mark.parametrize("name", FEATURES)
def test_what_describes_rows_is_used(name: str) -> None:
    table = pa.table({name: FEATURES[name], "age": AGE})
    assert Binarizer().fit(table, YES).columns == (name, "age")


def test_the_only_column_is_used_whatever_it_looks_like() -> None:
    found = Binarizer(n_thresholds=1).fit(pa.table({"row": np.arange(N)}), np.arange(N) >= 1000)
    assert [str(one) for one in found] == ["row >= 1000", "row < 1000"]


@pytest.mark.parametrize("name", ["row", "tx", "customer_id"])
def test_identifiers_are_seen_in_rows_drawn_at_random(name: str) -> None:
    table = pa.table({name: IDENTIFIERS[name], "age": AGE, "y": YES})
    found = Binarizer().fit(open_table(table, "y").draw(N, random_state=0), "y")
    assert [one.column for one in found.left_out] == [name]


def test_the_index_that_pandas_writes_is_left_out(tmp_path: Path) -> None:
    frame = pd.DataFrame({"age": AGE, "y": np.arange(N) >= 1500})
    shuffled = frame.sample(frac=1, random_state=0)
    shuffled.to_parquet(tmp_path / "t.parquet")
    frame.to_csv(tmp_path / "t.csv")
    for path in (tmp_path / "t.parquet", tmp_path / "t.csv"):
        fitted = learn(path, "y", random_state=0)
        assert fitted.conditions.columns == ("age",)
        assert len(fitted.conditions.left_out) == 1


def test_a_column_that_is_included_by_name_is_used() -> None:
    table = pa.table({"row": np.arange(N), "age": AGE, "y": np.arange(N) >= 1500})
    assert learn(table, "y").conditions.columns == ("age",)
    fitted = learn(table, "y", include=["row", "age"])
    assert fitted.rule_list.error_rate == 0
    assert learn(table, "y", binarizer=Binarizer(force=["row"])).rule_list.error_rate == 0


def test_names_to_force_are_checked() -> None:
    table = pa.table({"age": AGE})
    with pytest.raises(ColumnError, match="no column 'agee'"):
        Binarizer(force=["agee"]).fit(table, YES)
    with pytest.raises(ParameterTypeError, match="force is 'age'; expected a list"):
        Binarizer(force="age").fit(table, YES)
