"""How good a list is: figures of merit, costs, groups of people, and beside another list."""

from samrule.editing import Comparison, Edit
from samrule.editing.comparison import compared
from samrule.errors import InputError
from samrule.evaluation import Evaluation, evaluate
from samrule.export.json import value_to_json
from samrule.groups import ClassInGroup, Group, Share
from samrule.rules import RuleList, value_text
from samrule.solver import Status
from samrule.sources.open import open_table
from samrule.studio.cards import chosen_rules, finite
from samrule.studio.desk import Desk
from samrule.studio.part import Part
from samrule.studio.shapes import RowsOf
from samrule.studio.views import (
    BestAtCosts,
    ClassInGroupView,
    CompareView,
    ComparisonView,
    CostOf,
    CostsView,
    GroupsView,
    GroupView,
    Metrics,
    MetricsView,
    ShareView,
)


def metrics_view(desk: Desk, edit: Edit) -> MetricsView:
    """Return figures of merit on the rows held out and on those learned from."""
    test = None if desk.test is None else _metrics(desk.test.evaluation(edit.rule_list))
    return MetricsView(test=test, learned=_metrics(desk.learned.evaluation(edit.rule_list)))


def _metrics(found: Evaluation) -> Metrics:
    scores, curve = found.scores, found.roc_curve
    return Metrics(
        n_rows=found.n_rows,
        error_rate=found.error_rate,
        accuracy=found.accuracy,
        balanced_accuracy=finite(scores.balanced_accuracy),
        auc=finite(scores.auc),
        average_precision=finite(scores.average_precision),
        log_loss=finite(scores.log_loss),
        brier=finite(scores.brier),
        precision=[finite(one) for one in scores.precision],
        recall=[finite(one) for one in scores.recall],
        confusion=found.confusion.tolist(),
        roc=None if curve is None else [(across, up) for across, up in curve.tolist()],
    )


def costs_view(desk: Desk, edit: Edit, ratio: float) -> CostsView:
    """Return what a list costs where one kind of error costs `ratio` times the other.

    Beside it, the best list there is at that ratio.
    """
    if len(desk.fitted.classes) != 2:
        raise InputError(
            f"there are {len(desk.fitted.classes)} classes; a ratio of costs needs two.",
            hint="learn with a matrix of costs instead: samrule fit --cost bad:good=10.",
        )
    best = desk.best_at(ratio)
    first, second = map(value_text, desk.fitted.classes)
    learned = _cost(desk.learned, edit.rule_list, ratio)
    found = _cost(desk.learned, best.rule_list, ratio)
    sentence = (
        f"If {second} taken for {first} costs {ratio:.4g} and {first} taken for {second} costs 1, "
        f"this list costs {learned.cost:.4g} a row; the best one costs {found.cost:.4g}."
    )
    return CostsView(
        ratio=ratio,
        sentence=sentence,
        learned=learned,
        test=None if desk.test is None else _cost(desk.test, edit.rule_list, ratio),
        best=BestAtCosts(
            text=str(best.rule_list),
            rules=chosen_rules(best.rule_list.rules, classes=True),
            default=value_to_json(best.rule_list.default.prediction),
            proven=best.status is Status.OPTIMAL,
            learned=found,
            test=None if desk.test is None else _cost(desk.test, best.rule_list, ratio),
        ),
    )


def _cost(part: Part, rule_list: RuleList, ratio: float) -> CostOf:
    """Return the mean cost of a row; rows of classes that nobody learned of are left out."""
    confusion = part.evaluation(rule_list).confusion[:2]
    false_second, false_first = confusion[0, 1], confusion[1, 0]
    total = confusion.sum()
    return CostOf(
        cost=float((false_second + ratio * false_first) / total) if total else 0.0,
        n_false_first=int(false_first),
        n_false_second=int(false_second),
    )


def groups_view(desk: Desk, edit: Edit, column: str, rows: RowsOf | None) -> GroupsView:
    """Return how a list treats the groups of a column."""
    part = desk.part(rows)
    source = open_table(part.kept.table, part.target)
    audit = evaluate(edit.rule_list, source, groups=column).audit
    assert audit is not None
    shown = audit.shown_classes
    labels = [audit.groups[0].classes[place].label for place in shown]
    return GroupsView(
        column=column,
        rows=part.name,
        classes=[value_text(one) for one in labels],
        selection_ratios=[audit.selection_ratio(one) for one in labels],
        groups=[_group(one, shown) for one in audit.groups],
    )


def _group(group: Group, shown: tuple[int, ...]) -> GroupView:
    return GroupView(
        name=group.name,
        value=value_to_json(group.value),
        n_rows=group.n_rows,
        errors=_share(group.errors),
        classes=[_class_in_group(group.classes[place]) for place in shown],
    )


def _class_in_group(one: ClassInGroup) -> ClassInGroupView:
    return ClassInGroupView(
        selected=_share(one.selected),
        false_positives=_share(one.false_positives),
        false_negatives=_share(one.false_negatives),
        actual=_share(one.actual),
        expected=finite(one.expected),
    )


def _share(share: Share) -> ShareView:
    low, high = share.interval or (None, None)
    return ShareView(
        n_hits=share.n_hits, n_rows=share.n_rows, value=finite(share.value), low=low, high=high
    )


def compare_view(desk: Desk, edit: Edit, other: Edit) -> CompareView:
    """Return where two lists differ, and who is right there."""
    lists = edit.rule_list, other.rule_list
    learned = compared(*lists, desk.learned.kept, desk.learned.labels)
    test = None if desk.test is None else compared(*lists, desk.test.kept, desk.test.labels)
    return CompareView(
        sentence=str(learned),
        learned=_comparison(learned),
        test=None if test is None else _comparison(test),
        other_text=str(other.rule_list),
        other_loss=other.loss,
    )


def _comparison(found: Comparison) -> ComparisonView:
    return ComparisonView(
        n_rows=found.n_rows,
        differ=found.differ,
        first_right=found.first_right,
        second_right=found.second_right,
    )
