"""How long an edit takes: a hundred random ones on a real table, and all lists nearly as good.

Run: python benchmarks/edits.py --data-dir FOLDER [--max-terms 2]

Prints the seconds (of the wall, and of the processor) that 50, 95 and 100 of 100 edits stay below,
each with its exact loss; and what `alternatives` finds within 2 % with three rules, in which time.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

import samrule
from edited_tables import TARGETS, edit_options
from markdown_tables import markdown

PLAIN = samrule.Binarizer(sets=False, intervals=False, max_conditions=None)
N_EDITS, SEED = 100, 0


def random_edit(edit: Any, rng: np.random.Generator) -> Any:
    """Return what people do most: forbid or pin and optimize again, replace, move a cut."""
    conditions = list(edit.workbench.conditions)
    one = conditions[int(rng.integers(len(conditions)))]
    kind = rng.integers(5) if edit.rules else 0
    if kind == 0:
        return edit.forbid(one.column).reoptimize()
    number = int(rng.integers(1, len(edit.rules) + 1))
    if kind == 1:
        return edit.pin(number).reoptimize()
    if kind == 2:
        return edit.replace(number, edit.replacements(number, limit=20)[0].rule.conditions)
    if kind == 3:
        return edit.replace(number, one)
    return edit.remove(number)


def edit_seconds(fitted: Any) -> list[tuple[float, float]]:
    rng = np.random.default_rng(SEED)
    start = fitted.edit()
    _ = start.lower_bound, start.loss  # What the page shows before anyone edits.
    found = []
    for _ in range(N_EDITS):
        wall, processor = time.perf_counter(), time.process_time()
        edit = random_edit(start, rng)
        _ = edit.sentence
        found.append((time.perf_counter() - wall, time.process_time() - processor))
    return found


def main() -> None:
    options = edit_options(__doc__.splitlines()[0]).parse_args()
    rows: list[list[Any]] = [
        ["table", "conditions", "50 of 100", "95", "100", "CPU 50", "CPU 95", "lists", "CPU s"]
    ]
    for name in options.tables:
        path, target = options.data_dir / f"{name}.parquet", TARGETS[name]
        fitted = samrule.learn(
            path,
            target,
            max_rules=options.max_rules,
            max_terms=options.max_terms,
            strategy="exact",
            binarizer=PLAIN,
        )
        wall, processor = np.array(edit_seconds(fitted)).T
        before = time.process_time()
        lists = samrule.alternatives(path, target, max_rules=3, within=0.02, binarizer=PLAIN)
        rows.append(
            [
                name,
                len(fitted.conditions),
                *(f"{share:.3f}" for share in np.quantile(wall, [0.5, 0.95, 1])),
                *(f"{share:.3f}" for share in np.quantile(processor, [0.5, 0.95])),
                f"{len(lists)}{'' if lists.complete else ' and more'}",
                f"{time.process_time() - before:.2f}",
            ]
        )
    print(markdown(rows))


if __name__ == "__main__":
    main()
