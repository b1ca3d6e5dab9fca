"""Tables that lists are edited on, and the options of the benchmarks that do."""

from __future__ import annotations

import argparse
from pathlib import Path

TARGETS = {"adult": "income", "bank": "y", "compas": "two_year_recid", "mushroom": "class"}


def edit_options(description: str) -> argparse.ArgumentParser:
    """Return a parser of what every such benchmark is asked; others may add to it."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--data-dir", type=Path, required=True)
    parser.add_argument("--tables", nargs="*", default=["adult"], choices=list(TARGETS))
    parser.add_argument("--max-terms", type=int, default=1)
    parser.add_argument("--max-rules", type=int, default=4)
    return parser
