"""The report's pictures for matplotlib, to put beside one's own: each returns its axes."""

from typing import Any

from samrule.errors import MissingExtraError
from samrule.learning import FittedRuleList
from samrule.report.summarize import summary


def plot_flow(fitted: FittedRuleList, ax: Any = None) -> Any:
    """Draw how rows flow down the list: what each rule decides, by class.

    Parameters
    ----------
    fitted
        The model.
    ax
        Axes to draw on; new ones if not given.
    """
    found, ax = summary(fitted), _axes(ax)
    rules = found["rules"]
    names = [_sentence(rule) for rule in rules]
    for place, name in enumerate(found["classes"]):
        lefts = [
            rule["before"] + rule["coverage"] * _share(sum(rule["counts"][:place]), rule["support"])
            for rule in rules
        ]
        widths = [
            rule["coverage"] * _share(rule["counts"][place], rule["support"]) for rule in rules
        ]
        ax.barh(range(len(rules)), widths, left=lefts, label=_plain(name))
    ax.set_yticks(range(len(rules)), [_plain(name) for name in names])
    ax.invert_yaxis()
    ax.set_xlim(0, 1)
    ax.set_xlabel("share of the rows")
    ax.legend(loc="best")
    return ax


def plot_certificate(fitted: FittedRuleList, ax: Any = None) -> Any:
    """Draw what is proven: no list is below the bar's left end, this one is at the dot.

    The bar ends where the list would no longer be as good as was asked for.
    """
    proven, ax = summary(fitted)["certificate"], _axes(ax, height=2.2)
    low, high = proven["lower_bound"], proven["upper_bound"]
    ax.use_sticky_edges = False  # The bar begins beside the frame, where its line can be seen.
    ax.barh(
        [0], [proven["allowed_loss"] - low], left=low, height=0.3, alpha=0.4, label="as asked for"
    )
    ax.plot([low, low], [-0.3, 0.3], color="black", label="no list is below")
    ax.plot([high], [0], "o", label="this list")
    ax.set_yticks([])
    ax.set_ylim(-1, 1)
    ax.set_xlabel("loss")
    ax.legend(loc="upper center", ncols=3, frameon=False)
    return ax


def plot_path(fitted: FittedRuleList, ax: Any = None) -> Any:
    """Draw the least loss on the searched rows with at most 0, 1, 2, ... rules."""
    path, ax = summary(fitted)["path"], _axes(ax)
    ax.plot(range(len(path)), path, "o-")
    ax.set_xticks(range(len(path)))
    ax.set_xlabel("rules")
    ax.set_ylabel("least loss")
    return ax


def _axes(ax: Any, height: float = 4.8) -> Any:
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise MissingExtraError(
            "plots need matplotlib, which is not installed.",
            hint="run: pip install 'samrule[plot]'",
        ) from None
    return plt.subplots(figsize=(6.4, height), layout="constrained")[1]


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _sentence(rule: dict[str, Any]) -> str:
    conditions = " and ".join(rule["conditions"])
    middle = [conditions, "then"] if conditions else []
    return " ".join([rule["lead"], *middle, rule["prediction"]])


def _plain(text: str) -> str:
    """Return text that matplotlib does not take for a formula, nor a label for one to hide."""
    escaped = text.replace("\\", "\\\\").replace("$", r"\$")
    return f" {escaped}" if escaped.startswith("_") else escaped
