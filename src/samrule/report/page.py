"""The dict of `summarize` becomes a page: one file, no network, nothing executed but our script."""

import json
import os
from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR
from functools import cache
from importlib import resources
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from samrule import __version__
from samrule.evaluation import Evaluation
from samrule.learning import ColumnPrice, FittedRuleList, column_prices
from samrule.output import write_whole
from samrule.report import pictures
from samrule.report.summarize import rules_summary, summary
from samrule.rules import RuleList, column_text, visible
from samrule.theory.words import percent_text


def write_report(
    fitted: FittedRuleList,
    path: str | os.PathLike[str],
    table: Any = None,
    target: Any = None,
    *,
    unseen: bool = False,
    groups: str | None = None,
    prices: bool = False,
    test: Evaluation | None = None,
    held_out: bool = False,
) -> None:
    """Write a page about the model, whole or not at all.

    Parameters
    ----------
    fitted
        The model.
    path
        Where to.
    table, target
        A table to count on instead of the rows the model knows, as in `FittedRuleList.evaluate`.
    unseen
        Whether the list never saw that table's rows.
    groups
        A column of that table whose values are told apart, if one is given.
    prices
        Whether to search what leaving out each column would cost on that table.
    test
        What the list does on test rows.
    held_out
        Whether those were held out of the table before the list was learned.
    """
    evaluation = None if table is None else fitted.evaluate(table, target, groups=groups)
    found = column_prices(fitted, table) if prices and table is not None else ()
    text = page(fitted, evaluation, unseen=unseen, test=test, held_out=held_out, prices=found)
    write_whole(path, text.encode())


def page(
    fitted: FittedRuleList,
    evaluation: Evaluation | None = None,
    *,
    unseen: bool = False,
    test: Evaluation | None = None,
    held_out: bool = False,
    prices: Sequence[ColumnPrice] = (),
) -> str:
    """Return the whole page, with the arguments of `summary`."""
    found = summary(fitted, evaluation, unseen=unseen, test=test, held_out=held_out)
    return _render("page.html", found | {"prices": [str(one) for one in prices]})


def snippet(fitted: FittedRuleList) -> str:
    """Return the rules and the certificate as a piece of HTML, for notebooks."""
    return _render("snippet.html", summary(fitted))


def rules_snippet(rule_list: RuleList) -> str:
    """Return the rules alone as a piece of HTML, for notebooks."""
    return _render("snippet.html", rules_summary(rule_list))


def _render(template: str, found: dict[str, Any]) -> str:
    return (
        _environment()
        .get_template(template)
        .render(
            found,
            pictures=pictures,
            version=__version__,
            style=_text("style.css"),
            page_style=_text("page.css"),
            notebook_style=_text("notebook.css"),
        )
    )


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("samrule.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["visible"] = visible
    environment.filters["column_text"] = column_text
    environment.filters["share"] = _share
    environment.filters["share_down"] = lambda value: percent_text(value, ROUND_FLOOR)
    environment.filters["share_up"] = lambda value: percent_text(value, ROUND_CEILING)
    environment.filters["amount"] = _amount
    environment.filters["figure"] = _figure
    environment.filters["data"] = _data
    environment.globals["script"] = Markup(_text("try_row.js"))
    return environment


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.1%}"


def _amount(value: float) -> str:
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}"


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"


def _data(value: Any) -> Markup:
    """Return JSON that can stand in a script element: no markup can begin or end inside it."""
    text = json.dumps(value, ensure_ascii=True)
    for one in "<>&":
        text = text.replace(one, f"\\u{ord(one):04x}")
    return Markup(text)


@cache
def _text(name: str) -> str:
    return (resources.files("samrule.report") / "templates" / name).read_text(encoding="utf-8")
