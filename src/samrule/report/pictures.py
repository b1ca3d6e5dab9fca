"""The page's pictures as SVG: numbers in, markup out; colours come from the page's style.

Only numbers and text made here enter the markup: names of columns and classes stay in the page.
"""

import math
from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR
from typing import Any

from markupsafe import Markup

from samrule.theory.words import loss_text

_WIDTH, _HEIGHT, _MARGIN = 420, 240, 44
# The room a letter takes, at most.
_LETTER = (8, 14)


def certificate_picture(certificate: dict[str, Any]) -> Markup:
    """Draw the interval between the best possible loss and this list's, and what was allowed."""
    low: float = certificate["lower_bound"]
    high: float = certificate["upper_bound"]
    allowed: float = certificate["allowed_loss"]
    right_end = max(high, allowed) * 1.06 or 1.0
    left_end = max(0.0, low - 0.35 * (max(high, allowed) - low))
    scale = 400 / max(right_end - left_end, 1e-12)

    def x(loss: float) -> float:
        return 10 + (loss - left_end) * scale

    parts = [
        '<line class="axis" x1="10" x2="410" y1="60" y2="60"/>',
        f'<rect class="allowed" x="{x(low):.1f}" y="50" '
        f'width="{max(x(allowed) - x(low), 0):.1f}" height="20"/>',
        f'<line class="bound" x1="{x(low):.1f}" x2="{x(low):.1f}" y1="40" y2="80"/>',
        f'<circle class="here" cx="{x(high):.1f}" cy="60" r="7"/>',
        _label(x(low), 30, f"no list is below {loss_text(low, ROUND_FLOOR)}"),
        _label(x(high), 100, f"this list: at most {loss_text(high, ROUND_CEILING)}"),
        _label(x(allowed), 122, f"allowed: {loss_text(allowed, ROUND_FLOOR)}", "soft"),
    ]
    return _svg(420, 132, "What is proven about the loss", parts)


def rows_picture(used: int, paper: int) -> Markup:
    """Draw the rows learned from beside those the paper's theorem asks for."""
    scale = 400 / max(used, paper, 1)
    parts = [
        _text(10, 16, f"rows learned from: {used:,}"),
        f'<rect class="bar" x="10" y="22" width="{max(used * scale, 1):.1f}" height="16"/>',
        _text(10, 62, f"rows the paper's theorem asks for: {paper:,}"),
        f'<rect class="bar soft" x="10" y="68" width="{max(paper * scale, 1):.1f}" height="16"/>',
    ]
    return _svg(420, 92, "Rows learned from, and rows asked for by the paper's theorem", parts)


def path_picture(path: Sequence[float]) -> Markup:
    """Draw the least loss with at most 0, 1, 2, ... rules."""
    top, bottom = max(path), min(path)
    span = (top - bottom) or 1.0

    def place(k: int) -> tuple[float, float]:
        # Labels stand on the right of their points, where the line falls away.
        across = (_WIDTH - _MARGIN - 70) * (k / max(len(path) - 1, 1))
        return _MARGIN / 2 + across, 24 + (_HEIGHT - 80) * (top - path[k]) / span

    points = [place(k) for k in range(len(path))]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    parts = [f'<polyline class="line" points="{line}"/>']
    free_from, last_y = -math.inf, 0.0
    for k, (x, y) in enumerate(points):
        parts.append(f'<circle class="dot" cx="{x:.1f}" cy="{y:.1f}" r="4"/>')
        # Where the line is flat, one label speaks for the points that it would cover.
        if x > free_from or y - last_y > _LETTER[1]:
            label = f"{path[k]:.4g}"
            free_from, last_y = x + _LETTER[0] * len(label), y
            parts.append(_text(x + 6, y - 8, label))
        parts.append(_text(x, _HEIGHT - 30, str(k), "middle", "soft"))
    parts.append(_text(_WIDTH / 2, _HEIGHT - 8, "rules", "middle", "soft"))
    return _svg(_WIDTH, _HEIGHT, "Least loss on the searched rows by number of rules", parts)


def curve_picture(losses: Sequence[float], standard_errors: Sequence[float], chosen: int) -> Markup:
    """Draw the loss on rows held out with at most 0, 1, 2, ... rules; the chosen one stands out."""
    top = max(loss + error for loss, error in zip(losses, standard_errors, strict=True))
    bottom = min(loss - error for loss, error in zip(losses, standard_errors, strict=True))
    span = (top - bottom) or 1.0

    def down(loss: float) -> float:
        return 24 + (_HEIGHT - 80) * (top - loss) / span

    parts = []
    points = []
    for k, (loss, error) in enumerate(zip(losses, standard_errors, strict=True)):
        x = _MARGIN / 2 + (_WIDTH - _MARGIN - 70) * (k / max(len(losses) - 1, 1))
        points.append(f"{x:.1f},{down(loss):.1f}")
        parts += [
            f'<line class="axis" x1="{x:.1f}" x2="{x:.1f}" '
            f'y1="{down(loss + error):.1f}" y2="{down(loss - error):.1f}"/>',
            f'<circle class="{"here" if k == chosen else "dot"}" cx="{x:.1f}" '
            f'cy="{down(loss):.1f}" r="{7 if k == chosen else 4}"/>',
            _text(x, _HEIGHT - 30, str(k), "middle", "soft"),
        ]
        if k in {0, chosen}:
            parts.append(_text(x + 10, down(loss) - 8, f"{loss:.4g}"))
    parts.insert(0, f'<polyline class="line" points="{" ".join(points)}"/>')
    parts.append(_text(_WIDTH / 2, _HEIGHT - 8, "rules", "middle", "soft"))
    return _svg(_WIDTH, _HEIGHT, "Loss on rows held out by number of rules", parts)


def roc_picture(points: Sequence[Sequence[float]], area: float) -> Markup:
    """Draw the ROC curve."""
    side, left, top = 180, 50, 14
    line = " ".join(f"{left + side * x:.1f},{top + side * (1 - y):.1f}" for x, y in points)
    parts = [
        f'<rect class="frame" x="{left}" y="{top}" width="{side}" height="{side}"/>',
        f'<line class="axis" x1="{left}" y1="{top + side}" x2="{left + side}" y2="{top}"/>',
        f'<polyline class="line" points="{line}"/>',
        _text(left + side / 2, top + side + 30, "false positives", "middle", "soft"),
        _text(left + side + 12, top + 40, "up: true positives", "start", "soft"),
        _text(left + side + 12, top + 20, f"area {area:.3f}"),
        _text(left - 8, top + side, "0", "end", "soft"),
        _text(left - 8, top + 8, "1", "end", "soft"),
        _text(left, top + side + 14, "0", "middle", "soft"),
        _text(left + side, top + side + 14, "1", "middle", "soft"),
    ]
    return _svg(_WIDTH, 230, f"ROC curve, area {area:.3f}", parts)


def reliability_picture(curve: Sequence[Sequence[float]]) -> Markup:
    """Draw what each rule says beside what is so: on the diagonal both are the same."""
    side, left, top = 180, 50, 14
    heaviest = max((weight for _, _, weight in curve), default=1.0)
    dots = (
        f'<circle class="dot" cx="{left + side * said:.1f}" cy="{top + side * (1 - so):.1f}" '
        f'r="{3 + 5 * math.sqrt(weight / heaviest):.1f}"/>'
        for said, so, weight in curve
    )
    parts = [
        f'<rect class="frame" x="{left}" y="{top}" width="{side}" height="{side}"/>',
        f'<line class="axis" x1="{left}" y1="{top + side}" x2="{left + side}" y2="{top}"/>',
        *dots,
        _text(left + side / 2, top + side + 30, "probability that the rule says", "middle", "soft"),
        _text(left + side + 12, top + 20, "a dot per rule,"),
        _text(left + side + 12, top + 40, "larger for more rows"),
        _text(left + side + 12, top + 60, "up: share that is so", "start", "soft"),
        _text(left - 8, top + side, "0", "end", "soft"),
        _text(left - 8, top + 8, "1", "end", "soft"),
        _text(left, top + side + 14, "0", "middle", "soft"),
        _text(left + side, top + side + 14, "1", "middle", "soft"),
    ]
    return _svg(_WIDTH, 230, "Reliability: probabilities of rules and shares of rows", parts)


def _label(x: float, y: float, words: str, style: str = "") -> str:
    """Write at x, but inside the picture."""
    return _text(x, y, words, "start" if x < 140 else "end" if x > 280 else "middle", style)


def _text(x: float, y: float, words: str, anchor: str = "start", style: str = "") -> str:
    return f'<text class="{style}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{words}</text>'


def _svg(width: int, height: int, title: str, parts: Sequence[str]) -> Markup:
    return Markup(
        f'<svg role="img" aria-label="{title}" viewBox="0 0 {width} {height}">'
        f"<title>{title}</title>{''.join(parts)}</svg>"
    )
