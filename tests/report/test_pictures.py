"""Pictures that can be read: labels do not cover each other."""

import re
from itertools import pairwise

from hypothesis import example, given
from hypothesis import strategies as st

from samrule.report.pictures import path_picture, reliability_picture

LABEL = re.compile(r'<text class="" x="([\d.]+)" y="([\d.]+)" text-anchor="start">([^<]+)</text>')


@example(path=[0.18, *[0.0001] * 8])
@example(path=[0.2474, 0.2037, 0.1769, 0.1524, 0.1467])
@given(path=st.lists(st.floats(0, 1), min_size=1, max_size=12).map(lambda one: sorted(one)[::-1]))
def test_labels_of_the_path_leave_each_other_room(path: list[float]) -> None:
    labels = [(float(x), float(y), text) for x, y, text in LABEL.findall(path_picture(path))]
    assert labels[0][2] == f"{path[0]:.4g}"
    for (x, y, text), (next_x, next_y, _) in pairwise(labels):
        assert next_x >= x + 7 * len(text) or next_y >= y + 13


def test_every_point_is_labelled_where_there_is_room() -> None:
    assert len(LABEL.findall(path_picture([0.9, 0.6, 0.3, 0.2]))) == 4


def test_reliability_has_a_dot_per_rule_larger_for_more_rows() -> None:
    dots = re.findall(
        r'<circle class="dot" cx="([\d.]+)" cy="([\d.]+)" r="([\d.]+)"/>',
        reliability_picture([[0.5, 0.5, 100], [0.25, 1.0, 1]]),
    )
    assert dots == [("140.0", "104.0", "8.0"), ("95.0", "14.0", "3.5")]
