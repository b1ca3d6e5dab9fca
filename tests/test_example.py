"""The example notebook shows what happens: its cells run anew and give the outputs stored in it.

``python -m tests.test_example`` runs it and stores what it gives now.
"""

import tempfile
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).parents[1] / "docs" / "example.ipynb"


def test_the_stored_outputs_are_those_of_today(tmp_path: Path) -> None:
    stored = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(stored)
    today = executed(stored, tmp_path)
    assert [shown(cell) for cell in stored.cells] == [shown(cell) for cell in today.cells]
    assert (tmp_path / "parcels.html").read_text().startswith("<!DOCTYPE html>")


def test_it_shows_the_rules_the_certificate_and_two_pictures() -> None:
    outputs = [output for cell in code_cells() for output in cell.outputs]
    pieces = [output.data for output in outputs if output.output_type != "stream"]
    assert sum("image/png" in piece for piece in pieces) == 2
    assert any('class="certificate"' in piece.get("text/html", "") for piece in pieces)
    assert not [output for output in outputs if output.get("name") == "stderr"]


def test_it_tells_nothing_about_the_machine_it_ran_on() -> None:
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    assert set(notebook.metadata) == {"kernelspec", "language_info"}
    assert set(notebook.metadata.language_info) == {"name"}
    assert all(cell.metadata == {} for cell in notebook.cells)
    written = NOTEBOOK.read_text()
    folders = (str(Path.home()), tempfile.gettempdir(), "site-packages")
    assert not [one for one in folders if one in written]


def code_cells() -> list[Any]:
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def executed(notebook: Any, folder: Path) -> Any:
    """Run a copy in a kernel of its own, in a folder where it may write."""
    copy = nbformat.from_dict(notebook)
    client = NotebookClient(copy, timeout=300, record_timing=False)
    return client.execute(cwd=str(folder))


def shown(cell: Any) -> list[Any]:
    """Return what a cell shows, pictures left out: fonts and versions draw them differently."""
    outputs = cell.get("outputs", [])
    return [
        output.text
        if output.output_type == "stream"
        else {kind: text for kind, text in output.data.items() if kind != "image/png"}
        for output in outputs
    ]


def refresh() -> None:
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        notebook = executed(notebook, Path(folder))
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    nbformat.write(notebook, NOTEBOOK)


if __name__ == "__main__":
    refresh()
