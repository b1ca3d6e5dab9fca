"""`Binarizer` as a scikit-learn transformer: any table in, a 0/1 column per condition out."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import check_array, column_or_1d
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import (
    _check_feature_names_in,
    check_is_fitted,
    validate_data,
)

from samrule.checks import Scheme
from samrule.conditions import Binarizer, Conditions
from samrule.rules import Value
from samrule.sources import open_table
from samrule.sources.base import Source
from samrule.sources.to_arrow import arrow_table


class ConditionEncoder(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Turn the columns of a table into yes/no conditions.

    Parameters
    ----------
    scheme
        How ordered columns are cut (see `Binarizer`). If not given: ``"supervised"`` where `fit`
        gets classes, else ``"quantile"``.
    n_thresholds
        At most this many cuts per column, two conditions each: >= t and < t.
    cuts
        Cut points given for some columns; the others follow the scheme.
    min_level_share
        A level of a text column becomes a condition if it holds at least this share of the rows.
    sets
        Whether text columns get conditions on sets of levels too; ``"auto"``: where they pay (see
        `Binarizer`).
    intervals
        Whether ordered columns get intervals too; ``"auto"``: where they pay (see `Binarizer`).
    orders
        Levels of text columns in order (see `Binarizer`); ordered categories need none.
    calendar
        Whether dates are also asked for hour, weekday and month (see `Binarizer`).
    max_conditions
        At most this many conditions in all (see `Binarizer`); ``"auto"`` is a hundred where `fit`
        gets classes.

    Attributes
    ----------
    conditions_
        The learned `Conditions`, and what was left out.
    n_features_in_, feature_names_in_
        What `fit` saw; names only if the table has them.

    Examples
    --------
    >>> ages = np.array([[20], [21], [50], [np.nan]])
    >>> encoder = ConditionEncoder(n_thresholds=1).fit(ages, ["no", "no", "yes", "yes"])
    >>> encoder.get_feature_names_out().tolist()
    ['x0 >= 40', 'x0 < 40', 'x0 is missing']
    >>> encoder.transform(ages).tolist()
    [[0, 1, 0], [0, 1, 0], [1, 0, 0], [0, 0, 1]]
    """

    def __init__(
        self,
        scheme: Scheme | None = None,
        *,
        n_thresholds: int = 12,
        cuts: Mapping[str, Sequence[Value]] | None = None,
        min_level_share: float = 0.005,
        sets: bool | Literal["auto"] = "auto",
        intervals: bool | Literal["auto"] = "auto",
        orders: Mapping[str, Sequence[str]] | None = None,
        calendar: bool = False,
        max_conditions: int | Literal["auto"] | None = "auto",
    ) -> None:
        self.scheme = scheme
        self.n_thresholds = n_thresholds
        self.cuts = cuts
        self.min_level_share = min_level_share
        self.sets = sets
        self.intervals = intervals
        self.orders = orders
        self.calendar = calendar
        self.max_conditions = max_conditions

    def fit(self, X: Any, y: Any = None) -> "ConditionEncoder":  # noqa: N803
        """Learn conditions.

        Parameters
        ----------
        X
            Any dataframe, array or scipy sparse matrix; missing values, text and dates are fine.
        y
            The class of each row; only the supervised scheme looks at it.
        """
        source = self._opened(X, reset=True)
        if y is not None:
            y = column_or_1d(y, warn=True)
        has_classes = y is not None and type_of_target(y) in {"binary", "multiclass"}
        binarizer = Binarizer(
            scheme=self.scheme or ("supervised" if has_classes else "quantile"),
            n_thresholds=self.n_thresholds,
            cuts=self.cuts,
            min_level_share=self.min_level_share,
            sets=self.sets,
            intervals=self.intervals,
            orders=self.orders,
            calendar=self.calendar,
            max_conditions=self.max_conditions,
        )
        self.conditions_: Conditions = binarizer.knowing(X, source.features).fit(source, y)
        self._names_in = source.features
        return self

    def transform(self, X: Any) -> NDArray[np.uint8]:  # noqa: N803
        """Return rows x conditions: 1 where a condition holds in a row, else 0."""
        check_is_fitted(self)
        source = self._opened(X, reset=False)
        # By place: scikit-learn lets an array follow a dataframe, and has compared the names.
        place_of = {name: place for place, name in enumerate(self._names_in)}
        wanted = [source.features[place_of[name]] for name in self.conditions_.columns]
        rows = pa.Table.from_batches(source.scan(wanted))
        packed = self.conditions_.pack(rows.rename_columns(list(self.conditions_.columns)))
        found = np.empty(packed.shape, dtype=np.uint8, order="F")
        for place in range(len(self.conditions_)):
            found[:, place] = packed.column(place)
        return found

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the conditions as text.

        Parameters
        ----------
        input_features
            Names for columns that had none when fitted.
        """
        check_is_fitted(self)
        names = self._names_in
        if input_features is not None:
            names = tuple(_check_feature_names_in(self, input_features))
        name_of = dict(zip(self._names_in, names, strict=True))
        texts = [str(replace(one, column=name_of[one.column])) for one in self.conditions_]
        return np.array(texts, dtype=object)

    def _opened(self, table: Any, *, reset: bool) -> Source:
        """Return the table as a source, after scikit-learn's own checks."""
        if _is_frame(table):
            table = table if hasattr(table, "shape") else arrow_table(table)  # Lazy frames.
            validate_data(self, table, reset=reset, skip_check_array=True)
            return open_table(table)
        options = {"accept_sparse": "csr", "ensure_all_finite": False}
        options |= {"ensure_min_samples": 2 if reset else 1, "reset": reset}
        array = validate_data(self, table, dtype=None, **options)
        if not hasattr(table, "dtype") and array.dtype.kind == "U":
            # Numbers beside text in a list: numpy would make text of them all.
            array = check_array(table, dtype=object, ensure_all_finite=False)
        return open_table(array)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = []
        return tags


def _is_frame(table: Any) -> bool:
    """Tell dataframes from arrays and lists, which scikit-learn checks better than we could."""
    return hasattr(type(table), "columns") or hasattr(table, "__arrow_c_stream__")
