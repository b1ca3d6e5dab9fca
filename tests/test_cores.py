"""Two things done at once: both are done, errors are raised, and no thread is left."""

import threading
import time
from collections.abc import Callable

import pytest

from samrule.cores import at_once, n_cores


def raising(error: BaseException) -> Callable[[], None]:
    def call() -> None:
        raise error

    return call


def test_both_are_under_way_at_once_and_one_of_them_here() -> None:
    both, here = threading.Barrier(2), threading.current_thread()

    def met() -> threading.Thread:
        both.wait(timeout=60)
        return threading.current_thread()

    first, second = at_once(met, met)
    assert first is here is not second


@pytest.mark.parametrize("error", [ValueError("broken"), KeyboardInterrupt()])
def test_an_error_of_either_is_raised(error: BaseException) -> None:
    for calls in ((raising(error), int), (int, raising(error))):
        with pytest.raises(type(error)):
            at_once(*calls)


def test_after_ctrl_c_no_thread_is_left() -> None:
    began, before, ended = threading.Event(), threading.active_count(), []

    def slow() -> None:
        began.set()
        time.sleep(0.2)
        ended.append(True)

    def interrupted() -> None:
        began.wait()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        at_once(interrupted, slow)
    assert ended == [True]
    assert threading.active_count() == before


def test_there_is_a_core() -> None:
    assert n_cores() >= 1
