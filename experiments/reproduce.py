"""Run every experiment, draw the figures, and put the numbers into docs/records/results.md.

Takes the options that all experiments take; hours without `--quick`. Quick runs write to
build/experiments/quick and leave the documents alone.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import cluster
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

EXPERIMENTS = (datasets, exact, rules, parameters, heuristics, lookalikes, scaling, cluster)


def main() -> None:
    made = harness.parser(__doc__, runs=1)
    made.add_argument("--corels", metavar="PATH", help="run this CORELS program too; see exact.py")
    options = harness.parsed(made)
    if not options.quick and options.data_dir is None:
        made.error("--data-dir is needed; without the paper's tables there is --quick")
    failed = [module.__name__ for module in EXPERIMENTS if not succeeds(module, options)]
    drawn = plots.PLOTS if not options.quick else options.output
    plots.main(["--results", str(options.output), "--plots", str(drawn)])
    report.main(report_arguments(options))
    if failed:
        raise SystemExit(f"broken promises or failures in: {', '.join(failed)}")


def succeeds(module, options: argparse.Namespace) -> bool:
    """Run one experiment; one that ends with an error does not keep the others from running."""
    harness.say(f"== {module.__name__}: {module.__doc__.splitlines()[0]}")
    try:
        module.main(arguments_for(module, options))
    except SystemExit as end:
        return not end.code
    return True


def arguments_for(module, options: argparse.Namespace) -> list[str]:
    """Return the command line as one experiment takes it: only one knows CORELS."""
    given = sys.argv[1:]
    if options.corels is None or module is exact:
        return given
    places = [i for i, text in enumerate(given) if text.split("=")[0] == "--corels"]
    dropped = {j for i in places for j in ((i,) if "=" in given[i] else (i, i + 1))}
    return [text for i, text in enumerate(given) if i not in dropped]


def report_arguments(options: argparse.Namespace) -> list[str]:
    """Return where the report reads and writes: a copy of the document if the run was quick."""
    if not options.quick:
        return ["--results", str(options.output)]
    copy = Path(options.output) / "results.md"
    copy.write_text(report.DOCUMENT.read_text())
    return ["--results", str(options.output), "--document", str(copy)]


if __name__ == "__main__":
    main()
