"""What holds for every function of `samrule.theory`: documented, exemplified, proved, light."""

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import samrule.theory

SOURCE = Path(samrule.theory.__file__).parent
DOCS = Path(__file__).parents[2] / "docs" / "theory"
PUBLIC = samrule.theory.__all__


@pytest.mark.parametrize("name", PUBLIC)
def test_public_name_has_an_example(name):
    assert ">>>" in inspect.getdoc(getattr(samrule.theory, name))


@pytest.mark.parametrize("name", PUBLIC)
def test_public_name_has_its_section_in_the_docs(name):
    headings = [
        line for page in DOCS.glob("*.md") for line in page.read_text().splitlines()
        if line.startswith("#") and f"`{name}`" in line
    ]  # fmt: skip

    assert len(headings) == 1


@pytest.mark.parametrize("path", sorted(SOURCE.glob("*.py")), ids=lambda path: path.name)
def test_every_function_fits_in_the_eye(path):
    for function in ast.walk(ast.parse(path.read_text())):
        if isinstance(function, ast.FunctionDef):
            statements = function.body[1:] if ast.get_docstring(function) else function.body
            first = statements[0].lineno if statements else function.lineno
            assert function.end_lineno - first < 45, function.name


@pytest.mark.parametrize("path", sorted(SOURCE.glob("*.py")), ids=lambda path: path.name)
def test_theory_imports_only_checks_errors_numpy_and_the_standard_library(path):
    allowed = {"samrule.checks", "samrule.errors", "numpy"}
    for node in ast.walk(ast.parse(path.read_text())):
        names = [node.module] if isinstance(node, ast.ImportFrom) else []
        names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        for name in names:
            ours = name in allowed or name.startswith("samrule.theory")
            assert ours or name.split(".")[0] in sys.stdlib_module_names, name


def test_importing_theory_loads_neither_scipy_nor_matplotlib():
    code = "import sys, samrule.theory; print(sorted({'scipy', 'matplotlib'} & set(sys.modules)))"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )

    assert result.stdout.strip() == "[]"
