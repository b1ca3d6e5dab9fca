"""A promise about one rule list, with the numbers it rests on, made after the rows were seen.

No complexity of the class enters the lower bound: it concerns one fixed list, the unknown optimum.
That is why certificates need far fewer rows than `sample_size` asks for beforehand.
"""

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR
from fractions import Fraction
from typing import Any, Literal, Self, get_args

from samrule.errors import ParameterError, ParameterTypeError
from samrule.theory.binomial import binomial_lower_limit, binomial_upper_limit
from samrule.theory.deviation import kl_lower, kl_upper
from samrule.theory.parameters import (
    checked_delta,
    checked_epsilon,
    checked_integer,
    checked_number,
    checked_regularization,
    checked_theta,
)
from samrule.theory.rounding import log_inverse, round_down, round_up
from samrule.theory.shares import Shares
from samrule.theory.words import (
    exact_text,
    loss_text,
    percent_text,
    probability_text,
    product_text,
)

Argument = Literal["exact", "a_priori", "a_posteriori"]
Drawn = Literal["with_replacement", "without_replacement", "by_weight", "whole_table"]
UpperEvidence = Literal["scan", "validation", "all_lists"]

_FORMAT = "samrule.certificate/1"


@dataclass(frozen=True)
class Certificate:
    """What is promised about a rule list, and what the promise rests on; made by `certify`.

    Guarantee
    ---------
    The probability that a certificate holds (`holds` is true) and is wrong is at most `delta`:
    ``P(holds and l(R) > l* + epsilon max(l*, theta)) <= delta``, over the draw of the rows. With
    probability at least ``1 - delta`` moreover ``lower_bound <= l*`` and ``l(R) <= upper_bound``
    (docs/theory/certificate.md, "Certificate").

    Attributes
    ----------
    epsilon, theta, delta
        The accuracy asked for, and the probability with which the draw may mislead.
    train_rows, validation_rows, pilot_rows
        Rows the list was learned from; fresh rows it was checked on; rows that shaped the
        conditions before.
    lower_bound
        On the least loss any rule list of the class has on the table.
    upper_bound
        On this list's loss on the table.
    achieved_epsilon
        The least epsilon that is proved.
    holds
        Whether ``achieved_epsilon <= epsilon``: only then is the promise made.
    drawn
        How the rows were drawn.
    argument
        ``"exact"``: the whole table was searched, nothing is left to chance. ``"a_posteriori"``:
        the two bounds are close enough. ``"a_priori"``: there were as many rows as `sample_size`
        asks for, and the search on them was finished.
    upper_evidence
        Where `upper_bound` comes from: a scan of the table, validation rows, or a bound for all
        lists at once from the training rows.
    weighted
        Whether rows carry weights: then every loss here is a share of the weight.

    Examples
    --------
    >>> print(certify(epsilon=0.5, theta=0.025, max_rules=4, n_rules=4, train_rows=2000,
    ...               sample_lower_bound=0.1714, table_loss=0.177))
    With probability 95 %, no rule list of this shape has a loss below 0.1576 on this table; this \
one has 0.1770.
    It is therefore at most 12.3 % worse than the best possible, as promised, after learning from \
2,000 rows.
    Formally: P(issued and l(R) > l* + 0.5 max(l*, 0.025)) <= 0.05, by the a_posteriori argument; \
rows drawn uniformly with replacement.
    """

    epsilon: float
    theta: float
    delta: float
    train_rows: int
    validation_rows: int
    pilot_rows: int
    lower_bound: float
    upper_bound: float
    achieved_epsilon: float
    holds: bool
    drawn: Drawn
    argument: Argument
    upper_evidence: UpperEvidence
    weighted: bool

    def __str__(self) -> str:
        return "\n".join((*self.sentences, self.formal_statement))

    @property
    def sentences(self) -> tuple[str, str]:
        """What is proven about the losses, and what follows from it."""
        return _bounds_sentence(self), _promise_sentence(self)

    @property
    def formal_statement(self) -> str:
        """The promise as a formula, with every digit of what was asked for."""
        return _formal_statement(self)

    def to_json(self) -> str:
        """Return the certificate as one JSON object; floats survive the round trip unchanged.

        Examples
        --------
        >>> certificate = certify(epsilon=1, theta=0.1, max_rules=2, n_rules=1, train_rows=50,
        ...                       sample_lower_bound=0.1, table_loss=0.1, drawn="whole_table")
        >>> Certificate.from_json(certificate.to_json()) == certificate
        True
        """
        return json.dumps({"format": _FORMAT, **asdict(self)})

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Return the certificate that `to_json` wrote.

        Examples
        --------
        >>> Certificate.from_json("{}")
        Traceback (most recent call last):
        ...
        samrule.errors.ParameterError: format is None; expected 'samrule.certificate/1'.
        Hint: pass the text that Certificate.to_json() returned.
        """
        fields = _checked_fields(text)
        return cls(**fields)


def certify(
    *,
    epsilon: float,
    theta: float,
    delta: float = 0.05,
    max_rules: int,
    regularization: float = 1e-4,
    n_rules: int,
    train_rows: int,
    sample_lower_bound: float,
    sample_loss: float | None = None,
    table_loss: float | None = None,
    validation_rows: int = 0,
    validation_errors: int | None = None,
    log_n_lists: float | None = None,
    a_priori_rows: int | None = None,
    pilot_rows: int = 0,
    table_rows: int | None = None,
    drawn: Drawn = "with_replacement",
    weighted: bool = False,
    shares: Shares | None = None,
) -> Certificate:
    """State what can be promised about a rule list, given what was seen.

    Parameters
    ----------
    epsilon, theta, delta
        The (epsilon, theta)-approximation asked for, with failure probability at most delta.
    max_rules, regularization
        Of the class: at most k rules, each at the price alpha.
    n_rules
        Of this list, without its default.
    train_rows, sample_lower_bound
        The number of training rows, and the solver's proved lower bound on the loss (error rate
        plus price of the rules) of *every* list of the class on them. For a finished search, the
        least loss found. Trusted to 2^-50.
    sample_loss
        This list's loss on the training rows; needed with `log_n_lists` and `a_priori_rows`.
    table_loss
        This list's loss on the whole table, from a scan.
    validation_rows, validation_errors
        Fresh rows, unseen by the learner, and how many of them the list misclassifies.
    log_n_lists
        ln N of the class (`log_n_rule_lists`), to bound this list's loss from the training rows.
    a_priori_rows
        A sample size fixed before the draw, at the delta ``shares.a_priori_delta``.
    pilot_rows, table_rows
        Rows that shaped the conditions; rows of the table (needed only for pilot rows drawn
        without replacement).
    drawn
        How the rows were drawn, uniformly ``"with_replacement"`` or ``"without_replacement"``, or
        ``"by_weight"`` (with replacement, proportionally to weight, and then every loss is
        weighted); ``"whole_table"`` if they are the table. Rows drawn by blocks or in quotas per
        partition cannot be certified.
    weighted
        Whether rows carry weights; those drawn by weight do.
    shares
        How delta is shared, fixed before the draw; equal parts by default. In a progressive run,
        those of the stage (`progressive_schedule`), while `delta` is that of the whole run.

    The upper bound comes from the first of `table_loss`, `validation_errors`, `log_n_lists` given.

    Guarantee
    ---------
    That of `Certificate`. Bounds are rounded outwards, so that `holds` errs towards false
    (docs/theory/certificate.md, "certify").

    Examples
    --------
    >>> certificate = certify(epsilon=0.5, theta=0.025, max_rules=4, n_rules=4, train_rows=2000,
    ...                       sample_lower_bound=0.1714, validation_rows=8000,
    ...                       validation_errors=1420)
    >>> certificate.holds, round(certificate.lower_bound, 4), round(certificate.upper_bound, 4)
    (True, 0.1551, 0.1865)
    """
    evidence = _Evidence(
        epsilon=checked_epsilon(epsilon),
        theta=checked_theta(theta),
        delta=checked_delta(delta),
        max_rules=checked_integer("max_rules", max_rules, low=1),
        regularization=checked_regularization(regularization),
        n_rules=checked_integer("n_rules", n_rules, low=0),
        train_rows=checked_integer("train_rows", train_rows, low=1),
        sample_lower_bound=_checked_lower_bound(sample_lower_bound),
        sample_loss=_checked_optional_loss("sample_loss", sample_loss),
        table_loss=_checked_optional_loss("table_loss", table_loss),
        validation_rows=checked_integer("validation_rows", validation_rows, low=0),
        validation_errors=validation_errors,
        log_n_lists=log_n_lists,
        a_priori_rows=a_priori_rows,
        pilot_rows=checked_integer("pilot_rows", pilot_rows, low=0),
        table_rows=table_rows,
        drawn=drawn,
        weighted=weighted or drawn == "by_weight",
        shares=shares,
    )
    evidence.check()
    return evidence.certificate()


def combine(certificates: Sequence[Certificate]) -> Certificate:
    """Return the strongest certificate that the stages of one progressive run support together.

    All stage bounds hold jointly with probability 1 - delta, so the best lower bound of any stage
    and the best upper bound of any stage may be used: it speaks of the list of the stage with the
    least upper bound (the first, if several). Only an a-priori certificate speaks of its own list.

    Guarantee
    ---------
    That of `Certificate`, if the certificates' shares are those of one `progressive_schedule`
    (docs/theory/certificate.md, "combine").

    Examples
    --------
    >>> common = dict(epsilon=0.25, theta=0.025, max_rules=4, n_rules=4)
    >>> first = certify(train_rows=500, sample_lower_bound=0.15, table_loss=0.18,
    ...                 shares=Shares(lower=0.025), **common)
    >>> second = certify(train_rows=1000, sample_lower_bound=0.17, table_loss=0.19,
    ...                  shares=Shares(lower=0.025), **common)
    >>> first.holds, second.holds, combine([first, second]).holds
    (False, False, True)
    """
    _check_same_promise(certificates)
    last = certificates[-1]
    best = min(certificates, key=lambda certificate: certificate.upper_bound)
    lower = max(certificate.lower_bound for certificate in certificates)
    achieved = _achieved_epsilon(lower, best.upper_bound, last.theta)
    a_priori = [c for c in certificates if c.argument == "a_priori"]
    if achieved > last.epsilon and a_priori:
        return a_priori[-1]
    return replace(
        best,
        train_rows=last.train_rows,
        validation_rows=last.validation_rows,
        lower_bound=min(lower, best.upper_bound),
        achieved_epsilon=achieved,
        holds=achieved <= last.epsilon,
        argument="exact" if any(c.argument == "exact" for c in certificates) else "a_posteriori",
    )


def loss_lower_bound(
    sample_lower_bound: float,
    *,
    n_rows: int,
    delta: float,
    max_rules: int,
    regularization: float = 1e-4,
    with_replacement: bool = True,
) -> float:
    """Return a lower bound on every list's loss on the table, from one on the sample.

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
    b = _checked_lower_bound(sample_lower_bound)
    m = checked_integer("n_rows", n_rows, low=1)
    k = checked_integer("max_rules", max_rules, low=1)
    alpha, delta = checked_regularization(regularization), checked_delta(delta)
    error_limit = _binomial_error_limit if with_replacement else _kl_error_limit
    prices = (alpha * j for j in range(k + 1 if alpha else 1))
    least = min(price + error_limit(b, price, m, delta) for price in prices)
    return max(0.0, round_down(least))


@dataclass(frozen=True)
class _Evidence:
    """The arguments of `certify`, and what follows from them."""

    epsilon: float
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

    def certificate(self) -> Certificate:
        lower, upper = self.lower_bound(), self.upper_bound()
        achieved = _achieved_epsilon(lower, upper, self.theta)
        argument: Argument = "exact" if self.drawn == "whole_table" else "a_posteriori"
        # The bound for all lists rests on the a-priori argument's own events: call it by its name.
        wanted = achieved > self.epsilon or self.upper_evidence == "all_lists"
        if wanted and self.a_priori_applies():
            achieved, argument = min(achieved, self.epsilon), "a_priori"
        return Certificate(
            epsilon=self.epsilon,
            theta=self.theta,
            delta=self.delta,
            train_rows=self.train_rows,
            validation_rows=self.validation_rows,
            pilot_rows=self.pilot_rows,
            lower_bound=min(lower, upper),
            upper_bound=upper,
            achieved_epsilon=achieved,
            holds=achieved <= self.epsilon,
            drawn=self.drawn,
            argument=argument,
            upper_evidence=self.upper_evidence,
            weighted=self.weighted,
        )

    def lower_bound(self) -> float:
        if self.drawn == "whole_table":
            return self.sample_lower_bound
        bound = loss_lower_bound(
            self.sample_lower_bound,
            n_rows=self.train_rows,
            delta=self.spent.lower,
            max_rules=self.max_rules,
            regularization=self.regularization,
            with_replacement=self.with_replacement,
        )
        if self.with_replacement or not self.pilot_rows or self.table_rows is None:
            return bound
        # The rows come from the table without its pilot rows; on those the optimum may be perfect.
        return max(0.0, round_down(bound * ((self.table_rows - self.pilot_rows) / self.table_rows)))

    def upper_bound(self) -> float:
        if self.upper_evidence == "scan":
            return self.table_loss if self.table_loss is not None else self.loss_on_sample
        price = self.regularization * self.n_rules
        if self.validation_errors is not None:
            limit = binomial_upper_limit(
                self.validation_errors, n_rows=self.validation_rows, delta=self.spent.upper
            )
            return round_up(limit + price)
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
        return self.drawn in ("with_replacement", "by_weight")

    @property
    def upper_evidence(self) -> UpperEvidence:
        if self.table_loss is not None or self.drawn == "whole_table":
            return "scan"
        return "validation" if self.validation_errors is not None else "all_lists"

    @property
    def loss_on_sample(self) -> float:
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
        checked_integer("n_rules", self.n_rules, low=0, high=self.max_rules)
        self._check_upper_evidence()
        self._check_shares()
        if self.drawn == "without_replacement":
            self._check_without_replacement()

    def _check_upper_evidence(self) -> None:
        if self.validation_errors is not None:
            checked_integer("validation_rows", self.validation_rows, low=1)
            checked_integer(
                "validation_errors", self.validation_errors, low=0, high=self.validation_rows
            )
        if self.upper_evidence == "all_lists":
            if self.log_n_lists is None:
                raise ParameterError(
                    "nothing bounds the list's loss; expected table_loss, validation_errors or "
                    "log_n_lists.",
                    hint="one scan of the table gives table_loss, and the strongest certificate.",
                )
            checked_number("log_n_lists", self.log_n_lists, low=0, high=math.inf)
        if self.a_priori_rows is not None:
            checked_integer("a_priori_rows", self.a_priori_rows, low=1)

    def _check_shares(self) -> None:
        if self.drawn == "whole_table":
            return
        self.spent.check_within(self.delta)
        checked_delta(self.spent.lower, "shares.lower")
        if self.upper_evidence == "validation":
            checked_delta(self.spent.upper, "shares.upper")
        if self.upper_evidence == "all_lists" or self.a_priori_rows is not None:
            checked_delta(self.spent.uniform, "shares.uniform")

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
        checked_integer("table_rows", self.table_rows, low=self.pilot_rows + self.train_rows)
        if self.a_priori_rows is not None or self.upper_evidence == "all_lists":
            raise ParameterError(
                f"pilot_rows is {self.pilot_rows} for rows drawn without replacement; expected 0 "
                "with a_priori_rows or log_n_lists.",
                hint="draw with replacement, or pass table_loss from one scan of the table.",
            )


def _achieved_epsilon(lower: float, upper: float, theta: float) -> float:
    return round_up((upper - lower) / max(lower, theta)) if upper > lower else 0.0


def _binomial_error_limit(loss: float, price: float, m: int, delta: float) -> float:
    """Return the Clopper-Pearson limit at the least number of errors that makes up loss - price."""
    errors = m * (Fraction(loss) - Fraction(price)) - m * Fraction(2) ** -50
    return binomial_lower_limit(min(m, max(0, math.ceil(errors))), n_rows=m, delta=delta)


def _kl_error_limit(loss: float, price: float, m: int, delta: float) -> float:
    rate = min(1.0, max(0.0, loss - price - 2.0**-50))
    return kl_lower(rate, round_up(log_inverse(delta) / m))


def _checked_lower_bound(value: object) -> float:
    # The best list without rules errs on some rows and pays for no rule.
    return checked_number("sample_lower_bound", value, low=0, high=1)


def _checked_loss(name: str, value: object) -> float:
    # Not above 1 + k alpha, whatever that is.
    return checked_number(name, value, low=0, high=math.inf, high_included=False)


def _checked_optional_loss(name: str, value: object) -> float | None:
    return None if value is None else _checked_loss(name, value)


def _check_same_promise(certificates: Sequence[Certificate]) -> None:
    promises = {(c.epsilon, c.theta, c.delta) for c in certificates}
    if len(promises) != 1:
        raise ParameterError(
            f"the certificates make {len(promises)} different promises (epsilon, theta, delta); "
            "expected 1.",
            hint="combine the certificates of one progressive run.",
        )


def _bounds_sentence(c: Certificate) -> str:
    start = "No" if c.argument == "exact" else f"With probability {probability_text(c.delta)}, no"
    kind = "weighted loss" if c.weighted else "loss"
    loss = loss_text(c.upper_bound, ROUND_CEILING)
    if c.achieved_epsilon == 0:
        # Rounded down and up, the same loss would look like two.
        return f"{start} rule list of this shape has a {kind} below that of this one, {loss}."
    has = "has" if c.upper_evidence == "scan" else "has at most"
    return (
        f"{start} rule list of this shape has a {kind} below "
        f"{loss_text(c.lower_bound, ROUND_FLOOR)} on this table; this one {has} {loss}."
    )


def _promise_sentence(c: Certificate) -> str:
    rows = f"{c.train_rows:,} row{'s' if c.train_rows > 1 else ''}"
    if not c.holds:
        return (
            f"That does not prove it within the {percent_text(c.epsilon, ROUND_FLOOR)} asked for: "
            f"learning from {rows} was not enough, or the search on them was stopped too early."
        )
    if c.achieved_epsilon == 0:
        return f"It is therefore a best possible one, learned from {rows}."
    if c.argument == "a_priori":
        return (
            f"It was learned from {rows}, as many as make it at most "
            f"{percent_text(c.epsilon, ROUND_CEILING)} worse than the best possible (or "
            f"{product_text(c.epsilon, c.theta)} above it, if that is more)."
        )
    if c.lower_bound >= c.theta:
        distance = f"{percent_text(c.achieved_epsilon, ROUND_CEILING, 3)} worse than the best "
        distance += "possible"
    else:
        gap = loss_text(c.upper_bound - c.lower_bound, ROUND_CEILING)
        kind = "weighted loss" if c.weighted else "loss"
        distance = f"{gap} above the best possible {kind}"
    return f"It is therefore at most {distance}, as promised, after learning from {rows}."


def _formal_statement(c: Certificate) -> str:
    how = {
        "with_replacement": "rows drawn uniformly with replacement",
        "without_replacement": "rows drawn uniformly without replacement",
        "by_weight": "rows drawn with replacement, proportionally to weight",
        "whole_table": "every row searched",
    }[c.drawn]
    claim = f"l(R) > l* + {exact_text(c.epsilon)} max(l*, {exact_text(c.theta)})"
    chance = "0" if c.argument == "exact" else exact_text(c.delta)
    losses = "; losses are shares of the weight" if c.weighted else ""
    return (
        f"Formally: P(issued and {claim}) <= {chance}, by the {c.argument} argument; {how}{losses}."
    )


def _checked_fields(text: str) -> dict[str, Any]:
    """Return the fields of a certificate in JSON, each of the right kind."""
    hint = "pass the text that Certificate.to_json() returned."
    try:
        data = json.loads(text)
    except ValueError as error:
        raise ParameterError(f"the certificate is not JSON: {error}.", hint=hint) from error
    if not isinstance(data, dict) or data.get("format") != _FORMAT:
        found = data.get("format") if isinstance(data, dict) else data
        raise ParameterError(f"format is {found!r}; expected {_FORMAT!r}.", hint=hint)
    del data["format"]
    expected = Certificate.__annotations__
    if data.keys() != expected.keys():
        wrong = ", ".join(sorted(data.keys() ^ expected.keys()))
        raise ParameterError(f"the certificate has missing or unknown fields: {wrong}.", hint=hint)
    for name, kind in expected.items():
        _check_field(name, data[name], kind)
    return data


def _check_field(name: str, value: object, kind: Any) -> None:
    allowed = get_args(kind)
    if allowed and value not in allowed:
        raise ParameterError(f"{name} is {value!r}; expected one of {', '.join(allowed)}.")
    if not allowed and type(value) is not kind:
        raise ParameterTypeError(f"{name} is {value!r}; expected a value of type {kind.__name__}.")
