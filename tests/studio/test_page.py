"""The studio's page in a real browser: the whole tour, by mouse and by keyboard."""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
from playwright.sync_api import Route, expect

from tests.studio.page import Opener, did, drag, rules, saved, studio, tab, undo


def test_the_list_stands_there_as_cards_with_what_each_rule_is_worth(
    opened: Opener, address: str
) -> None:
    page = opened(address)
    assert page.title() == "returns · samrule studio"
    assert "token" not in page.url
    assert len(rules(page)) == 3
    expect(page.locator(".card")).to_have_count(4)
    first = page.locator(".card").first
    expect(first).to_contain_text(re.compile(r"covers \d+\.\d\s%"))
    expect(first).to_contain_text(re.compile(r"right in \d+\.\d\s%"))
    expect(first).to_contain_text(re.compile(r"without it \+\d+"))
    expect(page.locator(".verdict")).to_contain_text("no list of this shape is better")
    expect(page.locator(".verdict")).to_contain_text("held-out rows")


def test_replacements_are_priced_taken_and_undone(opened: Opener, address: str) -> None:
    page = opened(address)
    before = rules(page)
    page.locator(".cards .condition").nth(1).click()
    panel = page.get_by_role("tabpanel")
    expect(panel.get_by_role("heading", level=2)).to_contain_text("Rule 2")
    offer = panel.get_by_role("list", name="Rules to put in its place").get_by_role("button").first
    expect(offer).to_contain_text("%")
    words = offer.locator("code").inner_text()
    offer.click()
    did(page, f"Rule 2: {words}")
    assert rules(page) == [before[0], words, before[2]]
    expect(page.locator(".verdict")).to_contain_text("than before, at most")
    undo(page)
    did(page, "As learned")
    assert rules(page) == before
    page.get_by_role("button", name="Redo").click()
    did(page, f"Rule 2: {words}")
    page.keyboard.press("Control+z")
    did(page, "As learned")


def test_a_cut_is_dragged(opened: Opener, address: str) -> None:
    page = opened(address)
    before = rules(page)
    handle = page.get_by_role("slider", name="Cut of wait")
    expect(handle).to_have_attribute("aria-valuetext", re.compile(r"wait (<|>=) 20"))
    box = handle.bounding_box()
    assert box is not None
    drag(page, handle, box["x"] + box["width"] / 2 + 80, box["y"] + 40)
    did(page, "Move the cut of wait to")
    after = rules(page)
    assert after[0] != before[0]
    assert after[0].startswith("wait")
    undo(page)
    did(page, "As learned")
    assert rules(page) == before


def test_a_cut_is_moved_by_keyboard_and_only_enter_fixes_it(opened: Opener, address: str) -> None:
    page = opened(address)
    before = rules(page)
    handle = page.get_by_role("slider", name="Cut of wait")
    handle.focus()
    started = handle.get_attribute("aria-valuetext")
    handle.press("ArrowRight")
    expect(handle).not_to_have_attribute("aria-valuetext", str(started))
    handle.press("Escape")
    expect(handle).to_have_attribute("aria-valuetext", str(started))
    assert rules(page) == before
    handle.press("ArrowRight")
    handle.press("ArrowRight")
    moved = handle.get_attribute("aria-valuetext")
    assert moved is not None
    assert "%" in moved
    handle.press("Enter")
    did(page, "Move the cut of wait to")
    assert rules(page)[0] == moved.partition(",")[0]


def test_levels_of_a_text_column_can_be_asked_for(opened: Opener, address: str) -> None:
    page = opened(address)
    page.get_by_role("button", name="Add a rule").click()
    page.get_by_label("Find").fill("town")
    found = page.get_by_role("list", name="Rules to insert").get_by_role("button")
    expect(found.first).to_contain_text("town")
    found.first.click()
    did(page, "as rule 4")
    assert len(rules(page)) == 4
    panel = page.get_by_role("tabpanel")
    expect(panel.get_by_role("heading", level=2)).to_contain_text("Rule 4: town")
    other = panel.locator(".levels .link").first
    town = other.inner_text().partition(":")[0].strip()
    other.click()
    did(page, f"Rule 4: town = {town}")
    panel.get_by_label("Ask something else of it").select_option(index=1)
    expect(page.locator(".verdict [role=status]")).not_to_contain_text(f"town = {town}")


def test_rules_are_pinned_and_columns_forbidden_and_required(opened: Opener, address: str) -> None:
    page = opened(address)
    before = rules(page)
    page.get_by_role("button", name="Pin rule 2").click()
    did(page, "Pin")
    assert rules(page)[0] == before[1]
    pinned = page.get_by_role("button", name="Pin rule 1")
    expect(pinned).to_have_attribute("aria-pressed", "true")
    expect(pinned).to_be_focused()
    page.get_by_role("button", name="Pin rule 1").click()
    did(page, "Unpin")
    assert rules(page) == before
    page.get_by_label("Column to forbid or require").select_option("age")
    never = page.get_by_role("button", name="Never use it")
    expect(never).to_contain_text("%")
    never.click()
    did(page, "Forbid age")
    assert not [one for one in rules(page) if "age" in one]
    expect(page.locator(".verdict")).to_contain_text("worse than before")
    page.get_by_role("button", name="Take back").click()
    did(page, "Take back")
    assert rules(page) == before
    page.get_by_label("Column to forbid or require").select_option("sex")
    page.get_by_role("button", name="Always use it").click()
    did(page, "Require sex")
    assert [one for one in rules(page) if "sex" in one]


def test_wishes_can_wait_for_the_button(opened: Opener, address: str) -> None:
    page = opened(address)
    before = rules(page)
    page.get_by_label("at once, when I pin, forbid or require").uncheck()
    page.get_by_role("button", name="Never wait").click()
    did(page, "Forbid wait")
    assert rules(page) == before
    expect(page.locator(".optimize")).to_contain_text("does not obey what you said yet")
    page.get_by_role("button", name="Re-optimize").click()
    did(page, "Re-optimize")
    assert not [one for one in rules(page) if "wait" in one]
    expect(page.locator(".optimize")).to_contain_text("This is the best list that obeys")
    expect(page.get_by_role("button", name="Re-optimize")).to_be_disabled()


def test_rules_are_reordered_by_drag_and_by_keyboard(opened: Opener, address: str) -> None:
    page = opened(address)
    before = rules(page)
    last = page.locator(".card").nth(2).bounding_box()
    assert last is not None
    grip = page.get_by_role("button", name="Move rule 1", exact=True)
    drag(page, grip, last["x"] + 20, last["y"] + last["height"] - 4)
    did(page, "Move rule 1 to place 3")
    assert rules(page) == [before[1], before[2], before[0]]
    grip = page.get_by_role("button", name="Move rule 3", exact=True)
    grip.focus()
    grip.press("ArrowUp")
    did(page, "Move rule 3 to place 2")
    assert rules(page) == [before[1], before[0], before[2]]
    expect(page.get_by_role("button", name="Move rule 2", exact=True)).to_be_focused()
    page.keyboard.press("ArrowUp")
    did(page, "Move rule 2 to place 1")
    assert rules(page) == before
    for place in (2, 3):
        page.keyboard.press("ArrowDown")
        did(page, f"Move rule {place - 1} to place {place}")
        moved = page.get_by_role("button", name=f"Move rule {place}", exact=True)
        expect(moved).to_be_focused()
    assert rules(page) == [before[1], before[2], before[0]]


def test_rules_are_removed_inserted_and_relabelled(opened: Opener, address: str) -> None:
    page = opened(address)
    before = rules(page)
    page.get_by_role("button", name="Remove rule 2").click()
    did(page, "Remove")
    assert rules(page) == [before[0], before[2]]
    # The keyboard is not lost with the rule that had it.
    expect(page.locator(".cards .condition").nth(1)).to_be_focused()
    page.get_by_role("button", name="Insert a rule before rule 2").focus()
    page.keyboard.press("Enter")
    page.get_by_label("Find").fill("age")
    found = page.get_by_role("list", name="Rules to insert").get_by_role("button")
    expect(found.first).to_contain_text("age")
    found.first.click()
    did(page, "Insert")
    assert "age" in rules(page)[1]
    chosen = page.get_by_label("Class that rule 1 predicts")
    was = page.locator(".card").first.locator("option:checked").inner_text()
    chosen.select_option(label="no" if was == "yes" else "yes")
    did(page, "Rule 1 predicts")
    expect(page.locator(".card").first).to_contain_text("yours")
    chosen.select_option(label="what fits its rows")
    did(page, "predicts what fits")
    expect(page.locator(".card").first).not_to_contain_text("yours")
    page.get_by_label("Class that the default predicts").select_option(index=1)
    did(page, "The default predicts")


def test_a_condition_is_added_and_left_out_again(opened: Opener, address: str) -> None:
    page = opened(address)
    before = rules(page)
    page.locator(".cards .condition").nth(1).click()
    panel = page.get_by_role("tabpanel")
    expect(panel.get_by_role("button", name="Leave out")).to_have_count(0)
    more = panel.get_by_role("button", name="Add a condition")
    expect(more).to_have_attribute("aria-expanded", "false")
    more.focus()
    page.keyboard.press("Enter")
    panel.get_by_label("Find").fill("town")
    found = panel.get_by_role("list", name="Rule 2 with one more condition").get_by_role("button")
    expect(found.first).to_contain_text(re.compile(rf"^{re.escape(before[1])} and town"))
    expect(found.first).to_contain_text("%")
    words = found.first.locator("code").inner_text()
    loss = found.first.locator(".price").get_attribute("title")
    found.first.focus()
    page.keyboard.press("Enter")
    did(page, "Rule 2: and town")
    assert rules(page) == [before[0], words, before[2]]
    expect(page.locator(".verdict .figure strong")).to_have_text(str(loss).removeprefix("Loss "))
    # Each condition has its picture, and can be left out.
    expect(panel.get_by_role("region", name="Column town")).to_be_visible()
    expect(panel.get_by_role("button", name="Leave out")).to_have_count(2)
    panel.get_by_role("button", name="Leave out town").click()
    did(page, "Rule 2: without town")
    assert rules(page) == before
    undo(page)
    did(page, "Rule 2: and town")
    assert json.loads(saved(page, "Edits"))["steps"][0]["step"] == "add_condition"
    undo(page)
    did(page, "As learned")


def hard() -> pd.DataFrame:
    """A table on which a search for lists with a useless column does not end soon."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({f"x{place}": rng.integers(0, 40, 1000) for place in range(8)})
    wrong = rng.random(1000) < 0.25
    frame["y"] = np.where((frame["x0"] + frame["x1"] > 40) ^ wrong, "yes", "no")
    return frame


def test_a_search_that_ended_too_soon_goes_on(opened: Opener, tmp_path: Path) -> None:
    with studio(hard(), "y", tmp_path, "--max-conditions", "none") as address:
        page = opened(address)
        state = page.locator(".optimize .state")
        expect(state).to_have_text("This is the best list that obeys what you said.")
        longer = page.get_by_role("button", name="times longer")
        expect(longer).to_have_count(0)
        page.get_by_label("Column to forbid or require").select_option("x5")
        page.get_by_role("button", name="Always use it").click()
        did(page, "Require x5")
        expect(state).to_contain_text("a better one may obey what you said")
        longer.focus()
        page.keyboard.press("Enter")
        did(page, "Search 10 times longer")
        # The keyboard is where the next search begins, or in the panel if there is none.
        assert page.evaluate("document.activeElement !== document.body")
        for effort in (100, 1000):
            if "a better one" not in state.inner_text():
                break
            longer.click()
            did(page, f"Search {effort:,} times longer")
        expect(state).to_have_text("This is the best list that obeys what you said.")
        expect(longer).to_have_count(0)
        undo(page)
        expect(longer).to_have_count(1)
        page.close()  # Before the server: a page that still asks would find nobody.


def test_alternatives_are_mapped_filtered_and_taken(opened: Opener, address: str) -> None:
    page = opened(address)
    panel = tab(page, "Alternatives")
    panel.get_by_role("radio", name="10 %").check()
    dots = panel.get_by_role("option")
    expect(panel).to_contain_text("10 % above")
    n_all = dots.count()
    assert n_all > 3
    filters = panel.get_by_role("group", name="Only lists without").get_by_role("checkbox")
    filters.first.check()
    expect(dots).not_to_have_count(n_all)
    filters.first.uncheck()
    expect(dots).to_have_count(n_all)
    dots.nth(1).click()
    expect(dots.nth(1)).to_have_attribute("aria-selected", "true")
    panel.get_by_role("listbox").focus()
    page.keyboard.press("ArrowRight")
    expect(dots.nth(2)).to_have_attribute("aria-selected", "true")
    offer = panel.locator(".offer").first
    lines = offer.locator("pre").inner_text().splitlines()
    offer.get_by_role("button", name="Compare").click()
    expect(offer).to_contain_text(re.compile("they differ on|both predict the same"))
    offer.get_by_role("button", name="Take this list").click()
    did(page, "Take an alternative")
    assert all(f"if {one} then" in line for one, line in zip(rules(page), lines[:-1], strict=True))
    panel.get_by_role("combobox", name="Without").select_option("age")
    expect(panel.locator(".offer").last).to_contain_text("wait")


def test_alternatives_are_looked_for_longer(opened: Opener, address: str) -> None:
    page = opened(address)
    asked: list[int] = []

    def out_of_time(route: Route) -> None:
        asked.append(route.request.post_data_json["seconds"])
        response = route.fetch()
        route.fulfill(response=response, json={**response.json(), "out_of_time": asked[-1] < 180})

    page.route("**/api/alternatives", out_of_time)
    panel = tab(page, "Alternatives")
    panel.get_by_role("button", name="Search longer: up to 60 seconds").click()
    panel.get_by_role("button", name="Search longer: up to 180 seconds").click()
    expect(panel.get_by_role("button", name="Search longer")).to_have_count(0)
    assert asked == [20, 60, 180]


def test_quality_has_scores_costs_and_what_each_rule_buys(opened: Opener, address: str) -> None:
    page = opened(address)
    panel = tab(page, "Quality")
    expect(panel).to_contain_text("Area under ROC")
    expect(panel.get_by_role("columnheader", name="held out")).to_be_visible()
    slider = panel.get_by_role("slider", name="Cost of one error beside the other")
    expect(panel).to_contain_text("A missed yes costs as much as a missed no.")
    costs = panel.locator("table", has_text="best list at this cost")
    cost = costs.locator("td").first.inner_text()
    for _ in range(5):
        slider.press("ArrowRight")
    expect(panel).to_contain_text("A missed yes costs as much as 5 missed no.")
    expect(costs.locator("td").first).not_to_have_text(cost)
    panel.get_by_text("The best list at this cost").click()
    expect(panel.locator("details pre")).to_contain_text("else")
    panel.get_by_role("button", name="1 rule", exact=True).click()
    expect(panel).to_contain_text("The best list of at most 1 rule has a loss of")
    panel.get_by_role("button", name="Take this list").last.click()
    did(page, "Best list of 1 rule")
    assert len(rules(page)) == 1
    panel.get_by_role("button", name="Confirm on all rows").click()
    expect(panel.get_by_role("region", name="On the whole table")).to_contain_text("rows")


def test_groups_are_audited(opened: Opener, address: str) -> None:
    page = opened(address)
    panel = tab(page, "Groups")
    panel.get_by_label("Groups of").select_option("sex")
    expect(panel).to_contain_text("times as often as")
    expect(panel.get_by_role("rowheader", name="female", exact=True)).to_be_visible()
    panel.get_by_role("radio", name="learned from").check()
    expect(panel).to_contain_text("on rows learned from they are too narrow")


def test_rows_are_explained(opened: Opener, address: str) -> None:
    page = opened(address, refuses=True)
    panel = tab(page, "Rows")
    panel.get_by_label("only errors").check()
    panel.get_by_label("Decided by").select_option("2")
    expect(panel.locator(".rows tbody tr").first).to_contain_text("2")
    panel.get_by_role("button", name="Explain row").first.click()
    why = panel.locator(".explanation")
    expect(why).to_contain_text("applies")
    expect(why).to_contain_text("; it is ")
    panel.get_by_role("radio", name="type one").check()
    panel.get_by_label("wait").fill("10")
    expect(why).to_contain_text("Rule 1 applies: wait < 20")
    panel.get_by_label("wait").fill("many")
    expect(panel.get_by_role("alert")).to_contain_text("many")


def test_history_goes_back_and_compares(opened: Opener, address: str) -> None:
    page = opened(address)
    before = rules(page)
    for _ in range(2):
        page.get_by_role("button", name="Remove rule 1").click()
    expect(page.locator(".cards .condition")).to_have_count(1)
    panel = tab(page, "History")
    expect(panel.get_by_role("listitem")).to_have_count(3)
    panel.get_by_role("button", name="Compare with: As learned").click()
    expect(panel).to_contain_text("they differ on")
    expect(panel.locator("figure")).to_have_count(2)
    panel.get_by_role("button", name="As learned loss").click()
    did(page, "As learned")
    assert rules(page) == before
    expect(panel.get_by_role("listitem")).to_have_count(3)
    # What was undone is there until something else is done.
    expect(panel.locator("li.undone")).to_have_count(2)
    page.get_by_role("button", name="Remove rule 3").click()
    expect(panel.get_by_role("listitem")).to_have_count(2)


def test_files_are_exported_and_edits_replay_in_another_tab(
    opened: Opener, address: str, tmp_path: Path
) -> None:
    page = opened(address)
    page.get_by_role("button", name="Never wait").click()
    did(page, "Forbid wait")
    page.get_by_role("button", name="Remove rule 1").click()
    did(page, "Remove")
    wanted = rules(page)
    assert json.loads(saved(page, "Model"))["format"] == "samrule-model"
    assert "CASE" in saved(page, "SQL for duckdb")
    assert "def " in saved(page, "Python")
    assert "<!doctype html>" in saved(page, "Report").lower()
    edits = tmp_path / "edits.json"
    edits.write_text(saved(page, "Edits"), "utf-8")
    other = opened(address, refuses=True)
    other.get_by_label("File of edits").set_input_files(edits)
    did(other, "Open edits.json")
    assert rules(other) == wanted
    edits.write_text('{"format": "something else"}')
    other.get_by_label("File of edits").set_input_files(edits)
    expect(other.locator(".refusal")).to_contain_text("Hint")
    assert rules(other) == wanted


def test_two_tabs_do_not_disturb_each_other_and_a_reload_loses_nothing(
    opened: Opener, address: str
) -> None:
    one = opened(address)
    two = one.context.new_page()
    two.goto(address)
    expect(two.locator(".cards .condition")).to_have_count(3)
    before = rules(two)
    one.get_by_role("button", name="Remove rule 1").click()
    did(one, "Remove")
    two.get_by_role("button", name="Remove rule 3").click()
    did(two, "Remove")
    assert rules(one) == before[1:]
    assert rules(two) == before[:2]
    one.reload()
    expect(one.locator(".cards .condition")).to_have_count(2)
    assert rules(one) == before[1:]
    undo(one)
    did(one, "As learned")
    assert rules(one) == before
    assert rules(two) == before[:2]
