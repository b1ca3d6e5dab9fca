"""A rule list as a Markdown table. Names and values come out as text, never as markup."""

import re

from samrule.export.frame import RuleRow, rule_rows
from samrule.rules import RuleList, visible


def rule_list_markdown(rule_list: RuleList) -> str:
    r"""Return a table of GitHub's Markdown.

    >>> from samrule.rules import Condition, Rule
    >>> odd = Rule((Condition("<b>|x_1", "==", "*"),), "yes")
    >>> print(rule_list_markdown(RuleList((odd,), Rule((), "no"), ("no", "yes"))))
    | | conditions | prediction |
    | --- | --- | --- |
    | if | &lt;b&gt;&#124;x\_1 = \* | yes |
    | else | | no |
    """
    rows = rule_rows(rule_list)
    words = [*("if" if not place else "else if" for place in range(len(rows) - 1)), "else"]
    known = rows[0].support is not None
    head = ["", "conditions", "prediction", *(["support", "coverage", "probability"] * known)]
    rule = ["---"] * 3 + ["---:"] * 3 * known
    body = [_cells(word, row, known=known) for word, row in zip(words, rows, strict=True)]
    return "\n".join(_line(cells) for cells in [head, rule, *body])


def markdown_text(text: str) -> str:
    r"""Return Markdown that shows the text and does nothing else.

    >>> print(markdown_text("a_b [x](http://y) `z`"))
    a\_b \[x\](http&#58;//y) \`z\`
    """
    escaped = "".join(_ESCAPES.get(one, one) for one in visible(text))
    # Addresses would become links by themselves.
    return re.sub(r"(?i)(www)\.", r"\1&#46;", escaped.replace("://", "&#58;//"))


# Entities where a table or HTML would see the character before a backslash helps.
_ESCAPES = {
    **{one: f"\\{one}" for one in "\\`*_[]~#!"},
    **{"<": "&lt;", ">": "&gt;", "&": "&amp;", "|": "&#124;", "$": "&#36;", "@": "&#64;"},
}


def _cells(word: str, row: RuleRow, *, known: bool) -> list[str]:
    cells = [word, markdown_text(row.conditions), markdown_text(str(row.prediction))]
    if known:
        cells += [f"{row.support:,}", _share(row.coverage), _share(row.probability)]
    return cells


def _share(share: float | None) -> str:
    return "" if share is None else f"{share:.1%}"


def _line(cells: list[str]) -> str:
    return "|" + "|".join(f" {cell} " if cell else " " for cell in cells) + "|"
