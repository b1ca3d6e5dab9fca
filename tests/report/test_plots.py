"""Plots draw the numbers of the summary, whatever the names."""

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

import samrule
from samrule import plot_certificate, plot_flow, plot_path


@pytest.fixture(scope="module")
def fitted() -> samrule.FittedRuleList:
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"$x_1^{$": rng.integers(0, 30, 800), "_\\frac": rng.random(800)})
    label = np.where(table.iloc[:, 0] >= 20, "_$a$", np.where(table.iloc[:, 1] < 0.3, "b", "c"))
    return samrule.learn(table, label)


def test_bars_are_the_shares_that_rules_decide(fitted: samrule.FittedRuleList) -> None:
    ax = plot_flow(fitted)
    ax.figure.canvas.draw()
    total = fitted.rule_list.support
    assert sum(bar.get_width() for bar in ax.patches) == pytest.approx(1)
    for number, rule in enumerate(fitted.rule_list):
        bars = [bar for bar in ax.patches if round(bar.get_y() + bar.get_height() / 2) == number]
        assert [bar.get_width() * total for bar in bars] == pytest.approx(rule.class_counts)
    # Matplotlib hides what begins with an underscore.
    assert len(ax.get_legend().get_texts()) == 3
    plt.close(ax.figure)


def test_the_dot_is_the_loss_and_the_path_the_path(fitted: samrule.FittedRuleList) -> None:
    ax = plot_certificate(fitted)
    assert ax.lines[1].get_xdata()[0] == fitted.certificate.upper_bound
    assert ax.lines[0].get_xdata()[0] == fitted.certificate.lower_bound
    assert plot_path(fitted, ax) is ax
    assert tuple(ax.lines[2].get_ydata()) == fitted.trace[-1].path
    plt.close(ax.figure)
