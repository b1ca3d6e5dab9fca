"""`samrule demo`: finds what it hid in a file of many rows, and says so in plain text."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

import samrule
from samrule.cli.demo import HIDDEN_LIST, random_trains
from samrule.evaluation import evaluate
from tests.cli.conftest import Done


def test_demo_learns_the_hidden_list_from_its_file(run: Callable[..., Done], folder: Path) -> None:
    done = run("demo", "--rows", "250001", "--folder", "a/b", "--quiet")
    assert done.code == 0, done.err
    assert "It is the hidden list, found again from the file alone." in done.out
    assert "if wind force >= 9 then late" in done.out
    assert "the paper would draw " in done.out
    assert "\x1b" not in done.out
    assert " \n" not in done.out
    assert pq.read_metadata(folder / "a/b/trains.parquet").num_rows == 250_001
    assert sorted(path.name for path in (folder / "a/b").iterdir()) == [
        "model.json",
        "trains.parquet",
    ]
    assert samrule.load(folder / "a/b/model.json").rule_list.n_rules == 3


def test_another_list_is_compared_with_the_hidden_one(run: Callable[..., Done]) -> None:
    # With half of the outcomes turned around nothing is left to find.
    done = run("demo", "--rows", "1000", "--noise", "0.5", "--folder", "here")
    assert done.code == 0
    assert "% of the trains, the hidden list on " in done.out


def test_noise_turns_the_stated_share_around() -> None:
    # 20,000 coin flips at 10 %: outside 0.1 +- 0.015 once in 10^12 seeds.
    trains = random_trains(20_000, 0.1, np.random.default_rng(5))
    assert abs(evaluate(HIDDEN_LIST, trains, "outcome").error_rate - 0.1) < 0.015
