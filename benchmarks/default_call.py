"""The default call, `samrule.learn(table, target)`: what it takes, what it finds and proves.

Learns from four fifths of the rows of each table, as by default four rules of one condition, then
three and four of two, and judges the lists on the other fifth. CPU seconds are of all threads.

    python benchmarks/default_call.py --data-dir DIR [-o default_call.csv] [--only NAME ...]
        [--max-conditions 100]
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import results
import samrule
from cuts import TABLES
from made_tables import MADE
from markdown_tables import markdown

NAMES = (
    *("german", "compas", "telco", "mushroom", "phishing", "adult", "a9a", "bank", "susy"),
    *("higgs", "ijcnn1", "kddcup99", "flights", "credit_like", "census_like"),
)
SHAPES = ((4, 1), (3, 2), (4, 2))
"""Rules and terms."""


@dataclass(frozen=True)
class Result:
    """One call: what it took, what it found, and how much of the loss is proven."""

    table: str
    rows: int
    max_rules: int
    max_terms: int
    conditions: int
    seconds: float
    cpu_seconds: float
    loss: float
    proven: float
    test_error: float


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print the table, and write what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data-dir", type=Path, required=True)
    parser.add_argument("--only", nargs="+", choices=NAMES, default=NAMES)
    parser.add_argument("--max-conditions", type=int, help="another budget than the default")
    parser.add_argument("--note", metavar="TEXT", help="say in the results how busy it was")
    parser.add_argument("-o", "--output", type=Path, metavar="CSV")
    options = parser.parse_args(arguments)
    binarizer = samrule.Binarizer()
    if options.max_conditions:
        binarizer = samrule.Binarizer(max_conditions=options.max_conditions)
    measured = []
    for name in options.only:
        rows, target = read(name, options.data_dir)
        for shape in SHAPES:
            measured.append(measure(name, rows, target, shape, binarizer))
            print(measured[-1], file=sys.stderr, flush=True)
    print(report(measured))
    if options.output:
        command = "python benchmarks/default_call.py --data-dir DIR"
        facts = results.context(command, [], options.note) | {"versions": samrule.__version__}
        results.write_csv(options.output, list(map(asdict, measured)), facts)
    return 0


def read(name: str, data_dir: Path) -> tuple[pa.Table, str]:
    """Return the table without what gives the target away, and the target."""
    if name in MADE:
        made = MADE[name]()
        return made, made.column_names[-1]
    if name in TABLES:
        table = TABLES[name]
        rows = pq.read_table(data_dir / f"{table.file}.parquet").drop_columns(list(table.exclude))
        return rows, table.target
    rows = pq.read_table(data_dir / f"{name}.parquet")
    return rows, rows.column_names[-1]


def measure(
    name: str, rows: pa.Table, target: str, shape: tuple[int, int], binarizer: samrule.Binarizer
) -> Result:
    """Call `learn` once."""
    max_rules, max_terms = shape
    places = np.random.default_rng(0).permutation(rows.num_rows)
    middle = int(0.8 * len(places))
    first, second = rows.take(places[:middle]), rows.take(places[middle:])
    started, cpu = time.perf_counter(), time.process_time()
    fitted = samrule.learn(
        first,
        target,
        max_rules=max_rules,
        max_terms=max_terms,
        binarizer=binarizer,
        random_state=0,
    )
    seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
    certificate = fitted.certificate
    loss = certificate.upper_bound
    return Result(
        table=name,
        rows=middle,
        max_rules=max_rules,
        max_terms=max_terms,
        conditions=len(fitted.conditions),
        seconds=round(seconds, 2),
        cpu_seconds=round(cpu, 2),
        loss=round(loss, 5),
        proven=round(certificate.lower_bound / loss, 3) if loss else 1.0,
        test_error=round(fitted.evaluate(second).error_rate, 5),
    )


def report(measured: Sequence[Result]) -> str:
    """Return a line per table, with what each shape gave."""
    header = ["table", "rows", "conditions"]
    for rules, terms in SHAPES:
        header += [f"{rules} x {terms}: CPU s", "loss", "bound", "error"]
    lines: list[Sequence[object]] = [header]
    for name in dict.fromkeys(one.table for one in measured):
        of_table = [one for one in measured if one.table == name]
        line: list[object] = [name, f"{of_table[0].rows:,}", of_table[0].conditions]
        for one in of_table:
            line += [
                one.cpu_seconds,
                f"{one.loss:.4f}",
                f"{one.proven:.0%}",
                f"{one.test_error:.4f}",
            ]
        lines.append(line)
    return markdown(lines)


if __name__ == "__main__":
    sys.exit(main())
