"""The studio's page for tests: a table served from a terminal, and what a person does on it."""

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd
from playwright.sync_api import Locator, Page, expect

from tests.report.test_page import ATTACK

DESKTOP = {"width": 1440, "height": 900}
# Patience for a busy machine; nothing waits longer than it must.
PATIENCE = 30_000


def guests() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    n = 3000
    age = rng.integers(18, 90, n).astype(float)
    frame = pd.DataFrame(
        {
            "age": age,
            "wait": rng.integers(0, 60, n),
            # Nearly tells the young, so that lists with it are nearly as good.
            "sex": np.where((age < 30) ^ (rng.random(n) < 0.02), "male", "female"),
            "town": rng.choice(["Padova", "Roma", "Torino"], n),
        }
    )
    noise = rng.random(n) < 0.1
    stays = (frame["wait"] < 45) & ((frame["age"] < 30) | (frame["wait"] < 20))
    frame["returns"] = np.where(stays ^ noise, "yes", "no")
    frame.loc[rng.random(n) < 0.05, "age"] = np.nan
    return frame


def hostile() -> pd.DataFrame:
    """A table whose names, values and classes are attacks."""
    rng = np.random.default_rng(0)
    n = 1500
    turned = "</script>\u202e{{7*7}}"
    frame = pd.DataFrame(
        {
            ATTACK: rng.choice([ATTACK, "Roma", "'; DROP TABLE x; --", "</style>"], n),
            turned: rng.integers(0, 50, n),
            "__proto__": rng.integers(0, 9, n),
        }
    )
    wrong = rng.random(n) < 0.1
    frame["javascript:alert(1)"] = np.where(
        (frame[ATTACK] == ATTACK) ^ (frame[turned] >= 30) ^ wrong, ATTACK, "constructor"
    )
    return frame


@contextmanager
def studio(frame: pd.DataFrame, target: str, folder: Path, *options: str) -> Iterator[str]:
    """Serve a table as people do, from a terminal; the address it prints."""
    frame.to_parquet(folder / "table.parquet")
    run = "from samrule.cli import main; main()"
    command = [sys.executable, "-c", run, "studio", str(folder / "table.parquet")]
    command += ["--target", target, "--no-browser", "--max-rules", "3", "--test", "0.2"]
    command += options
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    try:
        assert process.stdout is not None
        printed = ""
        for line in process.stdout:
            printed += line
            if found := re.search(r"http://127\.0\.0\.1:\d+/\?token=\S+", line):
                break
        else:
            raise AssertionError(printed)
        yield found[0]
    finally:
        process.terminate()
        process.wait(20)
        if process.stdout is not None:
            process.stdout.close()


Opener = Callable[..., Page]


def watched(page: Page, address: str, trouble: list[str], refuses: bool) -> None:
    """Note what must not be; the browser notes on its own what the server refuses."""
    origin = address.partition("?")[0]
    page.on(
        "console",
        lambda message: (
            None
            if refuses and "status of 422" in message.text
            else trouble.append(f"console: {message.text}")
        ),
    )
    page.on("pageerror", lambda error: trouble.append(f"error: {error}"))
    page.on("dialog", lambda dialog: trouble.append(f"dialog: {dialog.message}"))
    page.on(
        "request",
        lambda request: (
            None
            if request.url.startswith((origin, "blob:", "data:"))
            else trouble.append(f"request: {request.url}")
        ),
    )


def rules(page: Page) -> list[str]:
    """The list as the cards say it."""
    return page.locator(".cards .condition").all_inner_texts()


def did(page: Page, what: str) -> None:
    """Wait until something was done."""
    expect(page.locator(".verdict [role=status]")).to_contain_text(what)


def undo(page: Page) -> None:
    page.get_by_role("button", name="Undo").click()


def tab(page: Page, name: str) -> Locator:
    page.get_by_role("tab", name=name, exact=True).click()
    return page.get_by_role("tabpanel", name=name, exact=True)


def drag(page: Page, what: Locator, to_x: float, to_y: float) -> None:
    box = what.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move((x + to_x) / 2, (y + to_y) / 2, steps=4)
    page.mouse.move(to_x, to_y, steps=4)
    page.mouse.up()


def saved(page: Page, name: str) -> str:
    page.get_by_role("button", name="Export").click()
    with page.expect_download() as download:
        page.get_by_role("menuitem", name=re.compile(f"^{name}")).click()
    return Path(download.value.path()).read_text("utf-8")
