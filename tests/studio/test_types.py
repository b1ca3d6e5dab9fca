"""The page's types of the answers are the server's: the same fields, null in the same places."""

import re
from pathlib import Path
from types import NoneType
from typing import get_args

import pytest

from samrule.studio import views
from samrule.studio.routes import ROUTES

TYPES = Path(__file__).parents[2] / "studio" / "src" / "api" / "types.ts"

# What the page calls them where it has a name of its own.
NAMES = {
    "Alternatives": "AlternativesView",
    "Border": "Border",
    "Candidate": "Candidate",
    "ChosenList": "ChosenList",
    "ChosenRule": "ChosenRule",
    "ColumnView": "ColumnView",
    "Compared": "CompareView",
    "Comparison": "ComparisonView",
    "ConditionView": "ConditionView",
    "CostOf": "CostOf",
    "Costs": "CostsView",
    "CurvePoint": "CurvePoint",
    "EditView": "EditView",
    "Explanation": "ExplanationView",
    "GoodList": "AlternativeView",
    "Group": "GroupView",
    "Groups": "GroupsView",
    "Metrics": "Metrics",
    "Rows": "RowsView",
    "RuleOnTest": "RuleOnTest",
    "RuleView": "RuleView",
    "Said": "SaidView",
    "SeenRow": "RowView",
    "Share": "ShareView",
    "Studio": "StudioView",
    "Without": "WithoutView",
}


def fields(name: str) -> dict[str, str]:
    """The fields of an interface of the page, those it extends included, with their types."""
    text = re.sub(r"/\*\*.*?\*/", "", TYPES.read_text("utf-8"), flags=re.S)
    found = re.search(rf"export interface {name}(?: extends (\w+))? {{\n(.*?)\n}}", text, re.S)
    assert found is not None, name
    above, body = found.groups()
    own = dict(re.findall(r"^  (\w+)\??: (.*?);$", body, re.M | re.S))
    return {**(fields(above) if above else {}), **own}


@pytest.mark.parametrize(("ours", "theirs"), NAMES.items())
def test_fields_are_the_same(ours: str, theirs: str) -> None:
    page = fields(ours)
    server = getattr(views, theirs).model_fields
    assert set(page) == set(server)
    for name, type_ in page.items():
        may_be_none = NoneType in get_args(server[name].annotation)
        # A list may hold nulls and be none itself.
        says_null = re.search(r"\| null$", type_) is not None
        assert says_null == may_be_none, name


def test_every_route_is_known_to_both_sides() -> None:
    text = TYPES.read_text("utf-8")
    body = text[text.index("export interface Routes {") :]
    page = set(re.findall(r"^  (\w+): {", body, re.M))
    assert page | {"studio"} == {route.path.removeprefix("/") for route in ROUTES}
