"""`learn`: one call from a table to a rule list and a sentence about how good it is."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from samrule.checks import (
    CHOSEN_BY_CV,
    LossName,
    Relative,
    Strategy,
    checked,
    checked_price,
    checked_rules,
)
from samrule.conditions import Binarizer, Conditions
from samrule.constraints import (
    Constraints,
    FixedRules,
    Forbidden,
    Required,
    Together,
    Ways,
    checked_constraints,
)
from samrule.errors import Parameter, ParameterError, ParameterTypeError, Words
from samrule.learning.alert_rate import AlertRate, alert_rate_of, check_alone
from samrule.learning.class_weight import ClassWeight, checked_class_weight, weighted_by_class
from samrule.learning.constrained import (
    check_goes_together,
    kept_columns,
    table_constraints,
    with_levels,
)
from samrule.learning.cross_validation import MOST_CHOSEN_RULES
from samrule.learning.min_support import check_support
from samrule.learning.model import FittedRuleList
from samrule.learning.run import run_task
from samrule.learning.task import (
    PILOT_ROWS,
    Deadline,
    LearningProgress,
    Settings,
    Task,
    WorkBudget,
    class_shares_of,
)
from samrule.objective import Costs, Objectives, checked_objective, objective_of
from samrule.random_streams import stream
from samrule.sources.base import Source
from samrule.sources.memory import read_if_small
from samrule.sources.open import open_table

# What all searches of a run may take when `auto` chooses, in operations: some seconds, and the same
# steps on every machine. When they are spent, the run goes on with what was found and proven.
AUTO_WORK = 8e9


def learn(
    table: Any,
    target: Any = None,
    *,
    max_rules: int | Literal["cv"] = 4,
    max_terms: int = 1,
    regularization: float | str = 1e-4,
    min_support: float = 0,
    epsilon: float | None = 0.1,
    theta: float = 0.05,
    delta: float = 0.05,
    strategy: Strategy = "auto",
    binarizer: Binarizer | Conditions | None = None,
    include: Sequence[str] | None = None,
    exclude: Sequence[str] | None = None,
    weights: Any = None,
    class_weight: ClassWeight = None,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    random_state: Any = None,
    threads: int | None = None,
    progress: Callable[[LearningProgress], object] | None = None,
    objective: Objectives = "error",
    costs: Costs = None,
    alert_rate: float | None = None,
    forbid: Forbidden | None = None,
    require: Required | None = None,
    at_most: Mapping[str, int] | None = None,
    first: FixedRules | None = None,
    last: FixedRules | None = None,
    monotone: Ways | None = None,
    max_columns: int | None = None,
    together: Together | None = None,
) -> FittedRuleList:
    """Return a rule list that predicts the target, and a certificate of how good it is.

    Parameters
    ----------
    table
        A source, or anything `open_table` takes: arrays, dataframes, files, databases.
    target
        The column to predict, or its values for tables in memory; that of the source if not given.
    max_rules
        Most rules in the list, the default not counted (*k*). More rules fit better and take
        longer to search (about five times per rule beyond five) and to read; each stage of
        `FittedRuleList.trace` tells in its `path` what each further rule would buy. With ``"cv"``
        cross-validation chooses it: the fewest rules, of 0 to 6, within one standard error of the
        best (`FittedRuleList.cross_validation` has the curve).
    max_terms
        Most conditions in one rule (*z*). Two find what holds only together; the number of
        candidates grows from d to about d^2 / 2, the time with its powers: above 5,000 of them
        (fewer with more than five rules) there is a `LongSearchWarning` unless the strategy is
        ``"auto"``, above ten million an error.
    regularization
        Cost of each rule, as a share of the rows (*α*): a rule must gain at least as much. Or as a
        text such as ``"0.01 relative"``, as a share of the loss that the best list without rules
        has: where a class is rare, that is small, and so must be the price of a rule.
    min_support
        How much of the table every rule but the default must decide, that is, be the first to
        match: below 1 a share of the rows (of their weight, if they are weighted), from 1 on a
        number of rows. It is meant on the table also where samples are searched: a list is counted
        on the whole table, and rules that decide less are taken out, before anything is said
        about it.
    epsilon, theta
        How near the best possible loss l* the list must be: at most l* + epsilon max(l*, theta).
        With ``epsilon=None`` the run spends its `time_limit` (without one, as much work as
        ``"auto"`` has), and `Certificate.achieved_epsilon` is the least epsilon that is proven.
    delta
        Probability with which the draw of the rows may make the certificate wrong.
    strategy
        ``"exact"`` searches all rows and is certain. ``"progressive"`` draws samples until the
        list is proven good enough. ``"paper"`` draws as many rows as the paper asks for
        beforehand, ``"tight"`` as our smaller bound does. ``"auto"`` is exact where rows x
        conjunctions are no more than 200 million (each rule beyond five counts as twice the rows),
        else progressive; its searches end after some seconds of work, whatever is proven then.
    binarizer
        How to make conditions of columns, or the `Conditions` themselves, made from rows other
        than those drawn here. By default each column is cut where the classes change.
    include, exclude, weights
        As in `open_table`: columns to use, columns to leave out, a column of row weights. Columns
        that look like identifiers are left out unless named in `include` or `Binarizer.force`.
        Weighted rows are drawn in proportion to their weight, and all losses are weighted.
    class_weight
        How much a row of each class counts: a weight per class (1 for those not named), or
        ``"balanced"``, which makes all classes weigh the same together. Rows count as if they had
        been weighted so: draws, losses and the certificate are weighted. It is how a rare class
        gets rules: where every row counts once, a list that never predicts it may well be best.
    time_limit
        Stop searching after about so many seconds, all stages together; the certificate then
        says what is proven. One stage of many may use a third of the time left. Reading rows and
        the last scan are not cut short.
    memory_limit
        Bytes each search may use, as in `solve`; the certificate says what is proven within them.
    random_state
        A seed, or a numpy Generator. The same seed on the same table gives the same list.
    threads
        Threads to search with; all cores if not given. The result does not depend on it.
    progress
        Called with a `LearningProgress` when a phase begins and a few times a second.
    objective, costs
        What to minimize, as in `solve`: ``"error"``; ``"brier"`` for probabilities to trust and
        lists that rank well; a share of each; and what wrong classes cost. Strategies ``"paper"``
        and ``"tight"`` are proven for errors alone. ``"f1"``, which is a ratio, is proven on all
        rows alone: samples say nothing about it, and ``"auto"`` is exact.
    alert_rate
        Alert on at most this share of the rows, that is, predict the rarer of two classes for them,
        and miss as few rows of it as possible. A few searches find the price of an alert at which
        the best list keeps to the rate, and `FittedRuleList.alerts_sentence` says what no list that
        keeps to it can find. It goes with neither `objective`, `costs`, `weights` nor
        `class_weight`; a relative price of rules is one of the rows of that class.
    forbid, require, at_most, first, last, monotone, max_columns, together
        What the list must obey, as in `solve` (docs/constraints.md): columns and conditions that
        are forbidden or required, rules fixed by people at its head and end, columns that speak
        for one class alone. The certificate is then about the lists that obey. Fixed rules may ask
        what no other rule may; the others choose from the conditions that are settled.

    Guarantee
    ---------
    That of `Certificate`, for all lists of at most `max_rules` rules of at most `max_terms` of the
    conditions in `FittedRuleList.conditions` that obey the constraints: the conditions are settled
    on pilot rows, independent of the rows that the certificate rests on, or on the whole table
    (docs/theory: certificate.md, schedule.md, constraints.md).

    Notes
    -----
    The first Ctrl-C ends the run with the best list so far; what is proven about it is certified.
    While the first rows are read or the number of rules is chosen there is none, and
    KeyboardInterrupt is raised.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> age, income = rng.integers(18, 80, 2000), rng.integers(1, 100, 2000)
    >>> buys = (income >= 60) & (age < 40)
    >>> table = np.column_stack([age, income])
    >>> fitted = learn(table, buys, max_rules=2, random_state=0)
    >>> print(fitted.rule_list)
    if x0 >= 40 then False
    else if x1 >= 60 then True
    else False
    >>> fitted.strategy, fitted.certificate.holds
    ('exact', True)
    """
    deadline = Deadline(seconds=checked("time_limit", time_limit) or math.inf)
    price = checked_price(regularization)
    checked_objective(objective, costs)
    alert_rate = checked("alert_rate", alert_rate)
    check_alone(
        alert_rate,
        objective=None if objective == "error" else objective,
        costs=costs,
        weights=weights,
        class_weight=class_weight,
    )
    constraints = checked_constraints(
        forbid=forbid,
        require=require,
        at_most=at_most,
        first=first,
        last=last,
        monotone=monotone,
        max_columns=max_columns,
        together=together,
    )
    most_rules = checked_rules(max_rules)
    _check_choice(most_rules, alert_rate)
    settings = Settings(
        max_rules=MOST_CHOSEN_RULES if most_rules == CHOSEN_BY_CV else most_rules,
        max_terms=max_terms,
        epsilon=epsilon,
        theta=theta,
        delta=delta,
        strategy=strategy,
        min_support=min_support,
    )
    check_goes_together(
        constraints,
        settings,
        alert_rate=alert_rate,
        chooses_rules=most_rules == CHOSEN_BY_CV,
    )
    _check_binarizer(binarizer)
    threads = checked("threads", threads)
    memory_limit = checked("memory_limit", memory_limit)
    progress = checked("progress", progress)
    rng = stream("learn", random_state)
    class_weight = checked_class_weight(class_weight)
    opened = _opened(table, target, include=include, exclude=exclude, weights=weights)
    opened = read_if_small(opened, PILOT_ROWS)
    binarizer = _knowing_orders(binarizer, table, opened, constraints)
    constraints = with_levels(constraints, binarizer)
    source, weight_of_class = weighted_by_class(opened, class_weight)
    class_shares = class_shares_of(source)
    assert source.target is not None
    wanted = objective_of(objective, costs, tuple(class_shares), [*class_shares.values()])
    alerts = alert_rate_of(alert_rate, class_shares)
    _check_strategy(settings, "cost" if alerts else wanted.loss_name)
    check_alone(alert_rate, weights=opened.weights)
    _check_epsilon_of_alerts(settings, alerts)
    task = Task(
        source=source,
        target=source.target,
        class_shares=class_shares,
        settings=_priced(settings, price, wanted.loss_without_rules([*class_shares.values()])),
        objective=wanted,
        binarizer=_with_forced(binarizer, include),
        rng=rng,
        deadline=deadline,
        threads=threads,
        progress=progress,
        weights=opened.weights,
        class_weight=weight_of_class,
        memory_limit=memory_limit,
        work=_work(settings, deadline),
        alerts=alerts,
        chooses_rules=most_rules == CHOSEN_BY_CV,
    )
    task = replace(task, constraints=table_constraints(constraints, task))
    check_support(task)
    # For the classes; once more to weigh them, and once more for how many rows each has.
    task.count_scans(1 + (class_weight is not None) + (class_weight == "balanced"))
    return run_task(task)


def _check_epsilon_of_alerts(settings: Settings, alerts: AlertRate | None) -> None:
    """Refuse to prove as much as possible where samples would only find a price of alerts."""
    if settings.epsilon is None and alerts is not None and settings.strategy != "exact":
        raise ParameterError(
            Words(Parameter("epsilon"), " is None with ", Parameter("alert_rate"), " given."),
            hint=Words(Parameter("strategy", "exact"), " proves as much as it can then."),
        )


def _work(settings: Settings, deadline: Deadline) -> WorkBudget:
    """Return what all searches may take: counted if `auto` chooses, or nothing else ends them."""
    if settings.epsilon is None and settings.strategy in ("auto", "progressive"):
        return WorkBudget(AUTO_WORK) if deadline.remaining is None else WorkBudget()
    return WorkBudget(AUTO_WORK) if settings.strategy == "auto" else WorkBudget()


def _priced(settings: Settings, price: float | Relative, loss_without_rules: float) -> Settings:
    """Return the settings with the price of a rule as a share of the rows."""
    if not isinstance(price, Relative):
        return replace(settings, regularization=price)
    alpha = price.of(loss_without_rules)
    return replace(settings, regularization=alpha, relative_regularization=price.share)


def _check_strategy(settings: Settings, loss_name: LossName) -> None:
    """Refuse samples for ratios, and sizes that are proven for errors if those do not count."""
    if loss_name == "1 - F1" and settings.strategy not in ("auto", "exact"):
        raise ParameterError(
            Words(
                Parameter("strategy"),
                f" is {settings.strategy!r}; F1 is a ratio and no mean over rows, so a sample "
                "proves nothing about it.",
            ),
            hint=Words(Parameter("strategy", "exact"), " searches all rows."),
        )
    if settings.epsilon is None and settings.strategy in ("paper", "tight"):
        raise ParameterError(
            Words(
                Parameter("strategy", settings.strategy),
                " must know ",
                Parameter("epsilon"),
                " to say how many rows to draw, and there is none.",
            ),
            hint=Words("ask for ", Parameter("strategy", "progressive"), ", or for an epsilon."),
        )
    if loss_name == "loss" or settings.strategy not in ("paper", "tight"):
        return
    raise ParameterError(
        Words(
            Parameter("strategy"),
            f" is {settings.strategy!r}; its sample size is proven for errors, not for the "
            f"{loss_name} asked for.",
        ),
        hint=Words(
            Parameter("strategy", "progressive"),
            " draws as many rows as its own certificate needs.",
        ),
    )


def _check_choice(most_rules: int | str, alert_rate: float | None) -> None:
    """Refuse to choose rules where alerts are limited: each fold would need its own costs."""
    if most_rules == CHOSEN_BY_CV and alert_rate is not None:
        raise ParameterError(
            Words(
                Parameter("max_rules", CHOSEN_BY_CV),
                " is given with ",
                Parameter("alert_rate"),
                "; cross-validation compares lists by one loss, and costs of alerts would differ "
                "from fold to fold.",
            ),
            hint=Words("say how many rules: ", Parameter("max_rules", 4), "."),
        )


def _opened(table: Any, target: Any, **options: Any) -> Source:
    if not isinstance(table, Source):
        return open_table(table, target, **options)
    given = {name: value for name, value in options.items() if value is not None}
    if target is not None and target != table.target:
        given["target"] = target
    if given:
        name, value = next(iter(given.items()))
        raise ParameterError(
            Words(
                Parameter(name),
                f" is {value!r}, but {table.name} is open already with other roles.",
            ),
            hint=f"pass it there: open_table(data, ..., {name}=...).",
        )
    return table


def _with_forced(
    binarizer: Binarizer | Conditions, include: Sequence[str] | None
) -> Binarizer | Conditions:
    """Use the columns named by the caller, even if they look like identifiers."""
    if include is None or isinstance(binarizer, Conditions):
        return binarizer
    return replace(binarizer, force=[*binarizer.force, *include])


def _knowing_orders(
    binarizer: Binarizer | Conditions | None, table: Any, source: Source, constraints: Constraints
) -> Binarizer | Conditions:
    """Return the binarizer with the orders that a dataframe or a constraint tells of levels.

    Columns that constraints name keep all their conditions.
    """
    if isinstance(binarizer, Conditions):
        return binarizer
    found = (binarizer or Binarizer()).knowing(table, source.features)
    found = replace(found, keep=[*found.keep, *kept_columns(constraints, source.features)])
    told = {name: way for name, way in constraints.monotone if isinstance(way, tuple)}
    return replace(found, orders={**told, **(found.orders or {})}) if told else found


def _check_binarizer(binarizer: object) -> None:
    if binarizer is not None and not isinstance(binarizer, Binarizer | Conditions):
        raise ParameterTypeError(
            Words(
                Parameter("binarizer"),
                f" is {binarizer!r} ({type(binarizer).__name__}); expected a Binarizer, or the "
                "Conditions that its fit returned.",
            ),
            hint="leave it out for the default.",
        )
