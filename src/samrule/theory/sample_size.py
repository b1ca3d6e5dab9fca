"""How many rows to draw before looking at any: the paper's size and a smaller one.

Letters: omega or ln N the complexity of the class, epsilon and theta the accuracy asked for, delta
the allowed probability of failure, alpha the price of a rule (`regularization`), C classes.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from samrule.checks import Method, checked, checked_integer, checked_number
from samrule.errors import Parameter, ParameterError, Words
from samrule.theory.conjunctions import checked_n_conjunctions
from samrule.theory.deviation import kl_lower, kl_sample_lower
from samrule.theory.growth import complexity, log_n_rule_lists
from samrule.theory.rounding import log_inverse, round_down, round_up
from samrule.theory.shape import checked_shape

# A walk over the grid is given up, and m called too small, when its steps get shorter than this
# part of theta or more than that many are needed.
_SHORTEST_STEP = 1e-9
_MOST_STEPS = 1000
# Sizes grow as 1 / (epsilon^2 theta), deviations shrink as epsilon theta; the former must not
# overflow, and the squares of the latter not vanish.
_LEAST_ACCURACY = 1e-100
# Slopes are computed to nine digits or better.
_SLOPE_ERROR = 1e-7


def sample_size(
    n_conditions: int,
    *,
    max_rules: int,
    max_terms: int = 1,
    epsilon: float,
    theta: float,
    delta: float = 0.05,
    method: Method = "paper",
    n_classes: int = 2,
    regularization: float = 1e-4,
    n_conjunctions: int | None = None,
) -> int:
    """Rows to draw so that the sample's best rule list is near-optimal on the table.

    Parameters
    ----------
    n_conditions, max_rules, max_terms
        The class of rule lists: d binary conditions, at most k rules of at most z terms.
    epsilon, theta
        The accuracy, both in (0, 1]: a loss of at most ``l* + epsilon max(l*, theta)``, where l*
        is the least loss any list of the class has on the table.
    delta
        The probability, in (0, 1), with which the draw may fail to deliver that.
    method
        ``"paper"``: the paper's size m^ (A6), for two classes with its complexity omega, for more
        with ln N, since omega covers two only. ``"tight"``: from KL deviations and ln N (part C),
        never larger than ``"paper"``.
    n_classes, regularization
        Number of labels C; price alpha of a rule (not used by ``"paper"``).
    n_conjunctions
        Distinct conjunctions D', when the binarizer knows better than ``sum binom(d, i)``. Used
        wherever ln N is, so not by ``"paper"`` for two classes.

    Guarantee
    ---------
    For m = the result or more, m i.i.d. uniform rows of any table: with probability at least
    ``1 - delta`` every list with minimal loss on the rows is an (epsilon, theta)-approximation of
    the optimum on the table. It does not depend on the number of rows of the table. Rounding only
    ever enlarges m (docs/theory/sample_size.md, "sample_size").

    Examples
    --------
    >>> sample_size(100, max_rules=5, epsilon=1, theta=0.01)
    29242
    >>> sample_size(100, max_rules=5, epsilon=1, theta=0.01, method="tight")
    16041
    """
    problem = _checked_problem(
        n_conditions=n_conditions,
        max_rules=max_rules,
        max_terms=max_terms,
        epsilon=epsilon,
        theta=theta,
        delta=delta,
        n_classes=n_classes,
        regularization=regularization,
        n_conjunctions=n_conjunctions,
    )
    method = checked("method", method)
    paper = _least(problem.paper_suffices)
    if method == "paper":
        return paper
    # An optimum at theta is the hardest in practice, and one point is quick to check: start there.
    start = _halved(problem.tight_suffices_at_theta, 0, paper)
    # The paper's size is valid too, should the walk over all optima not settle below it.
    return _least(problem.tight_suffices, start=start, known=paper, resolution=1 + start // 256)


def sample_size_closed_form(
    n_conditions: int,
    *,
    max_rules: int,
    max_terms: int = 1,
    epsilon: float,
    theta: float,
    delta: float = 0.05,
) -> int:
    """Return the paper's closed-form upper bound on its sample size, for two classes (A7).

    Guarantee
    ---------
    At least ``sample_size(..., method="paper")`` (docs/theory/sample_size.md,
    "sample_size_closed_form").

    Examples
    --------
    >>> sample_size_closed_form(100, max_rules=5, epsilon=1, theta=0.01)
    66089
    """
    d, k, z = checked_shape(n_conditions, max_rules, max_terms)
    eps, theta = _checked_accuracy(epsilon, theta)
    omega = complexity(d, max_rules=k, max_terms=z)
    w = omega + log_inverse(checked_number("delta", delta), parts=2)
    root = math.sqrt(14) * math.sqrt(8 * eps + 14) / 2
    return math.ceil(round_up(w * (root + 2 * eps + 7) / (eps * eps * theta), 16))


@dataclass(frozen=True)
class _Problem:
    """Checked parameters, and whether m rows suffice for them."""

    n_conditions: int
    max_rules: int
    max_terms: int
    n_conjunctions: int
    n_classes: int
    epsilon: float
    theta: float
    regularization: float
    single_price: float  # ln(2 / delta), for one list

    @cached_property
    def paper_price(self) -> float:
        """Return omega + ln(2 / delta), for all lists; omega covers two classes only."""
        if self.n_classes > 2:
            return self.tight_price
        omega = complexity(self.n_conditions, max_rules=self.max_rules, max_terms=self.max_terms)
        return round_up(omega + self.single_price)

    @cached_property
    def tight_price(self) -> float:
        """Return ln N + ln(2 / delta), for all lists."""
        log_n = log_n_rule_lists(
            self.n_conjunctions, max_rules=self.max_rules, n_classes=self.n_classes
        )
        return round_up(log_n + self.single_price)

    def paper_suffices(self, m: int) -> bool:
        """A6: the deviations of the optimum and of the list found add up to epsilon theta."""
        t1 = math.sqrt(3 * self.theta * self.single_price / m)
        w = self.paper_price / m
        deviation = t1 + math.sqrt(2 * (self.theta + t1) * w) + 2 * w
        return round_up(deviation, 16) <= self.epsilon * self.theta

    def tight_suffices(self, m: int) -> bool:
        """Part C: whatever the optimum's loss v, the list found has at most v + eps max(v, theta).

        h(v), the bound on the list's loss, increases with v. Usually v = theta is the worst case,
        and provably so; otherwise all v are settled on a grid.
        """
        return self.tight_suffices_at_theta(m) and (
            self._theta_is_worst(m) or self._grid_settles(m)
        )

    def tight_suffices_at_theta(self, m: int) -> bool:
        """Part C for one optimum only: necessary, not sufficient."""
        v = min(self.theta, self._worst_optimum)
        return self._largest_settled(self._target(v), m) >= v

    def _theta_is_worst(self, m: int) -> bool:
        """Whether no optimum is harder than theta, by convexity.

        For each (i, j) the largest settled v is a convex function of the target, and the target is
        linear in v on either side of theta. So it is enough that the margin falls before theta
        (slope < 1) and rises after it ((1 + epsilon) slope > 1).
        """
        indices = range(self.max_rules + 1 if self.regularization else 1)
        slopes = (self._settled_slope(m, i, j) for i in indices for j in indices)
        least = 1 / (1 + self.epsilon) if self.theta < self._worst_optimum else 0.0
        return all(
            slope is not None and least + _SLOPE_ERROR < slope < 1 - _SLOPE_ERROR
            for slope in slopes
        )

    def _settled_slope(self, m: int, i: int, j: int) -> float | None:
        """Return dv / dtarget at theta, for a list of i rules, an optimum of j; None at edges."""
        q = self._target(min(self.theta, self._worst_optimum)) - self.regularization * i
        if not 0 < q < 1:
            return None
        p = kl_sample_lower(q, self.tight_price / m)
        x = p + self.regularization * (i - j)
        y = kl_lower(x, self.single_price / m) if 0 < x < 1 else 0.0
        if min(p, y) < 1e-20:
            return None
        # Along kl(p, q) = const, dp / dq = -kl_q / kl_p; likewise dy / dx = -kl_x / kl_y.
        dp_dq = (q - p) / (q * (1 - q)) / _log_odds_ratio(q, p)
        return dp_dq * _log_odds_ratio(x, y) * y * (1 - y) / (x - y)

    def _grid_settles(self, m: int) -> bool:
        """Whether a walk over a grid settles every optimum.

        From v, the largest w with h(w) <= target(v) settles all optima between v and w, because h
        and the target increase: each step is as long as that allows.
        """
        v = 0.0
        for _ in range(_MOST_STEPS):
            w = self._largest_settled(self._target(v), m)
            if w >= self._worst_optimum:
                return True
            if w <= v + _SHORTEST_STEP * self.theta:
                return False
            v = w
        return False

    @property
    def _worst_optimum(self) -> float:
        """The loss of the best list without rules is at most this."""
        return round_up(1 - 1 / self.n_classes)

    def _target(self, v: float) -> float:
        return round_down(v + self.epsilon * max(v, self.theta))

    def _largest_settled(self, target: float, m: int) -> float:
        """Return the largest v with h(v) <= target: h's two deviations, undone in turn."""
        sample_loss = self._over_rule_prices(
            kl_sample_lower, target, round_up(self.tight_price / m)
        )
        return self._over_rule_prices(kl_lower, sample_loss, round_up(self.single_price / m))

    def _over_rule_prices(
        self, inverse: Callable[[float, float], float], loss: float, b: float
    ) -> float:
        """``min_j [alpha j + inverse(loss - alpha j, b)]`` over j = 0..k with alpha j <= loss.

        Inverses of kl bound a convex set, so the minimum is over a convex function of j: the first
        clear rise ends the search. (Rates above 1 cannot occur and restrict nothing.)
        """
        least = math.inf
        for j in range(self.max_rules + 1):
            price = self.regularization * j
            if price > loss:
                break
            value = price + inverse(loss - price, b) if loss - price < 1 else math.inf
            if value > least + 1e-9 or (j and not self.regularization):
                break
            least = min(least, value)
        return max(0.0, round_down(least)) if least < math.inf else least


def _log_odds_ratio(x: float, y: float) -> float:
    return math.log(x / y) - math.log((1 - x) / (1 - y))


def _checked_problem(
    *,
    n_conditions: int,
    max_rules: int,
    max_terms: int,
    epsilon: float,
    theta: float,
    delta: float,
    n_classes: int,
    regularization: float,
    n_conjunctions: int | None,
) -> _Problem:
    d, k, z = checked_shape(n_conditions, max_rules, max_terms)
    epsilon, theta = _checked_accuracy(epsilon, theta)
    return _Problem(
        n_conditions=d,
        max_rules=k,
        max_terms=z,
        n_conjunctions=checked_n_conjunctions(n_conjunctions, d, z),
        n_classes=checked_integer("n_classes", n_classes),
        epsilon=epsilon,
        theta=theta,
        regularization=checked_number("regularization", regularization),
        single_price=log_inverse(checked_number("delta", delta), parts=2),
    )


def _checked_accuracy(epsilon: float, theta: float) -> tuple[float, float]:
    """Return both, unless they ask for more than floating point can tell from nothing."""
    epsilon, theta = checked_number("epsilon", epsilon), checked_number("theta", theta)
    if epsilon * theta < _LEAST_ACCURACY:
        raise ParameterError(
            Words(
                Parameter("epsilon"),
                f" is {epsilon:g} and ",
                Parameter("theta"),
                f" is {theta:g}; expected epsilon * theta of at least {_LEAST_ACCURACY:g}.",
            ),
            hint="sizes are inversely proportional to epsilon^2 * theta.",
        )
    return epsilon, theta


def _least(
    suffices: Callable[[int], bool],
    *,
    start: int = 1,
    known: int | None = None,
    resolution: int = 1,
) -> int:
    """Return the least m from `start` to `known` that suffices, if more rows never do worse.

    If `start` itself does not suffice, the result may exceed the least m by `resolution` - 1.
    """
    low, high, step = start - 1, start, resolution
    while high != known and not suffices(high):
        low, high, step = high, high + step, 2 * step
        if known is not None and high > known:
            high = known
    return _halved(suffices, low, high, resolution)


def _halved(suffices: Callable[[int], bool], low: int, high: int, resolution: int = 1) -> int:
    """Return the least m between one that is too small and one that suffices, or nearly so."""
    while high - low > resolution:
        middle = (low + high) // 2
        low, high = (low, middle) if suffices(middle) else (middle, high)
    return high
