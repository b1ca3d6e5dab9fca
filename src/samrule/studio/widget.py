"""The studio in a notebook: the same page in the output of a cell, the kernel in place of a server.

It needs the extra ``samrule[notebook]``; `FittedRuleList.studio` makes one.
"""

import json
import logging
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from importlib import resources
from typing import Any

import anywidget
import traitlets

from samrule.editing import Edit
from samrule.rules import RuleList
from samrule.studio.answers import Answer, answer, refused
from samrule.studio.desk import Desk
from samrule.studio.routes import ROUTES

_PAGE = resources.files("samrule.studio") / "page"
_ROUTES = {route.path.removeprefix("/"): route for route in ROUTES}
# Questions that are worked on at once: a long search does not hold up the others.
_WORKERS = 4


class StudioWidget(anywidget.AnyWidget):  # type: ignore[misc, unused-ignore]
    """A list to argue with in a notebook; `edit` is the list as the page shows it.

    The page asks in messages what it asks a server elsewhere, and the same routes answer.

    Parameters
    ----------
    desk
        The list as it was learned, and the rows to judge it on.
    """

    _esm = (_PAGE / "studio.js").read_text("utf-8")
    # Not `_css`, which would be that of the whole notebook: the page keeps its style to itself.
    _styles = traitlets.Unicode((_PAGE / "studio.css").read_text("utf-8")).tag(sync=True)
    # What was done on the page, as the page writes it; it is shown again with the widget.
    _history = traitlets.Dict(allow_none=True, default_value=None).tag(sync=True)

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._workers = ThreadPoolExecutor(_WORKERS, thread_name_prefix="samrule-studio")
        self._workers.submit(desk.warm)
        self.on_msg(self._on_message)

    @property
    def edit(self) -> Edit:
        """The list as the page shows it, to go on with in Python."""
        if self._history is None:
            return self._desk.start
        shown = self._history["entries"][self._history["place"]]
        return self._desk.edit(shown["steps"])

    @property
    def rule_list(self) -> RuleList:
        """The rules as the page shows them."""
        return self.edit.rule_list

    def _on_message(self, _: Any, asked: dict[str, Any], __: Any) -> None:
        """Answer a question in a thread of its own, so that cells can run meanwhile."""
        self._workers.submit(copy_context().run, self._reply, asked)

    def _reply(self, asked: dict[str, Any]) -> None:
        found = self._answered(asked)
        self.send({"id": asked.get("id"), "is_error": found.is_error, "text": found.text})

    def _answered(self, asked: dict[str, Any]) -> Answer:
        name = asked.get("route")
        if name not in _ROUTES:
            return refused(f"the route is {name!r}; expected one of {', '.join(_ROUTES)}.")
        try:
            return answer(self._desk, _ROUTES[name], json.dumps(asked.get("body")))
        except Exception:
            # The page waits for an answer, and nobody sees what a thread raises.
            logging.getLogger(__name__).exception("the studio could not answer %s", name)
            return refused("Something went wrong; the log of the kernel says what.")
