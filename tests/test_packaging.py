"""The package as others get it: sdist, wheel, an empty environment, the command line."""

import os
import subprocess
import sys
import tarfile
import time
import venv
import zipfile
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[1]


def run(*command: object, **options: object) -> str:
    done = subprocess.run(
        [str(part) for part in command],
        capture_output=True,
        text=True,
        check=False,
        **options,  # type: ignore[call-overload]
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return str(done.stdout)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Build the sdist, then the wheel from the unpacked sdist, as `build` does by default."""
    output = tmp_path_factory.mktemp("dist")
    # The tools of this environment's bin: a build without isolation looks for ninja on PATH.
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    run(
        *(sys.executable, "-m", "build", "--no-isolation", "--outdir", output, PROJECT),
        env={**os.environ, "PATH": path},
    )
    return {"sdist": next(output.glob("*.tar.gz")), "wheel": next(output.glob("*.whl"))}


@pytest.fixture(scope="module")
def installed(built: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an empty environment into which the wheel was installed."""
    folder = tmp_path_factory.mktemp("empty")
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    run(python, "-m", "pip", "install", "--quiet", built["wheel"])
    return python


def test_sdist_holds_all_that_a_build_needs(built: dict[str, Path]) -> None:
    with tarfile.open(built["sdist"]) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"pyproject.toml", "CMakeLists.txt", "LICENSE", "README.md"} <= names
    assert {"src/samrule/_core.pyi", "src/samrule/py.typed", "src/samrule/solver.py"} <= names
    assert any(name.startswith("native/") for name in names)
    assert not any(name.startswith((".venv", "build/", "dist/")) for name in names)


def test_wheel_holds_the_package_and_nothing_else(built: dict[str, Path]) -> None:
    with zipfile.ZipFile(built["wheel"]) as archive:
        names = archive.namelist()
    tops = {name.partition("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"samrule"}
    assert {"samrule/py.typed", "samrule/_core.pyi"} <= set(names)
    assert sum(name.startswith("samrule/_core.") and name.endswith(".so") for name in names) == 1
    assert any(name.endswith("licenses/LICENSE") for name in names)


def test_installed_wheel_solves_and_has_a_command(installed: Path, tmp_path: Path) -> None:
    program = "import samrule; print(samrule.solve([[1], [0]], ['a', 'b']).rule_list)"
    assert run(installed, "-c", program, cwd=tmp_path) == "if x0 then a\nelse b\n"
    version = run(installed, "-c", "import samrule; print(samrule.__version__)", cwd=tmp_path)
    assert run(installed.parent / "samrule", "--version") == f"samrule {version}"


def test_import_of_the_installed_package_is_quick(installed: Path, tmp_path: Path) -> None:
    """Under 0.3 s is what we promise; the best of five runs says what it takes."""
    seconds = []
    for _ in range(5):
        started = time.perf_counter()
        run(installed, "-c", "import samrule", cwd=tmp_path)
        seconds.append(time.perf_counter() - started)
    bare = time.perf_counter()
    run(installed, "-c", "pass", cwd=tmp_path)
    bare = time.perf_counter() - bare
    print(f"import samrule: {min(seconds):.3f} s with the interpreter's {bare:.3f} s")
    assert min(seconds) < 0.3
