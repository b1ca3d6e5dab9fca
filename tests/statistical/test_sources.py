"""Certificates are as right from every kind of source, weighted or not, as from a table in memory.

Every run learns from a table of 20,000 rows whose optimum is found by trying all lists, as in
`test_pipeline`; here the table is a file, a database, a relation that shows its rows in another
order whenever it is looked at. Weights follow the class, so that rows drawn by other weights than
their own tell of another table. A promise that is just kept, failing with probability exactly
delta, would exceed the allowed number of failures with probability at most FALSE_ALARM. Relations
that are not stable are random themselves, so this is not always or never.

The ordinary run has one run per kind, of every other kind a weighted one; `-m slow` has 24, half of
them weighted, and Spark.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
import scipy.sparse

from samrule import learn, open_table
from samrule.errors import InputError
from samrule.learning import run
from tests.reference.theory_simulation import most_failures
from tests.sources.engines import MIXED, write_svmlight
from tests.statistical.test_pipeline import (
    ASKED,
    FALSE_ALARM,
    N_ROWS,
    REGULARIZATION,
    Run,
    brute_force_optimum,
    generated,
)

STRATEGIES = ("progressive", "validated", "tight")


@dataclass(frozen=True)
class Made:
    """A table as some engine holds it: what `open_table` takes, and under which names."""

    table: pa.Table
    given: dict[str, Any]
    target: Any = "label"
    weights: Any = "weight"


def table_and_weights(seed: int) -> pa.Table:
    """A table whose rows of class 1 weigh eight times as much as the others."""
    table, _ = generated(np.random.default_rng([11, seed]))
    weights = np.where(table["label"].to_numpy() == 1, 8, 1)
    return table.append_column("weight", pa.array(weights))


def _in_database(table: pa.Table, folder: Path, *statements: str) -> Path:
    path = folder / "t.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.register("given", table)
        connection.execute("CREATE SCHEMA hidden")
        connection.execute(
            "CREATE TABLE hidden.t AS SELECT *, row_number() OVER () AS key FROM given"
        )
        for statement in statements:
            connection.execute(statement)
    return path


_SHUFFLED = "SELECT * EXCLUDE (key) FROM hidden.t ORDER BY random()"
_GROUPED = (
    "SELECT max(a) AS a, max(b) AS b, max(c) AS c, max(label) AS label, max(weight) AS weight "
    "FROM hidden.t GROUP BY hash(key, random())"
)
_JOINED = (
    "SELECT t.* EXCLUDE (key) FROM hidden.t AS t "
    "JOIN (SELECT key FROM hidden.t ORDER BY random()) AS k ON t.key = k.key ORDER BY random()"
)


def _relation(query: str) -> Callable[[pa.Table, Path], dict[str, Any]]:
    def made(table: pa.Table, folder: Path) -> dict[str, Any]:
        return {"data": duckdb.connect(str(_in_database(table, folder))).sql(query)}

    return made


UNSTABLE: dict[str, Callable[[pa.Table, Path], dict[str, Any]]] = {
    "relation, shuffled": _relation(_SHUFFLED),
    "relation, grouped": _relation(_GROUPED),
    "relation, joined": _relation(_JOINED),
    "query, shuffled": lambda table, folder: {
        "data": _in_database(table, folder),
        "query": _SHUFFLED,
    },
    "view, shuffled": lambda table, folder: {
        "data": _in_database(table, folder, f"CREATE VIEW v AS {_SHUFFLED}")
    },
}
STABLE = [one for one in MIXED if "spark" not in one]
ARRAYS = ["numpy", "scipy", "svmlight"]
SPARK = ["spark"]


def made(kind: str, table: pa.Table, folder: Path) -> Made:
    if kind in UNSTABLE:
        return Made(table, UNSTABLE[kind](table, folder))
    if kind in MIXED:
        return Made(table, {"data": MIXED[kind](table, folder)})
    features = ["a", "b", "c"]
    if kind == "svmlight":
        write_svmlight(table.select(["label", *features, "weight"]), folder / "t.svm")
        named = table.select([*features, "weight", "label"])
        named = named.rename_columns(["f1", "f2", "f3", "f4", "label"])
        return Made(named, {"data": folder / "t.svm"}, weights="f4")
    matrix = np.column_stack([table[name].to_numpy() for name in features])
    named = table.rename_columns(["x0", "x1", "x2", "label", "weight"])
    data = scipy.sparse.csr_array(matrix) if kind == "scipy" else matrix
    target, weights = (table[name].to_numpy() for name in ("label", "weight"))
    return Made(named, {"data": data}, target=target, weights=weights)


def one_run(kind: str, seed: int, strategy: str, folder: Path, *, weighted: bool) -> Run:
    found = made(kind, table_and_weights(seed), folder)
    roles: dict[str, Any] = {"target": found.target, "weights": found.weights}
    if not weighted:
        left_out = [found.weights] if isinstance(found.weights, str) else None
        roles = {"target": found.target, "exclude": left_out}
    weight_column = found.weights if isinstance(found.weights, str) else "weight"
    rows = found.table.drop_columns([weight_column])
    rows = rows.select([*(name for name in rows.column_names if name != "label"), "label"])
    fitted = learn(
        open_table(**found.given, **roles),
        strategy="tight" if strategy == "tight" else "progressive",
        regularization=float(REGULARIZATION),
        random_state=seed,
        threads=1,
        **ASKED,
    )
    counts = found.table[weight_column].to_numpy().astype(int)
    counts = counts if weighted else np.ones(N_ROWS, dtype=int)
    wrong = fitted.predict(rows) != rows["label"].to_numpy()
    loss = float(counts[wrong].sum() / counts.sum())
    return Run(
        holds=fitted.certificate.holds,
        lower_bound=fitted.certificate.lower_bound,
        upper_bound=fitted.certificate.upper_bound,
        loss=loss + float(REGULARIZATION) * fitted.rule_list.n_rules,
        optimum=brute_force_optimum(rows, counts, fitted.conditions),
    )


def runs(
    kinds: list[str], n_runs: int, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Run]:
    """Every other run is weighted; strategies take turns over all."""
    for number, (kind, _) in enumerate(product(kinds, range(n_runs))):
        strategy = STRATEGIES[(number // 2) % 3]
        monkeypatch.setattr(run, "SCANNED_ROWS", 0 if strategy == "validated" else N_ROWS)
        own = folder / str(number)
        own.mkdir()
        yield one_run(kind, 1000 + number, strategy, own, weighted=number % 2 == 1)


def check(found: list[Run]) -> None:
    failures = sum(one.failed for one in found)
    print(
        f"{len(found)} runs, {failures} of them wrong, {sum(one.holds for one in found)} certified"
    )
    assert failures <= most_failures(len(found), ASKED["delta"], FALSE_ALARM)
    assert sum(one.holds for one in found) > 0.9 * len(found)


def test_certificates_hold_from_every_kind_of_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check(list(runs([*STABLE, *ARRAYS, *UNSTABLE], 1, tmp_path, monkeypatch)))


@pytest.mark.slow
@pytest.mark.parametrize(
    "kinds", [[*STABLE, *ARRAYS], [*UNSTABLE], SPARK], ids=["stable", "unstable", "spark"]
)
def test_certificates_hold_from_every_kind_of_source_many_times(
    kinds: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check(list(runs(kinds, 16, tmp_path, monkeypatch)))


@pytest.mark.parametrize("alarm", [True, False])
def test_relations_that_are_not_kept_are_caught(
    alarm: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the copy, weighted draws fail: an alarm, or without that, wrong bounds."""
    monkeypatch.setattr(
        "samrule.sources.duckdb.source.with_rows_kept",
        lambda one, _: replace(one, keeps_rows=True),
    )
    if not alarm:
        monkeypatch.setattr("samrule.learning.draw_check.is_plausible_draw", lambda *_, **__: True)
    n_alarms, failures, n_runs = 0, 0, 6
    for number in range(n_runs):
        own = tmp_path / str(number)
        own.mkdir()
        try:
            found = one_run("relation, shuffled", number, "tight", own, weighted=True)
            failures += found.failed
        except InputError as error:
            n_alarms += "did not give rows drawn at random" in error.message
    assert (n_alarms if alarm else failures) > most_failures(n_runs, ASKED["delta"], FALSE_ALARM)
