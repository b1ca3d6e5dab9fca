"""Every error samrule raises: what happened, what was expected, what to do next."""


class SamruleError(Exception):
    """Base of all samrule errors.

    Parameters
    ----------
    message
        What happened, with the offending value, and what was expected.
    hint
        What to do next; printed on its own line.

    Examples
    --------
    >>> print(SamruleError("max_rules is -1; expected 0 or more.", hint="try max_rules=4."))
    max_rules is -1; expected 0 or more.
    Hint: try max_rules=4.
    """

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return self.message if self.hint is None else f"{self.message}\nHint: {self.hint}"


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
