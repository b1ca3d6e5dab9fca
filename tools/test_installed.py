"""Test the samrule that is installed, not the one in this folder: import, fit, the quick tests.

Run by `make wheel-test`, and by cibuildwheel for every wheel. It needs the dependency group
`wheel-test` beside the package; tests that need more than that are left to `make test`.
`--without-campaign` leaves out the one test that takes longest by far: it tells nothing new of a
wheel that passed it under another Python.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]

QUICK = [
    "tests/rules",
    "tests/solver",
    "tests/theory",
    "tests/learning/test_learn.py",
    "tests/cli/test_fit.py",
    "tests/test_classifier.py",
    "tests/test_core.py",
]

CAMPAIGN = "tests/solver/test_against_brute_force.py::test_every_way_to_search_10_000_small_tables"
# As `make test` does: on all cores, what takes longest first (tests/conftest.py).
PYTEST = [
    "-q",
    "-p",
    "no:cacheprovider",
    "--numprocesses",
    "auto",
    "--dist",
    "loadfile",
    "--no-loadscope-reorder",
]

FIRST_STEPS = """
import pathlib, numpy as np, samrule
assert "site-packages" in samrule.__file__, samrule.__file__
x = np.random.default_rng(0).random((1000, 3)) < 0.5
fitted = samrule.learn(x.astype(float), x[:, 1], random_state=0)
assert fitted.certificate.upper_bound < 0.001, fitted
assert (fitted.predict(x.astype(float)) == x[:, 1]).all()
print(fitted)
assert (pathlib.Path(samrule.__file__).parent / "studio" / "page" / "index.html").is_file()
"""


def main() -> int:
    """Return 0 if all tests pass."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--without-campaign", action="store_true")
    left_out = ["--deselect", CAMPAIGN] if parser.parse_args().without_campaign else []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        # The tests and what they read, without src/: there is one samrule to import.
        for part in ("tests", "benchmarks", "experiments", "docs", "tools"):
            shutil.copytree(
                ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__")
            )
        shutil.copy(ROOT / "pyproject.toml", folder)
        (folder / "src").mkdir()
        commands = (
            [sys.executable, "-c", FIRST_STEPS],
            [sys.executable, "-m", "pytest", *PYTEST, *left_out, *QUICK],
        )
        for command in commands:
            code = subprocess.run(command, cwd=folder, check=False).returncode
            if code != 0:
                return code
    return 0


if __name__ == "__main__":
    sys.exit(main())
