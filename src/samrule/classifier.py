"""`RuleListClassifier`: `learn` as a scikit-learn classifier."""

import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags, assert_all_finite, check_array
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_sample_weight,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from samrule.checks import MOST_THREADS, checked
from samrule.conditions import Binarizer, Conditions
from samrule.errors import InputError, OneClassWarning, Parameter, ParameterError, Words
from samrule.learning import Explanation, FittedRuleList, learn
from samrule.learning.class_weight import without_class_weight
from samrule.rules import Rule, smoothed
from samrule.sources.base import Source
from samrule.sources.open import open_table


class RuleListClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A rule list with a certificate, for scikit-learn.

    Takes dataframes with names, text, categories, dates and missing values as they are, arrays and
    sparse matrices, two or more classes of any kind.

    Parameters
    ----------
    max_rules, max_terms, regularization
        What a list may look like, and what a rule costs: see `samrule.learn`. With
        ``max_rules="cv"`` cross-validation chooses how many rules.
    epsilon, theta, delta
        How near the best list it must be, and how surely.
    strategy
        ``"auto"``, ``"exact"``, ``"progressive"``, ``"paper"`` or ``"tight"``.
    min_support
        What every rule must decide: below 1 a share of the rows, from 1 on a number of rows.
    binarizer
        A `Binarizer`, or conditions learned before; by default cuts are where classes change.
    class_weight
        ``"balanced"``, or a weight per class: rows count as much as their class does.
    time_limit
        Stop searching after about so many seconds; the certificate says what is proven then.
    memory_limit
        Bytes a search may use.
    random_state
        A seed, or a numpy RandomState or Generator.
    n_jobs
        Threads to search with: None is one, unless a `joblib.parallel_config` says otherwise; -1 is
        all cores, -2 all but one. The result does not depend on it.
    objective, costs
        What to minimize: ``"error"``, ``"brier"`` for probabilities to trust, a share of each, or
        ``"f1"`` for the greatest F1 of the rarer of two classes; what wrong classes cost, such as
        ``{("bad", "good"): 10}``.
    alert_rate
        Predict the rarer of two classes for at most this share of the rows, and find as much of it
        as that allows.
    forbid, require, at_most, first, last, monotone, max_columns, together
        What the list must obey, such as ``forbid=["zip", ("age", "sex")]`` or
        ``monotone={"income": 1}``: see `samrule.solve`.

    Attributes
    ----------
    rule_list_
        The rules (`RuleList`), with the columns' own names and values.
    certificate_
        What is proven about them.
    trace_
        One record per search.
    cross_validation_
        With ``max_rules="cv"``, what lists of 0, 1, 2, ... rules lose on rows held out; else None.
    fitted_
        The `FittedRuleList`: save it, evaluate it on a file, export it.
    classes_, n_features_in_, feature_names_in_
        As usual; names only where the columns had some.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.arange(20).reshape(-1, 1)
    >>> model = RuleListClassifier().fit(X, X[:, 0] >= 12)
    >>> print(model.rule_list_)
    if x0 >= 12 then True
    else False
    >>> model.predict([[3], [15]])
    array([False,  True])
    """

    def __init__(
        self,
        *,
        max_rules: int | Literal["cv"] = 4,
        max_terms: int = 1,
        regularization: float | str = 1e-4,
        epsilon: float | None = 0.1,
        theta: float = 0.05,
        delta: float = 0.05,
        strategy: str = "auto",
        min_support: float = 0,
        binarizer: Binarizer | Conditions | None = None,
        class_weight: Any = None,
        time_limit: float | None = None,
        memory_limit: int | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        objective: Any = "error",
        costs: Any = None,
        alert_rate: float | None = None,
        forbid: Any = None,
        require: Any = None,
        at_most: Any = None,
        first: Any = None,
        last: Any = None,
        monotone: Any = None,
        max_columns: int | None = None,
        together: Any = None,
    ) -> None:
        self.max_rules = max_rules
        self.max_terms = max_terms
        self.regularization = regularization
        self.epsilon = epsilon
        self.theta = theta
        self.delta = delta
        self.strategy = strategy
        self.min_support = min_support
        self.binarizer = binarizer
        self.class_weight = class_weight
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.objective = objective
        self.costs = costs
        self.alert_rate = alert_rate
        self.forbid = forbid
        self.require = require
        self.at_most = at_most
        self.first = first
        self.last = last
        self.monotone = monotone
        self.max_columns = max_columns
        self.together = together

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "RuleListClassifier":  # noqa: N803
        """Learn a rule list.

        Parameters
        ----------
        X
            Rows x columns.
        y
            The class of each row.
        sample_weight
            How much each row counts; 0 is as good as not there.
        """
        table = _checked_table(self, X, reset=True)
        labels = _checked_labels(y, table.shape[0])
        weights = _row_weights(table, sample_weight)
        source = open_table(table, labels, weights=weights)
        self._columns = source.features
        self.fitted_ = learn(
            source,
            max_rules=self.max_rules,
            max_terms=self.max_terms,
            regularization=self.regularization,
            epsilon=self.epsilon,
            theta=self.theta,
            delta=self.delta,
            strategy=self.strategy,  # type: ignore[arg-type]
            min_support=self.min_support,
            binarizer=_knowing_orders(self.binarizer, table, source),
            class_weight=self.class_weight,
            time_limit=self.time_limit,
            memory_limit=self.memory_limit,
            random_state=_seed(self.random_state),
            threads=_n_threads(self.n_jobs),
            objective=self.objective,
            costs=self.costs,
            alert_rate=self.alert_rate,
            forbid=self.forbid,
            require=self.require,
            at_most=self.at_most,
            first=self.first,
            last=self.last,
            monotone=self.monotone,
            max_columns=self.max_columns,
            together=self.together,
        )
        self.classes_ = np.array(self.fitted_.classes, dtype=labels.dtype)
        advice = self.fitted_.one_class_advice
        if advice is not None:
            warnings.warn(OneClassWarning(advice.what, hint=advice.hint), stacklevel=2)
        return self

    @property
    def rule_list_(self) -> Any:
        """The rules."""
        return self._fitted().rule_list

    @property
    def certificate_(self) -> Any:
        """What is proven about the rules."""
        return self._fitted().certificate

    @property
    def trace_(self) -> Any:
        """One record per search."""
        return self._fitted().trace

    @property
    def cross_validation_(self) -> Any:
        """What chose the number of rules; None if it was asked for."""
        return self._fitted().cross_validation

    def predict(self, X: Any) -> NDArray[Any]:  # noqa: N803
        """Return the class of each row."""
        decided = self.apply(X)
        return self.classes_[self._places()[decided]]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:  # noqa: N803
        """Return the probability of each class, one column per class in the order of `classes_`.

        It is the share of the class among the training rows that the same rule decided, smoothed
        as if one row more of each class had been seen. With `sample_weight` it is their weighted
        share, as in scikit-learn's own trees: two rows count as much as one of weight two.
        `class_weight` does not enter: it makes a rare class worth rules, not more frequent, so the
        class predicted need not be the most probable one then.
        """
        of_class = self._fitted().class_weight
        return np.array([_shares(rule, of_class) for rule in self.rule_list_])[self.apply(X)]

    def apply(self, X: Any) -> NDArray[np.int64]:  # noqa: N803
        """Return the number of the rule that decides each row, from 0; the default is last."""
        fitted = self._fitted()
        return fitted.apply(_checked_table(self, X, reset=False))

    def explain(self, row: Any) -> Explanation:
        """Return in words which rule decides a row, and why those before it do not.

        Parameters
        ----------
        row
            A mapping of column names to values (a pandas Series is one), or the values in order.
        """
        fitted = self._fitted()
        if isinstance(row, Mapping):
            return fitted.explain(row)
        if hasattr(row, "to_dict"):
            return fitted.explain(row.to_dict())
        values = list(row)
        if len(values) != self.n_features_in_:
            raise InputError(
                f"the row has {len(values)} values; expected {self.n_features_in_}, one per "
                "column.",
                hint="pass a mapping of column names to values.",
            )
        return fitted.explain(dict(zip(self._columns, values, strict=True)))

    def _html_repr(self) -> str:
        """Show the rules once there are some; scikit-learn's own diagram before."""
        if hasattr(self, "fitted_"):
            return self._fitted()._repr_html_()
        return str(super()._html_repr())

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "fitted_")

    def _fitted(self) -> FittedRuleList:
        check_is_fitted(self)
        fitted: FittedRuleList = self.fitted_
        return fitted

    def _places(self) -> NDArray[np.int64]:
        """Return for each rule the place of its prediction in `classes_`."""
        place = {one: number for number, one in enumerate(self.rule_list_.classes)}
        return np.array([place[rule.prediction] for rule in self.rule_list_])


def _knowing_orders(binarizer: Any, table: Any, source: Source) -> Any:
    """Return the binarizer with the orders that a dataframe knows; `learn` sees a source alone."""
    if binarizer is None or isinstance(binarizer, Binarizer):
        return (binarizer or Binarizer()).knowing(table, source.features)
    return binarizer


def _shares(rule: Rule, of_class: tuple[float, ...] | None) -> tuple[float, ...]:
    """Return the probabilities of a rule by the weight of rows, but not by that of classes."""
    if of_class is None or not rule.weighted_counts:
        return smoothed(rule, weighted=True)
    own = without_class_weight(rule.weighted_counts, of_class)
    return smoothed(replace(rule, weighted_counts=own), weighted=True)


def _row_weights(table: Any, sample_weight: Any) -> NDArray[np.float64] | None:
    """Return the weight of each row; None if all count once."""
    if sample_weight is None:
        return None
    weights: NDArray[np.float64] = _check_sample_weight(
        sample_weight, table, ensure_non_negative=True
    )
    if not weights.any():
        raise InputError(
            "the sample weights are all zero; expected at least one positive weight.",
            hint="leave sample_weight out to count every row once.",
        )
    return weights


def _checked_table(estimator: BaseEstimator, X: Any, *, reset: bool) -> Any:  # noqa: N803
    """Return the table as it is if it is a dataframe, else as an array; remember its names."""
    if hasattr(X, "columns") or hasattr(X, "__arrow_c_stream__"):
        validate_data(estimator, X, reset=reset, skip_check_array=True)
        if X.shape[0] == 0 or X.shape[1] == 0:
            raise InputError(
                f"the table has shape {tuple(X.shape)}; expected at least one row and one column.",
                hint="check the filter that made it.",
            )
        return X
    array = check_array(
        X, accept_sparse="csr", dtype=None, ensure_all_finite=False, estimator=estimator
    )
    validate_data(estimator, array, reset=reset, skip_check_array=True)
    return array


def _checked_labels(y: Any, n_rows: int) -> NDArray[Any]:
    if y is None:
        raise InputError(
            "fit requires y to be passed, but the target y is None.",
            hint="pass the class of each row.",
        )
    labels: NDArray[Any] = column_or_1d(y, warn=True)
    assert_all_finite(labels, input_name="y")
    if labels.dtype.kind not in "biu":  # Whole numbers are classes; to look would take a sort.
        check_classification_targets(labels)
    if len(labels) != n_rows:
        raise InputError(
            f"y has {len(labels):,} entries; expected {n_rows:,}, one per row.",
            hint="filter both the same way, and keep them in the same order.",
        )
    return labels


def _n_threads(n_jobs: Any) -> int:
    """Return how many threads `n_jobs` stands for, in scikit-learn's own terms."""
    n_threads: int = effective_n_jobs(checked("n_jobs", n_jobs))
    return min(n_threads, MOST_THREADS)


def _seed(random_state: Any) -> Any:
    """Return what numpy's new generators take; scikit-learn's checks pass RandomState too."""
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(np.iinfo(np.int32).max))
    if isinstance(random_state, bool | float | str):
        raise ParameterError(
            Words(
                Parameter("random_state"),
                f" is {random_state!r}; expected a whole number, a RandomState or a Generator.",
            ),
            hint=Words(Parameter("random_state", 0), " makes runs repeatable."),
        )
    return random_state
