"""SVMlight files with few indices, with huge ones, and with too many."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samrule import learn, open_table
from samrule.errors import InputError
from samrule.sources import svmlight

INDICES = st.one_of(st.integers(0, 20), st.integers(0, 2**62))


def written(folder: Path, text: str) -> Path:
    path = folder / "t.svm"
    path.write_text(text)
    return path


@settings(deadline=None, max_examples=50)
@given(rows=st.lists(st.dictionaries(INDICES, st.integers(-9, 9), max_size=4), min_size=1))
def test_any_index_is_a_column_and_absent_entries_are_0(
    rows: list[dict[int, int]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    lines = [
        " ".join(["1", *(f"{index}:{value}" for index, value in sorted(row.items()))])
        for row in rows
    ]
    path = written(tmp_path_factory.mktemp("svm"), "\n".join([*lines, "0 1:0"]) + "\n")
    source = open_table(path)
    for index in {index for row in rows for index in row}:
        expected = [*(row.get(index, 0) for row in rows), 0]
        assert source.column(f"f{index}").to_pylist() == expected


def test_huge_indices_cost_as_much_as_small_ones(tmp_path: Path) -> None:
    """Only indices that occur are columns: three, not four billion."""
    text = "".join(f"{row % 2} {3_000_000 if row % 2 else 4_000_000_000}:1\n" for row in range(400))
    source = open_table(written(tmp_path, text + "0 7:1\n"))
    assert source.features == ("f7", "f3000000", "f4000000000")
    assert learn(source, max_rules=1).rule_list.n_rules == 1


def test_files_of_one_kind_have_the_same_columns_though_an_index_is_absent(tmp_path: Path) -> None:
    assert open_table(written(tmp_path, "0 1:1 3:1\n1 3:2\n")).features == ("f1", "f2", "f3")


def test_too_many_different_indices_are_told(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    many = np.unique(rng.integers(0, 10**9, svmlight.MOST_COLUMNS + 100))
    lines = [
        " ".join(["1", *(f"{index}:1" for index in part)]) for part in np.array_split(many, 50)
    ]
    with pytest.raises(InputError, match="more than 50,000 different indices"):
        open_table(written(tmp_path, "\n".join(lines)))


@pytest.mark.parametrize("index", ["9" * 19, "9" * 40, "-1", "1.5", "x"])
def test_what_is_no_index_is_told_with_its_line(index: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="line 2 is"):
        open_table(written(tmp_path, f"0 1:1\n1 {index}:1\n"))


@pytest.mark.parametrize("label", ["inf", "-inf", "1e30", "0.5"])
def test_labels_that_are_no_whole_numbers_of_64_bits_are_classes(label: str, tmp_path: Path):
    path = written(tmp_path, f"{label} 1:1\n0 1:2\n" * 20)
    assert set(learn(path).classes) == {0.0, float(label)}
