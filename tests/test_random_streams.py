"""Every purpose has random numbers of its own, whatever the seed."""

from typing import Any, get_args

import numpy as np
import pyarrow as pa
import pytest

from samrule import Binarizer, learn, open_table
from samrule.errors import ParameterError
from samrule.random_streams import Purpose, stream
from samrule.sources.base import Source
from samrule.sources.draw import Draw

N_ROWS = 1_000_000
SEEDS = [
    lambda: 0,
    lambda: np.int64(12345),
    lambda: [7, 1],
    lambda: np.random.SeedSequence(3),
    lambda: np.random.default_rng(0),
    lambda: np.random.PCG64(0),
    lambda: np.random.RandomState(0),
]


@pytest.mark.parametrize("seed", SEEDS)
def test_streams_of_a_seed_are_repeatable_and_differ_by_purpose(seed: Any) -> None:
    found = {purpose: stream(purpose, seed()).random(1000) for purpose in get_args(Purpose)}
    again = {purpose: stream(purpose, seed()).random(1000) for purpose in get_args(Purpose)}
    found["numpy"] = np.random.default_rng(seed()).random(1000)
    for purpose, numbers in again.items():
        assert (found[purpose] == numbers).all()
    # 1,000 numbers of 53 bits: two independent streams share one with probability below 1e-9.
    assert len(np.unique(np.concatenate(list(found.values())))) == 1000 * len(found)


def test_a_generator_moves_on() -> None:
    rng = np.random.default_rng(0)
    assert stream("draw", rng).random() != stream("draw", rng).random()


@pytest.mark.parametrize("seed", [-1, 0.5, "zero", object()])
def test_what_is_no_seed_is_told(seed: Any) -> None:
    source = open_table(np.eye(3), [0, 1, 1])
    with pytest.raises(ParameterError, match=r"random_state is .*expected a whole number"):
        source.draw(3, random_state=seed)
    with pytest.raises(ParameterError, match=r"random_state is .*expected a whole number"):
        learn(np.eye(3), [0, 1, 1], random_state=seed)


@pytest.mark.parametrize("seed", SEEDS)
def test_rows_for_the_conditions_are_not_those_that_learn_draws(
    seed: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two draws of 2,000 and 22,250 of a million rows share 44 by chance, above 120 never."""
    rng = np.random.default_rng(5)
    x = rng.integers(0, 100, N_ROWS)
    source = open_table(pa.table({"x": x, "y": (x >= 40) ^ (rng.random(N_ROWS) < 0.1)}), "y")
    pilot = source.draw(2_000, random_state=seed())
    conditions = Binarizer().fit(pilot, "y")
    drawn: list[Draw] = []
    draw = Source.draw

    def recorded(self: Source, *given: Any, **named: Any) -> Draw:
        drawn.append(draw(self, *given, **named))
        return drawn[-1]

    monkeypatch.setattr(Source, "draw", recorded)
    fitted = learn(source, binarizer=conditions, strategy="progressive", random_state=seed())
    assert fitted.certificate.pilot_rows == 0
    training = np.concatenate([one.rows for one in drawn])
    assert len(training) > 20_000
    assert len(set(training) & set(pilot.rows)) < 120
