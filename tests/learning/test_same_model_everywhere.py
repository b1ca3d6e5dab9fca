"""One table in memory, in a file and in Spark: one model, to the last byte of its file."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from samrule import learn
from tests.spark import session


@pytest.fixture(scope="module")
def guests() -> pa.Table:
    rng = np.random.default_rng(0)
    n = 4000
    age, wait = rng.integers(18, 90, n), rng.random(n) * 60
    city = rng.choice(["Padova", "Roma", "Milano"], n)
    returns = ((age < 30) | (wait < 20) & (city == "Roma")) ^ (rng.random(n) < 0.1)
    return pa.table(
        {"age": age, "wait": wait, "city": city, "returns": np.where(returns, "y", "n")}
    )


@pytest.mark.slow
@pytest.mark.parametrize("strategy", ["exact", "progressive"])
def test_memory_parquet_and_spark_give_the_same_model(
    guests: pa.Table, strategy: str, tmp_path: Path
) -> None:
    pq.write_table(guests, tmp_path / "guests.parquet")
    tables = {
        "memory": guests,
        "file": tmp_path / "guests.parquet",
        "spark": session().createDataFrame(guests),
    }
    written, predicted = [], []
    for place, table in tables.items():
        for threads in (1, 2):
            fitted = learn(
                table, "returns", strategy=strategy, epsilon=0.9, theta=0.2, random_state=3,
                threads=threads,
            )  # fmt: skip
            fitted.save(tmp_path / place)
            written.append((tmp_path / place).read_bytes())
            predicted.append(fitted.predict(table).tolist())
    assert len(set(written)) == 1
    assert all(one == predicted[0] for one in predicted)
