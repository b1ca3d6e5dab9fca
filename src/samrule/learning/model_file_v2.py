"""Model files of version 2, from before samrule knew other losses than errors, as version 3."""

from typing import Any


def as_version_3(data: dict[str, Any]) -> dict[str, Any]:
    """Return a model of version 2 as version 3 has it; what is damaged stays as it is.

    Errors were minimized then, and rules cost a share of the rows, not of the loss without rules.
    """
    found = {"objective": {"brier_share": 0.0, "costs": None}, **data, "version": 3}
    for name, value in data.items():
        if name == "settings":
            found[name] = _with_defaults(value, relative_regularization=None)
        elif name == "certificate":
            found[name] = _with_defaults(value, loss_name="loss")
        elif name == "trace" and isinstance(value, list):
            found[name] = [_with_defaults(one, validation_loss=None) for one in value]
    return found


def _with_defaults(data: object, **defaults: object) -> object:
    return {**defaults, **data} if isinstance(data, dict) else data
