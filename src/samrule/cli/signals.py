"""SIGTERM and SIGHUP do what Ctrl-C does: the best list is kept, no temporary file is."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_SIGNALS = (signal.SIGTERM, signal.SIGHUP)


class Stop:
    """Remembers which signal asked the command to end."""

    def __init__(self) -> None:
        self.number: int | None = None

    def __call__(self, number: int, _frame: FrameType | None) -> None:
        """Answer a signal."""
        self.number = number
        raise KeyboardInterrupt

    def exit_code(self, code: int) -> int:
        """Return the code to exit with: by custom, 128 and the number of the signal."""
        return code if self.number is None else 128 + self.number


@contextmanager
def answered_signals() -> Iterator[Stop]:
    """Answer the signals that end a process, except those that the caller ignores (nohup)."""
    stop = Stop()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    before = {one: signal.getsignal(one) for one in _SIGNALS}
    answered = [one for one in _SIGNALS if before[one] is signal.SIG_DFL]
    try:
        for one in answered:
            signal.signal(one, stop)
        yield stop
    finally:
        for one in answered:
            signal.signal(one, before[one])
