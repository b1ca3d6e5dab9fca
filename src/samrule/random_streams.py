"""Random numbers: a stream of its own for every purpose, whatever the seed."""

import hashlib
from typing import Any, Literal

import numpy as np

from samrule.errors import Parameter, ParameterError, Words

# Rows that a caller draws, rows that `learn` draws, rows that are held out for a test.
Purpose = Literal["draw", "learn", "hold out"]


def stream(purpose: Purpose, seed: Any, *, name: str = "seed") -> np.random.Generator:
    """Return the random numbers that a seed stands for, those of one purpose.

    Guarantee
    ---------
    The streams of different purposes are independent although their seeds are equal, and so are
    they of ``numpy.random.default_rng(seed)``, which may have made the table. From the same seed
    comes the same stream on any machine. A Generator is a seed too: it moves on, and is not
    handed out.

    Examples
    --------
    >>> stream("draw", 0).integers(100, size=4), stream("learn", 0).integers(100, size=4)
    (array([96, 73, 51, 84]), array([88, 40, 58, 96]))
    """
    purpose_key = int.from_bytes(hashlib.sha256(f"samrule: {purpose}".encode()).digest()[:16])
    return np.random.default_rng([purpose_key, *_words(seed, name)])


def _words(seed: Any, name: str) -> list[int]:
    """Return what a seed holds, as eight words of 32 bits."""
    try:
        if isinstance(seed, np.random.SeedSequence):
            words = seed.generate_state(8)
        elif seed is None or isinstance(seed, int | np.integer | list | tuple | np.ndarray):
            words = np.random.SeedSequence(seed).generate_state(8)
        else:
            words = np.random.default_rng(seed).integers(0, 1 << 32, 8, dtype=np.uint32)
    except (TypeError, ValueError):
        raise ParameterError(
            Words(
                Parameter(name),
                f" is {seed!r}; expected a whole number of 0 or more, or a numpy Generator.",
            ),
            hint=Words(Parameter(name, 0), " makes runs repeatable."),
        ) from None
    return [int(word) for word in words]
