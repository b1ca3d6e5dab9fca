"""A folder of small tables and a model, and commands run in it as a user runs them."""

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

from samrule.cli import main


class Done(NamedTuple):
    """What a command left: its exit code and what it printed."""

    code: int
    out: str
    err: str


def write_hard_table(path: Path) -> None:
    """Write noise: no list is good, so no bound cuts the search short."""
    rng = np.random.default_rng(0)
    columns = {f"c{i}": rng.random(3000) < 0.5 for i in range(60)}
    pa.parquet.write_table(pa.table({**columns, "y": rng.random(3000) < 0.5}), path)


@pytest.fixture(scope="session")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tables good and bad, and a model; copied for each test that asks for `run`."""
    folder = tmp_path_factory.mktemp("tables")
    rng = np.random.default_rng(0)
    age, city = rng.integers(18, 90, 400), rng.choice(["Padova", "Roma"], 400)
    buys = np.where((age >= 60) | (city == "Roma"), "yes", "no")
    weight = np.where(np.arange(400) < 5, -1.0, 1.0)
    good = pa.table({"age": age, "city": city, "weight": weight, "buys": buys})
    pa.csv.write_csv(good, folder / "good.csv")
    pa.parquet.write_table(good, folder / "good.parquet")
    (folder / "nowhere.csv").mkdir()
    (folder / "folder").mkdir()
    texts = {
        "empty.csv": "",
        "header.csv": "age,city,buys\n",
        "one_class.csv": "age,buys\n1,no\n2,no\n",
        "null_class.csv": "age,buys\n1,no\n2,yes\n3,\n",
        "twice.csv": "age,age,buys\n1,2,no\n3,4,yes\n",
        "ragged.csv": "age,buys\n1,no\n2,yes,3\n",
        "only_target.csv": "buys\nno\nyes\n",
        "constant.csv": "age,buys\n" + "1,no\n1,yes\n" * 30,
        "other.csv": "size,colour\n1,red\n2,blue\n",
        "other_types.csv": "age,city,weight,buys\nold,5,1,yes\nyoung,6,1,no\n",
        "text.parquet": "age,buys\n1,no\n",
        "nameless": "age,buys\n1,no\n2,yes\n",
        "zipped.csv.gz": "age,buys\n1,no\n2,yes\n",
        "wide.csv": "".join(
            ",".join([*(f"c{i}" if row is None else str(row >> i % 5 & 1) for i in range(99)), y])
            + "\n"
            for row, y in [(None, "y"), *((row, f"{row % 2}") for row in range(40))]
        ),
        "bad.jsonl": '{"age": 1, "buys"\n',
        "text.json": "not a model",
        "list.json": "[1, 2]",
        "nan.json": '{"format": NaN}',
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
    (folder / "latin.csv").write_bytes("città,buys\nForlì,no\n".encode("latin-1"))
    whole = (folder / "good.parquet").read_bytes()
    (folder / "cut.parquet").write_bytes(whole[: len(whole) // 2])
    with duckdb.connect(str(folder / "shop.duckdb")) as shop:
        shop.execute("CREATE TABLE a AS FROM (VALUES (1, 'no'), (2, 'yes')) t(age, buys)")
        shop.execute("CREATE TABLE b AS FROM a")
    _write_models(folder)
    return folder


def _write_models(folder: Path) -> None:
    import samrule

    path = folder / "model.json"
    samrule.learn(folder / "good.csv", "buys", exclude=["weight"], random_state=0).save(path)
    model = json.loads(path.read_text())
    (folder / "cut.json").write_bytes(path.read_bytes()[:500])
    (folder / "newer.json").write_text(json.dumps({**model, "version": 99}))
    (folder / "more.json").write_text(json.dumps({**model, "extra": 1}))
    (folder / "less.json").write_text(
        json.dumps({key: value for key, value in model.items() if key != "rule_list"})
    )


@pytest.fixture
def folder(tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the tables, as the current folder."""
    copy = tmp_path / "here"
    shutil.copytree(tables, copy)
    monkeypatch.chdir(copy)
    return copy


@pytest.fixture
def run(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Done]:
    """Run `samrule` with arguments, in this process, in the folder of tables."""

    def _run(*arguments: str) -> Done:
        monkeypatch.setattr(sys, "argv", ["samrule", *arguments])
        with pytest.raises(SystemExit) as exit_:
            main()
        printed = capsys.readouterr()
        return Done(int(exit_.value.code or 0), printed.out, printed.err)

    return _run
