"""Lists counted on the whole table."""

import itertools
from fractions import Fraction

import numpy as np
import pyarrow as pa

from samrule import Binarizer, learn, open_table
from samrule.learning.min_support import counted_on_table
from samrule.learning.table_counts import table_loss
from samrule.learning.task import Deadline, Settings, Task
from samrule.rules import Condition, Rule, RuleList
from tests.learning.tables import people


def test_a_scan_gives_each_rule_the_class_that_most_of_its_rows_have():
    columns, labels = np.array([[0], [0], [0], [1], [1]]), ["a", "b", "b", "c", "a"]
    source = open_table(columns, labels)
    task = Task(
        source=source, target="target", class_shares={"a": 0.4, "b": 0.4, "c": 0.2},
        settings=Settings(), binarizer=Binarizer(), rng=np.random.default_rng(0),
        deadline=Deadline(),
    )  # fmt: skip
    first = Rule((Condition("x0", "==", 0),), "a")
    found = counted_on_table(RuleList((first,), Rule((), "c"), ("a", "b", "c")), task).rule_list
    assert [(rule.prediction, rule.class_counts) for rule in found] == [
        ("b", (1, 2, 0)),
        ("c", (1, 0, 1)),  # A tie: what was predicted stays.
    ]
    assert table_loss(found, task) == 2 / 5 + 1e-4


def test_last_rules_that_say_what_the_default_says_are_left_out():
    columns, labels = np.array([[0], [1], [1], [2], [3]]), ["a", "b", "b", "b", "b"]
    task = Task(
        source=open_table(columns, labels), target="target", class_shares={"a": 0.2, "b": 0.8},
        settings=Settings(), binarizer=Binarizer(), rng=np.random.default_rng(0),
        deadline=Deadline(),
    )  # fmt: skip
    rules = tuple(Rule((Condition("x0", "==", value),), "a") for value in (0, 1, 2))
    found = counted_on_table(RuleList(rules, Rule((), "b"), ("a", "b")), task).rule_list
    assert [(rule.prediction, rule.class_counts) for rule in found] == [
        ("a", (1, 0)),
        ("b", (0, 4)),
    ]


def test_upper_bounds_are_not_rounded_down():
    table = people(2000)
    for seed in range(20):
        weights = np.random.default_rng(seed).random(2000)
        fitted = learn(
            table.append_column("w", pa.array(weights)), "buys", weights="w", max_rules=2,
            strategy="progressive", epsilon=1.0, theta=0.5, random_state=seed,
        )  # fmt: skip
        wrong = fitted.predict(table) != np.array(table["buys"].to_pylist())
        exact = [Fraction(weight) for weight in weights.tolist()]
        errors = sum(itertools.compress(exact, wrong)) / sum(exact)
        price = Fraction("0.0001") * fitted.rule_list.n_rules
        assert fitted.certificate.upper_evidence == "scan"
        assert errors + price <= Fraction(fitted.certificate.upper_bound)
