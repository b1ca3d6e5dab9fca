"""The README's example runs and prints what the README says."""

import contextlib
import doctest
import io
import re
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"


def test_example_prints_what_the_readme_shows() -> None:
    found = re.search(r"```python\n(.*?)```\n\n```text\n(.*?)```", README.read_text(), re.DOTALL)
    assert found is not None
    program, expected = found.groups()
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(program, "README.md", "exec"), {})
    assert printed.getvalue() == expected


def test_session_in_the_readme_says_the_same() -> None:
    text = README.read_text()
    program = re.search(r"```python\n(.*?)```", text, re.DOTALL)
    assert program is not None
    names: dict[str, object] = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(program[1], "README.md", "exec"), names)
    session = doctest.DocTestParser().get_doctest(
        re.sub("```", "", text), names, "README.md", None, None
    )
    assert len(session.examples) > 0
    assert doctest.DocTestRunner().run(session).failed == 0
