"""The studio in a notebook: messages in place of HTTP, and the same module in a browser."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from queue import Queue
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

import samrule
from samrule import FittedRuleList
from samrule.studio.answers import answer
from samrule.studio.desk import desk_of
from samrule.studio.lists import alternatives_view
from samrule.studio.routes import ROUTES
from samrule.studio.widget import StudioWidget
from tests.studio.page import did, drag, rules, tab, undo
from tests.studio.server import guests

# One question to each route; whatever is asked of a server can be asked of a kernel.
STEPS = [{"step": "remove", "number": 1}]
QUESTIONS: dict[str, dict[str, Any] | None] = {
    "studio": None,
    "edit": {"steps": STEPS},
    "load": {"text": '{"format": "samrule edit", "version": 1, "steps": []}'},
    "replacements": {"steps": STEPS, "number": 1},
    "insertions": {"steps": STEPS, "number": 1},
    "additions": {"steps": STEPS, "number": 1},
    "column": {"steps": STEPS, "column": "wait", "number": 1},
    "alternatives": {"within": 0.01},
    "without": {"column": "age"},
    "curve": {},
    "metrics": {"steps": STEPS},
    "costs": {"steps": STEPS, "ratio": 2.0},
    "groups": {"steps": STEPS, "column": "city"},
    "compare": {"steps": STEPS, "other": []},
    "rows": {"steps": STEPS},
    "explain": {"steps": STEPS, "row": 0},
    "confirm": {"steps": STEPS},
    "export": {"steps": STEPS, "to": "model"},
}


@pytest.fixture(scope="module")
def fitted() -> FittedRuleList:
    rows = guests()
    return samrule.learn(rows.slice(200), "returns", max_rules=3)


@pytest.fixture(scope="module")
def widget(fitted: FittedRuleList) -> StudioWidget:
    return fitted.studio(test=guests().slice(0, 200))


Asking = Callable[..., dict[str, Any]]


@pytest.fixture
def asked(widget: StudioWidget, monkeypatch: pytest.MonkeyPatch) -> Asking:
    """Ask as a page does: a message in, one with the same id out."""
    replies: Queue[dict[str, Any]] = Queue()
    monkeypatch.setattr(widget, "send", replies.put)

    def ask(route: object, body: object, name: str = "a") -> dict[str, Any]:
        widget._handle_custom_msg({"id": name, "route": route, "body": body}, [])
        reply = replies.get(timeout=60)
        assert reply["id"] == name
        return {"is_error": reply["is_error"], **json.loads(reply["text"])}

    return ask


def test_every_route_is_asked() -> None:
    assert set(QUESTIONS) == {route.path.removeprefix("/") for route in ROUTES}


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: route.path)
def test_a_kernel_answers_what_a_server_answers(
    fitted: FittedRuleList, asked: Asking, route: Any
) -> None:
    body = QUESTIONS[route.path.removeprefix("/")]
    served = desk_of(fitted, test=samrule.open_table(guests().slice(0, 200), "returns"))
    wanted = answer(served, route, json.dumps(body))
    found = asked(route.path.removeprefix("/"), body)
    assert found == {"is_error": wanted.is_error, **json.loads(wanted.text)}
    # The table has three classes, and a ratio is of two.
    assert wanted.is_error == (route.path == "/costs")


@pytest.mark.parametrize(
    ("route", "body", "said"),
    [
        ("shutdown", {}, "the route is 'shutdown'; expected one of studio, edit"),
        (None, None, "the route is None"),
        ("edit", {"steps": 1}, "steps: Input should be a valid array"),
        ("edit", None, "the request: Input should be an object"),
        ("edit", {"steps": [{"step": "remove", "number": 9}]}, "expected a rule's, from 1 to 3"),
    ],
)
def test_what_cannot_be_answered_is_said(
    asked: Asking, route: object, body: object, said: str
) -> None:
    found = asked(route, body)
    assert found["is_error"]
    assert said in found["error"]["message"]


def test_a_search_for_all_good_lists_says_that_it_ran_out_of_time(widget: StudioWidget) -> None:
    # Short searches are done before the clock is looked at, now and then.
    assert any(alternatives_view(widget._desk, 0.5, 5000, 1e-9).out_of_time for _ in range(1000))
    found = alternatives_view(widget._desk, 0.01, 5000, 60)
    assert found.complete
    assert not found.out_of_time


def test_a_mistake_of_ours_is_answered_too(
    asked: Asking, widget: StudioWidget, monkeypatch: pytest.MonkeyPatch, caplog: Any
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr(type(widget._desk), "edit", broken)
    found = asked("edit", {"steps": []})
    assert found["error"]["message"] == "Something went wrong; the log of the kernel says what."
    assert "RuntimeError: broken" in caplog.text


def test_the_list_that_is_shown_is_known_to_python(fitted: FittedRuleList) -> None:
    widget = fitted.studio()
    assert widget.rule_list == fitted.edit().rule_list
    entries = [{"label": "As learned", "steps": []}, {"label": "Remove", "steps": STEPS}]
    widget._history = {"entries": entries, "place": 1}
    assert widget.rule_list == fitted.edit().remove(1).rule_list
    assert widget.edit.undo().rule_list == fitted.edit().rule_list
    widget._history = {"entries": entries, "place": 0}
    assert widget.edit.steps == ()


@pytest.mark.parametrize("package", ["anywidget", "pydantic"])
def test_without_the_extra_one_message_says_how_to_get_it(package: str) -> None:
    program = (
        f"import sys; sys.modules[{package!r}] = None\n"
        "import pyarrow, samrule\n"
        "rows = pyarrow.table({'a': [1, 2] * 30, 'b': [0, 1] * 30})\n"
        "fitted = samrule.learn(rows, 'b', max_rules=1)\n"
        "try:\n    fitted.studio()\n"
        "except ImportError as error:\n    print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == (
        f"the studio in a notebook needs the package {package}, which is not installed.\n"
        "Hint: run: pip install 'samrule[notebook]'\n"
    )


# A notebook with a style of its own, and a model as anywidget gives it to the module.
NOTEBOOK = """<!doctype html><html lang="en"><title>notebook</title>
<style>
  button { background: red !important; font-size: 40px; }
  body { color: COLOUR; background: BACKGROUND; line-height: 3; text-align: right; }
</style>
<body><button id="theirs" class="primary">of the notebook</button><div id="output"></div></body>
</html>"""
MOUNT = """async ({ state, code }) => {
    const url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
    const { default: widget } = await import(url);
    const hearing = new Set();
    const model = {
        get: name => state[name],
        set: (name, value) => { state[name] = value; },
        save_changes: () => keep(state._history),
        send: question => void ask(question).then(reply => hearing.forEach(one => one(reply))),
        on: (event, callback) => { if (event === "msg:custom") hearing.add(callback); },
        off: (event, callback) => { hearing.delete(callback); },
    };
    window.keysOfTheNotebook = 0;
    document.body.addEventListener("keydown", () => { window.keysOfTheNotebook += 1; });
    window.shown = () => widget.render({ model, el: document.getElementById("output") });
    window.takeAway = window.shown();
    window.nHearing = () => hearing.size;
}"""


@pytest.fixture
def notebook(
    browser: Browser, fitted: FittedRuleList
) -> Iterator[Callable[..., tuple[Page, StudioWidget]]]:
    """Show a widget in a page that is not ours, its messages carried to the real one."""
    trouble: list[str] = []
    contexts = []

    def opened(colour: str = "black", background: str = "white") -> tuple[Page, StudioWidget]:
        widget = fitted.studio(test=guests().slice(0, 200))
        replies: Queue[dict[str, Any]] = Queue()
        widget.send = replies.put

        def ask(question: dict[str, Any]) -> dict[str, Any]:
            widget._handle_custom_msg(question, [])
            return replies.get(timeout=60)

        context = browser.new_context(viewport={"width": 1200, "height": 900})
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: trouble.append(message.text))
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.on(
            "request",
            lambda one: None if one.url.startswith(("blob:", "data:")) else trouble.append(one.url),
        )
        page.expose_function("ask", ask)
        page.expose_function("keep", lambda history: widget.set_trait("_history", history))
        page.set_content(NOTEBOOK.replace("COLOUR", colour).replace("BACKGROUND", background))
        state = {name: getattr(widget, name) for name in ("_styles", "_history")}
        page.evaluate(MOUNT, {"state": state, "code": widget._esm})
        expect(page.locator(".card").first).to_be_visible()
        return page, widget

    expect.set_options(timeout=30_000)
    yield opened
    for context in contexts:
        context.close()
    assert trouble == []


Notebook = Callable[..., tuple[Page, StudioWidget]]


def test_a_list_is_argued_with_in_a_notebook(notebook: Notebook, fitted: FittedRuleList) -> None:
    page, widget = notebook()
    before = rules(page)
    assert len(before) == fitted.rule_list.n_rules
    page.get_by_role("button", name="Remove rule 2").click()
    did(page, "Remove")
    assert rules(page) == [before[0], before[2]]
    assert str(widget.rule_list) == str(fitted.edit().remove(2).rule_list)
    undo(page)
    did(page, "As learned")
    assert str(widget.rule_list) == str(fitted.rule_list)
    page.keyboard.press("Control+Shift+z")
    did(page, "Remove")
    for name in ("Alternatives", "Quality", "Groups", "Rows", "History", "Rule"):
        expect(tab(page, name).locator(".waiting")).to_have_count(0)
    handle = page.get_by_role("slider").first
    box = handle.bounding_box()
    assert box is not None
    drag(page, handle, box["x"] + box["width"] / 2 + 80, box["y"] + 40)
    did(page, "Move the cut of")
    # What was done is there when the widget is shown again.
    after = rules(page)
    page.evaluate("() => { takeAway(); document.getElementById('output').replaceChildren(); }")
    assert page.evaluate("nHearing()") == 0
    page.evaluate("() => { window.takeAway = shown(); }")
    did(page, "Move the cut of")
    assert rules(page) == after


def test_menus_and_keys_work_and_stay_inside(notebook: Notebook) -> None:
    page, _ = notebook()
    export = page.get_by_role("button", name="Export")
    export.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("menuitem").first).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("menuitem").nth(1)).to_be_focused()
    with page.expect_download() as download:
        page.get_by_role("menuitem").nth(1).click()
    assert download.value.suggested_filename == "edits.json"
    export.click()
    page.locator(".verdict").click()
    expect(page.get_by_role("menu")).to_have_count(0)
    assert page.evaluate("keysOfTheNotebook") == 0
    page.get_by_text("Skip the list").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("tabpanel")).to_be_focused()
    # Keys outside are the notebook's.
    page.get_by_role("button", name="Remove rule 1").click()
    did(page, "Remove")
    page.locator("#theirs").focus()
    page.keyboard.press("Control+z")
    assert page.evaluate("keysOfTheNotebook") > 0
    did(page, "Remove")


def test_styles_neither_leave_nor_enter(notebook: Notebook) -> None:
    page, _ = notebook()
    style = "one => { const found = getComputedStyle(one); return [found.PART, found.fontSize]; }"
    theirs = page.locator("#theirs").evaluate(style.replace("PART", "backgroundColor"))
    assert theirs == ["rgb(255, 0, 0)", "40px"]
    ours = page.get_by_role("button", name="Export").evaluate(
        style.replace("PART", "backgroundColor")
    )
    assert ours == ["rgb(255, 255, 255)", "15px"]
    words = page.locator(".verdict .words").evaluate(style.replace("PART", "textAlign"))
    assert words[0] == "start"


@pytest.mark.parametrize(
    ("colour", "background", "paper"),
    [("black", "white", "rgb(255, 255, 255)"), ("#eee", "#111", "rgb(29, 35, 42)")],
)
def test_it_is_light_or_dark_as_the_notebook_is(
    notebook: Notebook, colour: str, background: str, paper: str
) -> None:
    page, _ = notebook(colour, background)
    top = page.locator("header.top")
    expect(top).to_have_css("background-color", paper)
    page.evaluate("() => { document.body.style.color = 'rgb(255, 255, 255)'; }")
    expect(top).to_have_css("background-color", "rgb(29, 35, 42)")
