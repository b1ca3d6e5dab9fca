"""The documents as a reader meets them: lines fit, links lead somewhere, no command is missing."""

import re
import subprocess
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[1]


def documents() -> list[Path]:
    """Return the Markdown files of the project, also in an unpacked sdist."""
    if (PROJECT / ".git").exists():
        listed = subprocess.run(
            ["git", "ls-files", "*.md"], capture_output=True, text=True, check=True, cwd=PROJECT
        )
        return [PROJECT / name for name in listed.stdout.split()]
    return sorted(PROJECT.glob("*.md")) + sorted((PROJECT / "docs").rglob("*.md"))


def prose(text: str) -> list[str]:
    """Return the lines that can be made shorter: no code, no links, no very long names."""
    outside = "".join(re.split(r"(?ms)^```.*?^```$", text))
    return [
        line for line in outside.splitlines() if "](" not in line and not re.search(r"\S{70}", line)
    ]


@pytest.mark.parametrize("path", documents(), ids=lambda path: str(path.relative_to(PROJECT)))
def test_lines_fit_a_screen(path: Path) -> None:
    long = [line for line in prose(path.read_text()) if len(line) > 100]
    assert long == []


@pytest.mark.skipif(not (PROJECT / ".git").exists(), reason="an sdist has no pictures and records")
@pytest.mark.parametrize("path", documents(), ids=lambda path: str(path.relative_to(PROJECT)))
def test_links_lead_to_files_that_are_there(path: Path) -> None:
    for link in re.findall(r"\]\(([^)#\s]+)", path.read_text()):
        if not re.match(r"\w+:", link):
            assert (path.parent / link).exists(), link


def test_the_page_of_the_command_line_names_every_command() -> None:
    from samrule.cli.app import app

    page = (PROJECT / "docs" / "cli.md").read_text()
    for command in app.registered_commands:
        assert command.callback is not None
        name = command.callback.__name__.replace("_", "-")
        assert f"| `samrule {name}" in page, name
