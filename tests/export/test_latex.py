"""LaTeX itself compiles our tables, prints the texts in them, and does nothing else."""

import re
import subprocess
import tempfile
from pathlib import Path

from hypothesis import example, given, settings
from hypothesis import strategies as st

from samrule import Condition, Rule, RuleList
from samrule.export.latex import latex_text
from samrule.rules import visible
from tests.export.test_text import STRANGE
from tests.needs import need

# Other letters need their fonts.
ASCII = STRANGE.map(lambda text: "".join(filter(str.isascii, text)))
ALL_SIGNS = "".join(map(chr, range(1, 127)))


@settings(max_examples=5, deadline=None)
@example(
    texts=[ALL_SIGNS, "\\input{secret}", "\\end{tabular}%", "a,, b--- c  d   ``e''", "fi ?` << >>"]
)
@given(texts=st.lists(ASCII, min_size=10, max_size=30))
def test_latex_prints_the_text_and_reads_no_file(texts: list[str]) -> None:
    need("latex")
    rules = tuple(Rule((Condition("100%_{x}", "==", text),), text) for text in texts)
    table = RuleList(rules, Rule((), "größe"), tuple({*texts, "größe"})).to_latex()
    assert printed(texts, table) == [visible(text) for text in texts]


def printed(texts: list[str], table: str) -> list[str]:
    """Compile the table as papers do; what is set for each text, TeX tells its log."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "secret.tex").write_text("secret")
        compiled(folder, [table], "-halt-on-error")
        boxes = [rf"\setbox0\hbox{{{latex_text(text)}}}\showbox0" for text in texts]
        # In this encoding, letters have the codes of ASCII. A box that is shown counts as an error.
        start = r"\fontencoding{T1}\selectfont\showboxbreadth=99999\showboxdepth=99"
        log = compiled(folder, [start, *boxes])
    return [set_text(box) for box in log.split("\n> \\box0=\n")[1:]]


def compiled(folder: Path, lines: list[str], *options: str) -> str:
    """Return the log."""
    start = [r"\documentclass{article}", r"\begin{document}"]
    (folder / "paper.tex").write_text("\n".join([*start, *lines, r"\end{document}"]))
    command = ["pdflatex", "-interaction=nonstopmode", "-draftmode", "-recorder", *options]
    done = subprocess.run([*command, "paper.tex"], cwd=folder, capture_output=True, check=False)
    log = (folder / "paper.log").read_text(encoding="latin-1")
    assert done.returncode == 0 or not options, log
    assert re.findall("^! (?!OK)", log, re.MULTILINE) == [], log
    recorded = (folder / "paper.fls").read_text()
    files = re.findall(r"^(?:IN|OUT)PUT (?!/)(?:\./)?(.*)", recorded, re.MULTILINE)
    assert set(files) <= {"paper.tex", "paper.aux", "paper.log", "paper.pdf"}
    return log


def set_text(box: str) -> str:
    """Return the text of a box from TeX's account of it: signs in their fonts, and blanks."""
    set_ = re.findall(r"^\.(?:\\TS?1/\S+ (.+)|\\glue.*)$", box, re.MULTILINE)
    # Two letters that are joined into one, as in "fi", are those letters still.
    return "".join(re.sub(r"^.* \(ligature ([a-z]+)\)$", r"\1", one) or " " for one in set_)
