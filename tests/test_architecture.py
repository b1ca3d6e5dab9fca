"""The house as ARCHITECTURE.md draws it: imports point down, and heavy names load late."""

import ast
import re
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import numpy as np
import pytest
from tools.draw_imports import PICTURE, picture
from tools.imports import IMPORTS, LAYERS, LOOKING_UP, SOURCE

import samrule


def test_every_module_has_a_layer() -> None:
    parts = {path.stem if path.is_file() else path.name for path in SOURCE.iterdir()}
    assert parts - {"__init__", "__pycache__", "py"} <= set(LAYERS)


def test_layers_are_those_of_the_page() -> None:
    page = (SOURCE.parents[1] / "ARCHITECTURE.md").read_text()
    rows = re.findall(r"(?m)^\| (\d) \| (.*?) \|", page)
    shown = {
        part.removesuffix("/").removesuffix(".py"): int(layer)
        for layer, cell in rows
        for part in re.findall(r"`([\w./]+)`", cell.partition("(")[0])
    }
    assert shown == LAYERS


def test_imports_point_down() -> None:
    """Those inside functions and for types too, but for the exceptions that the page explains."""
    wrong = [
        one
        for one in IMPORTS
        if not one.points_down and (one.importer, one.imported) not in LOOKING_UP
    ]
    assert wrong == []


def test_no_module_needs_itself() -> None:
    """Without the exceptions no chain of imports comes back to where it began."""
    graph: dict[str, set[str]] = {}
    for one in IMPORTS:
        if (one.importer, one.imported) not in LOOKING_UP:
            graph.setdefault(one.importer, set()).add(one.imported)
    TopologicalSorter(graph).prepare()  # It raises CycleError, with the modules of the cycle.


def test_the_picture_shows_the_imports_of_today() -> None:
    assert PICTURE.read_text() == picture(), "draw it again: python -m tools.draw_imports"


def test_exceptions_are_few_and_explained() -> None:
    found = {(one.importer, one.imported) for one in IMPORTS}
    assert found >= LOOKING_UP, "an exception that nothing needs any more"
    page = (SOURCE.parents[1] / "ARCHITECTURE.md").read_text()
    for importer, _ in LOOKING_UP:
        assert f"`{importer.removeprefix('samrule.').replace('.', '/')}.py`" in page


@pytest.mark.parametrize("part", ["rules", "theory", "errors"])
def test_lowest_layers_import_numpy_and_the_standard_library_only(part: str) -> None:
    folder = SOURCE / part
    for path in folder.rglob("*.py") if folder.is_dir() else [SOURCE / f"{part}.py"]:
        if path.name == "meaning.py":  # What conditions mean on Arrow's types.
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            for name in names:
                top = name.partition(".")[0]
                assert top in {"samrule", "numpy"} | sys.stdlib_module_names, f"{path}: {name}"


@pytest.mark.parametrize("statement", ["import samrule", "from samrule import solve"])
def test_import_loads_nothing_heavy(statement: str) -> None:
    heavy = {"scipy", "sklearn", "pyarrow", "duckdb", "pandas", "polars", "typer", "rich"}
    heavy |= {"narwhals", "matplotlib", "numpy.ma", "pyspark"}
    program = f"import sys; {statement}; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert heavy.isdisjoint(done.stdout.split())


def test_learning_and_drawing_do_not_load_scikit_learn() -> None:
    program = "import sys; from samrule import Binarizer, evaluate, open_table, solve; "
    done = subprocess.run(
        [sys.executable, "-c", program + "print('sklearn' in sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "False\n"


def test_help_and_stored_models_do_not_load_what_reads_tables(tmp_path: Path) -> None:
    """pyarrow loads pandas as soon as it is given a list, which takes longer than all else."""
    model = tmp_path / "model.json"
    rows = np.array([[0.0], [1.0]] * 50)
    samrule.learn(rows, ["no", "yes"] * 50, random_state=0).save(model)
    heavy = {"duckdb", "matplotlib", "pandas", "polars", "scipy", "sklearn"}
    for arguments, also in (
        (["--version"], {"pyarrow"}),
        (["--help"], {"pyarrow"}),
        (["fit", "--help"], {"pyarrow"}),
        (["show", str(model)], set()),
    ):
        program = (
            "import atexit, sys; atexit.register(lambda: print('loaded', *sys.modules)); "
            f"sys.argv = ['samrule', *{arguments!r}]; from samrule.cli import main; main()"
        )
        done = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True
        )
        loaded = done.stdout.partition("loaded ")[2].split()
        assert "samrule.cli.app" in loaded
        assert (heavy | also).isdisjoint(loaded), arguments


def test_bare_import_does_not_even_load_numpy() -> None:
    program = "import sys, samrule; print('numpy' in sys.modules, 'samrule._core' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "False False\n"


def test_no_test_asserts_how_long_a_clock_on_the_wall_ran() -> None:
    """It depends on who else works here; time.process_time() with a wide margin does not."""
    asserted = re.compile(r"assert .*(perf_counter|monotonic|time\.time)\(\)[^<\n]*<")
    tests = Path(__file__).parent
    found = [path.name for path in tests.rglob("*.py") if asserted.search(path.read_text())]
    assert found == []


def test_every_public_name_can_be_had() -> None:
    assert sorted(samrule.__all__) == dir(samrule)
    for name in samrule.__all__:
        assert getattr(samrule, name) is not None
    assert samrule.__version__.count(".") == 2
    with pytest.raises(AttributeError, match="no attribute 'sovle'"):
        samrule.sovle  # noqa: B018


def test_promises_cite_theory_that_is_in_the_project() -> None:
    """A statement cited as docs/theory/page.md, "section" stands there."""
    project = SOURCE.parents[1]
    for path in SOURCE.rglob("*.py"):
        text = " ".join(path.read_text().split())
        assert "THEORY.md" not in text, path
        assert not re.search(r"docs/theory, part", text), path
        for page, section in re.findall(r'(docs/theory/\w+\.md), "([^"]+)"', text):
            headings = re.findall(r"(?m)^#+ (.*)$", (project / page).read_text())
            assert any(section in heading for heading in headings), (path, page, section)
        for page in re.findall(r"docs/theory/\w+\.md", text):
            assert (project / page).exists(), (path, page)
