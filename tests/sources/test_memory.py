"""Arrays in memory: columns are made for the rows somebody looks at, and no others."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
import scipy.sparse

from samrule import Binarizer, learn, open_table
from samrule.errors import InputError, InputTypeError, TargetError
from samrule.sources.base import BATCH_ROWS
from samrule.sources.memory import by_rows


@pytest.mark.parametrize("kind", [np.array, np.asfortranarray, scipy.sparse.csr_array])
def test_arrays_longer_than_a_batch_keep_their_rows_together(kind) -> None:
    n_rows = 2 * BATCH_ROWS + 7
    numbers = np.arange(2 * n_rows, dtype=np.int64).reshape(n_rows, 2)
    labels = numbers[:, 0] // 2
    rows = pa.Table.from_batches(open_table(kind(numbers), labels).scan())
    np.testing.assert_array_equal(rows["x0"], numbers[:, 0])
    np.testing.assert_array_equal(rows["x1"], numbers[:, 1])
    np.testing.assert_array_equal(rows["target"], labels)


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int8, np.uint64, np.bool_, ">f8"])
@pytest.mark.parametrize("layout", ["C", "F", "strided", "backwards"])
def test_every_dtype_and_layout_gives_the_same_columns(dtype, layout: str) -> None:
    wide = np.random.default_rng(0).integers(0, 2, (6, 8)).astype(dtype)
    numbers = {
        "C": np.ascontiguousarray(wide[:, :4]),
        "F": np.asfortranarray(wide[:, :4]),
        "strided": wide[::2, ::2],
        "backwards": wide[::-1, :4],
    }[layout]
    rows = pa.Table.from_batches(open_table(numbers).scan())
    for place in range(4):
        assert rows[f"x{place}"].to_pylist() == numbers[:, place].tolist()


def test_masked_entries_stay_missing() -> None:
    masked = np.ma.masked_equal(np.array([[1, 2], [3, 4]]), 4)
    rows = pa.Table.from_batches(open_table(masked).scan())
    assert rows["x1"].to_pylist() == [2, None]


def test_arrays_stored_by_rows_are_not_copied() -> None:
    numbers = np.ones((3, 2))
    assert by_rows(numbers) is numbers
    assert by_rows(np.asfortranarray(numbers)) is None
    assert by_rows(numbers.astype(object)) is None


HALF = "\ud800"  # Half of a surrogate pair: what errors="surrogateescape" leaves of broken bytes.


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame({"a": [HALF, "b"]}, dtype=object),
        np.array([[HALF], ["b"]], dtype=object),
        np.array([[HALF], ["b"]]),
    ],
    ids=["pandas", "objects", "texts"],
)
def test_half_a_character_is_told_with_its_column(table):
    with pytest.raises(InputTypeError, match=r"column '\w+' holds text with half a character"):
        open_table(table)


def test_a_name_with_half_a_character_is_told():
    with pytest.raises(InputError, match=r"named '\\ud800'"):
        open_table(pd.DataFrame([[1], [2]], columns=pd.Index([HALF], dtype=object)))


def test_a_type_that_arrow_lacks_is_told_with_what_to_do():
    frame = pl.DataFrame({"a": pl.Series([1, 2**100], dtype=pl.Int128)})
    with pytest.raises(InputTypeError, match=r"(?s)Int128.*cast it first"):
        open_table(frame)


@pytest.mark.parametrize("kind", ["table", "feather"])
def test_an_unknown_time_zone_is_told_unless_its_column_is_left_out(kind, tmp_path):
    moments = pa.array([0, 1], pa.timestamp("us", tz="Nowhere/At_All"))
    data = pa.table({"a": moments, "b": [1, 2]})
    if kind == "feather":
        pyarrow.feather.write_feather(data, tmp_path / "t.feather")
        data = tmp_path / "t.feather"
    with pytest.raises(InputError, match="time zone 'Nowhere/At_All' in column 'a'"):
        open_table(data)
    assert open_table(data, exclude=["a"]).features == ("b",)


@pytest.mark.parametrize("kind", [pa.date32(), pa.timestamp("s"), pa.timestamp("us", tz="UTC")])
@pytest.mark.parametrize("file", [False, True])
@pytest.mark.parametrize("sign", [-1, 1])
def test_days_outside_the_calendar_are_told(kind, file, sign, tmp_path):
    per_day = {"date32[day]": 1, "timestamp[s]": 86_400}.get(str(kind), 86_400_000_000)
    far = np.array([sign * 10**7 * per_day, sign * (10**7 + 1) * per_day] * 50)
    days = pa.array(far.astype(np.int32 if per_day == 1 else np.int64)).cast(kind)
    table = pa.table({"day": days, "y": ["a", "b"] * 50})
    if file:
        pyarrow.parquet.write_table(table, tmp_path / "t.parquet")
        table = tmp_path / "t.parquet"
    with pytest.raises(InputError, match="'day' holds days outside the years 1 to 9999"):
        open_table(table, "day").classes()
    with pytest.raises(InputError, match="its days lie outside the years 1 to 9999"):
        learn(table, "y")


def test_levels_of_lists_and_records_are_told(tmp_path):
    table = pa.table({"list": [[1], [2]], "record": [{"a": 1}, {"a": 2}], "y": [0, 1]})
    pyarrow.parquet.write_table(table, tmp_path / "t.parquet")
    for data in (table, tmp_path / "t.parquet"):
        source = open_table(data)
        for name in ("list", "record"):
            with pytest.raises(InputError, match="expected single values"):
                source.levels(name)
            with pytest.raises(TargetError, match="the target holds"):
                Binarizer().fit(source.draw(2, random_state=0), name)


def test_decimals_of_a_damaged_scale_are_told():
    buffers = pa.array([1, 2], pa.int64()).cast(pa.decimal128(19, 0)).buffers()
    broken = pa.Array.from_buffers(pa.decimal128(19, 536_870_914), 2, buffers)
    with pytest.raises(InputError, match="536,870,914 digits after the point in column 'a'"):
        open_table(pa.table({"a": broken}))


def test_a_dictionary_of_records_is_told():
    records = pa.array([{"a": 1}, {"a": 2}])
    encoded = pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.int32()), records)
    with pytest.raises(InputError, match="column 'r'"):
        list(open_table(pa.table({"r": encoded, "y": [0, 1]})).scan())
