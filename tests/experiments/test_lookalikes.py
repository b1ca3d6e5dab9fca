"""A generated table has the quantiles, the classes and the correlations of the one it is like."""

import numpy as np
import pyarrow as pa
import pytest

import datasets
from lookalikes import Lookalike
from samrule import Binarizer


def original(n_rows=20_000):
    rng = np.random.default_rng(0)
    labels = (rng.random(n_rows) < 0.3).astype(int)
    shared = rng.standard_normal(n_rows)
    first = np.exp(shared + labels)
    second = shared + 0.5 * rng.standard_normal(n_rows) - labels
    return pa.table({"first": first, "second": second, "label": labels})


@pytest.fixture(scope="module")
def both():
    table = original()
    dataset = datasets.DataSet("x", "", "1", table.num_rows, 0, 1, 3)
    loaded = datasets.Loaded(dataset, table, Binarizer("paper").fit(table, "label"))
    made = Lookalike.fit(loaded).batches(20_000, np.random.default_rng(1))
    return table.to_pandas(), pa.concat_tables(made).to_pandas()


def test_share_of_the_classes_is_kept(both):
    real, made = both

    assert made.label.mean() == pytest.approx(real.label.mean(), abs=0.02)


@pytest.mark.parametrize("column", ["first", "second"])
@pytest.mark.parametrize("label", [0, 1])
def test_quantiles_within_each_class_are_kept(both, column, label):
    # Each quantile's share of rows has a standard error of at most 0.0065 in either table.
    real, made = (frame[frame.label == label][column].to_numpy() for frame in both)

    for share in (0.1, 0.5, 0.9):
        cut = np.quantile(real, share)
        assert (made < cut).mean() == pytest.approx(share, abs=0.03)


def test_rank_correlation_within_each_class_is_kept(both):
    for label in (0, 1):
        real, made = (frame[frame.label == label] for frame in both)
        ranks = [frame["first"].corr(frame["second"], method="spearman") for frame in (real, made)]
        assert ranks[1] == pytest.approx(ranks[0], abs=0.05)
