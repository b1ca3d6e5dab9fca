"""Section 5.3: what more rules and longer conjunctions cost and buy, on mushroom and phishing."""

from __future__ import annotations

from collections.abc import Sequence

import harness
from datasets import DataSet, chosen
from markdown_tables import markdown
from runs import EPSILON, THETA, Bench
from samrule.theory import sample_size

TABLES = ("mushroom", "phishing")
STRATEGIES = ("progressive", "paper")


def main(arguments: Sequence[str] | None = None) -> None:
    options = harness.parsed(harness.parser(__doc__, runs=1), arguments)
    bench = Bench.of(options)
    tables = {d.name: d for d in chosen(options, TABLES)}
    most_terms, most_rules = (2, 2) if options.quick else (3, 5)
    jobs = [
        {"table": name, "max_terms": z, "max_rules": k, "strategy": strategy, "seed": seed}
        for seed in range(1 if options.quick else options.runs)
        for strategy in STRATEGIES
        for z in range(1, most_terms + 1)
        for name in tables
        for k in range(1, most_rules + 1)
    ]
    rows = harness.run_all(
        jobs,
        lambda job: measure(bench, tables[job["table"]], job),
        options.output / "parameters.csv",
    )
    shown = ("table", "max_terms", "max_rules", "strategy", "train_rows", "cpu_seconds", "loss")
    shown += ("status", "achieved_epsilon", "holds")
    print(markdown([shown, *([row[s] for s in shown] for row in rows)]))


def measure(bench: Bench, dataset: DataSet, job: harness.Job) -> harness.Row:
    """Run one cell of the grid; beside it, how many rows the two a-priori bounds ask for."""
    asked = {"max_rules": job["max_rules"], "max_terms": job["max_terms"]}
    accuracy = {"epsilon": EPSILON, "theta": THETA}
    conditions = bench.loaded(dataset).conditions
    _, row = bench.run(
        dataset, **asked, **accuracy, strategy=job["strategy"], random_state=job["seed"]
    )
    size = {**asked, **accuracy, "delta": harness.DELTA}
    n_conjunctions = conditions.n_conjunctions(job["max_terms"])
    return {
        "conjunctions": n_conjunctions,
        "paper_rows": sample_size(len(conditions), **size),
        "tight_rows": sample_size(
            len(conditions), **size, method="tight", n_conjunctions=n_conjunctions
        ),
        **row,
    }


if __name__ == "__main__":
    main()
