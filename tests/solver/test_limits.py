"""Stopping early: limits, Ctrl-C, progress; and solving in several Python threads at once."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from samrule import Solution, Status, solve
from samrule.solver import Progress

PROJECT = Path(__file__).parents[2]
N_CORES = os.cpu_count() or 1


def hard_table(
    n_rows: int = 4000, n_columns: int = 120, seed: int = 0
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Labels that no short list explains: the search has to look almost everywhere."""
    rng = np.random.default_rng(seed)
    rows = (rng.random((n_rows, n_columns)) < 0.3).astype(np.uint8)
    labels = (rows[:, :9].sum(axis=1) + rng.integers(0, 3, n_rows)) % 2
    return rows, labels


def assert_valid(solution: Solution, status: Status) -> None:
    assert solution.status is status
    assert 0 <= solution.lower_bound <= solution.loss
    assert solution.gap == solution.loss - solution.lower_bound
    assert len(solution.path) >= 1
    assert solution.loss <= solution.path[0] + 1e-12


def test_time_limit_returns_in_time_with_a_valid_gap() -> None:
    rows, labels = hard_table()
    started, worked = time.perf_counter(), time.process_time()
    solution = solve(rows, labels, max_rules=7, time_limit=1)
    assert time.process_time() - worked < 5 * N_CORES  # The whole search would take hours.
    assert_valid(solution, Status.TIME_LIMIT)
    assert solution.gap > 0
    assert 1 <= solution.seconds <= time.perf_counter() - started
    # What was proven before the end holds: the same numbers come out of smaller questions.
    for max_rules, loss in enumerate(solution.path[:3]):
        assert loss == pytest.approx(solve(rows, labels, max_rules=max_rules).loss)


def test_tiny_time_limit_still_gives_a_list() -> None:
    rows, labels = hard_table()
    solution = solve(rows, labels, max_rules=7, time_limit=1e-6)
    assert_valid(solution, Status.TIME_LIMIT)


@pytest.mark.parametrize("max_terms", [1, 2])
def test_a_work_limit_gives_the_same_answer_for_any_threads(max_terms: int) -> None:
    rows, labels = hard_table(n_rows=1000, n_columns=60)
    found = [
        solve(rows, labels, max_rules=6, max_terms=max_terms, work_limit=3e7, threads=threads)
        for threads in (1, 2, 5)
    ]
    assert_valid(found[0], Status.WORK_LIMIT)
    for other in found[1:]:
        assert other.rule_list == found[0].rule_list
        assert other.lower_bound == found[0].lower_bound
        assert other.path == found[0].path
        assert other.status is Status.WORK_LIMIT


def test_a_work_limit_that_is_not_spent_changes_nothing() -> None:
    rows, labels = hard_table(n_rows=500, n_columns=30)
    limited = solve(rows, labels, max_rules=3, work_limit=1e300)
    unlimited = solve(rows, labels, max_rules=3)
    assert limited.status is Status.OPTIMAL
    assert limited.rule_list == unlimited.rule_list
    assert limited.path == unlimited.path


def test_bound_of_a_stopped_search_is_below_the_optimum() -> None:
    rows, labels = hard_table(n_rows=1500, n_columns=60)
    best = solve(rows, labels, max_rules=3)
    assert best.status is Status.OPTIMAL
    for time_limit in (1e-4, 1e-3, 0.01, 0.05):
        stopped = solve(rows, labels, max_rules=3, time_limit=time_limit)
        assert stopped.lower_bound <= best.loss <= stopped.loss


def test_progress_rises_and_tells_the_truth() -> None:
    rows, labels = hard_table()
    seen: list[Progress] = []
    solution = solve(rows, labels, max_rules=7, time_limit=2, progress=seen.append)
    assert 3 <= len(seen) <= 60
    for before, after in pairwise(seen):
        assert before.share <= after.share
        assert before.elapsed <= after.elapsed
        assert before.loss >= after.loss
        assert before.lower_bound <= after.lower_bound
    for progress in seen:
        assert 0 <= progress.share <= 1
        assert 0 <= progress.lower_bound <= progress.loss <= 1
    a_millionth_of_a_row = 1e-6 * 7 / len(labels)  # To which each of 7 rules is priced.
    # Whatever number of rules was being proven, the best list of all was shown.
    assert seen[-1].loss == pytest.approx(solution.loss, rel=0, abs=a_millionth_of_a_row)
    assert seen[-1].lower_bound <= solution.lower_bound + a_millionth_of_a_row


def test_error_in_progress_ends_the_search_and_reaches_the_caller() -> None:
    rows, labels = hard_table()

    def fail(progress: Progress) -> None:
        raise RuntimeError(f"seen {progress.loss:.2f}")

    worked = time.process_time()
    with pytest.raises(RuntimeError, match=r"seen 0\.4"):
        solve(rows, labels, max_rules=7, time_limit=60, progress=fail)
    assert time.process_time() - worked < 10 * N_CORES


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="needs Linux' /proc")
@pytest.mark.parametrize(
    ("limit", "max_terms", "n_columns"),
    [
        (12_000_000, 1, 400),
        (20_000_000, 2, 120),
        pytest.param(30_000_000, 2, 150, marks=pytest.mark.slow),
        pytest.param(100_000_000, 2, 300, marks=pytest.mark.slow),
    ],
)
def test_memory_limit_is_kept(limit: int, max_terms: int, n_columns: int) -> None:
    """Peak memory grows by no more than the limit, whichever search is used."""
    program = textwrap.dedent(f"""
        from pathlib import Path
        from samrule import solve
        from tests.solver.test_limits import hard_table
        def peak():
            lines = Path("/proc/self/status").read_text().splitlines()
            return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
        rows, labels = hard_table(n_columns={n_columns})
        solve(rows[:100], labels[:100], max_rules=1)
        Path("/proc/self/clear_refs").write_text("5")  # Forget the peak so far.
        before = peak()
        solution = solve(
            rows, labels, max_rules=7, max_terms={max_terms}, time_limit=5, memory_limit={limit}
        )
        assert solution.status in {{"time_limit", "memory_limit"}}, solution.status
        print((peak() - before) * 1024)
    """)
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, cwd=PROJECT
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) <= limit


@pytest.mark.parametrize(
    ("limit", "max_rules", "max_terms", "shape", "share"),
    [
        (20 << 20, 4, 1, (100, 500), 0.3),
        (12 << 20, 4, 1, (60, 400), 0.3),
        (60 << 20, 1, 3, (2000, 60), 0.25),
    ],
)
def test_memory_that_suffices_to_find_the_best_loss_suffices_to_break_ties(
    limit: int, max_rules: int, max_terms: int, shape: tuple[int, int], share: float
) -> None:
    """What the search no longer needs is free again when the first of the best lists is sought."""
    rng = np.random.default_rng(1)
    rows = rng.random(shape) < share
    labels = (rows[:, 0] & rows[:, 1]) | (rows[:, 2] & ~rows[:, 3])
    labels ^= rng.random(len(rows)) < 0.05
    asked = {"max_rules": max_rules, "max_terms": max_terms}
    tight = solve(rows, labels, **asked, memory_limit=limit)
    assert tight.status is Status.OPTIMAL
    assert tight.rule_list == solve(rows, labels, **asked).rule_list


def test_a_search_cut_short_is_no_worse_than_the_best_list_of_single_conditions() -> None:
    rng = np.random.default_rng(0)
    rows = rng.random((3000, 60)) < 0.5
    first = rows[:, :5].argmax(axis=1)  # The rule that decides, of five in a row.
    labels = rows[:, :5].any(axis=1) & (first % 2 == 0)
    labels ^= rng.random(len(rows)) < 0.1
    single = solve(rows, labels, max_rules=5)
    longer = solve(rows, labels, max_rules=5, max_terms=3, time_limit=1)
    assert longer.status is Status.TIME_LIMIT
    assert longer.loss <= single.loss


def test_too_little_memory_to_begin_gives_the_default() -> None:
    rows, labels = hard_table(n_rows=2000, n_columns=100)
    solution = solve(rows, labels, max_terms=4, max_rules=3, memory_limit=1 << 20, time_limit=60)
    assert_valid(solution, Status.MEMORY_LIMIT)


def test_conjunctions_that_do_not_fit_leave_the_best_list_of_shorter_ones() -> None:
    rows, labels = hard_table(n_rows=500, n_columns=60)
    asked = {"max_rules": 2, "memory_limit": 8 << 20}
    solution = solve(rows, labels, max_terms=3, **asked)
    assert_valid(solution, Status.MEMORY_LIMIT)
    shorter = solve(rows, labels, max_terms=2, **asked)
    assert shorter.status is Status.OPTIMAL
    assert solution.rule_list == shorter.rule_list
    assert len(solution.path) == 1  # Nothing is known of what longer rules can do.
    assert solution.lower_bound < solution.loss


def test_conjunctions_that_do_not_fit_leave_the_best_list_of_single_conditions() -> None:
    rows, labels = hard_table(n_rows=2000, n_columns=100)
    asked = {"max_rules": 3, "memory_limit": 4 << 20}
    solution = solve(rows, labels, max_terms=4, **asked)
    assert_valid(solution, Status.MEMORY_LIMIT)
    assert solution.rule_list == solve(rows, labels, **asked).rule_list
    assert solution.rule_list.n_rules > 0


INTERRUPTED = textwrap.dedent("""
    import sys, time
    from samrule import solve
    from tests.solver.test_limits import hard_table
    rows, labels = hard_table()
    def ready(progress):
        print("searching", flush=True)
    solution = solve(rows, labels, max_rules=7, progress=ready)
    print(solution.status, solution.rule_list.n_rules > 0, solution.gap > 0, flush=True)
""")


def test_first_interrupt_returns_the_best_list() -> None:
    """Which ends the search: alone it would take hours."""
    with subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED], stdout=subprocess.PIPE, text=True, cwd=PROJECT
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "searching\n"
        process.send_signal(signal.SIGINT)
        *_, last = process.stdout.read().splitlines()
        assert last == "interrupted True True"
    assert process.returncode == 0


def test_interrupt_works_again_after_a_solve() -> None:
    """The handler of Python is back in place: a later Ctrl-C raises as always."""
    rows, labels = hard_table(n_rows=100, n_columns=5)
    before = signal.getsignal(signal.SIGINT)
    solve(rows, labels, max_rules=1)
    assert signal.getsignal(signal.SIGINT) is before
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_two_solves_in_two_threads_do_not_disturb_each_other() -> None:
    tables = [hard_table(n_rows=1500, n_columns=60, seed=seed) for seed in range(2)]
    alone = [solve(*table, max_rules=3) for table in tables]
    together: dict[int, Solution] = {}

    def run(number: int) -> None:
        together[number] = solve(*tables[number], max_rules=3)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number, solution in enumerate(alone):
        assert together[number].rule_list == solution.rule_list
        assert together[number].loss == solution.loss


def test_other_python_threads_go_on_during_a_solve() -> None:
    rows, labels = hard_table()
    ticks = 0
    done = threading.Event()

    def tick() -> None:
        nonlocal ticks
        while not done.wait(0.01):
            ticks += 1

    thread = threading.Thread(target=tick)
    thread.start()
    solve(rows, labels, max_rules=7, time_limit=2)
    done.set()
    thread.join()
    assert ticks > 10


def test_many_classes_stay_within_the_memory_limit() -> None:
    # Rows x classes of 64-bit sums would be 640 MB here.
    program = """
        import resource
        import numpy as np
        from samrule import solve

        rng = np.random.default_rng(0)
        rows = (rng.random((20_000, 40)) < 0.3).astype(np.uint8)
        labels = rng.permutation(np.arange(20_000) % 4000)
        solve(rows[:100], labels[:100] % 2, max_rules=1)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        solution = solve(rows, labels, max_rules=2, memory_limit=64 << 20, threads=1, time_limit=20)
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        print(solution.status, grown // 1024)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        capture_output=True,
        text=True,
        check=True,
    )
    status, megabytes = done.stdout.split()
    assert status in ("optimal", "memory_limit", "time_limit")
    assert int(megabytes) < 150


NO_THREAD = textwrap.dedent("""
    import resource
    from samrule import solve
    from samrule.errors import ResourceError
    solve([[1], [0]], ["a", "b"])
    # Room for less than one more stack, whose size was set when this process started.
    used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + (1 << 28), resource.RLIM_INFINITY))
    try:
        solve([[1], [0]], ["a", "b"])
    except ResourceError as error:
        print(error)
""")


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs Linux' /proc")
def test_a_system_without_a_thread_to_give_is_told() -> None:
    done = subprocess.run(
        ["bash", "-c", 'ulimit -s 4000000 && exec "$0" "$@"', sys.executable, "-c", NO_THREAD],
        capture_output=True,
        text=True,
        check=False,
        cwd=PROJECT,
    )
    assert "found no thread to run on" in done.stdout, done.stderr
    assert "Hint:" in done.stdout
