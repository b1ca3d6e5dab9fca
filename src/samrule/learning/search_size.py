"""How large a search is: said before one that would take too long."""

import math
import warnings
from collections.abc import Iterator
from decimal import Decimal
from itertools import count

from samrule.conditions import Binarizer, Conditions
from samrule.errors import LongSearchWarning, Parameter, ParameterError, Words
from samrule.learning.task import Settings, Task

# A bit per row of even the smallest sample, for more candidates than this, is more than the
# memory the search may use: it would end before it began.
MOST_CANDIDATES = 10_000_000
# With lists of three rules, 1,800 took a quarter of a second and 7,000 more than twelve; each
# further rule needs more (docs/learning.md).
MANY_CANDIDATES = 5_000
_QUICK_RULES = 2
# Each rule beyond five makes the search about five times as long, as so many more candidates do.
EASY_RULES, FACTOR_PER_RULE = 5, 5
# Conditions that are few already.
_FEW_CONDITIONS = 50


def check_size(task: Task, conditions: Conditions) -> None:
    """Refuse candidates that cannot be searched, and warn of more than can be in a while."""
    settings = task.settings
    n_candidates = n_candidate_rules(settings, conditions)
    size = f"{len(conditions):,} conditions make {_number(n_candidates)} candidate rules"
    if n_candidates > MOST_CANDIDATES:
        steps = [
            Words("try ", Parameter("max_terms", _most_terms(conditions))),
            *_fewer_conditions(task),
        ]
        raise ParameterError(
            Words(
                Parameter("max_terms"),
                f" is {settings.max_terms}, and {size}; expected at most {MOST_CANDIDATES:,}.",
            ),
            hint=Words(Words.joined(", or ", steps), "."),
        )
    # Strategy "auto" ends its searches itself after some seconds.
    is_long = n_candidates * hardness(settings) > MANY_CANDIDATES and settings.strategy != "auto"
    if is_long and settings.max_rules > _QUICK_RULES:
        warnings.warn(
            LongSearchWarning(
                f"{size} of at most {settings.max_terms} terms; a search for the best "
                f"{settings.max_rules} of them {_how_long(task)}.",
                hint=Words(Words.joined("; ", _shorter(task)), "."),
            ),
            stacklevel=4,
        )


def hardness(settings: Settings, factor: int = FACTOR_PER_RULE) -> int:
    """Return how many times as long a search takes as one for few rules."""
    return int(factor ** max(0, settings.max_rules - EASY_RULES))


def is_large(settings: Settings) -> bool:
    """Whether rules are long, or many: the best list is not found at once, and proven late."""
    return settings.max_terms > 1 or settings.max_rules > EASY_RULES


def _how_long(task: Task) -> str:
    if math.isinf(task.deadline.seconds):
        return "may take hours"
    return f"will hardly be complete within the time limit of {task.deadline.seconds:g} s"


def _shorter(task: Task) -> Iterator[Words]:
    """Yield what would make the search shorter, and is not in force already."""
    if math.isinf(task.deadline.seconds):
        yield Words(Parameter("time_limit", 60), " ends it with the best list so far")
    if task.settings.max_terms > 1:
        fewer = Parameter("max_terms", task.settings.max_terms - 1)
        yield Words(fewer, " makes far fewer candidates")
    yield from _fewer_conditions(task)
    shorter = Parameter("max_rules", min(task.settings.max_rules - 1, EASY_RULES))
    yield Words(shorter, " takes a fraction of the time")


def _fewer_conditions(task: Task) -> Iterator[Words]:
    binarizer = task.binarizer
    if isinstance(binarizer, Binarizer) and not _makes_few(binarizer):
        yield Words("fewer conditions with ", Parameter("max_conditions", _FEW_CONDITIONS))


def _makes_few(binarizer: Binarizer) -> bool:
    most = binarizer.max_conditions
    return isinstance(most, int) and most <= _FEW_CONDITIONS


def n_candidate_rules(settings: Settings, conditions: Conditions) -> int:
    """Return how many conjunctions a rule can be; none if there are no rules."""
    if settings.max_rules == 0:
        return 0
    return conditions.n_conjunctions(min(settings.max_terms, len(conditions)))


def _most_terms(conditions: Conditions) -> int:
    """Return how many terms rules may have for all candidates to be searched."""
    too_many = (n for n in count(2) if conditions.n_conjunctions(n) > MOST_CANDIDATES)
    return next(too_many) - 1


def _number(amount: int) -> str:
    """Return a number as people read it.

    >>> _number(253_260), _number(10**30)
    ('253,260', 'about 1e+30')
    """
    return f"{amount:,}" if amount < 10**12 else f"about {Decimal(amount):.0e}"
