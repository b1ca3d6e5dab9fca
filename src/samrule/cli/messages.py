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
    "alert_rate", "at_most", "class_weight", "costs", "decimal", "delimiter", "delta", "dialect",
    "encoding", "epsilon", "exclude", "first", "forbid", "groups", "header", "include", "last",
    "limit", "max_columns", "max_conditions", "max_rules", "max_terms", "memory_limit",
    "min_support", "missing_target", "missing_values", "monotone", "n_classes", "n_conditions",
    "n_thresholds", "objective", "precision", "query", "random_state", "regularization", "require",
    "sheet", "strategy", "target", "theta", "threads", "time_limit", "together", "types", "weights",
    "within",
}  # fmt: skip
_RENAMED = {
    "random_state": "seed",
    "n_conditions": "conditions",
    "n_classes": "classes",
    "costs": "cost",
}
# Options that take sets of columns where the parameter takes names, too.
_SETS = {"forbid": "forbid_together"}


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
    >>> as_option(Parameter("forbid", ["zip", ("age", "sex")]))
    '--forbid zip --forbid-together age,sex'
    >>> as_option(Parameter("together", [("height", "weight"), ("day", "month")]))
    '--together height,weight --together day,month'
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
    if isinstance(parameter.value, list) and any(isinstance(one, tuple) for one in parameter.value):
        return _sets_text(parameter.name, parameter.value)
    return f"{name} {_value_text(parameter.value)}"


def _sets_text(name: str, value: list[object]) -> str:
    """Return names and sets of columns: a set at a time, for commas are between its columns."""
    names = [one for one in value if not isinstance(one, tuple)]
    of_sets = option(_SETS.get(name, name))
    texts = [f"{option(name)} {_value_text(names)}"] if names else []
    texts += [f"{of_sets} {_value_text(one)}" for one in value if isinstance(one, tuple)]
    return " ".join(texts)


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
