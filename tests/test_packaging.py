"""The package as others get it: sdist, wheel, an empty environment, the command line."""

import os
import re
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[1]

# CI, settings of editors, peers to compare with, and what was measured (but what a test reads).
LEFT_OUT = (
    r"\.|CITATION\.cff|benchmarks/(\w+\.(csv|png)|runners/)"
    r"|docs/(images|records/(?!newcomer-messy|results))"
    r"|experiments/(plots/|results/(?!objectives|prices))|(paper|recipe)/"
)


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


def build(*arguments: object) -> None:
    """Build without isolation, which looks for ninja on PATH: put this environment's bin there."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    run(
        *(sys.executable, "-m", "build", "--no-isolation", *arguments),
        env={**os.environ, "PATH": path},
    )


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("dist")
    build("--sdist", "--outdir", output, PROJECT)
    return next(output.glob("*.tar.gz"))


@pytest.fixture(scope="module")
def unpacked(sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    return next(folder.iterdir())


@pytest.fixture(scope="module")
def wheel(unpacked: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel built from the unpacked sdist, as `build` does by default."""
    output = tmp_path_factory.mktemp("dist")
    before = set(unpacked.rglob("*"))
    build("--wheel", "--outdir", output, unpacked)
    # So that two builds of one folder at the same time have nothing in common.
    assert set(unpacked.rglob("*")) == before, "the build wrote into its own source"
    return next(output.glob("*.whl"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an empty environment into which the wheel was installed."""
    folder = tmp_path_factory.mktemp("empty")
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    run(python, "-m", "pip", "install", "--quiet", wheel)
    return python


def test_sdist_holds_what_its_tests_need_and_nothing_else(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()} - {"PKG-INFO"}
    if not (PROJECT / ".git").exists():
        pytest.skip("this is an unpacked sdist, which does not know what was left out")
    listed = run("git", "ls-files", "--cached", "--others", "--exclude-standard", cwd=PROJECT)
    tracked = set(listed.splitlines())
    left_out = {name for name in tracked if re.match(LEFT_OUT, name)}
    assert names == tracked - left_out


@pytest.mark.slow
def test_tests_of_the_sdist_find_all_they_read(unpacked: Path) -> None:
    """All are collected, and those pass that read files beside tests/ and src/."""
    readers = ["tests/benchmarks", "tests/experiments", "tests/export/test_docs.py"]
    readers += ["tests/learning/test_model_file.py", "tests/theory/test_api.py"]
    readers += ["tests/test_architecture.py", "tests/test_makefile.py", "tests/test_readme.py"]
    for arguments in (["--collect-only", "tests"], readers):
        run(sys.executable, "-m", "pytest", "-q", "-n0", *arguments, cwd=unpacked)


@pytest.mark.slow
def test_wheel_holds_the_package_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    tops = {name.partition("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"samrule"}
    assert {"samrule/py.typed", "samrule/_core.pyi"} <= set(names)
    page = ("index.html", "page.js", "studio.js", "studio.css")
    assert {f"samrule/studio/page/{name}" for name in page} <= set(names)
    assert sum(name.startswith("samrule/_core.") and name.endswith(".so") for name in names) == 1
    assert any(name.endswith("licenses/LICENSE") for name in names)


@pytest.mark.slow
def test_installed_wheel_solves_and_has_a_command(installed: Path, tmp_path: Path) -> None:
    program = "import samrule; print(samrule.solve([[1], [0]], ['a', 'b']).rule_list)"
    assert run(installed, "-c", program, cwd=tmp_path) == "if x0 then a\nelse b\n"
    version = run(installed, "-c", "import samrule; print(samrule.__version__)", cwd=tmp_path)
    assert run(installed.parent / "samrule", "--version") == f"samrule {version}"
