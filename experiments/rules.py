"""The paper's figure of adult's rules: the optimal list, and the lists that the runs find."""

from __future__ import annotations

from collections.abc import Sequence

import harness
from datasets import DataSet, chosen
from runs import EPSILON, THETA, Bench, rules_text

TABLES = ("adult",)
STRATEGIES = ("paper", "progressive")


def main(arguments: Sequence[str] | None = None) -> None:
    options = harness.parsed(harness.parser(__doc__, runs=10), arguments)
    bench = Bench.of(options)
    tables = {d.name: d for d in chosen(options, TABLES)}
    jobs = [
        {"table": name, "strategy": strategy, "seed": seed}
        for name in tables
        for strategy in STRATEGIES
        for seed in range(min(options.runs, 2) if options.quick else options.runs)
    ]
    rows = harness.run_all(
        jobs,
        lambda job: measure(bench, tables[job["table"]], job),
        options.output / "rules.csv",
    )
    for name, dataset in tables.items():
        optimum = bench.optimum(dataset, dataset.max_rules)
        print(f"{name}: optimum {optimum['loss']:.6f}: {optimum['rules']}")
    for row in rows:
        same = f"{row['similarity']:.2f}"
        print(
            f"{row['table']} {row['strategy']} {row['seed']}: {row['loss']} ({same}) {row['rules']}"
        )


def measure(bench: Bench, dataset: DataSet, job: harness.Job) -> harness.Row:
    """Learn one list and compare its conditions with those of the optimal one."""
    optimum = bench.optimum(dataset, dataset.max_rules)
    asked = {"max_rules": dataset.max_rules, "epsilon": EPSILON, "theta": THETA}
    fitted, row = bench.run(dataset, **asked, strategy=job["strategy"], random_state=job["seed"])
    text = rules_text(fitted.rule_list)
    return {
        **{name: row[name] for name in ("train_rows", "loss", "holds")},
        "optimum": optimum["loss"],
        "similarity": similarity(conditions_of(text), conditions_of(optimum["rules"])),
        "rules": text,
    }


def conditions_of(text: str) -> set[str]:
    """Return the conditions of a list written on one line, the default left out.

    >>> sorted(conditions_of("if a >= 1 then x; else if b = y then z; else x"))
    ['a >= 1', 'b = y']
    """
    rules = [rule.removeprefix("else ") for rule in text.split("; ")]
    return {
        rule.removeprefix("if ").rsplit(" then ", 1)[0] for rule in rules if rule.startswith("if ")
    }


def similarity(one: set[str], other: set[str]) -> float:
    """Return the share of common conditions among all of both (Jaccard)."""
    return len(one & other) / len(one | other) if one | other else 1.0


if __name__ == "__main__":
    main()
