"""Lists are compared by their conditions."""

import pytest

from rules import conditions_of, similarity


def test_conditions_are_read_back_from_one_line():
    text = "if a >= 1 and b < 2 then x; else if c = if then then y; else x"

    assert conditions_of(text) == {"a >= 1 and b < 2", "c = if then"}
    assert conditions_of("x") == set()


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [({"a"}, {"a"}, 1), ({"a", "b"}, {"b", "c"}, 1 / 3), (set(), set(), 1), ({"a"}, set(), 0)],
)
def test_similarity_is_the_share_of_common_conditions(one, other, expected):
    assert similarity(one, other) == pytest.approx(expected)
