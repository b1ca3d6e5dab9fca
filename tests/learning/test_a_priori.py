"""Samples of a size that is known beforehand."""

import pytest

from samrule import learn
from samrule.errors import (
    ParameterError,
)
from samrule.theory import sample_size
from tests.learning.tables import people

ASKED = {"epsilon": 0.5, "theta": 0.1}


def test_paper_draws_the_papers_rows_and_tight_fewer(table):
    rows = {}
    for method in ("paper", "tight"):
        fitted = learn(table, "buys", strategy=method, random_state=0, **ASKED)
        rows[method] = fitted.certificate.train_rows
        assert fitted.counts == "sample"
        assert fitted.rule_list.support == rows[method]
        assert rows[method] == sample_size(
            len(fitted.conditions), max_rules=4, method=method, delta=0.05, **ASKED
        )
    assert rows["tight"] < rows["paper"]
    assert fitted.certificate.argument == "a_priori"


@pytest.mark.parametrize("strategy", ["paper", "tight"])
def test_samples_that_no_memory_holds_are_refused_before_they_are_drawn(strategy):
    with pytest.raises(ParameterError, match=r"would draw [\d,]+ rows.*\n.*progressive"):
        learn(people(200), "buys", epsilon=1e-3, theta=1e-3, strategy=strategy)
