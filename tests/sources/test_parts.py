"""Held-out rows: two parts that share no row, lose none, and are random."""

from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samrule.errors import InputError, ParameterError
from samrule.sources import open_table
from samrule.sources.base import BATCH_ROWS
from samrule.sources.parts import held_out


def numbered(n_rows: int) -> pa.Table:
    number = np.arange(n_rows)
    return pa.table({"number": number, "odd": number % 2 == 1, "weight": number % 3})


@given(n_rows=st.integers(30, 500), share=st.floats(0.3, 0.7), seed=st.integers(0, 2**32))
def test_parts_are_disjoint_whole_and_in_order(n_rows: int, share: float, seed: int) -> None:
    parts = held_out(open_table(numbered(n_rows), "odd"), share, random_state=seed)
    numbers = [part.column("number").to_pylist() for part in parts]
    assert [len(found) for found in numbers] == [part.n_rows for part in parts]
    assert all(found == sorted(found) for found in numbers)
    assert sorted(numbers[0] + numbers[1]) == list(range(n_rows))


@pytest.mark.parametrize("engine", ["memory", "parquet", "csv"])
def test_draws_see_every_row_of_their_part_and_no_other(engine: str, tmp_path: Path) -> None:
    # Three blocks of bits, the last one cut; batches of files do not end where blocks do.
    table = numbered(2 * BATCH_ROWS + 1001)
    source = open_table(table, "odd") if engine == "memory" else None
    if engine == "parquet":
        pq.write_table(table, tmp_path / "t.parquet", row_group_size=50_001)
        source = open_table(tmp_path / "t.parquet", "odd")
    if engine == "csv":
        pa.csv.write_csv(table, tmp_path / "t.csv")
        source = open_table(tmp_path / "t.csv", "odd")
    rest, test = held_out(source, 0.001, random_state=3)
    for part in (test, rest):
        own = set(part.column("number").to_pylist())
        assert set(part.draw(20_000, random_state=1).table["number"].to_pylist()) <= own
    everything = test.draw(test.n_rows, random_state=1, replace=False).table["number"].to_pylist()
    assert sorted(everything) == test.column("number").to_pylist()


def test_rows_are_held_out_at_random() -> None:
    # 200 x 1,000 coin flips at 0.2: a row is held out 40 times, outside 12 to 75 once in 10^6
    # tables; the total is 40,000 with a standard deviation of 179.
    times: Counter[int] = Counter()
    for seed in range(200):
        times.update(
            held_out(open_table(numbered(1000), "odd"), 0.2, random_state=seed)[1].column("number")
        )
    counts = [times[pa.scalar(number)] for number in range(1000)]
    assert 12 < min(counts) < max(counts) < 75
    assert abs(sum(counts) - 40_000) < 6 * 179


def test_levels_tallies_and_weights_speak_of_the_part() -> None:
    rest, test = held_out(open_table(numbered(900), "odd", weights="weight"), 0.3, random_state=0)
    for part in (rest, test):
        numbers = np.array(part.column("number"))
        n_odd = int(np.count_nonzero(numbers % 2))
        assert dict(zip(part.classes().values, part.classes().counts, strict=True)) == {
            True: n_odd,
            False: len(numbers) - n_odd,
        }
        drawn = np.array(part.draw(3000, random_state=0).table["number"])
        assert not np.any(drawn % 3 == 0)
        assert set(drawn) <= set(numbers)


@pytest.mark.parametrize("share", [0.0, 1.0, -0.1, 2.0, float("nan"), float("inf")])
def test_a_share_outside_0_to_1_is_refused(share: float) -> None:
    with pytest.raises(ParameterError, match="expected a number between 0 and 1"):
        held_out(open_table(numbered(10)), share, random_state=0)


@pytest.mark.parametrize(("n_rows", "share"), [(3, 1e-9), (3, 1 - 1e-9), (0, 0.5)])
def test_an_empty_part_is_refused(n_rows: int, share: float) -> None:
    with pytest.raises(InputError, match="both parts need rows"):
        held_out(open_table(numbered(n_rows)), share, random_state=0)
