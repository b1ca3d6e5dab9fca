"""Random numbers: a stream of its own for every purpose, whatever the seed."""

import hashlib
from typing import Any, Literal

import numpy as np

from samrule.errors import Parameter, ParameterError, Words

# Rows that a caller draws, rows that `learn` draws, rows that are held out for a test.
Purpose = Literal["draw", "learn", "hold out"]


def stream(purpose: Purpose, random_state: Any) -> np.random.Generator:
    """Return the random numbers that a seed or a Generator stands for, those of one purpose.

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
    return np.random.default_rng([purpose_key, *_words(random_state)])


def _words(random_state: Any) -> list[int]:
    """Return what a seed holds, as eight words of 32 bits."""
    try:
        if isinstance(random_state, np.random.SeedSequence):
            words = random_state.generate_state(8)
        elif random_state is None or isinstance(
            random_state, int | np.integer | list | tuple | np.ndarray
        ):
            words = np.random.SeedSequence(random_state).generate_state(8)
        else:
            words = np.random.default_rng(random_state).integers(0, 1 << 32, 8, dtype=np.uint32)
    except (TypeError, ValueError):
        raise ParameterError(
            Words(
                Parameter("random_state"),
                f" is {random_state!r}; expected a whole number of 0 or more, or a numpy "
                "Generator.",
            ),
            hint=Words(Parameter("random_state", 0), " makes runs repeatable."),
        ) from None
    return [int(word) for word in words]
