"""A run planned on pilot rows: their best list first, then as many rows as should prove it good.

The pilot rows are independent of all rows drawn later, so whatever they say may decide how many
rows follow, how those are weighted and how delta is shared (docs/theory/schedule.md,
"planned_schedule"). Lists are counted on the whole table, and the best of all counted is returned.
"""

import math
import time
from dataclasses import dataclass, field, replace
from statistics import mean
from typing import Any

import numpy as np

from samrule.learning.draw_check import check_list
from samrule.learning.exact import exact
from samrule.learning.min_support import Counted, counted_on_table, delta_left, threshold
from samrule.learning.outcome import Outcome, stage_result
from samrule.learning.plan import Outlook, plan
from samrule.learning.promise import accuracy, class_of_lists, how_drawn, log_n_lists, promise
from samrule.learning.sample import FIRST_ROWS, RowSupply, joined
from samrule.learning.search import search_rows
from samrule.learning.settled_conditions import SettledConditions
from samrule.learning.stage import StageResult
from samrule.learning.table_counts import (
    is_wrong,
    loss_on,
    predicted_places,
    table_loss,
    validated,
)
from samrule.learning.task import PILOT_ROWS, Task
from samrule.rules import RuleList
from samrule.solver import Solution, Status
from samrule.sources.draw import Draw
from samrule.theory import (
    Certificate,
    Paired,
    PairedWeights,
    Schedule,
    Shares,
    Stage,
    certify,
    combine,
    loss_lower_bound,
    progressive_schedule,
)
from samrule.theory.rounding import round_down

# Held back for a run that Ctrl-C ends before any list was counted: rows, and a share of delta.
CUT_SHORT_ROWS = 2000
CUT_SHORT_SHARE = 1 / 64
# What a search of the pilot rows, or of all rows in memory, may take, in operations: a second or
# so, and the same steps on every machine; and what searches may take that only tell how to plan.
# These need good lists, no proofs. Of the time and the work left, each may use a part.
MOST_WORK, PLANNING_WORK = 1e9, 1e8
PILOT_SHARE, STAGE_SHARE = 1 / 4, 1 / 2
# The pilot rows are also searched in so many parts, and weighted, to see what such searches cost:
# weights of rows that the reference gets right; one more for those that it gets wrong. What weights
# nearer to each other cost is guessed from the last.
PARTS = 4
TRIED_WEIGHTS, GUESSED_WEIGHTS = (4, 8), (16, 32, 64)
# All rows in memory are searched again when there are so many times as many.
WORTH_ANOTHER_SEARCH = 1.5


def planned(task: Task, settled: SettledConditions, supply: RowSupply) -> Outcome:
    """Search pilot rows, plan how to prove their list good, and prove it."""
    pilot = settled.pilot or supply.take(PILOT_ROWS, ahead=FIRST_ROWS)
    held_back = supply.take(CUT_SHORT_ROWS, ahead=FIRST_ROWS)
    run = _Run(task, settled, supply, pilot, held_back)
    try:
        run.search_pilot()
        run.count(run.first.rule_list, pilot)
        rest = None if run.is_over else run.prove()
    except KeyboardInterrupt:
        # Outside the search, while rows are read: what was found before is kept.
        if not run.trace:
            raise
        run.trace[-1] = replace(run.trace[-1], status=Status.INTERRUPTED)
        rest = None
    if rest is not None:
        return replace(rest, trace=(*run.trace, *rest.trace))
    return run.outcome()


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A list as the table has it, and its loss there."""

    rule_list: RuleList
    loss: float


@dataclass(slots=True)
class _Run:
    """What a run has found so far.

    `place` is what to tell of the stage that the run is at, `proofs` are what `certify` needs of
    each stage for its lower bound, and `candidates` are the lists counted on the table, the
    pilot's first.
    """

    task: Task
    settled: SettledConditions
    supply: RowSupply
    pilot: Draw
    held_back: Draw
    trace: list[StageResult] = field(default_factory=list)
    candidates: list[_Candidate] = field(default_factory=list)
    proofs: list[dict[str, Any]] = field(default_factory=list)
    training: Draw | None = None
    place: dict[str, Any] = field(default_factory=dict)
    searched_in_memory: int = 0
    _first: Solution | None = None

    @property
    def first(self) -> Solution:
        """What the search of the pilot rows found."""
        assert self._first is not None
        return self._first

    @property
    def reference(self) -> _Candidate:
        """The pilot's list: fixed before any row is drawn that a proof rests on."""
        return self.candidates[0]

    @property
    def best(self) -> _Candidate:
        """The best list on the table of those counted; of several the first."""
        return min(self.candidates, key=lambda one: one.loss)

    @property
    def is_over(self) -> bool:
        """Whether Ctrl-C or the time limit ended the run."""
        return self.trace[-1].status is Status.INTERRUPTED or self.task.deadline.passed

    def search_pilot(self) -> None:
        """Find the best list of the pilot rows."""
        started = time.perf_counter()
        self._first = self._searched_freely(self.pilot, MOST_WORK)
        self._note(self.first, self.pilot, started)

    def count(self, rule_list: RuleList, seen: Draw) -> Counted:
        """Count a list, chosen by looking at some rows, on the whole table."""
        task = self.task
        task.report("scanning", task.source.n_rows, **self.place)
        counted = counted_on_table(rule_list, task)
        loss = table_loss(counted.rule_list, task)
        check_list(task, counted.rule_list, seen, log_n_lists(task, self.settled.conditions))
        # No list was learned from the rows held back; few lists ever meet them.
        check_list(task, counted.rule_list, self.held_back, math.log(1 + len(self.candidates)))
        self.candidates.append(_Candidate(counted.rule_list, loss))
        self.trace[-1] = replace(self.trace[-1], table_loss=loss)
        return counted

    def prove(self) -> Outcome | None:
        """Search samples until the best list is proven good enough; or all rows, if that is best.

        Returns what the search of all rows found, if that was made.
        """
        schedule = self._schedule()
        if self.is_over:
            return None
        for number, stage in enumerate(schedule.stages if schedule else ()):
            assert schedule is not None
            if stage.train_rows >= self.task.source.n_rows:
                break
            if not self._is_promising(stage):
                continue
            self._search_stage(schedule, number)
            if not self.is_over:
                self._search_memory()
            if self.is_over or self.certificate.holds:
                return None
        enough = None if schedule is None else schedule.a_priori_rows
        if enough is not None and enough < self.task.source.n_rows:
            return None
        return exact(self.task, self.settled, earlier=self.best.rule_list)

    @property
    def certificate(self) -> Certificate:
        """What all stages together prove of the best list."""
        upper: dict[str, Any] = {
            "table_loss": self.best.loss,
            "n_rules": self.best.rule_list.n_rules,
        }
        proofs = self.proofs or [_nothing(len(self.pilot))]
        return combine([certify(**self._said(), **upper, **proof) for proof in proofs])

    def outcome(self) -> Outcome:
        """Return the best list and what is proven of it."""
        if self.candidates:
            best = self.best.rule_list
            return Outcome(best, self.certificate, tuple(self.trace), "table")
        # Not even the first list was counted: it is checked on the rows held back, which no other
        # list ever meets, so one share of delta pays for what they say.
        found, delta = self.first.rule_list, CUT_SHORT_SHARE * self.task.settings.delta
        upper = validated(found, self.held_back, self.task)
        certificate = certify(
            **self._said(),
            **upper,
            **_nothing(len(self.pilot)),
            n_rules=found.n_rules,
            shares=Shares(lower=delta, upper=delta),
        )
        self.trace[-1] = replace(self.trace[-1], **upper)
        return Outcome(found, certificate, tuple(self.trace), "sample")

    def _said(self) -> dict[str, Any]:
        """Return what is promised, and how rows are drawn."""
        return {
            **promise(self.task),
            "pilot_rows": self.settled.pilot_rows,
            "drawn": how_drawn(self.task),
        }

    def _schedule(self) -> Schedule | None:
        """Return the stages to come; None if all rows are to be searched at once."""
        delta = round_down(self.task.settings.delta * (1 - CUT_SHORT_SHARE))
        delta = delta_left(self.task, delta)
        if self.first.status is Status.OPTIMAL:
            return plan(self.task, self.settled, self._outlook(), delta)
        # A long search: nothing is known that a plan could rest on, so samples grow from few rows.
        return progressive_schedule(
            **class_of_lists(self.task.settings, self.settled.conditions, self.task.classes),
            **accuracy(self.task.settings) | {"delta": delta},
        )

    def _outlook(self) -> Outlook:
        """Search parts of the pilot rows, and see how much their best lists differ."""
        n_rows = len(self.pilot) // PARTS
        regrets, disagreements = [], []
        for part in self.pilot.split(*[n_rows] * PARTS):
            found = self._searched_freely(part, PLANNING_WORK)
            _end_if_interrupted(found)
            expected = loss_on(self.first.rule_list, part.table, self.task)
            regrets.append(max(0.0, expected - found.loss))
            disagreements.append(self._disagreement(found.rule_list))
        return Outlook(
            self.reference.loss,
            mean(regrets),
            mean(disagreements),
            PARTS,
            n_rows,
            self._penalties() if self.task.objective.is_error else {},
        )

    def _penalties(self) -> dict[PairedWeights, float]:
        """Return by how much weights let a list look better than the pilot's list on its rows.

        It is a convex function of the slope that is 0 at 0, so half the slope costs at most half.
        """
        found = {}
        own = self.first.rule_list
        for right in TRIED_WEIGHTS:
            weights = PairedWeights(right, right + 1)
            solution, paired = self._searched_paired(
                weights,
                own,
                self.pilot,
                share=PILOT_SHARE,
                most_work=PLANNING_WORK,
                min_support=threshold(self.task, len(self.pilot)),
            )
            _end_if_interrupted(solution)
            found[weights] = self._penalty(solution.loss, paired)
        for right in GUESSED_WEIGHTS:
            last, cost = next(reversed(found.items()))
            weights = PairedWeights(right, right + 1)
            found[weights] = cost * weights.slope / last.slope
        return found

    def _penalty(self, least: float, paired: Paired) -> float:
        """Return how much less than the reference some list has to pay in weighted rows."""
        weights, n_rows, alpha = paired.weights, len(self.pilot), self.task.settings.regularization
        spared = weights.wrong * paired.n_wrong - least * weights.total(n_rows, paired.n_wrong)
        own_price = alpha * self.first.rule_list.n_rules
        return max(0.0, weights.step * spared / (n_rows * weights.slope) + own_price)

    def _disagreement(self, rule_list: RuleList) -> float:
        """Return the share of pilot rows that a list and the pilot's own predict differently."""
        here, there = (
            predicted_places(one, self.pilot.table, self.task)
            for one in (rule_list, self.first.rule_list)
        )
        return float(np.mean(here != there))

    def _searched_freely(self, rows: Draw, most_work: float) -> Solution:
        """Return a good list of rows that no proof rests on, mostly the best."""
        return search_rows(
            self.task,
            self.settled.conditions,
            rows.table,
            **self.place,
            share=PILOT_SHARE,
            most_work=most_work,
            min_support=threshold(self.task, len(rows)),
        )

    def _is_promising(self, stage: Stage) -> bool:
        """Whether the stage proves enough if its rows are as the table. A guess."""
        if stage.weights is not None or stage.shares.uniform:
            return True
        settings, loss = self.task.settings, self.best.loss
        lower = loss_lower_bound(
            min(1.0, loss),
            n_rows=stage.train_rows,
            delta=stage.shares.lower,
            max_rules=settings.max_rules,
            regularization=0.0,  # Five times as quick, and near enough for a guess.
            loss_name=self.task.objective.loss_name,
            n_classes=max(2, len(self.task.classes)),
        )
        return loss <= lower + settings.epsilon * max(lower, settings.theta)

    def _search_stage(self, schedule: Schedule, number: int) -> None:
        """Draw the rows of a stage, search them, and keep what they prove."""
        started, task, stage = time.perf_counter(), self.task, schedule.stages[number]
        self.place = {"stage": number + 1, "n_stages": len(schedule.stages)}
        task.report("drawing", stage.train_rows, **self.place)
        rows = self._grown(stage.train_rows)
        check_list(task, self.reference.rule_list, rows, math.log(len(schedule.stages)))
        options: dict[str, Any] = {
            **self.place,
            "share": 1.0 if number == len(schedule.stages) - 1 else STAGE_SHARE,
            "min_support": threshold(task, len(rows), len(schedule.stages)),
            "certified": self.certificate.achieved_epsilon,
        }
        if stage.weights is None:
            self._search_plainly(schedule, stage, rows, options, started)
        else:
            self._search_paired(stage, rows, options, started)

    def _search_plainly(
        self, schedule: Schedule, stage: Stage, rows: Draw, options: dict[str, Any], started: float
    ) -> None:
        task = self.task
        solution = search_rows(task, self.settled.conditions, rows.table, **options)
        self._note(solution, rows, started)
        proof = {
            "train_rows": len(rows),
            "sample_lower_bound": solution.lower_bound,
            "shares": stage.shares,
        }
        if stage.shares.uniform and task.objective.is_error and not self.is_over:
            # The a-priori argument is about this list as it was found; the best one is no worse.
            counted = self.count(solution.rule_list, rows)
            if counted.is_whole:
                a_priori = {"sample_loss": solution.loss, "a_priori_rows": schedule.a_priori_rows}
                proof.update(a_priori)
        self.proofs.append(proof)

    def _search_paired(
        self, stage: Stage, rows: Draw, options: dict[str, Any], started: float
    ) -> None:
        """Compare all lists with the reference in one weighted search."""
        assert stage.weights is not None
        reference = self.reference.rule_list
        solution, paired = self._searched_paired(stage.weights, reference, rows, **options)
        self.proofs.append(
            {
                "train_rows": len(rows),
                "sample_lower_bound": solution.lower_bound,
                "shares": stage.shares,
                "paired": paired,
            }
        )
        self._note(_unweighted(solution, paired, rows, self.task), rows, started)

    def _searched_paired(
        self,
        weights: PairedWeights,
        reference: RuleList,
        rows: Draw,
        *,
        min_support: float,
        **options: Any,
    ) -> tuple[Solution, Paired]:
        """Search rows that weigh what the reference makes of them."""
        task = self.task
        wrong = is_wrong(reference, rows.table, task)
        n_wrong = int(np.count_nonzero(wrong))
        solution = search_rows(
            task,
            self.settled.conditions,
            rows.table,
            weights=np.where(wrong, weights.wrong, weights.right).astype(np.float64),
            regularization=weights.rule_price(
                task.settings.regularization, n_rows=len(rows), n_wrong=n_wrong
            ),
            # A rule that decides so many rows decides at least as much weight.
            min_support=min_support * weights.right,
            **options,
        )
        return solution, Paired(weights, n_wrong, self._reference_error)

    @property
    def _reference_error(self) -> float:
        """The error rate of the reference on the table, rounded down."""
        # Sums of real weights are off by at most one part in 2^52 per row.
        off = (self.task.source.n_rows if self.task.source.weights else 0) * 2.0**-52
        rate = self.reference.rule_list.weighted_error_rate
        return max(0.0, round_down(rate * (1 - 2 * off)))

    def _search_memory(self) -> None:
        """Search all rows that were drawn, for a better list: they cost nothing any more."""
        assert self.training is not None
        rows = joined(self.pilot, self.training)
        if self.supply.waiting is not None:
            rows = joined(rows, self.supply.waiting)
        if len(rows) < WORTH_ANOTHER_SEARCH * self.searched_in_memory:
            return
        started, self.searched_in_memory = time.perf_counter(), len(rows)
        found = self._searched_freely(rows, MOST_WORK)
        self._note(found, rows, started)
        best = loss_on(self.best.rule_list, rows.table, self.task)
        if loss_on(found.rule_list, rows.table, self.task) < best:
            self.count(found.rule_list, rows)

    def _grown(self, n_rows: int) -> Draw:
        """Add fresh rows to those of the stage before: samples may be nested."""
        if self.training is None:
            self.training = self.supply.take(n_rows, ahead=FIRST_ROWS)
        else:
            more = n_rows - len(self.training)
            self.training = joined(self.training, self.supply.take(more, ahead=more))
        return self.training

    def _note(self, solution: Solution, rows: Draw, started: float) -> None:
        self.trace.append(stage_result(solution, rows.table, time.perf_counter() - started))


def _end_if_interrupted(solution: Solution) -> None:
    """End the run after Ctrl-C in a search that only tells how to plan."""
    if solution.status is Status.INTERRUPTED:
        raise KeyboardInterrupt


def _nothing(n_rows: int) -> dict[str, Any]:
    """Return what is proven before a sample was searched: no list has a loss below 0."""
    return {"train_rows": n_rows, "sample_lower_bound": 0.0}


def _unweighted(solution: Solution, paired: Paired, rows: Draw, task: Task) -> Solution:
    """Return what a weighted search found in terms of the loss that was asked for."""
    found = solution.rule_list
    no_rules = min(
        loss_on(
            replace(found, rules=(), default=replace(found.default, prediction=one)),
            rows.table,
            task,
        )
        for one in task.classes
    )
    loss = loss_on(found, rows.table, task)
    least = paired.least_loss(solution.lower_bound, n_rows=len(rows))
    return replace(solution, loss=loss, lower_bound=min(loss, least), path=(no_rules,))
