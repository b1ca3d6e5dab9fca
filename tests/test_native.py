"""What native code promises about processors: nothing shared is compiled for more than x86-64."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.needs import need

NATIVE = Path(__file__).parents[1] / "native"
COMPILERS = ("g++", "clang++-16", "clang++")


@pytest.mark.slow
@pytest.mark.parametrize("kernels", ["avx2", "avx512"])
def test_inline_code_of_headers_runs_on_any_processor(tmp_path: Path, kernels: str) -> None:
    """Linkers keep one copy of it, perhaps this one: without optimization they are all there."""
    need("binutils")
    compilers = [name for name in COMPILERS if shutil.which(name) is not None]
    if not compilers:
        pytest.skip("no compiler of known options on the path")
    for compiler in compilers:
        built = tmp_path / f"{compiler}.o"
        source = NATIVE / "src" / "kernels" / f"{kernels}.cpp"
        include = (f"-I{NATIVE / 'include'}", f"-I{NATIVE / 'src'}")
        subprocess.run(
            [compiler, "-O0", "-w", "-std=c++20", *include, "-c", source, "-o", built], check=True
        )
        functions = functions_of(built)
        assert any(f"samrule::{kernels}" in name for name in functions), compiler
        shared = {name: code for name, code in functions.items() if "(anonymous" not in name}
        assert any("low_bits" in name for name in shared), compiler  # there are such functions
        beyond = {name for name, code in shared.items() if uses_more_than_x86_64(code)}
        assert not beyond, compiler


def functions_of(built: Path) -> dict[str, set[str]]:
    """Return the instructions that each function uses."""
    listing = subprocess.run(
        ["objdump", "--disassemble", "--demangle", "--no-show-raw-insn", built],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    if "x86-64" not in listing:
        pytest.skip("kernels of another processor")
    functions: dict[str, set[str]] = {}
    for line in listing.splitlines():
        if begins := re.match(r"[0-9a-f]+ <(.*)>:$", line):
            used = functions.setdefault(begins[1], set())
        elif found := re.match(r"\s+[0-9a-f]+:\s+(\w+)", line):
            used.add(found[1])
    return functions


def uses_more_than_x86_64(instructions: set[str]) -> bool:
    """All of AVX, AVX2 and AVX-512 begin with v; BMI2 and POPCNT by name."""
    later = {"pext", "pdep", "popcnt", "mulx", "sarx", "shlx", "shrx", "bzhi", "rorx"}
    return any(name.startswith("v") and name not in {"verr", "verw"} for name in instructions) or (
        not later.isdisjoint(instructions)
    )
