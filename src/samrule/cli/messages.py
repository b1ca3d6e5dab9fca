"""What all commands say in the same words: exit codes, and Python's parameters as options."""

import shlex
from collections.abc import Mapping
from enum import IntEnum

from samrule.errors import Parameter, Words


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

# Parameters of Python functions that messages speak of, where they are options here.
OPTIONS = {
    "alert_rate", "at_most", "class_weight", "costs", "decimal", "delimiter", "delta", "encoding",
    "epsilon", "exclude", "first", "forbid", "groups", "header", "include", "last", "limit",
    "max_columns", "max_conditions", "max_rules", "max_terms", "memory_limit", "min_support",
    "missing_target", "missing_values", "monotone", "n_classes", "n_conditions", "n_thresholds",
    "objective", "precision", "query", "random_state", "regularization", "require", "sheet",
    "strategy", "target", "theta", "threads", "time_limit", "together", "types", "weights",
    "within",
}  # fmt: skip
_RENAMED = {
    "random_state": "seed",
    "n_conditions": "conditions",
    "n_classes": "classes",
    "costs": "cost",
}


def in_options(message: str) -> str:
    """Return a message with the parameters it names written as options.

    >>> in_options(Words(Parameter("theta"), " is 2; leave ", Parameter("time_limit"), " out."))
    '--theta is 2; leave --time-limit out.'
    >>> in_options("theta is 2.")
    'theta is 2.'
    """
    return message.with_parameters(as_option) if isinstance(message, Words) else message


def as_option(parameter: Parameter) -> str:
    """Return a parameter as it is given on the command line.

    >>> as_option(Parameter("random_state", 0)), as_option(Parameter("target", ...))
    ('--seed 0', '--target ...')
    >>> as_option(Parameter("header", True)), as_option(Parameter("header", False))
    ('--header', '--no-header')
    >>> as_option(Parameter("exclude", ["id", "name"]))
    '--exclude id,name'
    >>> as_option(Parameter("types", {"zip": "text"}))
    '--types zip=text'
    >>> as_option(Parameter("query", "SELECT 1")), as_option(Parameter("n_rows", 3))
    ("--query 'SELECT 1'", 'n_rows=3')
    """
    if parameter.name not in OPTIONS:
        return str(parameter)
    if parameter.value is False:
        return option(f"no_{parameter.name}")
    name = option(parameter.name)
    if not parameter.has_value or parameter.value is True:
        return name
    return f"{name} {_value_text(parameter.value)}"


def option(name: str) -> str:
    """Return a parameter's name as an option."""
    return f"--{_RENAMED.get(name, name).replace('_', '-')}"


def _value_text(value: object) -> str:
    """Return a value as a shell reads it; lists and tables have commas."""
    if value is ...:
        return "..."
    if isinstance(value, Mapping):
        value = [f"{name}={one}" for name, one in value.items()]
    text = ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    return shlex.quote(text)
