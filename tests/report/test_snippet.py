"""What notebooks show is made of the report's pieces."""

import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

import samrule
from samrule import Condition, Rule, RuleList, RuleListClassifier
from samrule.report import page

ATTACK = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def classifier() -> RuleListClassifier:
    rng = np.random.default_rng(0)
    table = pd.DataFrame({ATTACK: rng.integers(0, 60, 900), "x": rng.random(900)})
    label = np.where(table[ATTACK] >= 40, ATTACK, np.where(table["x"] < 0.3, "b", "c"))
    return RuleListClassifier(random_state=0).fit(table, label)


def test_rules_and_certificate_are_those_of_the_page(classifier: RuleListClassifier) -> None:
    fitted: samrule.FittedRuleList = classifier.fitted_
    whole, shown = page(fitted), fitted._repr_html_()
    assert piece(shown, "table") == piece(whole, "table")
    assert piece(shown, "div", "certificate") == piece(whole, "div", "certificate")
    assert classifier._repr_html_() == shown


def test_a_list_alone_shows_its_rules(classifier: RuleListClassifier) -> None:
    shown = classifier.rule_list_._repr_html_()
    assert piece(shown, "tbody") == piece(page(classifier.fitted_), "tbody")
    assert "certificate" not in elements(shown)["div"]


def test_a_list_without_counts_claims_none() -> None:
    rules = (Rule((Condition("age", "<", 25),), "yes"),)
    shown = RuleList(rules, Rule((), "no"), ("no", "yes"))._repr_html_()
    assert "age &lt; 25" in shown
    assert not re.search("%|Counted|Covers", piece(shown, "table"))


def test_it_runs_nothing_and_styles_nothing_else(classifier: RuleListClassifier) -> None:
    shown = classifier._repr_html_()
    assert set(elements(shown)).isdisjoint({"script", "img", "link", "iframe"})
    style = re.sub(r"<style>|/\*.*?\*/|@media[^{]*\{", "", piece(shown, "style"), flags=re.DOTALL)
    selectors = [one for rule in re.findall(r"([^{}]+)\{", style) for one in rule.split(",")]
    assert len(selectors) > 20
    assert [one.strip() for one in selectors if not one.strip().startswith(".samrule")] == []


def piece(html: str, tag: str, kind: str = "") -> str:
    """Return the first element of this tag and class, which holds none of its own tag."""
    found = re.search(rf"<{tag}[^>]*{kind}[^>]*>.*?</{tag}>", html, re.DOTALL)
    assert found is not None
    return found[0]


def elements(html: str) -> dict[str, list[str]]:
    """Return the classes of all elements by tag."""
    found: dict[str, list[str]] = {}

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            found.setdefault(tag, []).append(dict(attrs).get("class") or "")

    Reader().feed(html)
    return found
