"""Draw which part of samrule imports which: `python -m tools.draw_imports` writes docs/imports.svg.

Layers from ARCHITECTURE.md lie one above the other, so an arrow that points up stands out. Dashed
arrows are imports inside functions; red ones are the exceptions that ARCHITECTURE.md explains.
"""

from pathlib import Path

from tools.imports import IMPORTS, LAYERS, LOOKING_UP, Import, part_of

PICTURE = Path(__file__).parents[1] / "docs" / "imports.svg"
WIDTH, ROW, BOX_WIDTH, BOX_HEIGHT = 900, 90, 130, 30
STYLE = """
  rect { fill: #f4f1ea; stroke: #555; }
  text { font: 13px sans-serif; text-anchor: middle; fill: #222; }
  path { fill: none; stroke: #357; stroke-opacity: 0.55; marker-end: url(#head); }
  path.lazy { stroke-dasharray: 5 4; }
  path.up { stroke: #c22; stroke-opacity: 0.9; }
"""
HEAD = (
    '<marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
    'orient="auto"><path d="M0 0L8 4L0 8z" style="fill:#357;stroke:none;marker-end:none"/></marker>'
)


def picture() -> str:
    """Return the graph as SVG, the highest layer on top."""
    places = _places()
    height = ROW * (max(LAYERS.values()) + 1)
    boxes = [_box(part, *place) for part, place in places.items()]
    arrows = [
        _arrow(places[ours], places[theirs], kind) for ours, theirs, kind in sorted(_arrows())
    ]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}">',
        f"<style>{STYLE}</style>",
        f"<defs>{HEAD}</defs>",
        f'<rect width="{WIDTH}" height="{height}" style="fill:white;stroke:none"/>',
        *arrows,
        *boxes,
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _places() -> dict[str, tuple[float, float]]:
    """Return the middle of each part's box."""
    places = {}
    top = max(LAYERS.values())
    for layer in range(top + 1):
        parts = sorted(part for part, its_layer in LAYERS.items() if its_layer == layer)
        for number, part in enumerate(parts):
            aside = 25 * (-1) ** layer  # So that arrows past a layer do not run through its boxes.
            x = WIDTH * (number + 1) / (len(parts) + 1) + aside * (1 + layer % 3)
            places[part] = (x, ROW * (top - layer) + ROW / 2)
    return places


def _arrows() -> set[tuple[str, str, str]]:
    """Return the pairs of parts of which one imports the other, each with the style to draw."""
    styles: dict[tuple[str, str], set[str]] = {}
    for one in IMPORTS:
        ours, theirs = part_of(one.importer), part_of(one.imported)
        if ours != theirs:
            styles.setdefault((ours, theirs), set()).add(_style(one))
    return {(*pair, "" if "" in found else max(found)) for pair, found in styles.items()}


def _style(one: Import) -> str:
    if (one.importer, one.imported) in LOOKING_UP:
        return "lazy up"
    return "" if one.kind == "top" else "lazy"


def _arrow(start: tuple[float, float], end: tuple[float, float], style: str) -> str:
    (x, y), (to_x, to_y) = start, end
    side = BOX_HEIGHT / 2 if to_y > y else -BOX_HEIGHT / 2
    y, to_y = y + side, to_y - side
    bend = (to_y - y) / 2
    curve = f"M{x:g} {y:g}C{x:g} {y + bend:g} {to_x:g} {to_y - bend:g} {to_x:g} {to_y:g}"
    return f'<path class="{style}" d="{curve}"/>'


def _box(part: str, x: float, y: float) -> str:
    left, top = x - BOX_WIDTH / 2, y - BOX_HEIGHT / 2
    return (
        f'<rect x="{left:g}" y="{top:g}" width="{BOX_WIDTH}" height="{BOX_HEIGHT}" rx="5"/>'
        f'<text x="{x:g}" y="{y + 5:g}">{part}</text>'
    )


if __name__ == "__main__":
    PICTURE.write_text(picture())
