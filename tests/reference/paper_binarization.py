"""The binarization behind the stored optima: that of the paper's scripts, on whole tables."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

SHARES = (0.2, 0.4, 0.6, 0.8)


def binarized(path: Path, positive: str) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Conditions and labels of a stored table, whose last column is the target."""
    table = pq.read_table(path)
    *names, target = table.column_names
    labels = np.array([str(value) == positive for value in table[target].to_pylist()])
    return np.column_stack([column for name in names for column in conditions(table[name])]), labels


def conditions(column: pa.ChunkedArray) -> list[NDArray[np.bool_]]:
    """One per level of text, one for a 0/1 column, two per threshold of other numbers."""
    values = column.to_numpy()
    if values.dtype == object:
        return [values == level for level in sorted(set(values))]
    if set(np.unique(values)) <= {0, 1}:
        return [values == 1]
    cuts = thresholds(values.astype(np.float64))
    return [side for cut in cuts for side in (values >= cut, values < cut)]


def thresholds(values: NDArray[np.float64]) -> list[float]:
    """Quantiles, and shares of the range minus its start (sic), strictly inside the range."""
    low, high = values.min(), values.max()
    cuts = {float(cut) for cut in np.quantile(values, SHARES)}
    cuts |= {float(share * (high - low) - low) for share in SHARES}
    return sorted(cut for cut in cuts if low < cut < high)
