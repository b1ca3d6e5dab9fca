"""Arrays in memory: columns are made for the rows somebody looks at, and no others."""

import numpy as np
import pyarrow as pa
import pytest
import scipy.sparse

from samrule import open_table
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
