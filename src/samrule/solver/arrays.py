"""What people pass as an array: one of numpy, or an error that says why it cannot be."""

import sys
from collections.abc import Sized
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samrule.errors import InputError, InputTypeError


def as_array(values: Any, name: str) -> NDArray[Any]:
    """Return the values as an array, if every entry is there and all rows are equally long."""
    # Nobody holds a masked array without numpy.ma, which takes a while to import.
    if "numpy.ma" in sys.modules and np.ma.is_masked(values):
        raise InputError(
            f"{name} has {int(np.ma.getmaskarray(values).sum()):,} masked entries; expected none.",
            hint="drop those rows, or fill them with a value of their own.",
        )
    try:
        return np.asarray(values)
    except ValueError:
        raise InputError(
            f"{name} ({type(values).__name__}) has rows of different lengths; "
            "expected a rectangular array.",
            hint="check the first row whose length differs.",
        ) from None


def n_entries(values: Any, name: str) -> int:
    """Return how many entries a list or an array of one dimension has."""
    shape = getattr(values, "shape", None)
    if isinstance(shape, tuple) and len(shape) != 1:
        raise InputError(
            f"{name} has shape {shape}; expected one dimension.",
            hint=f"use {name}.ravel() if it is a single column.",
        )
    if isinstance(values, Sized) and not isinstance(values, str | bytes | dict | set | frozenset):
        return len(values)
    raise InputTypeError(
        f"{name} is {values!r} ({type(values).__name__}); expected one entry per row.",
        hint="pass a list or an array.",
    )
