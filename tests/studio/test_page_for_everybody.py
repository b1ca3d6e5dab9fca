"""The studio's page is safe and usable for everybody: hostile values, no mouse, any screen."""

import pytest
from playwright.sync_api import Browser, expect

from tests.report.test_page import ATTACK, contrast
from tests.studio.page import PATIENCE, Opener, did, rules, saved, tab, undo


def test_hostile_names_and_values_run_nothing(opened: Opener, hostile_address: str) -> None:
    page = opened(hostile_address)
    page.get_by_role("button", name="Remove rule 1").click()
    did(page, "Remove")
    undo(page)
    for name in ("Alternatives", "Quality", "Groups", "Rows", "History", "Rule"):
        panel = tab(page, name)
        expect(panel.locator(".waiting")).to_have_count(0)
    for place in range(len(rules(page))):
        page.locator(".cards .condition").nth(place).click()
        expect(page.locator(".panel h2")).to_contain_text(f"Rule {place + 1}")
    saved(page, "Report")
    assert ATTACK in page.locator("body").inner_text()
    assert "owned" not in page.title()
    # One picture, our own; right-to-left marks are shown, not obeyed.
    assert page.locator("img").count() == 1
    assert page.locator("script").count() == 1
    assert "\\u202e" in page.locator("body").inner_text()
    assert "\u202e" not in page.locator("body").inner_text()


def test_everything_works_without_a_mouse(opened: Opener, address: str) -> None:
    page = opened(address)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    seen = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        seen.add(
            page.evaluate(
                "(document.activeElement.getAttribute('aria-label') "
                "?? document.activeElement.innerText ?? '').split(':')[0].trim()"
            )
        )
        # The focus can be seen wherever it is: around it, on its handle, or around its label.
        assert page.evaluate(
            """() => {
                const one = document.activeElement;
                const rings = [getComputedStyle(one), getComputedStyle(one, "::after")];
                if (one.closest("label")) rings.push(getComputedStyle(one.closest("label")));
                return one.matches("body, [role=listbox]")
                    || rings.some(ring => ring.outlineStyle !== "none");
            }"""
        )
    wanted = {"Move rule 1", "Rule 1", "Pin rule 1", "Remove rule 1", "Insert a rule before rule 1"}
    assert wanted | {"Add a rule", "Export", "Open edits", "Rule", "Cut of wait"} <= seen
    page.get_by_role("tab", name="Rule").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="Alternatives")).to_be_focused()
    expect(page.get_by_role("tabpanel", name="Alternatives")).to_be_visible()
    page.get_by_role("button", name="Export").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("menuitem").first).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_role("menu")).to_have_count(0)
    expect(page.get_by_role("button", name="Export")).to_be_focused()


def test_basics_for_everybody(opened: Opener, address: str) -> None:
    page = opened(address)
    assert page.locator("html").get_attribute("lang") == "en"
    assert page.locator("h1").count() == 1
    for name in ("Rule", "Alternatives", "Quality", "Groups", "Rows", "History"):
        panel = tab(page, name)
        expect(panel.locator(".waiting")).to_have_count(0)
        unnamed = page.evaluate(
            """() => [...document.querySelectorAll("button, select, input, [role=slider]")]
            .filter(one => !(one.labels?.length || one.ariaLabel || one.innerText.trim()))
            .map(one => one.outerHTML)"""
        )
        assert unnamed == []
        pictures = page.evaluate(
            """() => [...document.querySelectorAll("svg")].filter(one =>
            one.ariaHidden !== "true" && !one.ariaLabel && !one.querySelector("[role=listbox]"))
            .map(one => one.outerHTML)"""
        )
        assert pictures == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_its_background(opened: Opener, address: str, scheme: str) -> None:
    page = opened(address, color_scheme=scheme)
    # Which of a colour's two values holds is known where it is used.
    read = """name => {
        document.documentElement.style.color = `var(${name})`;
        const parts = getComputedStyle(document.documentElement).color.match(/\\d+/g);
        return "#" + parts.map(one => Number(one).toString(16).padStart(2, "0")).join("");
    }"""
    names = ("paper", "wash", "tint", "ink", "soft", "accent", "good", "warn", "on-accent", "edge")
    colours = {name: page.evaluate(read, f"--{name}") for name in names}
    for text in ("ink", "soft", "accent", "good", "warn"):
        for background in ("paper", "wash"):
            assert contrast(colours[text], colours[background]) >= 4.5, (text, background)
    for text in ("ink", "soft", "accent"):
        assert contrast(colours[text], colours["tint"]) >= 4.5, text
    assert contrast(colours["on-accent"], colours["accent"]) >= 4.5
    assert contrast(colours["edge"], colours["paper"]) >= 3


@pytest.mark.parametrize("width", [1440, 1024, 820])
def test_nothing_is_wider_than_the_screen(opened: Opener, address: str, width: int) -> None:
    page = opened(address, viewport={"width": width, "height": 1100}, has_touch=width < 1440)
    for name in ("Rule", "Alternatives", "Quality", "Groups", "Rows", "History"):
        panel = tab(page, name)
        expect(panel.locator(".waiting")).to_have_count(0)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        cut = "one => one.scrollWidth > one.clientWidth + 1"
        assert not panel.evaluate(cut), name


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_those_who_want_stillness_get_it(opened: Opener, address: str, motion: str) -> None:
    page = opened(address, reduced_motion=motion)
    page.evaluate(
        """() => {
            const animate = Element.prototype.animate;
            window.moves = 0;
            Element.prototype.animate = function (...how) {
                window.moves += 1;
                return animate.apply(this, how);
            };
        }"""
    )
    page.get_by_role("button", name="Remove rule 1").click()
    did(page, "Remove")
    assert (page.evaluate("window.moves") == 0) == (motion == "reduce")


def test_a_server_that_ended_is_said_so(browser: Browser, address: str) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(address)
    expect(page.locator(".card").first).to_be_visible(timeout=PATIENCE)
    context.set_offline(True)
    page.get_by_role("button", name="Remove rule 1").click()
    expect(page.locator(".refusal")).to_contain_text("The server does not answer")
    context.set_offline(False)
    page.get_by_role("button", name="Remove rule 1").click()
    did(page, "Remove")
    expect(page.locator(".refusal")).to_have_count(0)
    context.close()
