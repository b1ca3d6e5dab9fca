"""The price of a column: what the best list of brute force loses without it."""

import numpy as np
import pyarrow as pa
import pytest

from samrule import Binarizer, column_prices, learn, open_table, solve
from samrule.errors import ParameterError
from samrule.report.page import write_report
from tests.learning.tables import people


@pytest.mark.parametrize("objective", ["error", "brier"])
def test_prices_are_the_losses_of_searches_without_the_column(objective):
    table = people(600)
    fitted = learn(table, "buys", objective=objective, max_rules=3, random_state=0)
    prices = column_prices(fitted, table)
    assert {one.column for one in prices} == set(fitted.columns)
    assert [one.least for one in prices] == sorted((one.least for one in prices), reverse=True)
    for one in prices:
        rest = [some for some in fitted.conditions.by_column if some[0].column != one.column]
        kept = [condition for some in rest for condition in some]
        places = [list(fitted.conditions).index(condition) for condition in kept]
        found = solve(
            fitted.conditions.transform(table)[:, places],
            table["buys"].to_pylist(),
            max_rules=3,
            objective=objective,
        )
        assert one.loss_without == pytest.approx(found.loss)
        assert one.is_proven
        assert one.least == pytest.approx(found.loss - fitted.certificate.upper_bound)


def test_without_the_only_column_nothing_is_left_but_the_default():
    table = pa.table({"x": np.arange(400) % 7, "y": np.arange(400) % 7 >= 4})
    fitted = learn(table, "y", binarizer=Binarizer(cuts={"x": [4]}))
    (price,) = column_prices(fitted, open_table(table, "y"))
    assert price.loss_with == pytest.approx(1e-4)
    assert price.loss_without == pytest.approx(np.mean(np.arange(400) % 7 >= 4))
    assert str(price) == f"without x the best loss rises by {price.least:.4f}"


def test_weights_count_again():
    table = people(600)
    fitted = learn(table, "buys", class_weight={"no": 1, "yes": 3}, max_rules=2)
    prices = column_prices(fitted, table, ["city"])
    assert prices[0].loss_with == pytest.approx(fitted.certificate.upper_bound)
    assert prices[0].least > 0


def test_columns_that_no_condition_asks_about_cost_nothing():
    fitted = learn(people(200), "buys", max_rules=1)
    with pytest.raises(ParameterError, match="no condition asks about column 'shoe'"):
        column_prices(fitted, people(200), ["shoe"])


def test_the_page_tells_prices(tmp_path):
    table = people(300)
    fitted = learn(table, "buys", max_rules=2)
    write_report(fitted, tmp_path / "page.html", table, prices=True)
    text = (tmp_path / "page.html").read_text()
    assert "What columns are worth" in text
    assert "without city the best loss rises by" in text


def test_constraints_are_obeyed_again_and_what_they_ask_for_stays():
    table = people(400)
    fitted = learn(table, "buys", max_rules=2, forbid=["city"], monotone={"age": 1})
    for one in column_prices(fitted, table):
        assert one.loss_with == pytest.approx(fitted.certificate.upper_bound)
        assert one.least >= 0
    required = learn(table, "buys", max_rules=2, require=["city"])
    with pytest.raises(ParameterError, match="column 'city' cannot be left out"):
        column_prices(required, table, ["city"])
