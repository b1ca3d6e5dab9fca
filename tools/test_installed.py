"""Test the samrule that is installed, not the one in this folder: import, fit, the quick tests.

Run by `make wheel-test`, and by cibuildwheel for every wheel. It needs the dependency group
`wheel-test` beside the package; tests that need more than that are left to `make test`.
"""

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

FIRST_STEPS = """
import numpy as np, samrule
assert "site-packages" in samrule.__file__, samrule.__file__
x = np.random.default_rng(0).random((1000, 3)) < 0.5
fitted = samrule.learn(x.astype(float), x[:, 1], random_state=0)
assert fitted.certificate.upper_bound < 0.001, fitted
assert (fitted.predict(x.astype(float)) == x[:, 1]).all()
print(fitted)
"""


def main() -> int:
    """Return 0 if all tests pass."""
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
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *QUICK],
        )
        for command in commands:
            code = subprocess.run(command, cwd=folder, check=False).returncode
            if code != 0:
                return code
    return 0


if __name__ == "__main__":
    sys.exit(main())
