"""Makes the studio that a notebook shows, if the packages for it are installed."""

from typing import TYPE_CHECKING, Any

from samrule.errors import MissingExtraError
from samrule.learning import FittedRuleList
from samrule.sources.base import Source
from samrule.sources.open import open_table

if TYPE_CHECKING:
    from samrule.studio.widget import StudioWidget


def notebook_studio(fitted: FittedRuleList, table: Any = None, test: Any = None) -> "StudioWidget":
    """Return the studio for a list on its rows, and on others held out if there are some."""
    try:
        from samrule.studio.desk import desk_of
        from samrule.studio.widget import StudioWidget
    except ImportError as error:
        raise MissingExtraError(
            f"the studio in a notebook needs the package {error.name}, which is not installed.",
            hint="run: pip install 'samrule[notebook]'",
        ) from None
    if test is not None and not isinstance(test, Source):
        test = open_table(test, fitted.target, weights=fitted.weights)
    return StudioWidget(desk_of(fitted, table, test))
