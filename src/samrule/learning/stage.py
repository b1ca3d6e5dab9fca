"""What happened on the way: one record per search."""

from dataclasses import dataclass, field

from samrule.solver import Status


@dataclass(frozen=True, slots=True)
class StageResult:
    """One search, and what was found out about its list afterwards.

    Parameters
    ----------
    rows
        Rows the search saw.
    n_rules
        Rules of the list it found.
    loss
        Its loss on these rows.
    lower_bound
        No list has a smaller loss on these rows.
    status
        Why the search ended; interrupted also if Ctrl-C ended the run before the next one.
    path
        Least loss on these rows of lists with at most 0, 1, 2, ... rules, as far as proven: what
        one more rule would buy.
    table_loss
        The list's loss on the whole table, if it was scanned.
    validation_rows, validation_errors
        Fresh rows the list was checked on, and how many it got wrong, if it was.
    validation_loss
        Its mean loss on them, if that is no error rate.
    seconds
        How long the stage took; None if read from a file, which keeps no times.
    """

    rows: int
    n_rules: int
    loss: float
    lower_bound: float
    status: Status
    path: tuple[float, ...]
    table_loss: float | None = None
    validation_rows: int = 0
    validation_errors: int | None = None
    validation_loss: float | None = None
    seconds: float | None = field(default=None, compare=False)

    @property
    def is_checked(self) -> bool:
        """Whether the list was checked on other rows than those it was learned from."""
        return self.table_loss is not None or self.validation_rows > 0
