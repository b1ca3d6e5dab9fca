"""Columns of row weights: what they may hold, and their values as numbers."""

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from samrule.errors import InputError
from samrule.rules import ColumnType
from samrule.rules.meaning import column_type


def check_weight_type(type_: Any, name: str) -> None:
    """Raise unless a weight column holds numbers."""
    if column_type(type_) not in {ColumnType.NUMBER, ColumnType.BOOLEAN}:
        raise InputError(
            f"weight column {name!r} holds {type_}; expected numbers.",
            hint="convert it to numbers first.",
        )


def checked_weights(column: Any, name: str, start: int = 0) -> NDArray[np.float64]:
    """Return a weight column as doubles; raise for the first that is not 0 or more."""
    check_weight_type(column.type, name)
    values = column.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    bad = np.flatnonzero(~(values >= 0) | np.isinf(values))
    if bad.size:
        raise bad_weight(name, column[int(bad[0])].as_py(), start + int(bad[0]))
    return np.asarray(values, dtype=np.float64)


def bad_weight(name: str, value: Any, row: int | None = None) -> InputError:
    """Return the error for a weight that is missing, negative or infinite."""
    where = "" if row is None else f" in row {row:,}"
    return InputError(
        f"weight column {name!r} has {value!r}{where}; expected finite numbers of 0 or more.",
        hint="a row that should not count has weight 0.",
    )
