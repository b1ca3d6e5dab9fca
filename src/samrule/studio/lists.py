"""Other lists and other rules: what could be changed, and what it would cost."""

from collections.abc import Sequence

from samrule.editing import Replacement
from samrule.export.json import value_to_json
from samrule.rules import column_text, conjunction_text, value_text
from samrule.solver import Solution, Status
from samrule.studio.cards import chosen_rules, condition_view
from samrule.studio.desk import Desk
from samrule.studio.views import (
    AlternativesView,
    AlternativeView,
    Candidate,
    CurvePoint,
    CurveView,
    WithoutView,
)


def candidates(found: Sequence[Replacement]) -> list[Candidate]:
    """Return rules that could be in a list, each with its price."""
    return [
        Candidate(
            conditions=[condition_view(one) for one in some.rule.conditions],
            text=conjunction_text(some.rule.conditions),
            prediction=value_to_json(some.rule.prediction),
            prediction_text=value_text(some.rule.prediction),
            loss=some.loss,
            price=some.price,
        )
        for some in found
    ]


def alternatives_view(desk: Desk, within: float, limit: int, seconds: float) -> AlternativesView:
    """Return all lists nearly as good as the best one."""
    found = desk.alternatives(within, limit, seconds)
    return AlternativesView(
        sentence=found.sentence,
        complete=found.complete,
        out_of_time=found.status is Status.TIME_LIMIT,
        least_loss=found.least_loss,
        most_loss=found.most_loss,
        lists=[
            AlternativeView(
                loss=one.loss,
                n_rules=one.rule_list.n_rules,
                columns=list(one.columns),
                text=str(one.rule_list),
                rules=chosen_rules(one.rule_list.rules),
                default=None,
            )
            for one in found
        ],
        in_all=list(found.columns.in_all),
        in_some=list(found.columns.in_some),
    )


def without_view(desk: Desk, column: str) -> WithoutView:
    """Return the best list that does without a column, and what that costs."""
    found = desk.without(column)
    amount = f"{found.most:.4g}" if found.is_proven else f"{found.least:.4g} to {found.most:.4g}"
    name = column_text(column)
    sentence = (
        f"Without {name} the best loss is {found.loss_without:.4g}, {amount} more."
        if found.most > 0
        else f"Without {name} the best loss is the same, {found.loss_without:.4g}."
    )
    return WithoutView(
        column=column,
        loss=found.loss_without,
        price=found.most,
        proven=found.is_proven,
        sentence=sentence,
        text=str(found.rule_list),
        rules=chosen_rules(found.rule_list.rules),
        default=None,
    )


def curve_view(desk: Desk) -> CurveView:
    """Return the best lists of at most 0, 1, 2, ... rules, as many as were asked for."""
    most = desk.fitted.settings.max_rules
    return CurveView(points=[_point(desk, n, desk.best(n)) for n in range(most + 1)])


def _point(desk: Desk, n_rules: int, best: Solution) -> CurvePoint:
    tested = None if desk.test is None else desk.test.evaluation(best.rule_list)
    return CurvePoint(
        n_rules=n_rules,
        loss=best.loss,
        proven=best.status is Status.OPTIMAL,
        test_error=None if tested is None else tested.error_rate,
        text=str(best.rule_list),
        rules=chosen_rules(best.rule_list.rules),
        default=None,
    )
