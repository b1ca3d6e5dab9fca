"""A JupyterLab with one notebook, for tests and pictures."""

import json
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def lab(folder: Path, texts: Sequence[str]) -> Iterator[str]:
    """Start JupyterLab in a home of its own; the address of a notebook with these cells."""
    empty = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
    cells = [{**empty, "id": f"c{place}", "source": text} for place, text in enumerate(texts)]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = {"cells": cells, "metadata": {"kernelspec": kernel}}
    (folder / "cells.ipynb").write_text(
        json.dumps({**notebook, "nbformat": 4, "nbformat_minor": 5})
    )
    homes = ("HOME", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"]
    command += ["--ip=127.0.0.1", "--port=0", "--IdentityProvider.token=cells"]
    command += [f"--ServerApp.root_dir={folder}", "--LabApp.news_url="]
    process = subprocess.Popen(
        command,
        env={**os.environ, **{name: str(folder / name.lower()) for name in homes}},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield f"{_address(folder / 'jupyter_runtime_dir')}doc/tree/cells.ipynb?token=cells"
    finally:
        process.terminate()
        process.wait(60)


def _address(folder: Path) -> str:
    """Wait until the server has written where it listens, and answers there."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        for path in folder.glob("jpserver-*.json"):
            try:
                url = str(json.loads(path.read_text())["url"])
                urllib.request.urlopen(f"{url}api?token=cells", timeout=5).close()
            except (OSError, ValueError):
                continue
            return url
        time.sleep(0.3)
    raise AssertionError("JupyterLab does not answer")
