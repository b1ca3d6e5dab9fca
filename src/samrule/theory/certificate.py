"""What is proven about one rule list, and `certify`, which proves it from what was seen.

No complexity of the class enters the lower bound: it concerns one fixed list, the unknown optimum.
That is why certificates need far fewer rows than `sample_size` asks for beforehand.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from samrule.checks import LossName, checked, checked_epsilon
from samrule.errors import ParameterError
from samrule.theory.evidence import (
    Argument,
    Drawn,
    Evidence,
    UpperEvidence,
)
from samrule.theory.paired import Paired
from samrule.theory.rounding import round_up
from samrule.theory.sentences import (
    bounds_sentence,
    formal_statement,
    kind_of_loss,
    promise_sentence,
)
from samrule.theory.shares import Shares


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
        The accuracy asked for (None for the best that can be proven), and the probability with
        which the draw may mislead.
    train_rows, validation_rows, pilot_rows
        Rows that the lower bound rests on, which the list was learned from, perhaps with others;
        fresh rows it was checked on; rows that shaped the conditions before.
    lower_bound
        On the least loss any rule list of the class has on the table.
    upper_bound
        On this list's loss on the table.
    achieved_epsilon
        The least epsilon that is proved.
    holds
        Whether ``achieved_epsilon <= epsilon``: only then is the promise made. Without an epsilon,
        the promise is what is proven, with `achieved_epsilon` in its place.
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
    loss_name
        What is minimized: ``"loss"`` for errors, ``"Brier loss"``, ``"cost"`` or ``"mixed loss"``.

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

    epsilon: float | None
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
    loss_name: LossName = "loss"

    def __str__(self) -> str:
        return "\n".join((self.bounds_sentence, self.promise_sentence, self.formal_statement))

    @property
    def bounds_sentence(self) -> str:
        """What is proven about the losses."""
        return bounds_sentence(self)

    @property
    def promise_sentence(self) -> str:
        """What follows from the bounds: how near the best possible list this one is."""
        return promise_sentence(self)

    @property
    def formal_statement(self) -> str:
        """The promise as a formula, with every digit of what was asked for."""
        return formal_statement(self)

    @property
    def kind_of_loss(self) -> str:
        """What every loss here is, in words."""
        return kind_of_loss(self)

    @property
    def allowed_loss(self) -> float:
        """The loss up to which a list is as good as asked for, by the lower bound alone."""
        if self.epsilon is None:
            return self.upper_bound
        return self.lower_bound + self.epsilon * max(self.lower_bound, self.theta)


def certify(
    *,
    epsilon: float | None,
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
    validation_loss: float | None = None,
    log_n_lists: float | None = None,
    a_priori_rows: int | None = None,
    pilot_rows: int = 0,
    table_rows: int | None = None,
    drawn: Drawn = "with_replacement",
    weighted: bool = False,
    shares: Shares | None = None,
    loss_name: LossName = "loss",
    n_classes: int = 2,
    paired: Paired | None = None,
) -> Certificate:
    """State what can be promised about a rule list, given what was seen.

    Parameters
    ----------
    epsilon, theta, delta
        The (epsilon, theta)-approximation asked for, with failure probability at most delta; None
        for the least epsilon that is proven.
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
    validation_loss
        The list's mean loss on them, without the price of rules, if that is no error rate.
    log_n_lists
        ln N of the class (`log_n_rule_lists`), to bound this list's loss from the training rows.
    a_priori_rows
        A sample size fixed before the draw, at the delta ``shares.a_priori_delta``.
    pilot_rows, table_rows
        Rows that shaped the conditions; rows of the table (needed only for rows drawn row by row,
        and for pilot rows drawn without replacement).
    drawn
        How the rows were drawn, uniformly ``"with_replacement"`` or ``"without_replacement"``, or
        ``"row_by_row"`` (each with the same chance, none twice, pilot rows drawn apart), or
        ``"by_weight"`` (with replacement, proportionally to weight, and then every loss is
        weighted); ``"whole_table"`` if they are the table. Rows drawn by blocks or in quotas per
        partition cannot be certified.
    weighted
        Whether rows carry weights; those drawn by weight do.
    shares
        How delta is shared, fixed before the draw; equal parts by default. In a progressive run,
        those of the stage (`progressive_schedule`), while `delta` is that of the whole run.
    loss_name, n_classes
        What is minimized, if not errors: any loss from 0 to 1 of which the list predicts the best
        class and shares of each rule. Then `validation_errors`, `log_n_lists` and `a_priori_rows`
        prove nothing; the Brier loss of two classes has a sharper lower bound.
    paired
        If rows were weighted to compare all lists with a known one: how. Then `sample_lower_bound`
        is about the weighted loss, at the price of `PairedWeights.rule_price`.

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
    evidence = Evidence(
        epsilon=checked_epsilon(epsilon),
        theta=checked("theta", theta),
        delta=checked("delta", delta),
        max_rules=checked("max_rules", max_rules),
        regularization=checked("regularization", regularization),
        n_rules=checked("n_rules", n_rules),
        train_rows=checked("train_rows", train_rows),
        sample_lower_bound=checked("sample_lower_bound", sample_lower_bound),
        sample_loss=checked("sample_loss", sample_loss),
        table_loss=checked("table_loss", table_loss),
        validation_rows=checked("validation_rows", validation_rows),
        validation_errors=validation_errors,
        log_n_lists=log_n_lists,
        a_priori_rows=a_priori_rows,
        pilot_rows=checked("pilot_rows", pilot_rows),
        table_rows=table_rows,
        drawn=drawn,
        weighted=weighted or drawn == "by_weight",
        shares=shares,
        loss_name=checked("loss_name", loss_name),
        n_classes=checked("n_classes", n_classes),
        validation_loss=checked("validation_loss", validation_loss),
        paired=paired,
    )
    evidence.check()
    return _certificate(evidence)


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
    if a_priori and not _holds(achieved, last.epsilon):
        return a_priori[-1]
    return replace(
        best,
        train_rows=last.train_rows,
        validation_rows=last.validation_rows,
        lower_bound=min(lower, best.upper_bound),
        achieved_epsilon=achieved,
        holds=_holds(achieved, last.epsilon),
        argument="exact" if any(c.argument == "exact" for c in certificates) else "a_posteriori",
    )


def with_upper_bound(certificate: Certificate, loss: float) -> Certificate:
    """Return what is proven of another list, whose loss on the whole table was counted."""
    lower = min(certificate.lower_bound, loss)
    achieved = _achieved_epsilon(lower, loss, certificate.theta)
    return replace(
        certificate,
        lower_bound=lower,
        upper_bound=loss,
        achieved_epsilon=achieved,
        holds=_holds(achieved, certificate.epsilon),
        upper_evidence="scan",
    )


def _certificate(evidence: Evidence) -> Certificate:
    lower, upper = evidence.lower_bound(), evidence.upper_bound()
    achieved = _achieved_epsilon(lower, upper, evidence.theta)
    argument: Argument = "exact" if evidence.drawn == "whole_table" else "a_posteriori"
    # The bound for all lists rests on the a-priori argument's own events: call it by its name.
    wanted = not _holds(achieved, evidence.epsilon) or evidence.upper_evidence == "all_lists"
    if wanted and evidence.epsilon is not None and evidence.a_priori_applies():
        achieved, argument = min(achieved, evidence.epsilon), "a_priori"
    return Certificate(
        epsilon=evidence.epsilon,
        theta=evidence.theta,
        delta=evidence.delta,
        train_rows=evidence.train_rows,
        validation_rows=evidence.validation_rows,
        pilot_rows=evidence.pilot_rows,
        lower_bound=min(lower, upper),
        upper_bound=upper,
        achieved_epsilon=achieved,
        holds=_holds(achieved, evidence.epsilon),
        drawn=evidence.drawn,
        argument=argument,
        upper_evidence=evidence.upper_evidence,
        weighted=evidence.weighted,
        loss_name=evidence.loss_name,
    )


def _holds(achieved: float, epsilon: float | None) -> bool:
    return epsilon is None or achieved <= epsilon


def _achieved_epsilon(lower: float, upper: float, theta: float) -> float:
    return round_up((upper - lower) / max(lower, theta)) if upper > lower else 0.0


def _check_same_promise(certificates: Sequence[Certificate]) -> None:
    promises = {(c.epsilon, c.theta, c.delta) for c in certificates}
    if len(promises) != 1:
        raise ParameterError(
            f"the certificates make {len(promises)} different promises (epsilon, theta, delta); "
            "expected 1.",
            hint="combine the certificates of one progressive run.",
        )
