"""Measure `samrule.solve` beside every other solver that is there, on the same rows.

Examples: python benchmarks/solver.py --data-dir DATA --trial PATH --peers -o results.csv
          python benchmarks/solver.py --set rich --data-dir DATA --limit 60 -o rich.csv
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from fnmatch import fnmatch
from pathlib import Path

import gap_curves
import peers
import results
from contenders import ConjunctionTrial, Corels, Measurement, Samrule, Task, Trial, better
from settings import REGULARIZATION, RICH, SETTINGS, Setting

HERE = Path(__file__).parent
REPEAT_BUDGET_SECONDS = 30
"""A contender whose runs on one setting have taken this long together is not run again."""

TREE_DEPTH = 4
"""Trees of the rich set are no deeper: optimal ones take hours beyond."""
SETS = {"single": SETTINGS, "rich": RICH}

Contender = Callable[[Task], Measurement]


def main() -> int:
    """Measure the chosen settings, print the tables, and write what was asked for."""
    options = parse(sys.argv[1:])
    settings = SETS[options.set]
    chosen = [s for s in settings if is_chosen(s, options)]
    if not chosen:
        sys.exit(f"no setting matches; there are: {', '.join(s.name for s in settings)}")
    measured = [result(setting, options) for setting in chosen]
    facts = results.context(command_line(options), measured, options.note)
    is_rich = options.set == "rich"
    text = gap_curves.report(measured) if is_rich else results.report(measured)
    print("\n".join(f"{key}: {value}" for key, value in facts.items()), text, sep="\n\n")
    if options.output:
        more = gap_curves.gap_columns if is_rich else lambda _: {}
        results.write_csv(options.output, results.csv_rows(measured, more), facts)
    if options.output and is_rich:
        curves = options.output.with_stem(f"{options.output.stem}_curves")
        results.write_csv(curves, list(gap_curves.curve_rows(measured)), facts)
    if options.update_readme:
        results.update_readme(HERE / "README.md", text, facts, options.set)
    return int(any(r.failed or r.disagreements() for r in measured))


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Return the command line's options."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("--set", choices=SETS, default="single", help="lists of single conditions, or richer ones")
    add("--data-dir", type=Path, required=True, help="folder of the Parquet files")
    add("--trial", type=Path, metavar="PATH", help="the trial's program")
    add("--corels", type=Path, metavar="PATH", help="a CORELS program that takes -k (see README)")
    add("--peers", action="store_true", help="install and run other solvers and trees")
    add("--only", action="append", metavar="NAME", help="settings to run; * and ? match")
    add("--skip", action="append", default=[], metavar="NAME", help="settings to leave out")
    add("--repeat", type=int, default=3, metavar="N", help="runs each; the fastest counts")
    add("--limit", type=float, default=600, metavar="SECONDS", help="time limit of one run")
    add("--note", metavar="TEXT", help="say in the results how busy the machine was")
    add("-o", "--output", type=Path, metavar="CSV", help="write the measurements here")
    add("--update-readme", action="store_true", help="put the tables into benchmarks/README.md")
    options = parser.parse_args(arguments)
    for name in ("data_dir", "trial", "corels"):
        path = getattr(options, name)
        if path and not path.exists():
            parser.error(f"--{name.replace('_', '-')}: {path} does not exist")
        if path:
            setattr(options, name, path.resolve())
    return options


def command_line(options: argparse.Namespace) -> str:
    """Return the command that was run, without the paths of this machine."""
    parts = ["python benchmarks/solver.py"]
    parts += ["--set rich"] if options.set == "rich" else []
    parts += ["--data-dir DIR"]
    parts += [f"--{name} {name.upper()}" for name in ("trial", "corels") if vars(options)[name]]
    parts += ["--peers"] if options.peers else []
    parts += [f"--only '{pattern}'" for pattern in options.only or ()]
    parts += [f"--skip '{pattern}'" for pattern in options.skip]
    return " ".join([*parts, f"--repeat {options.repeat} --limit {options.limit:g}"])


def is_chosen(setting: Setting, options: argparse.Namespace) -> bool:
    """Whether the command line asks for this setting."""
    wanted = not options.only or any(fnmatch(setting.name, p) for p in options.only)
    return wanted and not any(fnmatch(setting.name, p) for p in options.skip)


def result(setting: Setting, options: argparse.Namespace) -> results.Result:
    """Prepare the setting's table in a scratch folder and measure every contender on it."""
    with tempfile.TemporaryDirectory(prefix="samrule-bench-") as name:
        folder = Path(name)
        n_rows, n_conditions = prepare(setting, folder, options)
        task = Task(folder, setting.max_rules, setting.max_terms, REGULARIZATION, options.limit)
        repeat = 1 if setting.is_long else options.repeat
        measurements = measure(setting.name, rivals(setting, options), task, repeat)
    return results.Result(setting, n_rows, n_conditions, measurements)


def prepare(setting: Setting, folder: Path, options: argparse.Namespace) -> tuple[int, int]:
    """Write the setting's files with `tables.py`, in a process of its own; return the shape."""
    command = [sys.executable, HERE / "tables.py", setting.table, folder]
    command += ["--data-dir", options.data_dir, "--cuts", setting.cuts]
    if setting.n_rows == "paper":
        command += ["--paper-rows", str(setting.max_rules), str(setting.max_terms)]
    elif setting.n_rows is not None:
        command += ["--rows", str(setting.n_rows)]
    if options.trial and options.set == "rich":
        command += ["--trial-terms", "1"]  # It builds conjunctions itself.
    elif options.trial and not setting.is_long:
        command += ["--trial-terms", str(setting.max_terms)]
    if options.corels and setting.corels_goal:
        command += ["--corels"]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    n_rows, n_conditions = map(int, printed.split())
    return n_rows, n_conditions


def rivals(setting: Setting, options: argparse.Namespace) -> list[Contender]:
    """Return the contenders for one setting, ours first."""
    if options.set == "rich":
        return rich_rivals(options)
    chosen: list[Contender] = [Samrule(threads=2)]
    if not setting.is_long:
        chosen.append(Samrule(threads=1))
    if options.trial and not setting.is_long:
        chosen.append(Trial(options.trial))
    if options.corels and setting.corels_goal:
        chosen.append(Corels(options.corels))
    if options.peers and setting.table == "planted":
        chosen.extend(peers.peers())
    return chosen


def rich_rivals(options: argparse.Namespace) -> list[Contender]:
    """Return the contenders for one setting of the rich set, ours first."""
    chosen: list[Contender] = [Samrule(threads=2, with_curve=True)]
    if options.trial:
        chosen.append(ConjunctionTrial(options.trial))
    if options.peers:
        trees = peers.peers(peers.TREES)
        chosen.extend(replace(tree, arguments=(str(TREE_DEPTH),)) for tree in trees)
    return chosen


def measure(
    name: str, chosen: Sequence[Contender], task: Task, repeat: int
) -> dict[str, Measurement]:
    """Run the contenders in turn, `repeat` times round, and keep each one's fastest run.

    Taking turns spreads the machine's moods over all of them.
    """
    best: dict[str, Measurement] = {}
    spent: dict[str, float] = {}
    for _ in range(repeat):
        for contender in chosen:
            if spent.get(contender.name, 0.0) >= REPEAT_BUDGET_SECONDS:
                continue
            measurement = contender(task)
            results.progress(name, measurement)
            best[contender.name] = better(best.get(contender.name), measurement)
            # Absent, broken or out of time: asking again would not change that.
            cost = measurement.seconds if measurement.finished else REPEAT_BUDGET_SECONDS
            spent[contender.name] = spent.get(contender.name, 0.0) + cost
    return best


if __name__ == "__main__":
    sys.exit(main())
