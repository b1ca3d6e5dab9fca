"""What a list does in each group of a column: on the screen, and as JSON."""

import math
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.padding import Padding
from rich.table import Table

from samrule.cli.screen import plain
from samrule.rules import column_text, value_text

if TYPE_CHECKING:
    from samrule.groups import ClassInGroup, GroupAudit, Share

_NAMES = ("wrong", "predicted", "false pos.", "false neg.", "actual", "said")


def print_audit(console: Console, audit: "GroupAudit", *, is_test: bool) -> None:
    """Print the figures of every group, and what their intervals are worth."""
    for place in audit.shown_classes:
        label = value_text(audit.groups[0].classes[place].label)
        column = column_text(audit.column)
        console.print(plain(f"\nBy {column}, shares of rows in % for {label}:\n"))
        console.print(Padding(_table(audit, place), (0, 0, 1, 2), expand=False))
        ratio = audit.selection_ratio(audit.groups[0].classes[place].label)
        console.print(
            plain(f"The lowest rate at which {label} is predicted is {ratio:.2f} of the highest.")
        )
    worth = (
        "Brackets hold the share of rows to come in 95 of 100 cases, if the list never saw these."
        if is_test
        else "These rows were most likely learned from: brackets say nothing about rows to come."
    )
    console.print(plain(worth))
    if any(one.is_calibrated is False for group in audit.groups for one in group.classes):
        console.print(plain("* What the rules say lies outside the brackets of what is actual."))


def _table(audit: "GroupAudit", place: int) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column(plain(column_text(audit.column)), min_width=8)
    for name in ("rows", *_NAMES):
        table.add_column(name, justify="right", no_wrap=True)
    for group in audit.groups:
        shares = map(_share_text, group.figures(place))
        said = _said(group.classes[place])
        table.add_row(plain(group.name), f"{group.n_rows:,}", *shares, said)
    return table


def _share_text(share: "Share") -> str:
    if share.interval is None:
        return "-"
    low, high = share.interval
    return f"{100 * share.value:.1f} ({math.floor(100 * low)}-{math.ceil(100 * high)})"


def _said(one: "ClassInGroup") -> str:
    if one.expected is None:
        return "-"
    return f"{100 * one.expected:.1f}{' *' if one.is_calibrated is False else ''}"


def audit_json(audit: "GroupAudit") -> dict[str, Any]:
    """Return the figures as JSON values."""
    from samrule.export.json import value_to_json

    return {
        "column": audit.column,
        "groups": [
            {
                "group": value_to_json(group.value),
                "n_rows": group.n_rows,
                "errors": _share_json(group.errors),
                "classes": [
                    {
                        "class": value_to_json(one.label),
                        "selected": _share_json(one.selected),
                        "false_positives": _share_json(one.false_positives),
                        "false_negatives": _share_json(one.false_negatives),
                        "actual": _share_json(one.actual),
                        "expected": one.expected,
                    }
                    for one in group.classes
                ],
            }
            for group in audit.groups
        ],
    }


def _share_json(share: "Share") -> dict[str, Any]:
    interval = share.interval
    return {
        "n_hits": share.n_hits,
        "n_rows": share.n_rows,
        "value": None if interval is None else share.value,
        "interval": None if interval is None else list(interval),
    }
