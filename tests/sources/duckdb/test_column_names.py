"""Names of columns in text files hold whatever people typed, or pasted."""

import csv
import json
from pathlib import Path

import pytest

from samrule import evaluate, learn, open_table

NAMES = {
    "no-break space": "net\u00a0price",
    "tab": "net\tprice",
    "zero width": "net\u200bprice",
    "byte order mark": "\ufeffprice",
    "soft hyphen": "net\u00adprice",
    "line separator": "net\u2028price",
    "next line": "net\u0085price",
    "right to left": "net\u202eprice",
    "control": "net\u0001price",
    "quotes": 'the "net" price\'s',
    "blanks": " price ",
    "backslash": "net\\price",
    "chr": "' || chr(160) || '",
}


def written(name: str, kind: str, folder: Path) -> Path:
    path = folder / f"t.{kind}"
    rows = [(number // 2, number % 7 / 2, "yes" if number >= 40 else "no") for number in range(100)]
    with path.open("w", encoding="utf-8", newline="") as file:
        if kind == "csv":
            writer = csv.writer(file, quoting=csv.QUOTE_ALL)
            writer.writerow([name, f"{name}2", "class"])
            writer.writerows(rows)
        else:
            for row in rows:
                line = dict(zip([name, f"{name}2", "class"], row, strict=True))
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
    return path


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_a_column_keeps_its_name_whatever_it_holds(name: str, kind: str, tmp_path: Path) -> None:
    source = open_table(written(name, kind, tmp_path), "class")
    assert source.features == (name, f"{name}2")
    assert source.column(name).to_pylist() == [number // 2 for number in range(100)]
    assert source.draw(10, random_state=0).table.column_names == [name, f"{name}2", "class"]
    assert source.levels(name).counts == (2,) * 50
    fitted = learn(source, max_rules=1)
    assert evaluate(fitted.rule_list, source).error_rate == 0
