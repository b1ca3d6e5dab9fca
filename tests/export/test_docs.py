"""The examples of docs/export.md run and print what it says."""

import doctest
import re
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs" / "export.md"


def test_examples_print_what_the_page_shows() -> None:
    text = re.sub("```", "", DOCS.read_text())
    session = doctest.DocTestParser().get_doctest(text, {}, DOCS.name, None, None)
    assert len(session.examples) > 10
    assert doctest.DocTestRunner().run(session).failed == 0
