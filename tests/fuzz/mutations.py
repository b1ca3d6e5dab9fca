"""Damage to files and JSON documents, the same for the same random numbers."""

import copy
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

# Values that programs stumble over, wherever a number, a text or nothing was expected.
NUMBERS: list[Any] = [
    0, -1, 1, 2, 3, 0.5, -0.0, 1e-320, 1e300, -1e300, 2**31, -(2**31), 2**53 + 1, 2**63, 2**64,
    -(2**63) - 1, 10**76, 10**400, 1.7976931348623157e308,
]  # fmt: skip
TEXTS = [
    "", " ", "\0", "a\0", "é", "\u202e", "\ud800", "x" * 5000, "'", '"', "`", "\\", "\n", "=1+1",
    "nan", "inf", "-inf", "NULL", "true", "1e999999999", "9999-12-31", "0001-01-01", "12:00:00",
    "2021-10-31T02:30:00+01:00", "2021-10-31T02:30:00", "Europe/Rome", "../../etc/passwd", "{}",
]  # fmt: skip
TYPED = [
    {"integer": "1" * 401},
    {"integer": "-0"},
    {"float": "inf"},
    {"float": "-inf"},
    {"float": "nan"},
    {"decimal": "1e-999999999"},
    {"decimal": "1e75"},
    {"decimal": "-0.00"},
    {"decimal": "Infinity"},
    {"decimal": "sNaN"},
    {"date": "0001-01-01"},
    {"date": "9999-12-31"},
    {"datetime": "0001-01-01T00:00:00+14:00"},
    {"datetime": "9999-12-31T23:59:59.999999"},
    {"datetime": "2021-10-31T02:30:00+01:00", "zone": "Europe/Rome"},
    {"datetime": "2021-10-31T02:30:00", "zone": "Europe/Rome"},
    {"datetime": "9999-12-31T23:59:59-14:00", "zone": "Asia/Tokyo"},
    {"datetime": "2021-01-01T00:00+00:00", "zone": "x" * 5000},
    {"time": "23:59:59.999999"},
    {"time": "00:00+01:00"},
]
STRANGE = [*NUMBERS, *TEXTS, *TYPED, None, True, False, [], {}, [[]], {"a": 1}]


def mutated_json(document: Any, rng: Random) -> Any:
    """Return the document with one to three of its places changed."""
    document = copy.deepcopy(document)
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        places = list(_places(document))
        if not places:
            return rng.choice(STRANGE)
        parent, key = rng.choice(places)
        rng.choice(_JSON_CHANGES)(parent, key, rng, [place[key] for place, key in places])
    return document


def _places(document: Any) -> list[tuple[Any, Any]]:
    """Every place in the document, as its parent and the key there."""
    found: list[tuple[Any, Any]] = []
    waiting = [document]
    while waiting:
        one = waiting.pop()
        keys: Sequence[Any] = list(one) if isinstance(one, dict) else range(len(one))
        found += [(one, key) for key in keys]
        waiting += [one[key] for key in keys if isinstance(one[key], dict | list)]
    return found


def _replace(parent: Any, key: Any, rng: Random, _: list[Any]) -> None:
    parent[key] = copy.deepcopy(rng.choice(STRANGE))


def _move(parent: Any, key: Any, rng: Random, others: list[Any]) -> None:
    parent[key] = copy.deepcopy(rng.choice(others))


def _delete(parent: Any, key: Any, _: Random, __: list[Any]) -> None:
    del parent[key]


def _double(parent: Any, key: Any, rng: Random, _: list[Any]) -> None:
    if isinstance(parent, list):
        parent.insert(key, copy.deepcopy(parent[key]))
    else:
        parent[rng.choice(TEXTS)] = copy.deepcopy(parent[key])


def _nudge(parent: Any, key: Any, rng: Random, _: list[Any]) -> None:
    value = parent[key]
    if isinstance(value, int | float) and not isinstance(value, bool):
        parent[key] = rng.choice([-value, value + 1, value * 2, value / 3, float(value)])
    elif isinstance(value, str):
        parent[key] = value + rng.choice(TEXTS)


_JSON_CHANGES: list[Callable[[Any, Any, Random, list[Any]], None]] = [
    _replace, _replace, _replace, _move, _delete, _double, _nudge, _nudge,
]  # fmt: skip


def mutated_bytes(content: bytes, rng: Random, tokens: Sequence[bytes]) -> bytes:
    """Return the content with one to four changes to its bytes; most lie near its end.

    Formats keep what describes them there, and text has no better place.
    """
    for _ in range(rng.choice([1, 1, 2, 3, 4])):
        near = rng.random() < 0.5
        start = max(0, len(content) - 600) if near else 0
        at = rng.randint(start, len(content))
        length = rng.choice([1, 1, 2, 4, 8, 64, 500])
        piece = content[at : at + length]
        other = rng.randint(0, len(content))
        content = rng.choice(_BYTE_CHANGES)(content, at, length, piece, other, rng, tokens)
    return content


_BYTE_CHANGES: list[Callable[[bytes, int, int, bytes, int, Random, Sequence[bytes]], bytes]] = [
    lambda c, at, n, piece, other, rng, tokens: c[:at] + c[at + n :],
    lambda c, at, n, piece, other, rng, tokens: c[:at],
    lambda c, at, n, piece, other, rng, tokens: c[:at] + rng.choice(tokens) + c[at:],
    lambda c, at, n, piece, other, rng, tokens: c[:at] + rng.choice(tokens) + c[at + n :],
    lambda c, at, n, piece, other, rng, tokens: c[:at] + rng.choice(tokens) + c[at + n :],
    lambda c, at, n, piece, other, rng, tokens: c[:at] + rng.randbytes(len(piece)) + c[at + n :],
    lambda c, at, n, piece, other, rng, tokens: c[:at] + rng.randbytes(1) + c[at + 1 :],
    lambda c, at, n, piece, other, rng, tokens: c[:at] + _flipped(piece[:1], rng) + c[at + 1 :],
    lambda c, at, n, piece, other, rng, tokens: c[:at] + _flipped(piece[:1], rng) + c[at + 1 :],
    lambda c, at, n, piece, other, rng, tokens: c[:other] + piece + c[other:],
    lambda c, at, n, piece, other, rng, tokens: c[:other] + piece + c[other + len(piece) :],
]


def _flipped(byte: bytes, rng: Random) -> bytes:
    return bytes(one ^ (1 << rng.randrange(8)) for one in byte)
