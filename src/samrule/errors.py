"""Every error samrule raises: what happened, what was expected, what to do next.

Messages name parameters as `Parameter`, not as text. Python shows ``max_rules=4``, and the command
line, which calls the same thing ``--max-rules 4``, formats it from there.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from types import EllipsisType
from typing import Self


class _Unset(Enum):
    """Marks a parameter that is named without a value, as None may be a value."""

    UNSET = "unset"


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter that a message speaks of, with a value to give it or without.

    Examples
    --------
    >>> print(Parameter("max_rules"), Parameter("max_rules", 4), Parameter("target", ...))
    max_rules max_rules=4 target=...
    """

    name: str
    value: object = _Unset.UNSET

    @property
    def has_value(self) -> bool:
        """Whether a value is named, too."""
        return self.value is not _Unset.UNSET

    def __str__(self) -> str:
        if not self.has_value:
            return self.name
        value = "..." if isinstance(self.value, EllipsisType) else repr(self.value)
        return f"{self.name}={value}"


class Words(str):
    """A message that knows which parameters it names; as text, they look as in Python.

    Examples
    --------
    >>> hint = Words("try ", Parameter("max_rules", 4), ".")
    >>> hint
    'try max_rules=4.'
    >>> hint.with_parameters(lambda one: f"--{one.name} {one.value}")
    'try --max_rules 4.'
    >>> print(Words.joined("; ", [hint, "or wait"]))
    try max_rules=4.; or wait
    """

    parts: tuple[str | Parameter, ...]

    def __new__(cls, *parts: str | Parameter) -> Self:
        """Put a message together; the parts of messages among the parts become its own."""
        flat: list[str | Parameter] = []
        for part in parts:
            flat.extend(part.parts if isinstance(part, Words) else (part,))
        words = super().__new__(cls, "".join(str(part) for part in flat))
        words.parts = tuple(flat)
        return words

    @classmethod
    def joined(cls, separator: str, messages: Iterable[str]) -> Self:
        """Return the messages as one, with the separator between them."""
        parts = [part for message in messages for part in (separator, message)]
        return cls(*parts[1:])

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters named, in order."""
        return tuple(part for part in self.parts if isinstance(part, Parameter))

    def with_parameters(self, text_of: Callable[[Parameter], str]) -> str:
        """Return the message with every parameter written as `text_of` says."""
        return "".join(part if isinstance(part, str) else text_of(part) for part in self.parts)


class SamruleError(Exception):
    """Base of all samrule errors.

    Parameters
    ----------
    message
        What happened, with the offending value, and what was expected.
    hint
        What to do next; printed on its own line.

    Attributes
    ----------
    parameter
        Name of the parameter at fault, the first that the message names; None if it names none.

    Examples
    --------
    >>> error = SamruleError(
    ...     Words(Parameter("max_rules"), " is -1; expected 0 or more."),
    ...     hint=Words("try ", Parameter("max_rules", 4), "."),
    ... )
    >>> print(error)
    max_rules is -1; expected 0 or more.
    Hint: try max_rules=4.
    >>> error.parameter
    'max_rules'
    """

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    @property
    def parameter(self) -> str | None:
        """Name of the parameter at fault, the first that the message names, if it names one."""
        named = self.message.parameters if isinstance(self.message, Words) else ()
        return named[0].name if named else None

    @property
    def words(self) -> Words:
        """The message and the hint, as they are printed."""
        return (
            Words(self.message) if self.hint is None else Words(self.message, "\nHint: ", self.hint)
        )

    def __str__(self) -> str:
        return str(self.words)


class LongSearchWarning(SamruleError, UserWarning):  # noqa: N818
    """A search that may take far longer than one waits; shown, not raised."""


class OneClassWarning(SamruleError, UserWarning):  # noqa: N818
    """A list that predicts one class for every row; shown, not raised."""


class InputError(SamruleError, ValueError):
    """Data that cannot be used: wrong shape, wrong values, too few rows, one class."""


class InputTypeError(SamruleError, TypeError):
    """Data of a kind we do not know how to read."""


class TargetError(InputError):
    """A target column that cannot be learned: missing values, one class."""


class ColumnError(SamruleError, KeyError):
    """A column that is not in the table."""


class FileError(SamruleError, OSError):
    """A file or folder that could not be read."""


class ParameterError(SamruleError, ValueError):
    """A parameter outside its range."""


class ParameterTypeError(SamruleError, TypeError):
    """A parameter of the wrong type."""


class OutputError(SamruleError, OSError):
    """A file that could not be written."""


class ResourceError(SamruleError, RuntimeError):
    """The system refused what the search needs, such as a thread."""


class MissingExtraError(SamruleError, ImportError):
    """An optional dependency is needed and not installed."""
