"""How good predictions are, in the figures people compare: all from counts per rule and class."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Scores:
    """Figures of merit, as scikit-learn defines them; NaN where there is nothing to divide by.

    Parameters
    ----------
    accuracy
        Share of the rows that are classified correctly.
    balanced_accuracy
        Mean recall of the classes that have rows.
    precision, recall
        Per class: the share of the rows predicted so that are so, and of those that are so that
        are predicted so.
    auc
        Area under the ROC curve of the second of two classes, by its probability; with more
        classes the mean over those that have rows, each against the rest. None if the list knows no
        probabilities.
    average_precision
        Precision of the rows that rules give at least so much probability, averaged over recall; of
        the second of two classes, else the mean over classes, as `auc`.
    log_loss
        Mean of -ln(probability of the true class): infinite if the list does not know the class.
    brier
        Mean squared difference between the probability of the second of two classes and the truth;
        with more classes, the sum over all of them.
    reliability, resolution, uncertainty
        What the Brier score consists of (Murphy 1973): brier = reliability - resolution +
        uncertainty. The mean squared difference between what rules say and what is so among the
        rows they decide (0 is best); that between rules' rows and all rows, what the rules tell
        apart (more is better); and what remains to tell apart, which the rows alone decide.
    """

    accuracy: float
    balanced_accuracy: float
    precision: tuple[float, ...]
    recall: tuple[float, ...]
    auc: float | None = None
    average_precision: float | None = None
    log_loss: float | None = None
    brier: float | None = None
    reliability: float | None = None
    resolution: float | None = None
    uncertainty: float | None = None


def scores(
    counts: NDArray[np.float64],
    predicted: Sequence[int],
    probabilities: NDArray[np.float64] | None = None,
) -> Scores:
    """Return the figures for rows that were counted by the rule that decides them.

    Parameters
    ----------
    counts
        Rows (or their weight) by rule, the default last, and by true class.
    predicted
        The place of the class that each rule predicts.
    probabilities
        What each rule says each class's probability is.

    Examples
    --------
    >>> found = scores(np.array([[1, 9], [30, 10]]), [1, 0], np.array([[0.2, 0.8], [0.7, 0.3]]))
    >>> found.accuracy, round(found.balanced_accuracy, 3), round(found.auc, 3)
    (0.78, 0.721, 0.721)
    """
    counts = np.asarray(counts, dtype=np.float64)
    total, of_class = counts.sum(), counts.sum(axis=0)
    n_classes = counts.shape[1]
    right, said = np.zeros(n_classes), np.zeros(n_classes)
    np.add.at(right, predicted, counts[np.arange(len(predicted)), predicted])
    np.add.at(said, predicted, counts.sum(axis=1))
    with np.errstate(invalid="ignore"):
        precision, recall = right / said, right / of_class
    present = of_class > 0
    of_probabilities = {}
    if probabilities is not None and total:
        of_probabilities = {
            "auc": _mean_over_classes(_area, counts, probabilities),
            "average_precision": _mean_over_classes(_average_precision, counts, probabilities),
            "log_loss": _log_loss(counts, probabilities),
            "brier": _brier(counts, probabilities),
            **_brier_parts(counts, probabilities),
        }
    return Scores(
        accuracy=float(right.sum() / total) if total else np.nan,
        balanced_accuracy=float(recall[present].mean()) if present.any() else np.nan,
        precision=tuple(precision.tolist()),
        recall=tuple(recall.tolist()),
        **of_probabilities,
    )


def recall_at_precision(
    counts: NDArray[np.float64], scores_of_rules: NDArray[np.float64], place: int, precision: float
) -> float:
    """Return the share of a class's rows found where so large a share of the rows found is so.

    Rows are taken in the order of the probability that rules give the class, as many as keep the
    precision; 0 if not even those of the most certain rule do, NaN if the class has no rows.

    Examples
    --------
    >>> decided, probability = np.array([[1, 9], [30, 10]]), np.array([0.9, 0.25])
    >>> recall_at_precision(decided, probability, 1, precision=0.8)
    0.47368421052631576
    """
    found, taken = _found_and_taken(counts, scores_of_rules, place)
    if not found[-1]:
        return float("nan")
    enough = found >= precision * taken
    return float(max(found[enough], default=0.0) / found[-1])


def roc_points(
    counts: NDArray[np.float64], scores_of_rules: NDArray[np.float64], place: int
) -> NDArray[np.float64]:
    """Return the ROC curve of a class: shares of the others and of its own rows, from (0, 0).

    Rules that give the class the same probability cannot be told apart, and make one step.
    """
    found, taken = _found_and_taken(counts, scores_of_rules, place)
    others = taken - found
    steps = np.column_stack([others / others[-1], found / found[-1]])
    return np.vstack([[0.0, 0.0], steps])


def _found_and_taken(
    counts: NDArray[np.float64], scores_of_rules: NDArray[np.float64], place: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return how many rows of a class are found, and of how many taken, by falling probability.

    There is one entry per probability that rules give the class, the highest first.
    """
    levels, group = np.unique(-scores_of_rules, return_inverse=True)
    found = np.bincount(group, counts[:, place], len(levels))
    taken = np.bincount(group, counts.sum(axis=1), len(levels))
    return np.cumsum(found), np.cumsum(taken)


def _mean_over_classes(
    figure: Callable[[NDArray[np.float64], NDArray[np.float64], int], float],
    counts: NDArray[np.float64],
    probabilities: NDArray[np.float64],
) -> float:
    """Return the figure of the second of two classes, else its mean over those with rows."""
    of_class, total = counts.sum(axis=0), counts.sum()
    two_sided = [place for place, n in enumerate(of_class) if 0 < n < total]
    if not two_sided:
        return float("nan")
    places = [1] if len(of_class) == 2 else two_sided
    return sum(figure(counts, probabilities[:, place], place) for place in places) / len(places)


def _area(counts: NDArray[np.float64], scores_of_rules: NDArray[np.float64], place: int) -> float:
    across, up = roc_points(counts, scores_of_rules, place).T
    return float(np.sum(np.diff(across) * (up[1:] + up[:-1]) / 2))


def _average_precision(
    counts: NDArray[np.float64], scores_of_rules: NDArray[np.float64], place: int
) -> float:
    found, taken = _found_and_taken(counts, scores_of_rules, place)
    met = taken > 0
    steps = np.diff(found[met], prepend=0.0)
    return float(np.sum(steps * found[met] / taken[met]) / found[-1])


def _log_loss(counts: NDArray[np.float64], probabilities: NDArray[np.float64]) -> float:
    met = counts > 0
    with np.errstate(divide="ignore"):
        return float(-(counts[met] * np.log(probabilities[met])).sum() / counts.sum())


def _brier(counts: NDArray[np.float64], probabilities: NDArray[np.float64]) -> float:
    squares = (probabilities**2).sum(axis=1, keepdims=True) - 2 * probabilities + 1
    return float((counts * squares).sum() / counts.sum() / _halved(counts))


def _brier_parts(
    counts: NDArray[np.float64], probabilities: NDArray[np.float64]
) -> dict[str, float]:
    met = counts.sum(axis=1) > 0
    support, total = counts[met].sum(axis=1), counts.sum()
    shares, base = counts[met] / support[:, None], counts.sum(axis=0) / total
    off = ((probabilities[met] - shares) ** 2).sum(axis=1)
    apart = ((shares - base) ** 2).sum(axis=1)
    halved = _halved(counts)
    return {
        "reliability": float(support @ off / total / halved),
        "resolution": float(support @ apart / total / halved),
        "uncertainty": float((base * (1 - base)).sum() / halved),
    }


def _halved(counts: NDArray[np.float64]) -> int:
    """Return 2 for two classes, whose squared differences are the same: one is counted."""
    return 2 if counts.shape[1] == 2 else 1
