"""A run planned on pilot rows: their best list first, then as many rows as should prove it good.

The pilot rows are independent of all rows drawn later, so whatever they say may decide how many
rows follow, how those are weighted and how delta is shared (docs/theory/schedule.md,
"planned_schedule"). Lists are counted on the whole table, and the best of all counted is returned.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from samrule.cores import at_once, n_cores
from samrule.learning.draw_check import check_list
from samrule.learning.exact import exact
from samrule.learning.min_support import Counted, all_counted_on_table, delta_left, threshold
from samrule.learning.outcome import Outcome, stage_result
from samrule.learning.outlook import seen_on_pilot
from samrule.learning.paired_search import Comparison
from samrule.learning.plan import effort, plan
from samrule.learning.promise import (
    draws_row_by_row,
    how_drawn,
    is_enough,
    log_n_lists,
    promise,
)
from samrule.learning.sample import RowSupply, joined, without_repeats
from samrule.learning.search import PackedRows, packed, search_rows
from samrule.learning.search_as_needed import search_as_needed, search_ever_closer
from samrule.learning.search_size import is_large
from samrule.learning.settled_conditions import SettledConditions
from samrule.learning.stage import StageResult
from samrule.learning.table_counts import loss_on, table_loss, validated
from samrule.learning.task import PILOT_ROWS, Task, WorkBudget
from samrule.rules import RuleList
from samrule.solver import Solution, Status
from samrule.sources.draw import Draw
from samrule.theory import (
    Certificate,
    RowByRow,
    Schedule,
    Shares,
    Stage,
    certify,
    combine,
    loss_lower_bound,
)
from samrule.theory.rounding import round_down

# Held back for a run that Ctrl-C ends before any list was counted: rows, and a share of delta.
CUT_SHORT_ROWS = 2000
CUT_SHORT_SHARE = 1 / 64
# What a search of the pilot rows, or of all rows in memory, may take, in operations: the same steps
# on every machine. They need a good list and no proof, so they also end when no list is better by
# more than the tolerance: few rules of single conditions are nearly always those that a search
# starts from; where rules are long or many, they are not. (With any proof at all comes what fewer
# rules would do, which people want to see.) Of the time and the work left, each may use a part.
MOST_WORK, NO_PROOF, SOME_PROOF = 1e8, 1.0, 0.9
LARGE_WORK, LARGE_TOLERANCE = 1e9, 0.005
PILOT_SHARE, STAGE_SHARE = 1 / 4, 1 / 2
# With no epsilon asked for, tables of at most so many rows are searched as a whole in the end.
MOST_SEARCHED = 1_000_000
# All rows in memory are searched again when there are so many times as many.
WORTH_ANOTHER_SEARCH = 1.5
# Tables up to this size are counted while another thread plans. Ctrl-C waits for that, and more
# rows take all cores by themselves.
COUNTED_MEANWHILE = 10_000_000


def planned(task: Task, settled: SettledConditions, supply: RowSupply) -> Outcome:
    """Search pilot rows, plan how to prove their list good, and prove it."""
    pilot = settled.pilot or supply.take(_pilot_rows(task), ahead=supply.ahead)
    held_back = supply.take(CUT_SHORT_ROWS, ahead=supply.ahead)
    run = _Run(task, settled, supply, pilot, held_back)
    try:
        run.search_pilot()
        rest = None if run.is_over else run.prove()
        if rest is None:
            run.count()
    except KeyboardInterrupt:
        # Outside the search, while rows are read: what was found before is kept.
        if not run.trace:
            raise
        run.trace[-1] = replace(run.trace[-1], status=Status.INTERRUPTED)
        rest = None
    if rest is not None:
        return replace(rest, trace=(*run.trace, *rest.trace))
    return run.outcome()


def _pilot_rows(task: Task) -> int:
    """Return how many rows to plan on: of a small table, half."""
    return min(PILOT_ROWS, task.source.n_rows // 2)


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A list as the table has it, its loss there, and whether all its rules decide enough."""

    rule_list: RuleList
    loss: float
    is_whole: bool = True


@dataclass(frozen=True, slots=True)
class _Uncounted:
    """A list that is to be counted, rows that it was chosen by, and its place in the trace."""

    rule_list: RuleList
    seen: Draw
    place: int


@dataclass(frozen=True, slots=True)
class _InMemory:
    """Rows in memory, and the same as the solver takes them: packed once for several searches."""

    rows: Draw
    prepared: PackedRows


@dataclass(frozen=True, slots=True)
class _Foreseen:
    """What a run will most likely ask next: the best list of rows, and lists as the table has them.

    Both are as they would be if they were searched and counted when asked for.
    """

    memory: _InMemory
    found: Solution
    rule_lists: list[RuleList]
    counted: list[Counted]


@dataclass(slots=True)
class _Run:
    """What a run has found so far.

    `place` is what to tell of the stage that the run is at, `proofs` are what `certify` needs of
    each stage for its lower bound, `to_count` are lists that wait for a scan of the table, and
    `candidates` those counted, the pilot's first. `chance` is that of every row to be among the
    training rows, if none repeats. `memory` are the pilot rows and those drawn with them.
    `foreseen` is what another thread found while the plan was made.
    """

    task: Task
    settled: SettledConditions
    supply: RowSupply
    pilot: Draw
    held_back: Draw
    trace: list[StageResult] = field(default_factory=list)
    to_count: list[_Uncounted] = field(default_factory=list)
    candidates: list[_Candidate] = field(default_factory=list)
    proofs: list[dict[str, Any]] = field(default_factory=list)
    training: Draw | None = None
    chance: float = 0.0
    place: dict[str, Any] = field(default_factory=dict)
    searched_in_memory: int = 0
    foreseen: _Foreseen | None = None
    _memory: _InMemory | None = None
    _first: Solution | None = None

    @property
    def first(self) -> Solution:
        """What the search of the pilot rows found."""
        assert self._first is not None
        return self._first

    @property
    def memory(self) -> _InMemory:
        """The rows of the first pass, the pilot's first."""
        assert self._memory is not None
        return self._memory

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
        """Whether Ctrl-C or the time limit ended the run, or no work is left for more."""
        stopped = self.trace[-1].status is Status.INTERRUPTED or self.task.deadline.passed
        return stopped or self.task.work.left <= (MOST_WORK if self._asks_for_best else 0)

    @property
    def _asks_for_best(self) -> bool:
        """Whether as much is to be proven as time or work allow."""
        return self.task.settings.epsilon is None

    @property
    def _is_too_hard(self) -> bool:
        """Whether as much is proven as can be: searches of more rows take longer still."""
        limits = (Status.WORK_LIMIT, Status.TIME_LIMIT, Status.MEMORY_LIMIT)
        return self._asks_for_best and self.trace[-1].status in limits

    @property
    def _is_proven(self) -> bool:
        """Whether what was asked for is proven."""
        if self._asks_for_best:
            return self.certificate.achieved_epsilon == 0
        return self.certificate.holds

    def search_pilot(self) -> None:
        """Find a good list of the pilot rows."""
        started, waiting = time.perf_counter(), self.supply.waiting
        self._memory = self._packed(self.pilot if waiting is None else joined(self.pilot, waiting))
        pilot = self.memory.prepared.part(0, len(self.pilot))
        self._first = self._searched_freely(self.task, _InMemory(self.pilot, pilot), NO_PROOF)
        self._note(self.first, self.pilot, started)
        self._await_count(self.first.rule_list, self.pilot)

    def count(self) -> None:
        """Count the lists that wait for it on the whole table, all in one scan."""
        task, waiting = self.task, self.to_count
        if not waiting:
            return
        task.report("scanning", task.source.n_rows, **self.place)
        rule_lists = [one.rule_list for one in waiting]
        if self.foreseen is not None and rule_lists == self.foreseen.rule_lists:
            counted = self.foreseen.counted
        else:
            counted = all_counted_on_table(rule_lists, task)
        log_n = log_n_lists(task, self.settled.conditions)
        for one, found in zip(waiting, counted, strict=True):
            loss = table_loss(found.rule_list, task)
            check_list(task, found.rule_list, one.seen, log_n)
            # No list was learned from the rows held back; few lists ever meet them.
            n_before = len(self.candidates)
            check_list(task, found.rule_list, self.held_back, math.log(1 + n_before))
            self.candidates.append(_Candidate(found.rule_list, loss, is_whole=found.is_whole))
            self.trace[one.place] = replace(self.trace[one.place], table_loss=loss)
        self.to_count = []

    def prove(self) -> Outcome | None:
        """Search samples until the best list is proven good enough; or all rows, if that is best.

        Returns what the search of all rows found, if that was made.
        """
        schedule = self._schedule_and_foresee() if self._can_foresee else self._schedule()
        if self.is_over:
            return None
        for number, stage in enumerate(schedule.stages if schedule else ()):
            assert schedule is not None
            if stage.train_rows >= self.task.source.n_rows:
                break
            if not self._is_promising(stage):
                continue
            self._search_stage(schedule, number)
            if self.is_over or self._is_proven or self._is_too_hard:
                return None
        if self._asks_for_best:
            return self._all_rows()
        enough = None if schedule is None else schedule.a_priori_rows
        if enough is not None and enough < self.task.source.n_rows:
            return None
        return exact(self.task, self.settled, earlier=self._best_so_far)

    @property
    def certificate(self) -> Certificate:
        """What all stages together prove of the best list."""
        proofs = self.proofs or [_nothing(len(self.pilot))]
        return combine([certify(**self._said(), **self._upper, **proof) for proof in proofs])

    @property
    def _upper(self) -> dict[str, Any]:
        """What is known of the best list's loss on the table."""
        return {"table_loss": self.best.loss, "n_rules": self.best.rule_list.n_rules}

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
            **self._said() | {"drawn": how_drawn(self.task)},
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
            "drawn": "row_by_row" if draws_row_by_row(self.task) else how_drawn(self.task),
            "table_rows": self.task.source.n_rows,
        }

    def _schedule(self) -> Schedule | None:
        """Return the stages to come; None if all rows are to be searched at once."""
        delta = round_down(self.task.settings.delta * (1 - CUT_SHORT_SHARE))
        delta = delta_left(self.task, delta)
        prepared = self.memory.prepared.part(0, len(self.pilot))
        outlook = seen_on_pilot(self.task, self.settled, self.pilot, prepared, self.first)
        if self.task.settings.epsilon is None:
            return effort(self.task, outlook, delta)
        return plan(self.task, self.settled, outlook, delta, is_hard=self._is_hard)

    @property
    def _can_foresee(self) -> bool:
        """Whether a second thread may search and count while the plan is made: both are short."""
        task = self.task
        is_short = not is_large(task.settings) and task.source.n_rows <= COUNTED_MEANWHILE
        return is_short and task.source.scans_beside and (task.threads or n_cores()) > 1

    def _schedule_and_foresee(self) -> Schedule | None:
        """Return the stages to come; meanwhile, do what most likely comes after that."""
        # What the other thread uses is told to this one afterwards.
        beside = replace(
            self.task,
            work=WorkBudget(self.task.work.left),
            rows_used=dict.fromkeys(self.task.rows_used, 0),
            progress=None,
        )
        schedule, self.foreseen = at_once(self._schedule, partial(self._foresee, beside))
        self.task.count_scans(beside.rows_used["scans"])
        return schedule

    def _foresee(self, task: Task) -> _Foreseen:
        """Search the rows in memory, and count the lists that then wait for it."""
        found = self._searched_freely(task, self.memory, SOME_PROOF)
        rule_lists = [one.rule_list for one in self.to_count]
        if self._is_better(found, self.memory.rows):
            rule_lists.append(found.rule_list)
        return _Foreseen(self.memory, found, rule_lists, all_counted_on_table(rule_lists, task))

    @property
    def _is_hard(self) -> bool:
        """Whether proofs will take long: long rules, or many, and even the pilot was too much."""
        return is_large(self.task.settings) and self.first.status is Status.WORK_LIMIT

    def _packed(self, rows: Draw) -> _InMemory:
        return _InMemory(rows, packed(self.task, self.settled.conditions, rows.table))

    def _searched_freely(self, task: Task, memory: _InMemory, tolerance: float) -> Solution:
        """Return a good list of rows that no proof rests on, mostly the best."""
        large = is_large(task.settings)
        return search_rows(
            task,
            self.settled.conditions,
            memory.rows.table,
            **self.place,
            share=PILOT_SHARE,
            most_work=LARGE_WORK if large else MOST_WORK,
            tolerance=LARGE_TOLERANCE if large else tolerance,
            min_support=threshold(task, len(memory.rows)),
            prepared=memory.prepared,
        )

    def _is_promising(self, stage: Stage) -> bool:
        """Whether the stage proves enough if its rows are as the table. A guess."""
        if stage.weights is not None or stage.shares.uniform or self._asks_for_best:
            return True
        if not self.candidates:
            return True
        settings, loss = self.task.settings, self.best.loss
        lower = loss_lower_bound(
            min(1.0, loss),
            n_rows=stage.train_rows,
            delta=stage.shares.lower,
            max_rules=settings.max_rules,
            regularization=0.0,  # Five times as quick, and near enough for a guess.
            table_rows=self.task.source.n_rows if draws_row_by_row(self.task) else None,
            loss_name=self.task.objective.loss_name,
            n_classes=max(2, len(self.task.classes)),
        )
        return is_enough(settings, loss=loss, lower=lower)

    def _search_stage(self, schedule: Schedule, number: int) -> None:
        """Draw the rows of a stage, search them, and keep what they prove."""
        started, task, stage = time.perf_counter(), self.task, schedule.stages[number]
        self.place = {"stage": number + 1, "n_stages": len(schedule.stages)}
        task.report("drawing", stage.train_rows, **self.place)
        rows = self._grown(stage)
        self._search_memory()
        self.count()
        if self.is_over:
            return
        check_list(task, self.reference.rule_list, rows, math.log(len(schedule.stages)))
        # Where one search is hard, those of later stages would be harder.
        is_last = number == len(schedule.stages) - 1
        options: dict[str, Any] = {
            **self.place,
            "share": 1.0 if is_last or self._is_hard else STAGE_SHARE,
            "min_support": threshold(task, len(rows), len(schedule.stages)),
            "certified": self.certificate.achieved_epsilon,
        }
        proof = {"train_rows": len(rows), "shares": stage.shares}
        if stage.weights is None:
            self._search_plainly(stage, rows, proof, options, started)
        else:
            self._search_paired(stage, rows, proof, options, started)

    def _search_plainly(
        self,
        stage: Stage,
        rows: Draw,
        proof: dict[str, Any],
        options: dict[str, Any],
        started: float,
    ) -> None:
        task, conditions = self.task, self.settled.conditions
        search = partial(
            search_rows,
            task,
            conditions,
            rows.table,
            prepared=packed(task, conditions, rows.table),
            **options,
        )

        if stage.shares.uniform and task.objective.is_error:
            # The a-priori argument needs the best list of these rows.
            solution = search()
        else:
            loss = loss_on(self.best.rule_list, rows.table, task)
            solution = self._searched_for_bound(search, loss, proof)
        self._note(solution, rows, started)
        proof["sample_lower_bound"] = solution.lower_bound
        if stage.shares.uniform and task.objective.is_error and not self.is_over:
            # The a-priori argument is about this list as it was found; the best one is no worse.
            self._await_count(solution.rule_list, rows)
            self.count()
            if self.candidates[-1].is_whole:
                a_priori = {"sample_loss": solution.loss, "a_priori_rows": stage.train_rows}
                proof.update(a_priori)
        self.proofs.append(proof)

    def _search_paired(
        self,
        stage: Stage,
        rows: Draw,
        proof: dict[str, Any],
        options: dict[str, Any],
        started: float,
    ) -> None:
        """Compare all lists with the reference in one weighted search."""
        assert stage.weights is not None
        comparison = Comparison(
            self.task, self.settled, rows, self.reference.rule_list, stage.weights, self._row_by_row
        )
        proof["paired"] = comparison.paired
        loss = comparison.loss_of(self.best.rule_list)
        solution = self._searched_for_bound(partial(comparison.search, **options), loss, proof)
        self.proofs.append({**proof, "sample_lower_bound": solution.lower_bound})
        self._note(comparison.unweighted(solution), rows, started)

    def _searched_for_bound(
        self, search: Callable[..., Solution], loss: float, proof: dict[str, Any]
    ) -> Solution:
        """Search for a lower bound: one that proves enough, or the best there is time for."""
        if self._asks_for_best:
            return search_ever_closer(search)
        return search_as_needed(search, loss, self._would_do(proof))

    def _all_rows(self) -> Outcome | None:
        """Search all rows, if they are not too many; None if that proves less than the samples."""
        if self.task.source.n_rows > MOST_SEARCHED:
            return None
        found = exact(self.task, self.settled, earlier=self._best_so_far)
        is_better = found.certificate.achieved_epsilon < self.certificate.achieved_epsilon
        return found if is_better else None

    def _would_do(self, proof: dict[str, Any]) -> Callable[[float], bool]:
        """Return whether a stage proves enough if no list has less than a loss on its rows."""

        def would_do(lower: float) -> bool:
            certificate = certify(
                **self._said(), **self._upper, **proof, sample_lower_bound=min(1.0, lower)
            )
            return certificate.holds

        return would_do

    def _search_memory(self) -> None:
        """Search all rows that were drawn, for a better list: they cost nothing any more."""
        assert self.training is not None
        rows = joined(self.pilot, self.training)
        if self.supply.waiting is not None:
            rows = joined(rows, self.supply.waiting)
        if len(rows) < WORTH_ANOTHER_SEARCH * self.searched_in_memory:
            return
        started, memory = time.perf_counter(), self.memory
        if len(rows) > len(memory.rows):
            memory = self._packed(rows)
        rows, self.searched_in_memory = memory.rows, len(memory.rows)
        found = self._foreseen_in(memory) or self._searched_freely(self.task, memory, SOME_PROOF)
        self._note(found, rows, started)
        if self._is_better(found, rows):
            self._await_count(found.rule_list, rows)

    def _foreseen_in(self, memory: _InMemory) -> Solution | None:
        """Return what another thread found in these rows; None if this one might find another list.

        It might where little work is left: then searches may use the less the later they come.
        """
        foreseen, work = self.foreseen, self.task.work
        if foreseen is None or foreseen.memory is not memory:
            return None
        if not work.is_endless and PILOT_SHARE * work.left < MOST_WORK:
            return None
        work.spend(foreseen.found.work)
        return foreseen.found

    def _is_better(self, found: Solution, rows: Draw) -> bool:
        """Whether a list has less loss on rows than the best one so far."""
        return found.loss < loss_on(self._best_so_far, rows.table, self.task)

    @property
    def _best_so_far(self) -> RuleList:
        """The best list counted; before any was, the pilot's."""
        return self.best.rule_list if self.candidates else self.first.rule_list

    def _await_count(self, rule_list: RuleList, seen: Draw) -> None:
        """Have a list of the search noted last counted with the next scan of the table."""
        self.to_count.append(_Uncounted(rule_list, seen, len(self.trace) - 1))

    def _grown(self, stage: Stage) -> Draw:
        """Add fresh rows to those of the stage before: samples may be nested."""
        n_rows, before = stage.train_rows, self.training
        if draws_row_by_row(self.task):
            self.training = without_repeats(before, self._chosen_size(stage), self.supply)
        elif before is None:
            self.training = self.supply.take(n_rows, ahead=self.supply.ahead)
        else:
            more = n_rows - len(before)
            self.training = joined(before, self.supply.take(more, ahead=more))
        return self.training

    def _chosen_size(self, stage: Stage) -> int:
        """Return how many rows of the table are drawn, if each is with the stage's chance.

        Those of the stage before are, and each of the others is with the chance that makes up for
        the difference. The a-priori argument needs a number of rows that is fixed.
        """
        n, before = self.task.source.n_rows, 0 if self.training is None else len(self.training)
        if stage.shares.uniform:
            return max(before, stage.train_rows)
        chance = stage.train_rows / n
        more = (chance - self.chance) / (1 - self.chance)
        self.chance = chance
        # No row at all, once in e^200 runs, is taken for one: it is less than 1e-80 of delta.
        return max(1, before + int(self.task.rng.binomial(n - before, more)))

    @property
    def _row_by_row(self) -> RowByRow | None:
        """How rows were drawn so far, if none can be drawn twice."""
        if not draws_row_by_row(self.task):
            return None
        return RowByRow(self.chance, self.task.source.n_rows)

    def _note(self, solution: Solution, rows: Draw, started: float) -> None:
        self.trace.append(stage_result(solution, rows.table, time.perf_counter() - started))


def _nothing(n_rows: int) -> dict[str, Any]:
    """Return what is proven before a sample was searched: no list has a loss below 0."""
    return {"train_rows": n_rows, "sample_lower_bound": 0.0}
