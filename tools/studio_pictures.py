"""Take the pictures of docs/studio.md: `python -m tools.studio_pictures telco_churn.parquet Churn`.

It starts the studio on the table, does what the tour tells, and writes docs/images/studio-*.png.
Needs Chromium, JupyterLab and the dependency group `test`.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, expect, sync_playwright
from tools.jupyter_lab import lab

IMAGES = Path(__file__).parents[1] / "docs" / "images"
RUN = "from samrule.cli import main; main()"
PATIENCE = 120_000


def main(table: str, target: str) -> None:
    command = [sys.executable, "-u", "-c", RUN, "studio", table, "--target", target, "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            lines = iter(server.stdout or ())
            found = (re.search(r"http://\S+token=\S+", line) for line in lines)
            take(next(one[0] for one in found if one))
        finally:
            server.terminate()
    take_notebook(Path(table).resolve(), target)


def take_notebook(table: Path, target: str) -> None:
    """Show the studio in JupyterLab, remove a rule, and ask Python for the list."""
    learned = f"samrule.learn({table.name!r}, {target!r}, max_rules=4)"
    cells = ["import samrule", f"studio = {learned}.studio()\nstudio", "print(studio.edit)"]
    with (
        tempfile.TemporaryDirectory() as folder,
        lab(Path(folder), cells) as address,
        sync_playwright() as playwright,
    ):
        shutil.copy(table, folder)
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        page = browser.new_page(viewport={"width": 1280, "height": 1250})
        page.set_default_timeout(PATIENCE)
        page.goto(address)
        page.locator(".jp-CodeCell").first.click()
        for _ in cells[:2]:
            page.keyboard.press("Shift+Enter")
        page.get_by_role("button", name="Remove rule 4").click()
        expect(page.locator(".verdict")).to_contain_text("Remove")
        page.locator(".jp-CodeCell .cm-content").last.click()
        page.keyboard.press("Control+Enter")
        expect(page.locator(".jp-OutputArea-output").last).to_contain_text("Loss")
        page.get_by_role("button", name="No", exact=True).click()  # News of Jupyter.
        page.locator(".jp-WindowedPanel-outer").evaluate("one => one.scrollTo(0, 0)")
        page.wait_for_timeout(1000)
        save(page, IMAGES / "studio-notebook.png")
        browser.close()


def take(address: str) -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        expect.set_options(timeout=PATIENCE)
        for name, width, height, scheme, tour in (
            ("desktop", 1280, 920, "light", argue),
            ("alternatives", 1280, 920, "dark", choose),
            ("tablet", 820, 1180, "light", judge),
        ):
            context = browser.new_context(
                viewport={"width": width, "height": height}, color_scheme=scheme
            )
            context.set_default_timeout(PATIENCE)
            page = context.new_page()
            page.goto(address)
            expect(page.locator(".card").first).to_be_visible()
            tour(page)
            page.mouse.move(2, 400)
            expect(page.locator(".waiting, .stale, .busy.on")).to_have_count(0)
            page.wait_for_timeout(1000)
            save(page, IMAGES / f"studio-{name}.png")
            context.close()
        browser.close()


def argue(page: Page) -> None:
    """Forbid a column, and look at a cut that is being moved."""
    page.get_by_label("Column to forbid or require").select_option("TotalCharges")
    page.get_by_role("button", name="Never use it").click()
    expect(page.locator(".chip")).to_have_count(1)
    page.get_by_role("button", name=re.compile("Rule .*tenure")).first.click()
    cut = page.get_by_role("slider", name="Cut of tenure")
    for _ in range(3):
        cut.press("ArrowLeft")
    page.evaluate("scrollTo(0, 0)")


def choose(page: Page) -> None:
    """Look at the lists without a column, and at one of them."""
    page.get_by_role("tab", name="Alternatives").click()
    page.get_by_role("checkbox", name="TotalCharges").check()
    page.get_by_role("listbox").get_by_role("option").first.click()


def judge(page: Page) -> None:
    """Remove a rule, and see what errors cost."""
    page.get_by_role("button", name="Remove rule 4").click()
    page.get_by_role("tab", name="Quality").click()
    slider = page.get_by_role("slider", name="Cost of one error")
    for _ in range(4):
        slider.press("ArrowRight")
    slider.blur()
    page.evaluate("scrollTo(0, 0)")


def save(page: Page, path: Path) -> None:
    """Write what is seen, in few colours: a small file."""
    page.screenshot(path=path)
    with Image.open(path) as picture:
        few = picture.convert("RGB").quantize(255, dither=Image.Dither.NONE)
    few.save(path, optimize=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
