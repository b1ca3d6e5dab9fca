"""The studio in a real JupyterLab: cells, a kernel, and the widget between them."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect
from tools.jupyter_lab import lab

from tests.needs import need
from tests.studio.page import did, rules, tab, undo

CELLS = [
    """\
import numpy as np, pyarrow as pa, samrule
rng = np.random.default_rng(0)
age, wait = rng.integers(18, 90, 3000), rng.integers(0, 60, 3000)
returns = np.where(wait >= 45, False, (age < 30) | (wait < 20)) ^ (rng.random(3000) < 0.1)
guests = pa.table({"age": age, "wait": wait, "far": age % 7 == 0, "returns": returns})
studio = samrule.learn(guests, "returns", max_rules=3).studio()
studio""",
    "print('Python has', [str(rule) for rule in studio.rule_list.rules])",
]


@pytest.mark.slow
def test_the_studio_in_jupyterlab(browser: Browser, tmp_path: Path) -> None:
    need("jupyterlab")
    with lab(tmp_path, CELLS) as address:
        context = browser.new_context(viewport={"width": 1440, "height": 1000})
        context.set_default_timeout(60_000)
        expect.set_options(timeout=60_000)
        page = context.new_page()
        errors: list[str] = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(address)
        page.locator(".jp-CodeCell").first.click()
        for _ in CELLS:
            page.keyboard.press("Shift+Enter")
        expect(page.locator(".card")).to_have_count(4)
        before = rules(page)
        second = page.locator(".jp-CodeCell").nth(1)
        expect(second).to_contain_text("Python has")
        n_cells = page.locator(".jp-CodeCell").count()
        # Letters in the studio are not the notebook's commands: x would cut the cell.
        page.get_by_role("button", name="Insert a rule before rule 1").focus()
        for key in ("x", "d", "d", "a"):
            page.keyboard.press(key)
            page.wait_for_timeout(200)
        expect(page.locator(".jp-CodeCell")).to_have_count(n_cells)
        page.get_by_role("button", name="Remove rule 1").click()
        did(page, "Remove")
        assert rules(page) == before[1:]
        second.locator(".cm-content").click()
        page.keyboard.press("Control+Enter")
        expect(second).to_contain_text(f"Python has ['if {before[1]} then")
        undo(page)
        did(page, "As learned")
        for name in ("Alternatives", "Quality", "Groups", "Rows", "History", "Rule"):
            expect(tab(page, name).locator(".waiting")).to_have_count(0)
        top = page.locator("header.top")
        expect(top).to_have_css("background-color", "rgb(255, 255, 255)")
        page.get_by_role("menuitem", name="Settings", exact=True).click()
        page.locator(".lm-Menu").get_by_text("Theme", exact=True).click()
        page.locator(".lm-Menu").get_by_text("JupyterLab Dark", exact=True).click()
        expect(top).to_have_css("background-color", "rgb(29, 35, 42)")
        context.close()
        assert errors == []
