"""What a group of rows costs, by the loss that is minimized: exact numbers, written as defined.

A price takes the weight of each class in a group that one rule decides, and returns what the best
prediction for the group costs.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import lcm
from operator import mul

GroupPrice = Callable[[Sequence[int]], int | Fraction]


def error_price(of_class: Sequence[int]) -> int:
    """Return the weight that the majority class gets wrong."""
    return sum(of_class) - max(of_class)


def brier_price(of_class: Sequence[int]) -> Fraction:
    """Return the Brier score of the group's class shares: half of |truth - shares|^2 per row."""
    total = sum(of_class)
    if total == 0:
        return Fraction(0)
    return (total - Fraction(sum(weight * weight for weight in of_class), total)) / 2


def matrix_price(costs: Sequence[Sequence[Fraction]]) -> GroupPrice:
    """Return the price of the cheapest class to predict: ``costs[true][predicted]`` per row."""

    unit = lcm(*(cost.denominator for row in costs for cost in row))  # Whole numbers are quick.
    by_prediction = [[int(cost * unit) for cost in column] for column in zip(*costs, strict=True)]

    def price(of_class: Sequence[int]) -> Fraction:
        return Fraction(min(sum(map(mul, of_class, column)) for column in by_prediction), unit)

    return price


def mixed_price(first: GroupPrice, second: GroupPrice, second_share: Fraction) -> GroupPrice:
    """Return a mean of two prices: each predicts what is best for it."""
    return lambda of_class: (1 - second_share) * first(of_class) + second_share * second(of_class)
