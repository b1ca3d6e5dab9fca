"""What was seen of a rule list, checked, and the bounds on losses that follow from it."""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import takewhile
from typing import Literal, get_args

from samrule.checks import LossName, WholeNumber, checked_integer, checked_number
from samrule.errors import ParameterError
from samrule.theory.binomial import binomial_lower_limit, binomial_upper_limit
from samrule.theory.calibrated import calibrated_lower
from samrule.theory.deviation import kl_lower, kl_upper
from samrule.theory.hypergeometric import hypergeometric_lower_limit
from samrule.theory.paired import Paired, paired_lower_bound
from samrule.theory.rounding import log_inverse, round_down, round_up
from samrule.theory.shares import Shares

Argument = Literal["exact", "a_priori", "a_posteriori"]
Drawn = Literal["with_replacement", "row_by_row", "without_replacement", "by_weight", "whole_table"]
UpperEvidence = Literal["scan", "validation", "all_lists"]


@dataclass(frozen=True)
class Evidence:
    """What was seen of a rule list, as `certify` takes it, and the bounds that it proves."""

    epsilon: float | None
    theta: float
    delta: float
    max_rules: int
    regularization: float
    n_rules: int
    train_rows: int
    sample_lower_bound: float
    sample_loss: float | None
    table_loss: float | None
    validation_rows: int
    validation_errors: int | None
    log_n_lists: float | None
    a_priori_rows: int | None
    pilot_rows: int
    table_rows: int | None
    drawn: Drawn
    weighted: bool
    shares: Shares | None
    loss_name: LossName = "loss"
    n_classes: int = 2
    validation_loss: float | None = None
    paired: Paired | None = None

    def lower_bound(self) -> float:
        """Return a lower bound on the least loss any list of the class has on the table."""
        if self.drawn == "whole_table":
            return self.sample_lower_bound
        if self.paired is not None:
            return self._paired_lower_bound(self.paired)
        bound = loss_lower_bound(
            self.sample_lower_bound,
            n_rows=self.train_rows,
            delta=self.spent.lower,
            max_rules=self.max_rules,
            regularization=self.regularization,
            with_replacement=self.with_replacement,
            table_rows=self.table_rows if self.drawn == "row_by_row" else None,
            loss_name=self.loss_name,
            n_classes=self.n_classes,
        )
        is_rest = self.drawn == "without_replacement" and self.pilot_rows
        if not is_rest or self.table_rows is None:
            return bound
        # The rows come from the table without its pilot rows; on those the optimum may be perfect.
        return max(0.0, round_down(bound * ((self.table_rows - self.pilot_rows) / self.table_rows)))

    def _paired_lower_bound(self, paired: Paired) -> float:
        return paired_lower_bound(
            self.sample_lower_bound,
            weights=paired.weights,
            n_rows=self.train_rows,
            n_wrong=paired.n_wrong,
            reference_error=paired.reference_error,
            delta=self.spent.lower,
            max_rules=self.max_rules,
            regularization=self.regularization,
            row_by_row=paired.row_by_row,
        )

    def upper_bound(self) -> float:
        """Return an upper bound on this list's loss on the table."""
        if self.upper_evidence == "scan":
            return self.table_loss if self.table_loss is not None else self.loss_on_sample
        price = self.regularization * self.n_rules
        if self.validation_errors is not None:
            limit = binomial_upper_limit(
                self.validation_errors, n_rows=self.validation_rows, delta=self.spent.upper
            )
            return round_up(limit + price)
        if self.validation_loss is not None:
            budget = round_up(log_inverse(self.spent.upper) / self.validation_rows)
            return round_up(kl_upper(self.validation_loss, budget) + price)
        budget = ((self.log_n_lists or 0.0) + log_inverse(self.spent.uniform)) / self.train_rows
        rate = min(1.0, max(0.0, round_up(self.loss_on_sample - price)))
        return round_up(kl_upper(rate, round_up(budget)) + price)

    def a_priori_applies(self) -> bool:
        """Enough rows, and a finished search: the list has the least loss on them."""
        return (
            self.drawn != "whole_table"
            and self.a_priori_rows is not None
            and self.train_rows >= self.a_priori_rows
            and self.loss_on_sample <= self.sample_lower_bound
        )

    @property
    def with_replacement(self) -> bool:
        """Whether the rows are independent of each other."""
        return self.drawn in ("with_replacement", "by_weight")

    @property
    def upper_evidence(self) -> UpperEvidence:
        """Where the upper bound comes from."""
        if self.table_loss is not None or self.drawn == "whole_table":
            return "scan"
        has_fresh = self.validation_errors is not None or self.validation_loss is not None
        return "validation" if has_fresh else "all_lists"

    @property
    def loss_on_sample(self) -> float:
        """The list's loss on the training rows; an error if it is needed and was not given."""
        if self.sample_loss is None:
            raise ParameterError(
                "sample_loss is None; expected the list's loss on the training rows.",
                hint="a table_loss or validation_errors would do without it.",
            )
        return self.sample_loss

    @property
    def spent(self) -> Shares:
        """The shares to spend: those given, or equal parts for the statements that are used."""
        if self.shares is not None:
            return self.shares
        return Shares.split(
            self.delta,
            validated=self.upper_evidence == "validation",
            a_priori=self.a_priori_rows is not None or self.upper_evidence == "all_lists",
        )

    def check(self) -> None:
        """Raise our error where arguments contradict each other or cannot be certified."""
        if self.drawn not in get_args(Drawn):
            raise ParameterError(
                f"drawn is {self.drawn!r}; expected one of {', '.join(get_args(Drawn))}.",
                hint="rows drawn by blocks or per partition cannot be certified.",
            )
        checked_integer("n_rules", self.n_rules, WholeNumber(at_least=0, at_most=self.max_rules))
        self._check_loss()
        self._check_paired()
        self._check_upper_evidence()
        self._check_shares()
        if self.drawn == "without_replacement":
            self._check_without_replacement()
        if self.drawn == "row_by_row":
            self._check_row_by_row()

    def _check_loss(self) -> None:
        """Raise for what is proven for errors alone: their counts, and bounds for all lists."""
        if self.loss_name == "loss":
            return
        if self.loss_name == "1 - F1" and self.drawn != "whole_table":
            raise ParameterError(
                f"loss_name is {self.loss_name!r} for rows that were drawn; it is a ratio and no "
                "mean over rows, so a sample proves nothing about it.",
                hint="search the whole table.",
            )
        if self.validation_errors is not None or self.a_priori_rows is not None:
            raise ParameterError(
                f"validation_errors or a_priori_rows are given for a {self.loss_name}; what they "
                "prove is about errors.",
                hint="pass table_loss from one scan of the table, or validation_loss.",
            )
        if self.upper_evidence == "all_lists":
            raise ParameterError(
                f"nothing bounds the list's {self.loss_name}; expected table_loss or "
                "validation_loss.",
                hint="one scan of the table gives table_loss, and the strongest certificate.",
            )

    def _check_paired(self) -> None:
        """Raise where a comparison with a known list is not what the other arguments are about."""
        if self.paired is None:
            return
        is_plain = self.a_priori_rows is not None or self.upper_evidence == "all_lists"
        fits = (
            self.with_replacement if self.paired.row_by_row is None else self.drawn == "row_by_row"
        )
        if self.loss_name != "loss" or not fits or is_plain:
            raise ParameterError(
                "paired is given; it is proven for errors, for rows drawn with replacement or row "
                "by row as it says, and not together with a_priori_rows or log_n_lists.",
                hint="leave it out for the plain bound.",
            )

    def _check_upper_evidence(self) -> None:
        if self.validation_loss is not None:
            checked_integer("validation_rows", self.validation_rows, WholeNumber(at_least=1))
        if self.validation_errors is not None:
            checked_integer("validation_rows", self.validation_rows, WholeNumber(at_least=1))
            checked_integer(
                "validation_errors",
                self.validation_errors,
                WholeNumber(at_least=0, at_most=self.validation_rows),
            )
        if self.upper_evidence == "all_lists":
            if self.log_n_lists is None:
                raise ParameterError(
                    "nothing bounds the list's loss; expected table_loss, validation_errors or "
                    "log_n_lists.",
                    hint="one scan of the table gives table_loss, and the strongest certificate.",
                )
            checked_number("log_n_lists", self.log_n_lists)
        if self.a_priori_rows is not None:
            checked_integer("a_priori_rows", self.a_priori_rows)

    def _check_shares(self) -> None:
        if self.drawn == "whole_table":
            return
        self.spent.check_within(self.delta)
        checked_number("shares.lower", self.spent.lower)
        if self.upper_evidence == "validation":
            checked_number("shares.upper", self.spent.upper)
        if self.upper_evidence == "all_lists" or self.a_priori_rows is not None:
            checked_number("shares.uniform", self.spent.uniform)

    def _check_without_replacement(self) -> None:
        """E2: S is uniform on the rest of the table, so V and the a-priori size do not apply."""
        if self.upper_evidence == "validation":
            raise ParameterError(
                "validation_errors is given for rows drawn without replacement; they estimate the "
                "loss on the rows not drawn before, not on the table.",
                hint="draw with replacement, or pass table_loss from one scan of the table.",
            )
        if not self.pilot_rows:
            return
        least = WholeNumber(at_least=self.pilot_rows + self.train_rows)
        checked_integer("table_rows", self.table_rows, least)
        if self.a_priori_rows is not None or self.upper_evidence == "all_lists":
            raise ParameterError(
                f"pilot_rows is {self.pilot_rows} for rows drawn without replacement; expected 0 "
                "with a_priori_rows or log_n_lists.",
                hint="draw with replacement, or pass table_loss from one scan of the table.",
            )

    def _check_row_by_row(self) -> None:
        """Pilot rows are independent of these; validation rows would have to be drawn otherwise."""
        least = WholeNumber(at_least=self.train_rows)
        checked_integer("table_rows", self.table_rows, least)
        if self.upper_evidence == "validation":
            raise ParameterError(
                "validation rows are given for rows drawn row by row; expected table_loss.",
                hint="one scan of the table gives it.",
            )


def loss_lower_bound(
    sample_lower_bound: float,
    *,
    n_rows: int,
    delta: float,
    max_rules: int,
    regularization: float = 1e-4,
    with_replacement: bool = True,
    table_rows: int | None = None,
    loss_name: LossName = "loss",
    n_classes: int = 2,
) -> float:
    """Return a lower bound on every list's loss on the table, from one on the sample.

    The loss is that of errors, or another one from 0 to 1 by its name: counts of errors are
    binomial, means of other losses are not, and have weaker bounds. With `table_rows`, rows were
    drawn without replacement from a table of so many: then counts of errors are hypergeometric.

    Guarantee
    ---------
    At most l*, the least loss on the table, with probability at least ``1 - delta``, if
    `sample_lower_bound` is at most the least loss on the `n_rows` sampled rows. Rounded down
    (docs/theory/certificate.md, "loss_lower_bound").

    Examples
    --------
    >>> round(loss_lower_bound(0.1714, n_rows=2000, delta=0.05 / 8, max_rules=4), 4)
    0.1509
    >>> round(loss_lower_bound(0.1714, n_rows=2000, delta=0.05 / 8, max_rules=4,
    ...                        with_replacement=False), 4)
    0.1457
    """
    b = checked_number("sample_lower_bound", sample_lower_bound)
    m = checked_integer("n_rows", n_rows)
    k = checked_integer("max_rules", max_rules)
    alpha = checked_number("regularization", regularization)
    delta = checked_number("delta", delta)
    n_classes = checked_integer("n_classes", n_classes)
    error_limit = _kl_error_limit
    if loss_name == "loss" and table_rows is not None:
        error_limit = partial(_hypergeometric_error_limit, table_rows=table_rows)
    elif loss_name == "loss" and with_replacement:
        error_limit = _binomial_error_limit
    elif loss_name == "Brier loss" and n_classes == 2:
        error_limit = _calibrated_limit
    # The term of a price above 1 is above that of no rule, which is an error rate.
    prices = takewhile(lambda price: price <= 1, (alpha * j for j in range(k + 1 if alpha else 1)))
    least = min(price + error_limit(b, price, m, delta) for price in prices)
    return max(0.0, round_down(least))


def _binomial_error_limit(loss: float, price: float, m: int, delta: float) -> float:
    return binomial_lower_limit(_least_errors(loss, price, m), n_rows=m, delta=delta)


def _hypergeometric_error_limit(
    loss: float, price: float, m: int, delta: float, *, table_rows: int
) -> float:
    errors = _least_errors(loss, price, m)
    return hypergeometric_lower_limit(errors, n_rows=m, table_rows=table_rows, delta=delta)


def _least_errors(loss: float, price: float, m: int) -> int:
    """Return the least number of errors that makes up loss - price."""
    errors = m * (Fraction(loss) - Fraction(price)) - m * Fraction(2) ** -50
    return min(m, max(0, math.ceil(errors)))


def _kl_error_limit(loss: float, price: float, m: int, delta: float) -> float:
    rate = min(1.0, max(0.0, loss - price - 2.0**-50))
    return kl_lower(rate, round_up(log_inverse(delta) / m))


def _calibrated_limit(loss: float, price: float, m: int, delta: float) -> float:
    score = min(1.0, max(0.0, loss - price - 2.0**-50))
    return calibrated_lower(score, round_up(log_inverse(delta) / m))
