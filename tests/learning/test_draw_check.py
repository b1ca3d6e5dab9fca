"""Sources that do not draw as they should: an error from every strategy, never a certificate."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray

from samrule import learn, open_table
from samrule.errors import InputError
from samrule.sources.memory import MemorySource

N_ROWS = 60_000
ASKED = {"epsilon": 0.5, "theta": 0.1, "max_rules": 2, "random_state": 0}


def people() -> pa.Table:
    """Age decides, but for one row in five; neither class is rare."""
    rng = np.random.default_rng(1)
    age = rng.integers(0, 100, N_ROWS)
    buys = (age >= 50) ^ (rng.random(N_ROWS) < 0.2)
    return pa.table({"age": age, "buys": buys, "w": 1 + age % 3})


class OnlySome(MemorySource):
    """Rows are drawn from some of the rows only, and read as they are."""

    def __init__(self, table: pa.Table, some: NDArray[np.bool_], weights: str | None) -> None:
        roles = open_table(table, "buys", weights=weights, exclude=None if weights else ["w"]).roles
        super().__init__("the broken table", table, roles)
        self._some = np.flatnonzero(some)

    def _rows(self, m: int, rng: np.random.Generator, replace: bool) -> NDArray[np.int64]:
        return rng.choice(self._some, m)

    _weighted_rows = _rows


@pytest.mark.parametrize("weights", [None, "w"])
@pytest.mark.parametrize("strategy", ["progressive", "tight", "paper"])
def test_rows_of_other_classes_than_the_tables_are_an_error(
    strategy: Any, weights: str | None
) -> None:
    table = people()
    buys, age = (table[name].to_numpy() for name in ("buys", "age"))
    source = OnlySome(table, buys | (age % 2 == 0), weights)
    with pytest.raises(InputError, match=r"class .* makes up .* Nothing is certified"):
        learn(source, strategy=strategy, **ASKED)


@pytest.mark.parametrize("weights", [None, "w"])
@pytest.mark.parametrize("seen", [True, False])
def test_a_list_that_does_otherwise_on_the_table_is_an_error(
    seen: bool, weights: str | None
) -> None:
    """Only rows that a rule gets right, or more that it gets wrong: the classes are as they are."""
    table = people()
    is_right = table["buys"].to_numpy() == (table["age"].to_numpy() >= 50)
    some = is_right if seen else is_right & (np.arange(N_ROWS) % 3 == 0) | ~is_right
    with pytest.raises(InputError, match=r"the list's errors make up .* Nothing is certified"):
        learn(OnlySome(table, some, weights), strategy="progressive", **ASKED)


@pytest.mark.parametrize("weights", [None, "w"])
@pytest.mark.parametrize("strategy", ["progressive", "tight", "paper"])
def test_right_draws_pass(strategy: Any, weights: str | None) -> None:
    source = open_table(people(), "buys", weights=weights, exclude=None if weights else ["w"])
    assert learn(source, strategy=strategy, **ASKED).certificate.holds
