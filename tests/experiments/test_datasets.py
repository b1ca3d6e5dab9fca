"""The tables are the paper's: conditions, copies, sizes."""

from types import SimpleNamespace

import numpy as np
import pyarrow.parquet as pq
import pytest

import datasets


def options(**given):
    return SimpleNamespace(**{"data_dir": None, "only": None, "quick": False, **given})


@pytest.mark.parametrize("dataset", datasets.GENERATED, ids=lambda d: d.name)
def test_generated_tables_have_what_table_1_says_of_them(dataset):
    loaded = datasets.load(dataset, None)

    assert loaded.table.num_rows == dataset.n_rows
    assert len(loaded.conditions) == dataset.n_features - 1
    assert 0.3 < loaded.labels.mean() < 0.7


def test_copies_on_disk_hold_every_row_so_often(tmp_path):
    loaded = datasets.load(datasets.GENERATED[1], None)
    path = datasets.on_disk(loaded, tmp_path)

    copied = pq.read_table(path)
    n = loaded.table.num_rows
    assert copied.num_rows == n * loaded.dataset.copies
    assert copied.slice(3 * n, n).equals(loaded.table)
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_without_files_the_generated_tables_are_used():
    assert [d.name for d in datasets.chosen(options())] == ["stripes", "levels"]
    assert [d.name for d in datasets.chosen(options(only=["levels"]))] == ["levels"]
    with pytest.raises(SystemExit, match="there are: stripes, levels"):
        datasets.chosen(options(only=["adult"]))


@pytest.mark.data
@pytest.mark.parametrize("name", ["a9a", "adult", "bank", "ijcnn1", "mushroom", "phishing"])
def test_conditions_are_as_many_as_the_paper_has(name, data_dir):
    (dataset,) = datasets.chosen(options(data_dir=data_dir, only=[name]))
    loaded = datasets.load(dataset, data_dir)

    assert len(loaded.conditions) == dataset.n_features - 1


@pytest.mark.data
def test_sample_size_is_that_of_the_conditions_without_the_label(data_dir):
    (adult,) = datasets.chosen(options(data_dir=data_dir, only=["adult"]))

    # The paper's 32497 counts the label as a condition.
    assert datasets.load(adult, data_dir).sample_size(epsilon=0.5, theta=0.025) == 32479


def test_fetched_table_is_cut_to_the_training_part_with_its_label_last():
    import pandas as pd

    frame = pd.DataFrame({"a": [1, 0, -1], "b": [1, 1, 1]})
    remote = datasets.Remote(0, n_rows=2, n_positive=1, one_hot=True)
    table = datasets.fetched(frame, ["x", "y", "z"], remote)

    assert table.column_names == ["a_-1", "a_0", "a_1", "b_1", "label"]
    assert table["label"].to_pylist() == ["x", "y"]
    assert np.array_equal(table["a_1"].to_numpy(), [1, 0])
