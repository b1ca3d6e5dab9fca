"""One run of `samrule.learn` on a table of the paper, and what it cost, found and promised."""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import harness
from datasets import DataSet, Loaded, load, on_disk

import samrule
from samrule.learning import FittedRuleList, StageResult


@dataclass(frozen=True)
class Bench:
    """The tables of one experiment, each loaded, copied to disk and solved once."""

    data_dir: Path | None
    scratch: Path
    output: Path
    time_limit: float

    @classmethod
    def of(cls, options: argparse.Namespace) -> Bench:
        return cls(options.data_dir, options.scratch, options.output, options.time_limit)

    @cache
    def loaded(self, dataset: DataSet) -> Loaded:
        return load(dataset, self.data_dir)

    def path(self, dataset: DataSet) -> Path:
        return on_disk(self.loaded(dataset), self.scratch)

    @cache
    def optimum(self, dataset: DataSet, max_rules: int, max_terms: int = 1) -> harness.Row:
        """Return the least loss on the whole table, kept in `optima.csv`; None if not proven."""
        job = {"table": dataset.name, "max_rules": max_rules, "max_terms": max_terms}
        path = self.output / "optima.csv"
        harness.run_all([job], lambda job: self._optimum(dataset, job), path)
        wanted = harness.key(job, job)
        return next(row for row in harness.read(path) if harness.key(row, job) == wanted)

    def _optimum(self, dataset: DataSet, job: harness.Job) -> harness.Row:
        loaded = self.loaded(dataset)
        solution = samrule.solve(
            loaded.matrix,
            loaded.labels,
            names=list(loaded.conditions),
            max_rules=job["max_rules"],
            max_terms=job["max_terms"],
            regularization=harness.REGULARIZATION,
            time_limit=max(600, self.time_limit),
        )
        return {
            "rows": len(loaded.labels),
            "loss": solution.objective,
            "lower_bound": solution.lower_bound,
            "status": str(solution.status),
            "seconds": solution.seconds,
            "nodes": solution.n_nodes,
            "rules": rules_text(solution.rule_list),
        }

    def run(self, dataset: DataSet, **asked: object) -> tuple[FittedRuleList, harness.Row]:
        """Learn from the table's file with the paper's conditions; return the list and its row."""
        loaded, path = self.loaded(dataset), self.path(dataset)
        wall, cpu = time.perf_counter(), time.process_time()
        fitted = samrule.learn(
            str(path),
            loaded.target,
            binarizer=loaded.conditions,
            regularization=harness.REGULARIZATION,
            delta=harness.DELTA,
            time_limit=self.time_limit,
            **asked,
        )
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        # Copies change no share: the loss on the file is that on the rows copied.
        error = fitted.evaluate(loaded.table).error
        stage, certificate = best_stage(fitted), fitted.certificate
        return fitted, {
            "train_rows": certificate.train_rows,
            "stages": len(fitted.trace),
            "seconds": wall,
            "cpu_seconds": cpu,
            "status": str(fitted.trace[-1].status),
            "n_rules": fitted.rule_list.n_rules,
            "loss": error + harness.REGULARIZATION * fitted.rule_list.n_rules,
            "sample_loss": stage.loss,
            "proven_lower_bound": certificate.lower_bound,
            "achieved_epsilon": certificate.achieved_epsilon,
            "holds": certificate.holds,
            "argument": certificate.argument,
        }


def best_stage(fitted: FittedRuleList) -> StageResult:
    """Return the stage whose list was kept: the one with the least loss on the table, or the last."""
    scanned = [stage for stage in fitted.trace if stage.table_loss is not None]
    return min(scanned, key=lambda stage: stage.table_loss) if scanned else fitted.trace[-1]


def rules_text(rule_list: samrule.RuleList) -> str:
    """Return a rule list on one line."""
    return "; ".join(str(rule_list).split("\n"))
