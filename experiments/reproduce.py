"""Run every experiment, draw the figures, and put the numbers into docs/results.md.

Takes the options that all experiments take; hours without `--quick`. Quick runs write to
build/experiments/quick and leave the documents alone.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import datasets
import exact
import harness
import heuristics
import lookalikes
import parameters
import plots
import report
import rules
import scaling

EXPERIMENTS = (datasets, exact, rules, parameters, heuristics, lookalikes, scaling)


def main() -> None:
    arguments = sys.argv[1:]
    options = harness.parsed(harness.parser(__doc__, runs=1), arguments)
    failed = [module.__name__ for module in EXPERIMENTS if not succeeds(module, arguments)]
    drawn = plots.PLOTS if not options.quick else options.output
    plots.main(["--results", str(options.output), "--plots", str(drawn)])
    report.main(report_arguments(options))
    if failed:
        raise SystemExit(f"broken promises or failures in: {', '.join(failed)}")


def succeeds(module, arguments: list[str]) -> bool:
    """Run one experiment; one that ends with an error does not keep the others from running."""
    harness.say(f"== {module.__name__}: {module.__doc__.splitlines()[0]}")
    try:
        module.main(arguments)
    except SystemExit as end:
        return not end.code
    return True


def report_arguments(options: argparse.Namespace) -> list[str]:
    """Return where the report reads and writes: a copy of the document if the run was quick."""
    if not options.quick:
        return ["--results", str(options.output)]
    copy = Path(options.output) / "results.md"
    copy.write_text(report.DOCUMENT.read_text())
    return ["--results", str(options.output), "--document", str(copy)]


if __name__ == "__main__":
    main()
