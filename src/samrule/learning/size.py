"""How many candidate rules there are: said before a search that would take too long."""

import warnings
from decimal import Decimal
from itertools import count

from samrule.errors import LongSearchWarning, ParameterError
from samrule.learning.rows import Questions
from samrule.learning.task import Settings

# A bit per row of even the smallest sample, for more candidates than this, is more than the
# memory the search may use: it would end before it began.
MOST_CANDIDATES = 10_000_000
# With lists of three rules, 1,800 took a quarter of a second and 7,000 more than twelve; each
# further rule needs more (docs/learning.md).
MANY_CANDIDATES = 5_000
_QUICK_RULES = 2


def check_size(settings: Settings, asked: Questions) -> None:
    """Refuse candidates that cannot be searched, and warn of more than can be in a while."""
    n_candidates = n_candidate_rules(settings, asked)
    size = f"{len(asked.conditions):,} conditions make {_number(n_candidates)} candidate rules"
    if n_candidates > MOST_CANDIDATES:
        raise ParameterError(
            f"max_terms is {settings.max_terms}, and {size}; expected at most {MOST_CANDIDATES:,}.",
            hint=f"try max_terms={_most_terms(asked)}, or fewer conditions with n_thresholds=2.",
        )
    if n_candidates > MANY_CANDIDATES and settings.max_rules > _QUICK_RULES:
        warnings.warn(
            LongSearchWarning(
                f"{size} of at most {settings.max_terms} terms; a search for the best "
                f"{settings.max_rules} of more than {MANY_CANDIDATES:,} may take hours.",
                hint="time_limit=60 ends it with the best list so far; max_terms=1, fewer "
                "max_rules, or fewer conditions with n_thresholds=2 make it short.",
            ),
            stacklevel=4,
        )


def n_candidate_rules(settings: Settings, asked: Questions) -> int:
    """Return how many conjunctions a rule can be."""
    return asked.conditions.n_conjunctions(min(settings.max_terms, len(asked.conditions)))


def _most_terms(asked: Questions) -> int:
    """Return how many terms rules may have for all candidates to be searched."""
    too_many = (n for n in count(2) if asked.conditions.n_conjunctions(n) > MOST_CANDIDATES)
    return next(too_many) - 1


def _number(amount: int) -> str:
    """Return a number as people read it.

    >>> _number(253_260), _number(10**30)
    ('253,260', 'about 1e+30')
    """
    return f"{amount:,}" if amount < 10**12 else f"about {Decimal(amount):.0e}"
