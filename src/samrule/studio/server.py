"""Serves the studio on the loopback until a signal ends it."""

import secrets
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Thread
from types import FrameType

import uvicorn

from samrule.errors import ParameterError, ResourceError
from samrule.studio.application import application
from samrule.studio.desk import Desk
from samrule.studio.guard import Guard

HOST = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Address:
    """Where the studio is: a socket that listens, and the token to be let in."""

    listener: socket.socket
    token: str

    @property
    def port(self) -> int:
        """The port."""
        return int(self.listener.getsockname()[1])

    @property
    def url(self) -> str:
        """What to open."""
        return f"http://{HOST}:{self.port}/?token={self.token}"


@contextmanager
def listening(port: int = 0) -> Iterator[Address]:
    """Listen on the loopback: on a port, or on any that is free."""
    # Said to be TCP, asyncio sends answers at once; else each waits 40 ms for a late receipt.
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((HOST, port))
            listener.listen()  # Who opens the address before the server runs waits a moment.
        except OSError as error:
            raise ParameterError(
                f"port {port} of {HOST} cannot be used: {error.strerror}.",
                hint="name another port, or none to take any that is free.",
            ) from None
        yield Address(listener, secrets.token_urlsafe(24))


def serve(desk: Desk, address: Address, *, ready: Callable[[], None]) -> int:
    """Answer requests until SIGINT, SIGTERM or SIGHUP comes, and return its number.

    `ready` is called as soon as requests are answered. The server and its searches run on at the
    end, in threads: leave the process with `os._exit`.
    """
    guarded = Guard(application(desk), address.token, address.port)
    config = uvicorn.Config(
        guarded,
        lifespan="off",
        log_level="error",
        access_log=False,
        server_header=False,
        proxy_headers=False,
    )
    server = uvicorn.Server(config)
    # In a thread of its own, for it waits for every search when it ends.
    running = Thread(target=server.run, args=([address.listener],), daemon=True)
    with _answered_signals() as ending:
        running.start()
        Thread(target=desk.warm, daemon=True).start()
        ready()
        while running.is_alive() and ending.number is None:
            running.join(0.1)
    if ending.number is None:
        raise ResourceError(
            "the studio's server ended by itself.", hint="start it again, on another port."
        )
    return ending.number


@dataclass
class _Ending:
    """Remembers which signal came."""

    number: int | None = None

    def __call__(self, number: int, _: FrameType | None) -> None:
        """Answer a signal."""
        self.number = number


@contextmanager
def _answered_signals() -> Iterator[_Ending]:
    """Take the signals that end a process, but those that the caller ignores (nohup)."""
    ending = _Ending()
    wanted = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {one: signal.getsignal(one) for one in wanted}
    taken = [one for one in wanted if before[one] is not signal.SIG_IGN]
    for one in taken:
        signal.signal(one, ending)
    try:
        yield ending
    finally:
        for one in taken:
            signal.signal(one, before[one])
