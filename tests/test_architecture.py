"""The house as ARCHITECTURE.md draws it: imports point down, and heavy names load late."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import samrule

SOURCE = Path(__file__).parents[1] / "src" / "samrule"

# The layers of ARCHITECTURE.md. A module may import modules of lower layers only, and of its
# own layer only within the same package.
LAYERS = {
    "errors": 0,
    "_core": 0,
    "output": 1,
    "random_streams": 1,
    "rules": 1,
    "theory": 1,
    "scores": 2,
    "export": 2,
    "solver": 3,
    "sources": 3,
    "conditions": 4,
    "evaluation": 4,
    "learning": 5,
    "classifier": 6,
    "report": 6,
    "transformer": 6,
    "cli": 7,
}
PARTS = {path.stem if path.is_file() else path.name for path in SOURCE.iterdir()}


def imported_parts(path: Path) -> set[str]:
    """Parts of samrule that a file imports at its top level, whole."""
    found = set()
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: write the whole name"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        found |= {name.split(".")[1] for name in names if name.startswith("samrule.")}
    return found & PARTS


def files_of(part: str) -> list[Path]:
    folder = SOURCE / part
    return sorted(folder.rglob("*.py")) if folder.is_dir() else [SOURCE / f"{part}.py"]


def test_every_module_has_a_layer() -> None:
    assert PARTS - {"__init__", "__pycache__", "py"} <= set(LAYERS)


@pytest.mark.parametrize("part", sorted(set(LAYERS) & PARTS - {"_core"}))
def test_imports_point_down(part: str) -> None:
    for path in files_of(part):
        for other in imported_parts(path) - {part}:
            assert LAYERS[other] < LAYERS[part], f"{path} imports {other}"


@pytest.mark.parametrize("part", ["rules", "theory", "errors"])
def test_lowest_layers_import_numpy_and_the_standard_library_only(part: str) -> None:
    for path in files_of(part):
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
