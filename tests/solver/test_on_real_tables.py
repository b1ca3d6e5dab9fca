"""Optimal losses on whole tables, as the one-thread trial solver and CORELS found them."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from samrule import Status, solve
from tests.reference.paper_binarization import binarized

pytestmark = pytest.mark.data

# Origin: SOLVER.md, found by a separate solver with regularization 0.0001.
OPTIMA = [
    ("adult", ">50K", 174, {4: 0.17603957}),
    ("bank", "yes", 151, {4: 0.09132454}),
    ("a9a", "1", 123, {4: 0.18138339}),
    ("mushroom", "p", 117, {5: 0.00345421}),
    ("ijcnn1", "1", 112, {4: 0.04966882}),
    ("phishing", "1", 68, {6: 0.07405093, 7: 0.07261316, 8: 0.07036128}),
    ("compas_corels_rules", "1", 155, {3: 0.33887297, 4: 0.32849370, 5: 0.32628209}),
]


@pytest.mark.parametrize(("name", "positive", "n_conditions", "optima"), OPTIMA)
def test_optimal_losses_on_whole_tables(
    data_dir: Path, name: str, positive: str, n_conditions: int, optima: dict[int, float]
) -> None:
    rows, labels = binarized(data_dir / f"{name}.parquet", positive)
    assert rows.shape[1] == n_conditions
    solution = solve(rows, labels, max_rules=max(optima))
    assert solution.status is Status.OPTIMAL
    for max_rules, loss in optima.items():
        assert solution.path[max_rules] == pytest.approx(loss, abs=5e-9)
    assert solution.loss == solution.path[-1]


def test_compas_with_seven_rules_stops_in_time_with_a_valid_gap(data_dir: Path) -> None:
    rows, labels = binarized(data_dir / "compas_corels_rules.parquet", "1")
    worked = time.process_time()
    solution = solve(rows, labels, max_rules=7, time_limit=2)
    assert time.process_time() - worked < 8 * (os.cpu_count() or 1)
    assert solution.status is Status.TIME_LIMIT
    assert 0 < solution.lower_bound < solution.loss <= 0.32628209 + 1e-3


def test_compas_with_seven_rules_answers_to_ctrl_c(data_dir: Path) -> None:
    path = data_dir.resolve() / "compas_corels_rules.parquet"
    program = textwrap.dedent(f"""
        from pathlib import Path
        from samrule import solve
        from tests.reference.paper_binarization import binarized
        rows, labels = binarized(Path({str(path)!r}), "1")
        solution = solve(rows, labels, max_rules=7, progress=lambda _: print("on", flush=True))
        print(solution.status, solution.gap > 0, flush=True)
    """)
    with subprocess.Popen(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "on\n"
        process.send_signal(signal.SIGINT)
        while (line := process.stdout.readline()) == "on\n":
            pass
        assert line == "interrupted True\n"
    assert process.returncode == 0
