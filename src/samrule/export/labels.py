"""The classes of a rule list as Python's own values."""

from typing import Any

import numpy as np


def plain_label(label: Any) -> Any:
    """Return a class without numpy: labels come from arrays, and dates keep their type there.

    >>> plain_label(np.int64(3)), plain_label(np.datetime64("2021-03-01"))
    (3, datetime.date(2021, 3, 1))
    """
    if isinstance(label, np.datetime64) and np.datetime_data(label)[0] == "ns":
        label = label.astype("M8[us]")
    return label.item() if isinstance(label, np.generic) else label
