"""Model files of version 2, which samrule 0.x wrote before it knew other losses, as version 3."""

from typing import Any


def as_version_3(data: dict[str, Any]) -> dict[str, Any]:
    """Return a model of version 2 as version 3 has it; what is damaged stays as it is.

    Rules cost a share of the rows then, never one of the loss without rules.
    """
    found = {**data, "version": 3}
    settings = data.get("settings")
    if isinstance(settings, dict):
        found["settings"] = {"relative_regularization": None, **settings}
    return found
