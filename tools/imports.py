"""Who imports whom in samrule: read from the source, imports inside functions too."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

SOURCE = Path(__file__).parents[1] / "src" / "samrule"

# The layers of ARCHITECTURE.md: a part of the package imports parts of lower layers only.
LAYERS = {
    "errors": 0,
    "_core": 0,
    "checks": 1,
    "cores": 1,
    "output": 1,
    "random_streams": 1,
    "rules": 1,
    "constraints": 2,
    "objective": 2,
    "scores": 2,
    "theory": 2,
    "export": 2,
    "groups": 3,
    "solver": 3,
    "sources": 3,
    "conditions": 4,
    "evaluation": 4,
    "learning": 5,
    "classifier": 6,
    "editing": 6,
    "report": 6,
    "transformer": 6,
    "studio": 7,
    "cli": 8,
    "__main__": 9,
}

# Imports that look upwards, each when it is called; ARCHITECTURE.md says why.
LOOKING_UP = {
    ("samrule.rules.rule_list", "samrule.export.frame"),
    ("samrule.rules.rule_list", "samrule.export.json"),
    ("samrule.rules.rule_list", "samrule.export.latex"),
    ("samrule.rules.rule_list", "samrule.export.markdown"),
    ("samrule.rules.rule_list", "samrule.export.onnx"),
    ("samrule.rules.rule_list", "samrule.export.python"),
    ("samrule.rules.rule_list", "samrule.export.sql"),
    ("samrule.rules.rule_list", "samrule.report"),
    ("samrule.learning.model", "samrule.editing"),
    ("samrule.learning.model", "samrule.learning.model_file"),
    ("samrule.learning.model", "samrule.report"),
    ("samrule.learning.model", "samrule.studio.notebook"),
    ("samrule.learning.model", "samrule.studio.widget"),
}

Kind = Literal["top", "lazy", "typing"]


@dataclass(frozen=True, order=True)
class Import:
    """One module that needs another: always, when a function is called, or for types alone."""

    importer: str
    imported: str
    kind: Kind

    @property
    def points_down(self) -> bool:
        """Whether it goes to a lower layer, or stays within one part of the package."""
        ours, theirs = part_of(self.importer), part_of(self.imported)
        return ours == theirs or LAYERS[theirs] < LAYERS[ours]


def part_of(module: str) -> str:
    """Return the folder or file right below `samrule` that a module belongs to."""
    return module.split(".")[1]


def _module(path: Path) -> str:
    parts = ("samrule", *path.relative_to(SOURCE).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imports_in(node: ast.AST, kind: Kind = "top") -> Iterator[tuple[str, str, Kind]]:
    """Yield module, name and kind of each import below a node of the syntax tree."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            yield from ((alias.name, "", kind) for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            assert child.level == 0, "write the whole name"
            yield from ((child.module or "", alias.name, kind) for alias in child.names)
        elif isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
            yield from _imports_in(child, "typing")
        elif isinstance(child, ast.FunctionDef):
            yield from _imports_in(child, "lazy")
        else:
            yield from _imports_in(child, kind)


def _imports() -> Iterator[Import]:
    paths = sorted(path for path in SOURCE.rglob("*.py") if path != SOURCE / "__init__.py")
    modules = {_module(path) for path in paths} | {"samrule._core"}
    for path in paths:
        for module, name, kind in _imports_in(ast.parse(path.read_text())):
            imported = f"{module}.{name}" if f"{module}.{name}" in modules else module
            if imported in modules:
                yield Import(_module(path), imported, kind)
            elif imported == "samrule":
                yield Import(_module(path), _public_module(name), kind)


def _public_module(name: str) -> str:
    """Return where a name that `samrule` itself exports lives."""
    import samrule

    return samrule._LAZY.get(name, "samrule.errors")


IMPORTS = sorted(set(_imports()))
