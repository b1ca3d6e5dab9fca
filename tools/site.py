"""What the documentation site adds to the Markdown files: links that leave docs/, made pages.

A Sphinx extension, loaded by docs/conf.py. The files stay readable where they lie: links between
them are those of the repository, and are turned into links of the site when it is built.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tools import benchmark_charts

if TYPE_CHECKING:
    from sphinx.application import Sphinx

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"

# Files outside docs/ that are pages of the site, each included by the page named here.
OUTSIDE = {
    "README.md": "index",
    "ARCHITECTURE.md": "contributing/architecture",
    "CHANGELOG.md": "changelog",
    "CONTRIBUTING.md": "contributing/index",
    "benchmarks/README.md": "contributing/benchmarks",
    "experiments/README.md": "contributing/experiments",
}
_LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)#\s]*)(#[^)\s]*)?\)")
_PICTURE = re.compile(r"(!\[[^\]]*\])\(([^)\s]+)\)")


def site_text(text: str, place: Path, page: str) -> str:
    """Return the Markdown of a file at `place` as that of the page `page` of the site.

    >>> site_text("[map](../ARCHITECTURE.md#layers)", DOCS / "cli.md", "cli")
    '[map](contributing/architecture.md#layers)'
    >>> site_text("[code](../src/samrule/rules/rule_list.py)", DOCS / "cli.md", "cli")
    'code'
    """
    folder = Path(page).parent

    def link(found: re.Match[str]) -> str:
        words, target, anchor = found[1], found[2], found[3] or ""
        if not target or re.match(r"\w+:", target):
            return found[0]
        path = Path(os.path.normpath(place.parent / target))
        named = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else ""
        if named in OUTSIDE:
            to = f"{OUTSIDE[named]}.md"
            # The first page is not README's text, so that README's anchors are not there.
            return f"[{words}]({relative(to, folder)}{anchor if to != 'index.md' else ''})"
        if path.is_relative_to(DOCS):
            if path.is_dir():
                path = path / "README.md"
            return f"[{words}]({relative(path.relative_to(DOCS), folder)}{anchor})"
        return words  # A file of the repository that is no page.

    def picture(found: re.Match[str]) -> str:
        path = Path(os.path.normpath(place.parent / found[2]))
        return f"{found[1]}({relative(path, DOCS / folder)})"

    pieces = re.split(r"(?ms)(^```.*?^```$)", text)
    for k in range(0, len(pieces), 2):
        pieces[k] = _PICTURE.sub(picture, _LINK.sub(link, pieces[k]))
    return "".join(pieces)


def relative(to: str | Path, folder: str | Path) -> str:
    return Path(os.path.relpath(to, folder)).as_posix()


def commands() -> Iterator[str]:
    """Yield the command line, command by command, as Markdown."""
    import typer
    from rich.text import Text

    from samrule.cli.app import app

    group: Any = typer.main.get_command(app)
    for name, command in group.commands.items():
        context = command.make_context(f"samrule {name}", [], resilient_parsing=True)
        yield f"## `samrule {name}`\n"
        described = Text.from_markup(command.help or "").plain.replace("\b", "").strip()
        yield f"```text\n{described}\n```\n"
        yield "| argument or option | meaning |\n| --- | --- |"
        for parameter in command.get_params(context):
            spelled, said = parameter.get_help_record(context)
            yield f"| `{in_a_cell(spelled)}` | {in_a_cell(said)} |"
        yield ""


def in_a_cell(text: str) -> str:
    # Defaults stand in brackets as well, so that only tags of style are taken out.
    plain = re.sub(r"\[/?(?:bold|dim|italic)?\]", "", text).replace("\\[", "[")
    return " ".join(plain.split()).replace("|", "\\|")


def glossary() -> Iterator[str]:
    """Yield the table of words of ARCHITECTURE.md, which settles them, in alphabetical order."""
    text = (ROOT / "ARCHITECTURE.md").read_text()
    head, line, *rows = re.findall(
        r"^\|.*\|$", text.partition("## One word, one thing")[2].partition("\n## ")[0], re.MULTILINE
    )
    yield from (head, line, *sorted(rows))


def public_names() -> Iterator[str]:
    """Yield every public name: of the package, of theory, and errors."""
    import samrule
    from samrule import errors, theory

    yield from (f"samrule.{name}" for name in samrule.__all__ if not name.startswith("_"))
    yield from (f"samrule.theory.{name}" for name in theory.__all__)
    for name, value in vars(errors).items():
        if isinstance(value, type) and issubclass(value, errors.SamruleError):
            yield f"samrule.errors.{name}"


def placed_names() -> set[str]:
    """Return the names that have a place on a page of the reference."""
    text = "".join(page.read_text() for page in sorted((DOCS / "api").glob("*.md")))
    return set(re.findall(r"^\.\. auto(?:function|class|exception):: (\S+)$", text, re.MULTILINE))


def other_names() -> Iterator[str]:
    """Yield the reference of public names that have no place yet, so that none is ever missing."""
    from importlib import import_module

    others = sorted(set(public_names()) - placed_names())
    yield "```{eval-rst}" if others else "(None.)"
    for name in others:
        module, _, attribute = name.rpartition(".")
        is_class = isinstance(getattr(import_module(module), attribute), type)
        yield f".. auto{'class' if is_class else 'function'}:: {name}"
    if others:
        yield "```"


def other_pages() -> Iterator[str]:
    """Yield links to pages that no table of contents names yet, and one that does."""
    text = "".join(page.read_text() for page in DOCS.rglob("*.md"))
    named = set(
        re.findall(r"^[\w-]+$", "".join(re.findall(r"(?s)```{toctree}(.*?)```", text)), re.M)
    )
    others = sorted(page.stem for page in DOCS.glob("*.md") if page.stem not in {*named, "index"})
    for page in others:
        title = (DOCS / f"{page}.md").read_text().partition("\n")[0].removeprefix("# ")
        yield f"- [{title}]({page}.md)"
    if others:
        yield from ("", "```{toctree}", ":hidden:", "", *others, "```")


GENERATED = {
    "<!-- every command -->": commands,
    "<!-- every word -->": glossary,
    "<!-- every other name -->": other_names,
    "<!-- every other page -->": other_pages,
    "<!-- the chart of rule lists -->": benchmark_charts.lists_charts,
    "<!-- the chart of other solvers -->": benchmark_charts.peers_chart,
    "<!-- the chart of rows -->": benchmark_charts.rows_chart,
    "<!-- the table of losses -->": benchmark_charts.losses_table,
}


def on_source(app: "Sphinx", page: str, source: list[str]) -> None:
    """Fill in what is generated, and translate the links of the repository."""
    text = source[0]
    for marker, contents in GENERATED.items():
        if marker in text:
            text = text.replace(marker, "\n".join(contents()))
            app.env.note_reread()  # It may be another text the next time.
    if included := re.search(r"<!-- the file (\S+) -->", text):
        path = ROOT / included[1]
        text = text.replace(included[0], site_text(path.read_text(), path, page))
        app.env.note_dependency(str(path))
        source[0] = text
        return
    source[0] = site_text(text, DOCS / f"{page}.md", page)


def setup(app: "Sphinx") -> dict[str, bool]:
    """Join Sphinx."""
    app.connect("source-read", on_source)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
