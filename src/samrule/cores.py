"""Cores: how many there are, and two things done at once."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Here = TypeVar("Here")
Beside = TypeVar("Beside")


def n_cores() -> int:
    """Return the cores this process may use: in a container fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1


def at_once(here: Callable[[], Here], beside: Callable[[], Beside]) -> tuple[Here, Beside]:
    """Return what two calls return; the second is made in a thread of its own.

    It takes less time than one call after the other where they wait or let go of Python's lock, as
    native searches and engines do. However the first ends, by Ctrl-C too, the second is waited for,
    so that no thread is left; so it should be short. An error of either is raised here.

    Examples
    --------
    >>> at_once(lambda: 1, lambda: "a")
    (1, 'a')
    """
    with ThreadPoolExecutor(1) as pool:
        found_beside = pool.submit(beside)
        return here(), found_beside.result()
