"""Where the rows of a DataFrame stand, by their numbers."""

import numpy as np

from samrule.sources.spark.layout import Layout


def test_rows_are_found_behind_empty_partitions() -> None:
    layout = Layout(np.array([0, 2, 0, 0, 3, 0]), 0)
    places = layout.places(np.arange(5))
    assert (places >> 33).tolist() == [1, 1, 4, 4, 4]
    assert (places & ((1 << 33) - 1)).tolist() == [0, 1, 0, 1, 2]
