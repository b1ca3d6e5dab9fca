"""Rows as bits: which rows a condition matches, and how many of each class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

WORD = 64


@dataclass(frozen=True)
class Bitsets:
    """The rows that each condition matches, and the positive ones, one bit per row."""

    conditions: np.ndarray
    positive: np.ndarray
    everything: np.ndarray

    @classmethod
    def pack(cls, conditions: np.ndarray, labels: np.ndarray) -> Bitsets:
        """Pack a 0/1 table (rows x conditions) and its 0/1 labels."""
        return cls(
            conditions=packed(conditions.T),
            positive=packed(labels[np.newaxis])[0],
            everything=packed(np.ones((1, len(labels)), dtype=np.uint8))[0],
        )

    def counts(self, rows: np.ndarray) -> tuple[int, int]:
        """Return how many negative and positive rows there are among `rows`."""
        n_rows = int(np.bitwise_count(rows).sum())
        n_positive = int(np.bitwise_count(rows & self.positive).sum())
        return n_rows - n_positive, n_positive


def packed(table: np.ndarray) -> np.ndarray:
    """Return each line of a 0/1 table as whole 64-bit words, filled up with zeros."""
    lines = np.packbits(np.asarray(table, dtype=bool), axis=1)
    n_bytes = -(-table.shape[1] // WORD) * (WORD // 8)
    filled = np.zeros((len(lines), n_bytes), dtype=np.uint8)
    filled[:, : lines.shape[1]] = lines
    return filled.view(np.uint64)
