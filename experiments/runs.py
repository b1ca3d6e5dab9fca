"""One run of `samrule.learn` on a table of the paper, and what it cost, found and promised."""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from pathlib import Path

import harness
import samrule
from datasets import DataSet, Loaded, load, on_disk
from samrule.learning import FittedRuleList, StageResult

# The accuracy of sections 5.2 and 5.3.
EPSILON, THETA = 0.5, 0.025


@dataclass(frozen=True)
class Bench:
    """The tables of one experiment, each loaded, copied to disk and solved once."""

    data_dir: Path | None
    scratch: Path
    output: Path
    time_limit: float

    @classmethod
    def of(cls, options: argparse.Namespace) -> Bench:
        """Return the bench that the command line asks for."""
        return cls(options.data_dir, options.scratch, options.output, options.time_limit)

    def loaded(self, dataset: DataSet) -> Loaded:
        """Return the table in memory."""
        return load(dataset, self.data_dir)

    def path(self, dataset: DataSet) -> Path:
        """Return the table on disk, its rows copied."""
        return on_disk(self.loaded(dataset), self.scratch)

    def optimum(self, dataset: DataSet, max_rules: int, max_terms: int = 1) -> harness.Row:
        """Return the least loss on the whole table and what is proven of it; see `optima.csv`."""
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
            "loss": solution.loss,
            "lower_bound": solution.lower_bound,
            "status": str(solution.status),
            "seconds": solution.seconds,
            "nodes": solution.n_nodes,
            "rules": rules_text(solution.rule_list),
        }

    def run(self, dataset: DataSet, **asked: object) -> tuple[FittedRuleList, harness.Row]:
        """Learn from the table's file with the paper's conditions; return the list and its row."""
        asked = {"time_limit": self.time_limit, **asked}
        fitted, row = learned(self.path(dataset), self.loaded(dataset), **asked)
        # Copies change no share: the loss on the file is that on the rows copied.
        error_rate = fitted.evaluate(self.loaded(dataset).table).error_rate
        return fitted, {**row, "loss": error_rate + harness.REGULARIZATION * row["n_rules"]}


def learned(path: Path, loaded: Loaded, **asked: object) -> tuple[FittedRuleList, harness.Row]:
    """Learn from a file with the conditions of `loaded`; `loss` is what is proven of it."""
    wall, cpu = time.perf_counter(), time.process_time()
    fitted = samrule.learn(
        str(path),
        loaded.target,
        binarizer=loaded.conditions,
        regularization=harness.REGULARIZATION,
        delta=harness.DELTA,
        **asked,
    )
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    certificate = fitted.certificate
    return fitted, {
        "train_rows": certificate.train_rows,
        "stages": len(fitted.trace),
        "seconds": wall,
        "cpu_seconds": cpu,
        "status": str(fitted.trace[-1].status),
        "n_rules": fitted.rule_list.n_rules,
        "loss": certificate.upper_bound,
        "sample_loss": best_stage(fitted).loss,
        "proven_lower_bound": certificate.lower_bound,
        "achieved_epsilon": certificate.achieved_epsilon,
        "holds": certificate.holds,
        "argument": certificate.argument,
    }


def best_stage(fitted: FittedRuleList) -> StageResult:
    """Return the stage whose list was kept: of those scanned the best, or else the last."""
    scanned = [stage for stage in fitted.trace if stage.table_loss is not None]
    return min(scanned, key=lambda stage: stage.table_loss) if scanned else fitted.trace[-1]


def rules_text(rule_list: samrule.RuleList) -> str:
    """Return a rule list on one line."""
    return "; ".join(str(rule_list).split("\n"))
