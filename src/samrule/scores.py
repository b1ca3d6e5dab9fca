"""How good predictions are, in the figures people compare: all from counts per rule and class."""

from collections.abc import Sequence
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
    log_loss
        Mean of -ln(probability of the true class): infinite if the list does not know the class.
    brier
        Mean squared difference between the probability of the second of two classes and the truth;
        with more classes, the sum over all of them.
    """

    accuracy: float
    balanced_accuracy: float
    precision: tuple[float, ...]
    recall: tuple[float, ...]
    auc: float | None = None
    log_loss: float | None = None
    brier: float | None = None


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
            "auc": _auc(counts, probabilities),
            "log_loss": _log_loss(counts, probabilities),
            "brier": _brier(counts, probabilities),
        }
    return Scores(
        accuracy=float(right.sum() / total) if total else np.nan,
        balanced_accuracy=float(recall[present].mean()) if present.any() else np.nan,
        precision=tuple(precision.tolist()),
        recall=tuple(recall.tolist()),
        **of_probabilities,
    )


def roc_points(
    counts: NDArray[np.float64], scores_of_rules: NDArray[np.float64], place: int
) -> NDArray[np.float64]:
    """Return the ROC curve of a class: shares of the others and of its own rows, from (0, 0).

    Rules that give the class the same probability cannot be told apart, and make one step.
    """
    positives, everything = counts[:, place], counts.sum(axis=1)
    levels, group = np.unique(-scores_of_rules, return_inverse=True)
    ups = np.bincount(group, positives, len(levels))
    across = np.bincount(group, everything - positives, len(levels))
    steps = np.column_stack([across / across.sum(), ups / ups.sum()])
    return np.vstack([[0.0, 0.0], np.cumsum(steps, axis=0)])


def _auc(counts: NDArray[np.float64], probabilities: NDArray[np.float64]) -> float:
    of_class, total = counts.sum(axis=0), counts.sum()
    two_sided = [place for place, n in enumerate(of_class) if 0 < n < total]
    if not two_sided:
        return float("nan")
    places = [1] if len(of_class) == 2 else two_sided
    areas = []
    for place in places:
        across, up = roc_points(counts, probabilities[:, place], place).T
        areas.append(float(np.sum(np.diff(across) * (up[1:] + up[:-1]) / 2)))
    return sum(areas) / len(areas)


def _log_loss(counts: NDArray[np.float64], probabilities: NDArray[np.float64]) -> float:
    met = counts > 0
    with np.errstate(divide="ignore"):
        return float(-(counts[met] * np.log(probabilities[met])).sum() / counts.sum())


def _brier(counts: NDArray[np.float64], probabilities: NDArray[np.float64]) -> float:
    squares = (probabilities**2).sum(axis=1, keepdims=True) - 2 * probabilities + 1
    # With two classes both differences are the same: one is counted.
    halved = 2 if counts.shape[1] == 2 else 1
    return float((counts * squares).sum() / counts.sum() / halved)
