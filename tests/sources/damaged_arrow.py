"""Read Arrow files with some bytes changed, in a process that may end badly; say how each went."""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from samrule import learn, open_table
from samrule.errors import SamruleError


def table_of(n_rows: int = 300) -> Any:
    """Every layout that Arrow has: offsets, views, dictionaries, children, lengths of runs."""
    rng = np.random.default_rng(0)
    words = [f"word {number}" * (number % 4) for number in range(n_rows)]
    return pa.table(
        {
            "number": rng.integers(0, 9, n_rows),
            "holes": pa.array(rng.random(n_rows), mask=rng.random(n_rows) < 0.2),
            "text": pa.array(words),
            "large text": pa.array(words, pa.large_string()),
            "view": pa.array(words, pa.string_view()),
            "few": pa.array([f"{number % 5}" for number in range(n_rows)]).dictionary_encode(),
            "list": pa.array([[number] * (number % 3) for number in range(n_rows)]),
            "truth": rng.random(n_rows) < 0.5,
            "day": pa.array(rng.integers(0, 9999, n_rows).astype("int32")).cast(pa.date32()),
            "class": pa.array([f"{number % 2}" for number in range(n_rows)]),
        }
    )


def written(path: Path, kind: str) -> bytes:
    """The file as it should be."""
    make = pa.ipc.new_file if kind == "file" else pa.ipc.new_stream
    with make(path, table_of().schema) as writer:
        writer.write_table(table_of(), max_chunksize=130)
    return path.read_bytes()


def changed(content: bytes, seed: int) -> bytes:
    """One to four bytes changed, or the end cut off."""
    rng = np.random.default_rng(seed)
    if seed % 10 == 0:
        return content[: rng.integers(0, len(content))]
    found = bytearray(content)
    for place in rng.integers(0, len(found), rng.integers(1, 5)):
        found[place] = rng.choice([0, 1, 127, 128, 255, rng.integers(256)])
    return bytes(found)


def used(data: Any) -> None:
    source = open_table(data, "class")
    for name in source.features:
        str(source.column(name))
    str(source.draw(50, random_state=0).table)
    learn(source, max_rules=1, threads=1, time_limit=5)


def main(folder: str, kind: str, first: str, last: str) -> None:
    path = Path(folder) / "t.arrow"
    content = written(path, kind)
    for seed in range(int(first), int(last)):
        path.write_bytes(changed(content, seed))
        print(seed, flush=True)
        try:
            used(path)
        except SamruleError as error:
            print("refused:", error.message[:100].encode("ascii", "replace"))


if __name__ == "__main__":
    main(*sys.argv[1:])
