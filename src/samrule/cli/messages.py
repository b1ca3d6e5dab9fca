"""What all commands say in the same words: exit codes, and Python's arguments as options."""

import re
from enum import IntEnum


class ExitCode(IntEnum):
    """What a command ended with."""

    OK = 0
    ERROR = 1
    USAGE = 2
    BUG = 3
    INTERRUPTED = 130


EXIT_CODES = (
    "Exit codes: 0 done; 1 the data, a file or a value cannot be used, and the message says why; "
    "2 the command line itself is wrong; 3 a bug in samrule; 130 interrupted with Ctrl-C."
)
INTERRUPTED = "Interrupted; nothing more was written."

# Arguments of Python functions that errors speak of, where they are options here.
_OPTIONS = {
    "delta", "epsilon", "exclude", "include", "max_rules", "max_terms", "missing_target", "query",
    "random_state", "regularization", "strategy", "target", "theta", "threads", "time_limit",
    "weights",
}  # fmt: skip
_RENAMED = {"random_state": "seed"}
_ARGUMENT = re.compile(r"\b([a-z_]+)=(\"[^\"]*\"|'[^']*'|\.\.\.|[\w.]*\w)")


def in_options(text: str) -> str:
    """Return a message with Python's keyword arguments written as options.

    >>> in_options("missing values.\\nHint: pass missing_target='drop' to leave those out.")
    'missing values.\\nHint: pass --missing-target drop to leave those out.'
    >>> in_options("try max_rules=4.")
    'try --max-rules 4.'
    """
    return _ARGUMENT.sub(_as_option, text)


def _as_option(argument: re.Match[str]) -> str:
    name, value = argument.groups()
    if name not in _OPTIONS:
        return argument[0]
    option = _RENAMED.get(name, name).replace("_", "-")
    plain = value.strip("'\"")
    return f"--{option} {plain if ' ' not in plain else value}"
