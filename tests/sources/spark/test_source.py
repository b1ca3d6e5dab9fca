"""What only Spark can get wrong: partitions, plans that move rows, and what reaches the driver."""

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from samrule import Binarizer, Condition, Rule, RuleList, evaluate, open_table
from samrule.errors import InputError, InputTypeError, MissingExtraError
from samrule.sources.parts import held_out
from samrule.sources.spark.layout import RowsMovedError
from samrule.sources.spark.session import is_spark_frame
from samrule.sources.spark.source import SparkSource
from tests.needs import need
from tests.sources.test_draw import CHECKS, N_ROWS, sampler_of
from tests.spark import MAX_RESULT, connect_session, session, spark_frame

ALWAYS_NO = RuleList((), Rule((), "no"), ("no", "yes"))


def numbers(n_rows: int, n_parts: int) -> Any:
    """Rows with their numbers in that many partitions, many of them empty if rows are few."""
    return (
        session()
        .range(n_rows, numPartitions=n_parts)
        .selectExpr(
            "id AS number", "CAST(id % 2 AS STRING) AS class", "rand(3) AS x", "rand(4) AS y"
        )
    )


@pytest.mark.slow
@pytest.mark.parametrize("n_parts", [1, 50])
def test_draws_are_uniform_whatever_the_partitions(n_parts: int) -> None:
    """With 50 partitions 26 of them are empty; every draw is longer than the table."""
    source = open_table(numbers(N_ROWS, n_parts).select("number", "class"), "class")
    assert source.n_rows == N_ROWS
    sampler = sampler_of(source)
    for check in CHECKS:
        assert check(sampler) < 1, check.__name__


def test_partitions_do_not_change_the_draw() -> None:
    draws = [
        open_table(numbers(1000, parts), "class").draw(300, random_state=5) for parts in (1, 7)
    ]
    for draw in draws:
        assert draw.table["number"].to_pylist() == draw.rows.tolist() == draws[0].rows.tolist()


@pytest.mark.slow
def test_only_drawn_rows_and_sums_reach_the_driver() -> None:
    """Spark itself refuses to send more than a megabyte; the table is more than four."""
    frame = numbers(250_000, 5).selectExpr("*", "1 + number % 3 AS w")
    with pytest.raises(Exception, match="maxResultSize"):
        frame.toArrow()
    assert MAX_RESULT < 250_000 * 8  # Even one column is too much.
    for source in (open_table(frame, "class"), open_table(frame, "class", weights="w")):
        draw = source.draw(2000, random_state=1)
        assert draw.table["number"].to_pylist() == draw.rows.tolist()
    assert source.classes().counts == (125_000, 125_000)
    rule = Rule((Condition("number", "<", 100_000),), "0")
    found = evaluate(RuleList((rule,), Rule((), "1"), ("0", "1")), source)
    assert (found.n_rows, found.weight) == (250_000, 499_999)
    assert found.rules[0].n_rows == 100_000


def test_weighted_rows_are_those_of_other_engines() -> None:
    """Whole weights add up exactly, so the same points fall into the same rows."""
    table = pa.table({"number": np.arange(70_000), "class": ["a", "b"] * 35_000})
    table = table.append_column("w", pa.array(np.random.default_rng(0).integers(0, 4, 70_000)))
    frame = spark_frame(session(), [table.slice(0, 5), table.slice(5)])
    expected = open_table(table, "class", weights="w").draw(500, random_state=2)
    found = open_table(frame, "class", weights="w").draw(500, random_state=2)
    assert found.rows.tolist() == expected.rows.tolist()
    assert found.table.equals(expected.table)


@pytest.fixture
def small_partitions() -> Any:
    """Spark packs shuffled rows into partitions of so many bytes."""
    settings = {
        "spark.sql.shuffle.partitions": "12",
        "spark.sql.adaptive.advisoryPartitionSizeInBytes": "64k",
        "spark.sql.adaptive.coalescePartitions.minPartitionSize": "1k",
        "spark.sql.adaptive.coalescePartitions.parallelismFirst": "false",
    }
    before = {key: session().conf.get(key) for key in settings}
    for key, value in settings.items():
        session().conf.set(key, value)
    yield
    for key, value in before.items():
        session().conf.set(key, value)


def test_rows_laid_out_otherwise_are_counted_again(small_partitions: None) -> None:
    """With fewer columns there are fewer bytes to shuffle, so other partitions."""
    wide = numbers(4000, 3).selectExpr("number", "class", "repeat(uuid(), 9) AS text")
    source = open_table(wide.repartition("number"), "class")
    assert isinstance(source, SparkSource)
    counted = source._numbered.layout
    draw = source.draw(500, random_state=3)
    assert len(source._numbered.layout.counts) > len(counted.counts)
    assert len(draw) == 500
    assert source.n_rows == 4000
    assert draw.table.equals(source.draw(500, random_state=3).table)


NOW = "unix_micros(current_timestamp())"


def test_rows_that_change_are_an_error() -> None:
    changing = numbers(2000, 4).where(f"number < 100 + {NOW} % 1000")
    with pytest.raises(InputError, match=r"rows, and had|does not keep its rows"):
        open_table(changing, "class").draw(10, random_state=0)


def test_rows_that_are_others_are_an_error_although_the_counts_stay() -> None:
    """Only the weights tell, and after that all columns."""
    frame = numbers(200, 2).selectExpr("number", "class", f"(number + {NOW}) % 9 AS w")
    with pytest.raises(RowsMovedError, match="does not keep its rows"):
        open_table(frame, "class", weights="w").draw(10, random_state=0)


@pytest.mark.parametrize("spark", [session, pytest.param(connect_session, marks=pytest.mark.slow)])
def test_rows_held_out_are_kept_although_they_would_move(spark: Callable[[], Any]) -> None:
    frame = (
        spark()
        .range(2000, numPartitions=4)
        .selectExpr("id AS number", "CAST(id % 2 AS STRING) AS class", f"{NOW} AS now")
        .selectExpr("number", "class", "(number * 7919 + now) % 997 AS place")
        .sortWithinPartitions("place")
    )
    rest, test = held_out(open_table(frame, "class", exclude=["place"]), 0.2, random_state=0)
    own, others = (set(part.column("number").to_pylist()) for part in (test, rest))
    assert len(own) + len(others) == 2000
    assert set(test.draw(500, random_state=1).table["number"].to_pylist()) <= own
    assert set(rest.draw(500, random_state=1).table["number"].to_pylist()) <= others


TYPES = {
    "int8": ("CAST(id AS TINYINT)", pa.int8()),
    "int16": ("CAST(id AS SMALLINT)", pa.int16()),
    "int32": ("CAST(id AS INT)", pa.int32()),
    "int64": ("id", pa.int64()),
    "float": ("CAST(id AS FLOAT)", pa.float32()),
    "double": ("CAST(id AS DOUBLE)", pa.float64()),
    "decimal": ("CAST(id AS DECIMAL(38, 10))", pa.decimal128(38, 10)),
    "truth": ("id = 1", pa.bool_()),
    "text": ("CAST(id AS STRING)", pa.string()),
    "day": ("date_add(DATE'2020-01-01', CAST(id AS INT))", pa.date32()),
    "wall": ("TIMESTAMP_NTZ'2020-01-01 01:02:03.000004'", pa.timestamp("us")),
    "moment": ("TIMESTAMP_LTZ'2020-01-01 01:02:03.000004'", pa.timestamp("us", "UTC")),
    "hour": ("TIME'01:02:03.000004'", pa.time64("us")),
    "bytes": ("X'00'", pa.binary()),
    "list": ("array(id)", pa.list_(pa.field("element", pa.int64(), nullable=False))),
}


def test_every_type_arrives_as_itself_and_nested_ones_are_left_out() -> None:
    made = [f"{sql} AS {name}" for name, (sql, _) in TYPES.items()]
    frame = session().range(4).selectExpr(*made, "map('a', id) AS pairs", "id % 2 AS y")
    source = open_table(frame, "y")
    for name, (_, type_) in TYPES.items():
        assert source.schema.field(name).type == type_, name
    draw = source.draw(200, random_state=0)
    scanned = pa.Table.from_batches(list(source.scan()))
    assert scanned.take(pa.array(draw.rows)).to_pylist() == draw.table.to_pylist()
    left_out = {one.column for one in Binarizer().fit(draw, "y").left_out}
    assert {"bytes", "list", "pairs"} <= left_out
    # Spark 4.3 does not group times of day yet.
    for name in ("truth", "text", "day", "wall", "moment", "decimal"):
        values = scanned[name].to_pylist()
        assert set(source.levels(name).values) == set(values), name


def test_types_that_cannot_travel_are_named() -> None:
    frame = session().range(3).selectExpr("id", "make_interval(id) AS span", "id % 2 AS y")
    with pytest.raises(InputTypeError, match="type interval in column 'span'") as error:
        open_table(frame, "y")
    assert "exclude=['span']" in str(error.value.hint)
    assert open_table(frame, "y", exclude=["span"]).n_rows == 3


@pytest.mark.parametrize("case_sensitive", ["true", "false"])
def test_any_names_will_do(case_sensitive: str) -> None:
    names = ["a", "A", "", " ", "a.b", "`", "select", 'the "top"', "größe", "x\ny", "c0", "${x}"]
    table = pa.table({name: [place, place + 1] for place, name in enumerate(names)})
    table = table.append_column("y", pa.array(["u", "v"]))
    session().conf.set("spark.sql.caseSensitive", case_sensitive)
    try:
        source = open_table(session().createDataFrame(table), "y")
        assert source.schema.names == table.column_names
        draw = source.draw(5, random_state=0)
        assert draw.table.equals(table.take(pa.array(draw.rows)))
        rules = tuple(
            Rule((Condition(name, ">=", place + 2),), "u") for place, name in enumerate(names)
        )
        right = Rule((Condition("A", ">=", 2),), "v")
        rule_list = RuleList((*rules, right), Rule((), "u"), ("u", "v"))
        assert evaluate(rule_list, source).error_rate == 0
    finally:
        session().conf.unset("spark.sql.caseSensitive")


def test_repeated_names_are_an_error() -> None:
    with pytest.raises(InputError, match="more than one column named 'number'"):
        open_table(numbers(3, 1).select("number", "number", "class"), "class")


def test_texts_compare_by_letters_whatever_their_collation() -> None:
    frame = session().sql(
        "SELECT t COLLATE UTF8_LCASE AS t, y FROM VALUES ('a', 'no'), ('A', 'yes') AS rows(t, y)"
    )
    source = open_table(frame, "y")
    assert sorted(source.levels("t").values) == ["A", "a"]
    big = Rule((Condition("t", "==", "A"),), "yes")
    assert evaluate(RuleList((big,), Rule((), "no"), ("no", "yes")), source).error_rate == 0


@pytest.mark.slow
def test_no_rows_and_no_partitions_are_an_error() -> None:
    empty = session().createDataFrame([], "x bigint, y string")
    for frame in (empty, numbers(5, 3).selectExpr("x", "class AS y").where("x < 0")):
        source = open_table(frame, "y")
        assert source.n_rows == 0
        assert list(source.scan()) == []
        assert source.levels("x").values == ()
        with pytest.raises(InputError, match="no rows"):
            source.draw(3, random_state=0)
        with pytest.raises(InputError, match="nothing to evaluate"):
            evaluate(ALWAYS_NO, source)


@pytest.mark.parametrize("bad", ["-1D", "double('NaN')", "double('infinity')", "NULL"])
def test_bad_weights_are_told(bad: str) -> None:
    frame = numbers(9, 2).selectExpr(
        "number", "'no' AS class", f"CASE WHEN number = 4 THEN {bad} ELSE 1D END AS w"
    )
    source = open_table(frame, "class", weights="w")
    with pytest.raises(InputError, match=r"weight column 'w' has .*; expected finite"):
        source.draw(3, random_state=0)
    with pytest.raises(InputError, match=r"weight column 'w' has .*; expected finite"):
        evaluate(ALWAYS_NO, source)
    with pytest.raises(InputError, match="weight column 'class' holds string"):
        evaluate(ALWAYS_NO, source, "class", "class")


def test_streams_are_turned_away() -> None:
    with pytest.raises(InputTypeError, match="is a stream"):
        open_table(session().readStream.format("rate").load())


def test_what_spark_says_is_one_line_without_secrets() -> None:
    fails = numbers(3, 1).selectExpr(
        "class", "IF(number < 9, raise_error('at https://me:secret@host/?key=secret'), 1) AS x"
    )
    with pytest.raises(InputError, match=r"could not be read: .*https://host") as error:
        open_table(fails, "class").draw(3, random_state=0)
    assert "secret" not in str(error.value)
    assert len(error.value.message.splitlines()) == 1


def test_a_stopped_session_is_told() -> None:
    port = connect_session().client._builder.url.port
    from pyspark.sql.connect.session import SparkSession

    short = SparkSession.builder.remote(f"sc://127.0.0.1:{port}").create()
    source = open_table(short.range(3).selectExpr("id", "id % 2 AS y"), "y")
    short.stop()
    with pytest.raises(InputError, match="session that was stopped"):
        source.draw(3, random_state=0)


@pytest.mark.slow
def test_a_stopped_classic_session_is_told() -> None:
    """In a process of its own: all classic sessions of one are stopped together."""
    need("java")
    program = """
from pyspark.sql import SparkSession
from samrule import open_table
spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
frame = spark.range(3).selectExpr("id", "id % 2 AS y")
source = open_table(frame, "y")
spark.stop()
for act in (lambda: source.draw(3, random_state=0), lambda: open_table(frame, "y")):
    try:
        act()
    except ValueError as error:
        print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.count("belongs to a Spark session that was stopped") == 2


def test_an_old_pyspark_is_told_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    old = type("DataFrame", (), {"__module__": "pyspark.sql.dataframe"})()
    assert is_spark_frame(old)
    with pytest.raises(MissingExtraError, match=r"pip install 'samrule\[spark\]'"):
        open_table(old)


def test_pyspark_is_not_imported_for_other_tables() -> None:
    program = "import sys, numpy, samrule; samrule.open_table(numpy.eye(2)); print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert "pyspark" not in done.stdout.split()


@pytest.mark.parametrize(("required", "outcome"), [("", pytest.skip), ("java", pytest.fail)])
def test_without_java_tests_are_skipped_unless_it_is_required(
    required: str, outcome: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("SAMRULE_REQUIRE", required)
    start = session.__wrapped__  # As for the first test that asks.
    with pytest.raises(outcome.Exception, match="needs java: apt-get install default-jre-headless"):
        start()
