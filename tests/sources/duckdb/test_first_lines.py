"""A first line of names is a header; one of values is not, and that is said."""

from pathlib import Path

import pytest

from samrule import open_table

WITHOUT = [
    "5.1,3.5,setosa\n4.9,3.0,setosa\n6.3,2.5,virginica\n",
    "39,State-gov,77516,<=50K\n50,Private,83311,<=50K\n",
    "1,0,1\n0,0,1\n1,1,0\n",
    "7;1,5;a\n8;2,5;b\n",
]
WITH = [
    "a,b\n1,2\n",
    "name,2019,2020\nx,1,2\ny,3,4\n",
    "a,b\nu,v\nu,w\n",
    "a,1\nu,v\n",
    "a,b\n",
    "id,x,y\n1,2.5,\n2,NA,u\n",
]


@pytest.mark.parametrize("text", WITHOUT)
def test_a_first_line_of_values_is_a_row(tmp_path: Path, text: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(text)
    source = open_table(path)
    n_columns = len(source.features)
    assert source.features == tuple(f"x{place}" for place in range(n_columns))
    assert source.n_rows == text.count("\n")
    assert "t.csv has no header: its first line (" in source.notes[0]
    assert f"called x0 to x{n_columns - 1}; header=True if" in source.notes[0]


@pytest.mark.parametrize("text", WITH)
def test_a_first_line_of_names_is_a_header(tmp_path: Path, text: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(text)
    source = open_table(path)
    assert source.features == tuple(text.split("\n", maxsplit=1)[0].split(","))
    assert source.n_rows == text.count("\n") - 1
    assert not any("header" in note for note in source.notes)


def test_what_is_given_is_not_found_out(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("1,2,x\n3,5,y\n")
    assert open_table(path, header=True).features == ("1", "2", "x")
    without = open_table(path, header=False)
    assert (without.features, without.n_rows, without.notes) == (("x0", "x1", "x2"), 2, ())
    path.write_text("a:b,c\n1:2,3\n")
    assert open_table(path, delimiter=":").column("b,c").to_pylist() == [2.3]
