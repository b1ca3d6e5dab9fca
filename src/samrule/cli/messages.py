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
    "2 the command line itself is wrong; 3 a bug in samrule; 130 interrupted with Ctrl-C, "
    "143 or 129 with SIGTERM or SIGHUP."
)
INTERRUPTED = "Interrupted; nothing more was written."

# Arguments of Python functions that errors speak of, where they are options here.
_OPTIONS = {
    "class_weight", "decimal", "delimiter", "delta", "encoding", "epsilon", "exclude", "header",
    "include", "max_rules", "max_terms", "memory_limit", "min_support", "missing_target",
    "missing_values", "n_thresholds", "query", "random_state", "regularization", "sheet",
    "strategy", "target", "theta", "threads", "time_limit", "types", "weights",
}  # fmt: skip
_RENAMED = {"random_state": "seed"}
_ARGUMENT = re.compile(r"\b([a-z_]+)=(\"[^\"]*\"|'[^']*'|\.\.\.|[\w.]*\w)")
_TYPES = re.compile(r"\btypes=\{'([^']*)': '(\w+)'\}")
_NAME = re.compile(r"^([a-z_]+)(?= is )|(?<![-\w'\"])([a-z]+_[a-z]+)\b")


def in_options(text: str) -> str:
    r"""Return a message with Python's keyword arguments written as options.

    >>> in_options("missing values.\nHint: pass missing_target='drop' to leave those out.")
    'missing values.\nHint: pass --missing-target drop to leave those out.'
    >>> in_options("try max_rules=4.")
    'try --max-rules 4.'
    >>> in_options("theta is 2; leave time_limit out.")
    '--theta is 2; leave --time-limit out.'
    >>> in_options("header=True if it is one; types={'zip': 'text'} reads it as text.")
    '--header if it is one; --types zip=text reads it as text.'
    """
    text = _TYPES.sub(r"--types \1=\2", text)
    return _NAME.sub(_option_name, _ARGUMENT.sub(_option_with_value, text))


def _option_name(found: re.Match[str]) -> str:
    name = found[1] or found[2]
    return _option(name) if name in _OPTIONS else name


def _option_with_value(argument: re.Match[str]) -> str:
    name, value = argument.groups()
    if name not in _OPTIONS:
        return argument[0]
    if value in ("True", "False"):
        return _option(name if value == "True" else f"no_{name}")
    plain = value.strip("'\"")
    return f"{_option(name)} {plain if ' ' not in plain else value}"


def _option(name: str) -> str:
    return f"--{_RENAMED.get(name, name).replace('_', '-')}"
