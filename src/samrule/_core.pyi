"""Types of the native core; see native/bindings/module.cpp."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

class NoThreadError(RuntimeError):
    """The system has no thread to give, not even the one that searches."""

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
    @staticmethod
    def from_bits(
        bits: NDArray[np.uint64],
        n_rows: int,
        labels: NDArray[np.int32],
        n_classes: int,
        weights: NDArray[np.uint32] | None = None,
    ) -> Table:
        """Take bitsets that are packed already, one row of `bits` per condition.

        Row i of the table is bit i % 64 of word i // 64; bits past the last row are ignored.
        """
    @property
    def n_rows(self) -> int: ...
    @property
    def n_columns(self) -> int: ...
    @property
    def n_classes(self) -> int: ...
    def count(self, rules: Sequence[Sequence[int]]) -> list[list[int]]:
        """Weighted class counts of the rows each rule is first to match; the default last."""

def pack_values(
    values: NDArray[Any],
    validity: NDArray[np.uint8] | None,
    first_bit: int,
    at_least: NDArray[Any],
    above: NDArray[Any],
    first: NDArray[np.uint8],
    last: NDArray[np.uint8],
    bits: NDArray[np.uint64],
) -> None:
    """Set bit i of row r of `bits` to first[r] <= code of values[i] <= last[r]; without the GIL.

    The code is 0 for a value that is NaN or whose bit of `validity` (from `first_bit` on) is 0,
    else 1 + how many of `at_least` it is at least + how many of `above` it is above. Values and
    cuts have one type: float32, float64, or whole numbers of 8 to 64 bits; at most 254 cuts.
    """

def pack_codes(
    codes: NDArray[np.uint8],
    first: NDArray[np.uint8],
    last: NDArray[np.uint8],
    bits: NDArray[np.uint64],
) -> None:
    """Do the same for values that are codes already."""

def best_segments(
    sums: NDArray[np.float64],
    least: float,
    spread: float,
    worth: NDArray[np.float64],
    starts: NDArray[np.int32],
) -> None:
    """Find the best splits of a column into 1, 2, ... segments; without the GIL.

    `sums` are running sums of weight (rows, from 0 to all) per class. A segment is worth its weight
    less its Gini impurity less `spread` times the square of its weight; one that weighs less than
    `least` minus infinity. worth[n] becomes what all values are worth in n + 1 segments, and
    starts[n, end] where the last of n + 2 segments starts in the best split of the values before
    `end`.
    """

def polish_cuts(
    sums: NDArray[np.float64], least: float, spread: float, cuts: NDArray[np.int64]
) -> None:
    """Move each cut, one after the other, to its best place between its neighbours."""

def add_pair_counts(
    sets: NDArray[np.uint64],
    within: NDArray[np.uint64],
    scale: int,
    counts: NDArray[np.int64],
) -> None:
    """Add to counts[i, j] `scale` times the rows of `within` in both set i and set j."""

def add_shared_counts(
    sets: NDArray[np.uint64],
    others: NDArray[np.uint64],
    scale: int,
    counts: NDArray[np.int64],
) -> None:
    """Add to counts[i, j] `scale` times the rows in both set i and set j of the others."""

class BoostedTrees:
    """Small trees over bitsets, one row of `bits` per condition, each grown on what is left.

    `columns` are numbers of the conditions' columns, those of one column together; `labels` are
    codes in [0, n_classes); `weights` are whole, above 0 and at most 2**31 together.
    """

    def __init__(
        self,
        bits: NDArray[np.uint64],
        n_rows: int,
        columns: NDArray[np.int32],
        labels: NDArray[np.int32],
        n_classes: int,
        weights: NDArray[np.int64],
    ) -> None: ...
    def grow(self) -> list[int]:
        """Return what the next tree asks for, in order; nothing if there is no more to learn."""

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
    def work(self) -> int:
        """Operations counted; 0 without a work limit."""
    @property
    def path(self) -> list[float]: ...

def solve(
    table: Table,
    *,
    max_rules: int,
    max_terms: int,
    rule_cost: float,
    min_support: int,
    tolerance: float,
    time_limit: float,
    work_limit: int | None,
    memory_limit: int,
    threads: int,
    kernels: str,
    disabled_bounds: Sequence[str],
    progress: Callable[[float, float, float, float], object] | None,
    costs: Sequence[float] | None = None,
    brier_share: float = 0.0,
) -> Outcome:
    """Find the list with least cost + rule_cost * rules, all in units of weight.

    The cost is the weight of errors; or with `costs` (a row per true class, a column per predicted
    class, one after the other, all in [0, 1]) the least that a prediction for each rule costs; and
    `brier_share` of it is the Brier score of predicting class shares instead, which for the rows
    that a rule decides is (w - sum of c^2 / w) / 2 for weights c of the classes and w of all.

    Costs are added up in units of 2**-28. The Brier score is rounded up to it once for each rule
    and the default; shares and entries of the matrix are rounded to the nearest unit, which for
    all rows together changes no more than 2**-28 of their weight.

    `progress(incumbent, lower_bound, elapsed, share)` is called a few times a second.
    The first Ctrl-C stops the search (status "interrupted").
    """

class GoodLists:
    """Lists that cost no more than was wanted, one of each kind."""

    @property
    def lists(self) -> list[tuple[list[list[int]], float]]:
        """Rules and cost of each, in units of weight; best first."""
    @property
    def complete_up_to(self) -> float:
        """Every list that costs no more is of a kind that is there; below 0: not proven."""
    @property
    def status(self) -> str: ...

class ColumnLimits:
    """Which columns lists may use; each part of a list that obeys obeys, too.

    `column_of` has the column that each condition of the table asks about; if it is empty, nothing
    is asked of lists. Of each set of columns in `apart` a list uses one at most. `most_rules` has
    columns, and how many rules may ask about each.
    """

    def __init__(
        self,
        column_of: Sequence[int],
        most_columns: int,
        apart: Sequence[Sequence[int]],
        most_rules: Sequence[tuple[int, int]],
    ) -> None: ...

def good_lists(
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
    costs: Sequence[float] | None,
    brier_share: float,
    most_cost: float,
    most_lists: int,
    least_cost: Sequence[float],
    columns: ColumnLimits,
) -> GoodLists:
    """Find the lists that cost at most `most_cost`, the best `most_lists` of them.

    Lists that predict the same for every row that weighs anything (the same class; the same class
    shares, if there is a `brier_share`) are of one kind, and the best of a kind stands for it.
    `least_cost[j]` is what lists of at most j rules cost at least, as far as it is known: the
    `path` of a solved search. Lists that do not keep to the limits on columns are not wanted.
    """

def kernel_names() -> list[str]:
    """Kernel sets this machine can run, slowest ("scalar") first."""

def bound_names() -> list[str]:
    """Pruning bounds that `disabled_bounds` may name."""
