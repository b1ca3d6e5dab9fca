"""Texts for people show names and values as they are, and run nothing: Markdown, LaTeX, print."""

import re
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from samrule import Condition, Rule, RuleList
from samrule.export.latex import latex_text
from samrule.export.markdown import markdown_text
from samrule.rules import visible
from tests.export.made_tables import NAMES, TEXTS

# GitHub's Markdown with raw HTML let through: what a page does when nobody protects it.
RENDER = MarkdownIt("commonmark", {"html": True, "linkify": False}).enable(
    ["table", "strikethrough"]
)
ATTACKS = st.sampled_from(
    [
        "<script>alert(1)</script>",
        "</td></tr></table><img src=x onerror=alert(1)>",
        "[x](javascript:alert(1))",
        "![x](http://evil.example/x.png)",
        "<http://evil.example>",
        "a | b",
        "a \\| b",
        "`a` | **b** __c__ ~~d~~ ***",
        "$x^2$ &lt; &#124; # 1. -",
        "\\input{/etc/passwd}",
        "\\end{tabular}%",
        "^^5cinput",
    ]
)
STRANGE = st.one_of(NAMES, TEXTS, ATTACKS)


@given(STRANGE)
def test_what_is_printed_is_printable_and_tells_every_text_apart(text: str) -> None:
    assert visible(text).isprintable()
    if text.isprintable():
        assert visible(text) == text


def test_text_that_would_turn_the_line_around_is_shown_by_its_code() -> None:
    name, value, label = "a\u202eb", "x\u2066\n", "yes\x1b[31m\u200f"
    rule_list = RuleList(
        (Rule((Condition(name, "==", value),), label),), Rule((), "no"), ("no", label)
    )
    shown = r"a\u202eb = 'x\u2066\n'"
    assert str(rule_list) == rf"if {shown} then yes\x1b[31m\u200f" + "\nelse no"
    for written in (rule_list.to_markdown(), rule_list.to_latex(), rule_list.to_json()):
        assert written.replace("\n", "").isprintable()


@given(STRANGE, STRANGE, STRANGE)
def test_markdown_shows_every_cell_as_text(name: str, value: str, label: str) -> None:
    try:
        condition = Condition(name, "==", value)
    except ValueError:  # A name with NUL.
        return
    rule_list = RuleList((Rule((condition,), label),), Rule((), "no"), tuple({"no", label}))
    tokens = RENDER.parse(rule_list.to_markdown())
    kinds = {token.type for token in tokens}
    assert {kind.partition("_")[0] for kind in kinds} == {"table", "thead", "tbody", "tr", "th",
                                                          "td", "inline"}  # fmt: skip
    cells = [token for token in tokens if token.type == "inline"]
    inside = {child.type for cell in cells for child in cell.children}
    assert inside <= {"text", "text_special"}
    shown = ["".join(child.content for child in cell.children) for cell in cells]
    assert shown[3:] == ["if", str(condition).strip(), visible(label).strip(), "else", "", "no"]


@given(STRANGE)
def test_latex_prints_the_text_and_nothing_else(text: str) -> None:
    assert printed(latex_text(text)) == visible(text)


def printed(latex: str) -> str:
    """What LaTeX prints for our escapes; anything else that is special to it is an error."""
    codes = {
        **{rf"\{one}": one for one in "&%$#_{} "},
        r"\textbackslash{}": "\\", r"\textasciitilde{}": "~", r"\textasciicircum{}": "^",
        r"\textless{}": "<", r"\textgreater{}": ">", r"\textbar{}": "|", r"\char34{}": '"',
        r"\textquotesingle{}": "'", r"\textasciigrave{}": "`", "{}": "",
    }  # fmt: skip
    parts = re.split(r"(\\[a-z]+[0-9]*\{\}|\\.|\{\})", latex)
    for plain in parts[::2]:
        assert not re.search(r"[\\{}&%$#_~^<>|\"'`]|--|,,|  ", plain)
    return "".join(codes[part] if place % 2 else part for place, part in enumerate(parts))


def test_addresses_do_not_become_links() -> None:
    assert "www." not in markdown_text("WWW.evil.example www.evil.example").lower()
    assert "://" not in markdown_text("https://evil.example")
    assert "@" not in markdown_text("me@evil.example")


COUNTED = RuleList(
    (Rule((Condition("age", "<", 25),), "yes", (5, 15)),),
    Rule((), "no", (60.5, 20)),
    ("no", "yes"),
)


def test_frames_of_every_library_hold_the_same() -> None:
    expected = {
        "rule": [1, 2],
        "conditions": ["age < 25", ""],
        "prediction": ["yes", "no"],
        "support": [20, 80.5],
        "coverage": [20 / 100.5, 80.5 / 100.5],
        "probability": [0.75, 60.5 / 80.5],
        "count of no": [5, 60.5],
        "count of yes": [15, 20],
    }
    assert COUNTED.to_frame().to_dict("list") == expected
    assert COUNTED.to_frame("polars").to_dict(as_series=False) == expected
    assert COUNTED.to_frame("pyarrow").to_pydict() == expected


@pytest.mark.parametrize(
    ("classes", "names"),
    [
        ((1, "1"), ["count of 1", "count of '1'"]),
        ((True, "True"), ["count of True", "count of 'True'"]),
    ],
)
def test_classes_that_look_alike_have_different_columns(
    classes: tuple[Any, ...], names: list[str]
) -> None:
    rules = RuleList((Rule((Condition("x", "<", 2),), classes[0]),), Rule((), classes[1]), classes)
    found = rules.to_frame("pyarrow")
    assert found.column_names[-2:] == names
    assert found["prediction"].to_pylist() == [str(one) for one in classes]
    assert found["support"].to_pylist() == [None, None]


def test_unknown_libraries_are_an_error() -> None:
    with pytest.raises(ValueError, match="'dask'"):
        COUNTED.to_frame("dask")


def test_without_pandas_the_error_names_another_way() -> None:
    program = (
        "import sys; sys.modules['pandas'] = None\n"
        "from samrule import Rule, RuleList\n"
        "from samrule.errors import MissingExtraError\n"
        "rules = RuleList((), Rule((), 'no'), ('no',))\n"
        "try:\n    rules.to_frame()\nexcept MissingExtraError as error:\n    print(error.hint)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert 'backend="pyarrow"' in done.stdout


def test_sums_of_weights_beyond_64_bits_are_doubles_in_a_frame() -> None:
    rule_list = RuleList((), Rule((), "no", (10**75, 1.5)), ("no", "yes"))
    row = rule_list.to_frame("pyarrow").to_pylist()[0]
    assert (row["support"], row["count of no"], row["count of yes"]) == (1e75, 1e75, 1.5)
