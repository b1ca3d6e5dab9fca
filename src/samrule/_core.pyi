"""Types of the native core; see native/bindings/module.cpp."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

class Table:
    """Rows packed into one bitset per condition, with class codes and integer weights.

    `conditions` is n x d, 0/1, any strides; other values raise ValueError naming the first
    bad row and column. `labels` are codes in [0, n_classes). `weights`, if given, are
    non-negative integers whose sum is below 2**30.
    """

    def __init__(
        self,
        conditions: NDArray[np.uint8],
        labels: NDArray[np.int32],
        n_classes: int,
        weights: NDArray[np.uint32] | None = None,
    ) -> None: ...
    @property
    def n_rows(self) -> int: ...
    @property
    def n_columns(self) -> int: ...
    @property
    def n_classes(self) -> int: ...
    def count(self, rules: Sequence[Sequence[int]]) -> list[list[int]]:
        """Weighted class counts of the rows each rule is first to match; the default last."""

class Outcome:
    """What the search found and proved, in weighted-row units."""

    @property
    def rules(self) -> list[list[int]]: ...
    @property
    def lower_bound(self) -> float: ...
    @property
    def status(self) -> str: ...
    @property
    def n_nodes(self) -> int: ...
    @property
    def path(self) -> list[float]: ...

def solve(
    table: Table,
    *,
    max_rules: int,
    max_terms: int,
    rule_cost: float,
    min_support: int,
    time_limit: float,
    memory_limit: int,
    threads: int,
    kernels: str,
    disabled_bounds: Sequence[str],
    progress: Callable[[float, float, float, float], object] | None,
) -> Outcome:
    """Find the list with least errors + rule_cost * rules, all in units of weight.

    `progress(incumbent, lower_bound, elapsed, share)` is called a few times a second.
    The first Ctrl-C stops the search (status "interrupted").
    """

def kernel_names() -> list[str]:
    """Kernel sets this machine can run, slowest ("scalar") first."""

def bound_names() -> list[str]:
    """Pruning bounds that `disabled_bounds` may name."""
