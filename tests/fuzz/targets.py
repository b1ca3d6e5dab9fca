"""What is fuzzed: files to start from, how to damage them, and what is then done with them.

A target may raise our own errors and nothing else.
"""

import io
import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet

from samrule import Binarizer, learn, open_table
from samrule.learning.model_file import dumps, loads
from tests.fuzz.mutations import NUMBERS, TEXTS, mutated_bytes, mutated_json
from tests.learning.tables import every_type, people


@dataclass(frozen=True)
class Target:
    """One kind of file: `seeds` make whole ones, `damage` changes one, `use` reads what is left."""

    name: str
    seeds: Callable[[], list[bytes]]
    damage: Callable[[bytes, Random], bytes]
    use: Callable[[bytes, Random, Path], None]

    def case(self, seed: int, number: int) -> tuple[bytes, Random]:
        """Return the file of one case, and the random numbers its use may go on with."""
        rng = Random(f"{self.name} {seed} {number}")
        return self.damage(rng.choice(self.seeds()), rng), rng


def use_model(content: bytes, rng: Random, _: Path) -> None:
    """Read the model; then whatever a person does with one."""
    fitted = loads(content)
    assert loads(dumps(fitted)) == fitted
    str(fitted)
    table = _rows_for(rng.choice(_TABLES))
    uses: list[Callable[[], Any]] = [
        lambda: fitted.predict(table),
        lambda: fitted.predict_proba(table),
        lambda: fitted.evaluate(table),
        lambda: fitted.explain({name: table[name][0].as_py() for name in table.column_names}),
        lambda: fitted.rule_list.to_sql(rng.choice(["duckdb", "postgres", "mysql"])),
        lambda: compile(fitted.rule_list.to_python(), "rules", "exec"),
        lambda: fitted.rule_list.to_frame("pyarrow"),
        lambda: fitted.rule_list.to_markdown() + fitted.rule_list.to_latex(),
        fitted._repr_html_,
    ]
    for use in rng.sample(uses, 3):
        use()


_TABLES = ["people", "every_type"]


@cache
def _rows_for(name: str) -> pa.Table:
    return people(50) if name == "people" else _typed(50)


@cache
def model_seeds() -> list[bytes]:
    asked: dict[str, Any] = {"max_rules": 2, "random_state": 0, "epsilon": 1.0, "theta": 0.2}
    found = [
        learn(people(500), "buys", **asked),
        learn(people(500), "buys", strategy="progressive", **asked),
    ]
    table = _typed(400)
    few = Binarizer(n_thresholds=2)
    for column in ("whole", "price", "day", "moment", "clock", "flag"):
        found.append(learn(table.select([column, "late"]), "late", binarizer=few, max_rules=1))
    kinds = Binarizer(n_thresholds=2, sets=True, intervals=True, calendar=True)
    found += [
        learn(table, "late", binarizer=kinds, max_rules=2),
        learn(people(500), "buys", max_rules=2, epsilon=None, random_state=0),
        learn(people(500), "buys", max_rules="cv", random_state=0),
        learn(people(500), "buys", max_rules=2, max_columns=1, monotone={"age": 1}),
        learn(people(500), "buys", max_rules=1, alert_rate=0.2, random_state=0),
    ]
    return [dumps(one) for one in found]


def damaged_model(content: bytes, rng: Random) -> bytes:
    if rng.random() < 0.1:
        return mutated_bytes(content, rng, [b"{", b"}", b"[", b'"', b"\\ud800", b",", b"1e999"])
    document = mutated_json(json.loads(content), rng)
    return json.dumps(document).encode()


def use_table(ending: str) -> Callable[[bytes, Random, Path], None]:
    """Open a file with this ending, and do what learning does with it."""

    def use(content: bytes, rng: Random, folder: Path) -> None:
        path = folder / f"table{ending}"
        path.write_bytes(content)
        source = open_table(path)
        names = source.schema.names
        if source.n_rows > 10_000 or len(names) > 1000:
            return
        for _ in source.scan(names):
            pass
        if source.n_rows:
            rows = source.draw(20, random_state=0)
            target = rng.choice(names)
            if rng.random() < 0.5:
                Binarizer(n_thresholds=2).fit(rows, target)
            else:
                source.levels(target)
            if rng.random() < 0.1:
                learn(path, target, max_rules=1, time_limit=2, binarizer=Binarizer(n_thresholds=2))

    return use


def _typed(n_rows: int) -> pa.Table:
    table = every_type()
    table = table.take(pa.array(np.arange(n_rows) % table.num_rows))
    late = [one >= 20 for one in table["level"].to_pylist()]
    return table.append_column("late", pa.array(late))


@cache
def _seed_tables() -> list[pa.Table]:
    rng = np.random.default_rng(0)
    strange = pa.table(
        {
            "a b": [1.5, None, float("nan"), float("inf")] * 5,
            'quo"ted': ["x,y", 'say "no"', "", None] * 5,
            "größe": rng.integers(-5, 5, 20),
            "y": ["yes", "no"] * 10,
        }
    )
    return [people(30), _typed(40), strange]


def _written(write: Callable[[pa.Table, Any], Any]) -> list[bytes]:
    found = []
    for table in _seed_tables():
        file = io.BytesIO()
        write(table, file)
        found.append(file.getvalue())
    return found


@cache
def csv_seeds() -> list[bytes]:
    plain = _written(lambda table, file: pa.csv.write_csv(_as_text(table), file))
    return [*plain, plain[0].replace(b",", b";"), plain[0].replace(b"\n", b"\r\n")]


@cache
def json_seeds() -> list[bytes]:
    return [
        b"".join(
            json.dumps(row, default=str, allow_nan=False, ensure_ascii=False).encode() + b"\n"
            for row in _without_nan(table).to_pylist()
        )
        for table in _seed_tables()
    ] + [b'{"a": [1, 2], "b": {"c": 1}}\n{"a": [], "b": {"c": 2}}\n' * 5]


@cache
def parquet_seeds() -> list[bytes]:
    def write(codec: str) -> Callable[[pa.Table, Any], Any]:
        return lambda table, file: pa.parquet.write_table(
            table, file, compression=codec, row_group_size=15
        )

    return [*_written(write("none")), *_written(write("zstd"))]


@cache
def arrow_seeds() -> list[bytes]:
    def stream(table: pa.Table, file: Any) -> None:
        with pa.ipc.new_stream(file, table.schema) as writer:
            writer.write_table(table, max_chunksize=10)

    def encoded(table: pa.Table, file: Any) -> None:
        text = [name for name in table.column_names if pa.types.is_string(table[name].type)]
        for name in text:
            place = table.column_names.index(name)
            table = table.set_column(place, name, table[name].dictionary_encode())
        pa.feather.write_feather(table, file, compression="zstd")

    def plain(table: pa.Table, file: Any) -> None:
        pa.feather.write_feather(table, file, compression="uncompressed", chunksize=10)

    return [*_written(plain), *_written(stream), *_written(encoded)]


@cache
def svmlight_seeds() -> list[bytes]:
    rng = np.random.default_rng(0)
    lines = [
        f"{rng.integers(0, 2)} " + " ".join(f"{i}:{rng.normal():.3g}" for i in (1, 3, 7))
        for _ in range(20)
    ]
    return ["\n".join(lines).encode(), b"# note\n1 qid:1 1:2 # here\n-1 qid:1 2:0.5\n" * 4]


def damaged(tokens: list[bytes]) -> Callable[[bytes, Random], bytes]:
    return lambda content, rng: mutated_bytes(content, rng, tokens)


def _as_text(table: pa.Table) -> pa.Table:
    """CSV has no times of a day in Arrow's writer."""
    keep = [name for name in table.column_names if not pa.types.is_time(table[name].type)]
    return table.select(keep)


def _without_nan(table: pa.Table) -> pa.Table:
    columns = [
        pa.array(
            [one if one is not None and math.isfinite(one) else None for one in column.to_pylist()]
        )
        if pa.types.is_floating(column.type)
        else column
        for column in table.columns
    ]
    return pa.table(dict(zip(table.column_names, columns, strict=True)))


_WORDS = [
    *(text.encode("utf-8", "surrogatepass") for text in TEXTS),
    *(str(number).encode() for number in NUMBERS),
    b",", b";", b"\t", b"|", b'"', b'""', b"\r", b"\r\n", b"\n\n", b"\xff",
    b"\xef\xbb\xbf", b"\xfe\xff", b"a,a", b"1,5", b"$1.0", b"?", b"\xc2\xa0", b"\xe2\x80\x8b",
]  # fmt: skip
_BINARY = [
    b"\0", b"\0\0\0\0", b"\xff\xff\xff\xff", b"\xff" * 8, b"\x7f" + b"\xff" * 7, b"\x80", b"PAR1",
    b"ARROW1\0\0", b"\1\0\0\0", b"\0\0\0\x80", b"\x15\x02", b"\x15\xfe\xff\xff\xff\x0f",
]  # fmt: skip
_JSON_WORDS = [
    *_WORDS,
    b"{",
    b"}",
    b"[",
    b"]",
    b":",
    b"null",
    b"[" * 2000,
    b"\\u0000",
    b"\\ud800",
    b"1e400",
]
_SVM_WORDS = [
    *_WORDS,
    b":",
    b"1:",
    b":1",
    b"inf",
    b"nan 1:1",
    b"3000000:1",
    b"9" * 30 + b":1",
    b"qid:",
    b"#",
    b"-1:1",
    b"1:1e400",
]

TARGETS = {
    target.name: target
    for target in (
        Target("model", model_seeds, damaged_model, use_model),
        Target("csv", csv_seeds, damaged(_WORDS), use_table(".csv")),
        Target("jsonl", json_seeds, damaged(_JSON_WORDS), use_table(".jsonl")),
        Target("parquet", parquet_seeds, damaged(_BINARY), use_table(".parquet")),
        Target("arrow", arrow_seeds, damaged(_BINARY), use_table(".arrow")),
        Target("svmlight", svmlight_seeds, damaged(_SVM_WORDS), use_table(".svm")),
    )
}
