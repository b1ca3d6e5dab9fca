"""What a rule should cost: absolute and relative prices for errors and the Brier score.

Every table (at most 20,000 rows of it, 100,000 of the one with rare attacks) is split 70 to 30 at
random by a seed. Lists of single conditions are learned from the first part, with twelve cuts per
column of numbers, and judged on the second.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

import harness
import objectives
import samrule
from markdown_tables import markdown

PRICES = ("0.0001", "0.001 relative", "0.003 relative", "0.01 relative", "0.03 relative")
OBJECTIVES = ("error", "brier")
RARE = "kdd, rare"
FIGURES = ("accuracy", "auc", "average_precision", "brier")


def main(arguments: Sequence[str] | None = None) -> None:
    made = harness.parser(__doc__, runs=2)
    made.set_defaults(time_limit=6)
    options = harness.parsed(made, arguments)
    tables = options.only or list(objectives.TABLES)
    jobs = [
        {"table": table, "objective": objective, "price": price, "max_rules": size, "seed": seed}
        for seed in range(1 if options.quick else options.runs)
        for size in ((2,) if options.quick else (4, 6))
        for table in (["made"] if options.data_dir is None else tables)
        for objective in OBJECTIVES
        for price in PRICES
    ]
    rows = harness.run_all(jobs, lambda job: measure(options, job), options.output / "prices.csv")
    print(markdown(means(rows)))


def measure(options: Any, job: harness.Job) -> harness.Row:
    """Learn once, and judge on the test rows."""
    frame, label = objectives.loaded(options, job["table"])
    rng = np.random.default_rng(job["seed"])
    most = objectives.MOST_ROWS if job["table"] == RARE else objectives.FEWER_ROWS
    order = rng.permutation(len(frame))[:most]
    n_test = round(objectives.TEST_SHARE * len(order))
    test, train = order[:n_test], order[n_test:]
    started = time.perf_counter()
    absolute = job["price"] == PRICES[0]
    fitted = samrule.learn(
        frame.iloc[train],
        label[train],
        strategy="exact",
        objective=job["objective"],
        regularization=float(job["price"]) if absolute else job["price"],
        max_rules=job["max_rules"],
        binarizer=samrule.Binarizer(sets=False, intervals=False, max_conditions=None),
        time_limit=options.time_limit,
        random_state=0,
    )
    return {
        **objectives.judged(label[test], fitted.predict_proba(frame.iloc[test])[:, 1]),
        "n_rules": fitted.rule_list.n_rules,
        "status": str(fitted.trace[-1].status),
        "alpha": fitted.settings.regularization,
        "seconds": time.perf_counter() - started,
        "positives": float(label.mean()),
        "train_rows": len(train),
    }


def means(rows: Sequence[harness.Row]) -> list[Sequence[Any]]:
    """Return the mean over tables and seeds per price and size; the rare table stands alone."""
    header = ("tables", "objective", "price", "at most", "rules", "accuracy", "AUC", "AP", "Brier")
    table: list[Sequence[Any]] = [header]
    for rare in (False, True):
        part = [row for row in rows if (row["table"] == RARE) == rare]
        for objective in OBJECTIVES:
            for size in sorted({row["max_rules"] for row in part}):
                for price in PRICES:
                    asked = (objective, price, size)
                    same = [row for row in part if asked == _asked(row)]
                    if same:
                        used = f"{np.mean([row['n_rules'] for row in same]):.1f}"
                        figures = (f"{np.mean([row[one] for row in same]):.4f}" for one in FIGURES)
                        name = RARE if rare else "others"
                        table.append((name, objective, price, size, used, *figures))
    return table


def _asked(row: harness.Row) -> tuple[str, str, int]:
    price = row["price"]
    # A CSV gives numbers back as numbers.
    return row["objective"], PRICES[0] if isinstance(price, float) else price, row["max_rules"]


if __name__ == "__main__":
    main()
