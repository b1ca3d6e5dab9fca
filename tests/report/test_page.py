"""The page in a real browser: what it shows, how it behaves, and what it never does."""

import shutil
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Browser, Page, sync_playwright

import samrule
from tests.needs import need

ATTACK = "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"

# Pixels of a page without its margins.
A4 = 690


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    need("chromium")
    chromium = shutil.which("chromium")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture(scope="module")
def fitted() -> samrule.FittedRuleList:
    """Mixed columns with names and values that are attacks."""
    rng = np.random.default_rng(0)
    n = 1500
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n).astype(float),
            ATTACK: rng.choice([ATTACK, "Roma", "'; DROP TABLE x; --", "</style>"], n),
            "since": [date(2020, 1, 1) + timedelta(days=int(k)) for k in rng.integers(0, 900, n)],
            "constant \u202e": np.ones(n),
        }
    )
    frame.loc[rng.random(n) < 0.1, "age"] = np.nan
    late = frame["since"] >= date(2021, 6, 1)
    chosen = frame[ATTACK] == ATTACK
    label = np.where(frame["age"] < 30, "young", np.where(chosen, ATTACK, np.where(late, "b", "c")))
    return samrule.learn(frame, label, max_rules=4, random_state=0)


@pytest.fixture
def opened(
    browser: Browser, fitted: samrule.FittedRuleList, tmp_path: Path
) -> Iterator[tuple[Page, list[str]]]:
    fitted.report(tmp_path / "page.html")
    context = browser.new_context(offline=True)
    page = context.new_page()
    trouble: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: trouble.append(message.text))
    page.on("pageerror", lambda error: trouble.append(str(error)))
    page.on("dialog", lambda dialog: trouble.append(dialog.message))
    page.on("request", lambda request: asked.append(request.url))
    address = (tmp_path / "page.html").as_uri()
    page.goto(address)
    trouble += [url for url in asked if url != address and not url.startswith("data:")]
    yield page, trouble
    context.close()


def test_it_opens_from_disk_without_network_errors_or_attacks(
    opened: tuple[Page, list[str]], tmp_path: Path
) -> None:
    page, trouble = opened
    assert page.title() == "Rule list for target"
    assert trouble == []
    assert page.locator("script").count() == 2
    assert page.locator("img").count() == 0
    assert (tmp_path / "page.html").stat().st_size < 300_000
    # Right-to-left marks are shown, not obeyed.
    assert "\\u202e" in page.locator("main").inner_text()
    assert "\u202e" not in page.content()


def test_basics_for_everybody(opened: tuple[Page, list[str]]) -> None:
    page, _ = opened
    assert page.locator("html").get_attribute("lang") == "en"
    for landmark in ("header", "main", "footer"):
        assert page.locator(f"body > {landmark}").count() == 1
    assert page.locator("h1").count() == 1
    for table in page.locator("table").all():
        assert table.locator("caption").inner_text()
    for picture in page.locator("svg, .track").all():
        assert picture.get_attribute("role") == "img"
        assert picture.get_attribute("aria-label")
    for field in page.locator("form input, form select").all():
        assert field.evaluate("one => one.labels.length") == 1
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.dataset.field") == "0"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_its_background(opened: tuple[Page, list[str]], scheme: str) -> None:
    page, _ = opened
    page.emulate_media(color_scheme=scheme)
    read = "name => getComputedStyle(document.documentElement).getPropertyValue(name).trim()"
    colours = {
        name: page.evaluate(read, f"--{name}")
        for name in ("paper", "wash", "ink", "soft", "accent")
    }
    for text in ("ink", "soft", "accent"):
        for background in ("paper", "wash"):
            assert contrast(colours[text], colours[background]) >= 4.5, (text, background)


@pytest.mark.parametrize("width", [1100, 360])
def test_nothing_is_wider_than_the_screen(opened: tuple[Page, list[str]], width: int) -> None:
    page, _ = opened
    page.set_viewport_size({"width": width, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_paper_is_white_shows_the_bars_and_cuts_nothing(
    opened: tuple[Page, list[str]], scheme: str
) -> None:
    page, _ = opened
    page.emulate_media(media="print", color_scheme=scheme)
    page.set_viewport_size({"width": A4, "height": 1000})

    def style(selector: str, name: str) -> str:
        read = "(one, name) => getComputedStyle(one).getPropertyValue(name)"
        return str(page.locator(selector).first.evaluate(read, name))

    assert style("html", "background-color") == "rgb(255, 255, 255)"
    # Without this, printers leave backgrounds out, and bars are backgrounds.
    assert style(".track span", "print-color-adjust") == "exact"
    assert style(".swatch", "print-color-adjust") == "exact"
    # What was tried before is nobody's business on paper.
    assert not page.locator("form, #verdict, .skip").locator("visible=true").all()
    assert style("tr.fires", "outline-style") == "none"
    assert style("tr", "break-inside") == style("svg", "break-inside") == "avoid"
    right_ends = "all => Math.max(...all.map(one => one.getBoundingClientRect().right))"
    assert page.locator("main *:visible").evaluate_all(right_ends) <= A4
    cut = "all => all.filter(one => one.scrollWidth > one.clientWidth + 1).length"
    assert page.locator(".scroll").evaluate_all(cut) == 0


def test_trying_a_row_finds_the_rule_that_predict_finds(
    opened: tuple[Page, list[str]], fitted: samrule.FittedRuleList
) -> None:
    page, trouble = opened
    columns = fitted.columns
    assert set(columns) == {"age", ATTACK, "since"}
    rows = [
        {"age": age, ATTACK: text, "since": since}
        for age in (20.0, 29.5, 30.0, 1e9, -np.inf, None)
        for text in (ATTACK, "Roma", None)
        for since in (date(2021, 5, 31), date(2021, 6, 1), None)
    ]
    for row in rows:
        for place, column in enumerate(columns):
            value = row[column]
            page.locator(f"[data-missing='{place}']").set_checked(value is None)
            if value is not None:
                page.locator(f"[data-field='{place}']").fill(str(value))
        fired = page.locator("tr.fires").get_attribute("data-rule")
        assert int(fired) == fitted.explain(row).rule_number, row
        assert "decides" in page.locator("#verdict").inner_text()
    assert trouble == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_notebooks_keep_their_own_colours(
    browser: Browser, fitted: samrule.FittedRuleList, scheme: str
) -> None:
    page = browser.new_page(color_scheme=scheme)
    page.set_content(f"<body style='color: rgb(1, 2, 3)'>{fitted._repr_html_()}</body>")
    for piece in (".then", ".certificate p", "code"):
        colour = page.locator(piece).first.evaluate("one => getComputedStyle(one).color")
        assert colour == "rgb(1, 2, 3)"
    assert page.title() == ""
    page.close()


def test_columns_without_a_name_are_shown_in_quotes(browser: Browser, tmp_path: Path) -> None:
    table = pd.DataFrame({"": np.arange(100), " ": np.ones(100)})
    samrule.learn(table, table[""] >= 50).report(tmp_path / "page.html")
    page = browser.new_page()
    page.goto((tmp_path / "page.html").as_uri())
    assert page.locator("form label").first.inner_text() == "''"
    assert page.locator("li code").all_inner_texts() == ["' '"]
    page.locator("[data-field='0']").fill("49")
    assert page.locator("tr.fires").get_attribute("data-rule") == "1"
    page.close()


def test_a_report_on_another_table_counts_there(browser: Browser, tmp_path: Path) -> None:
    table = np.arange(100).reshape(-1, 1)
    fitted = samrule.learn(table, table[:, 0] >= 50)
    fitted.report(tmp_path / "page.html", table[:10], np.ones(10, dtype=bool))
    page = browser.new_page()
    page.goto((tmp_path / "page.html").as_uri())
    assert "right in 0.0% of 10 rows" in page.locator("header").inner_text()
    page.close()


def contrast(one: str, other: str) -> float:
    """Contrast of two colours as WCAG defines it."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: str) -> float:
    digits = colour.lstrip("#")
    digits = "".join(2 * one for one in digits) if len(digits) == 3 else digits
    parts = [int(digits[k : k + 2], 16) / 255 for k in (0, 2, 4)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
