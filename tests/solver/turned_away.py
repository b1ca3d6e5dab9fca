"""A small table, and how the solver turns away what does not go with it."""

from typing import Any

import numpy as np
import pytest

from samrule.errors import SamruleError
from samrule.solver.problem import check_zero_one, checked_problem

TABLE = np.array([[1, 0], [0, 1], [1, 1]], dtype=np.uint8)
LABELS = ["a", "b", "a"]


def assert_turned_away(
    expected: type[Exception], words: str, *arguments: Any, **keywords: Any
) -> None:
    with pytest.raises(SamruleError) as caught:
        check_zero_one(checked_problem(*arguments, **keywords).conditions)
    assert isinstance(caught.value, expected)
    assert words in caught.value.message
    assert "expected" in caught.value.message or "every row" in caught.value.message
    assert "\nHint: " in str(caught.value)
