"""SVMlight (LIBSVM) text, ``label 3:0.5 7:1``, read in blocks of lines; absent entries are 0."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from samrule.errors import FileError, InputError
from samrule.sources.base import BATCH_ROWS, Source
from samrule.sources.cleaned import cleaned
from samrule.sources.options import TableOptions
from samrule.sources.roles import Roles

LABEL = "label"

# Up to this index there is a column for each, so that files of one kind have the same columns
# although some may not occur; beyond, for those that occur, and for no more than so many.
MOST_COLUMNS = 50_000

# Lines are read this many bytes at a time; a block of rows is made dense one column at a time.
_BLOCK = 1 << 22
_BLOCK_ROWS = BATCH_ROWS // 8


@dataclass(frozen=True, slots=True)
class Shape:
    """What one pass over the text tells: rows, indices with a column, whether labels are whole."""

    n_rows: int
    indices: Sequence[int]
    whole_labels: bool

    @property
    def schema(self) -> Any:
        """The label, then a column of doubles per index, named as in the file."""
        fields = [(f"f{index}", pa.float64()) for index in self.indices]
        return pa.schema([(LABEL, pa.int64() if self.whole_labels else pa.float64()), *fields])


class SvmlightSource(Source):
    """One or many SVMlight files, one after the other."""

    def __init__(self, name: str, paths: Sequence[Path], shape: Shape, roles: Roles) -> None:
        super().__init__(name, shape.schema, roles)
        self._paths = paths
        self._shape = shape

    def _count_rows(self) -> int:
        return self._shape.n_rows

    def _batches(self, columns: Sequence[str]) -> Iterator[Any]:
        for lines in _line_blocks(self._paths):
            yield self._batch([line for _, line in lines], columns)

    def _take(self, rows: NDArray[np.int64], columns: Sequence[str]) -> Any:
        """Parse the drawn lines only."""
        schema = pa.schema([self.schema.field(name) for name in columns])
        found, start = [], 0
        for lines in _line_blocks(self._paths):
            low, high = np.searchsorted(rows, [start, start + len(lines)])
            if low < high:
                chosen = [lines[row - start][1] for row in rows[low:high].tolist()]
                found.append(self._batch(chosen, columns))
            start += len(lines)
        return pa.Table.from_batches(found, schema)

    def _batch(self, lines: list[bytes], columns: Sequence[str]) -> Any:
        labels, rows, indices, values = _parsed(lines)
        order = np.argsort(indices, kind="stable")
        rows, indices, values = rows[order], indices[order], values[order]
        arrays = []
        for name in columns:
            if name == LABEL:
                arrays.append(pa.array(labels).cast(self.schema.field(name).type))
                continue
            dense = np.zeros(len(lines))
            low, high = np.searchsorted(indices, [int(name[1:]), int(name[1:]) + 1])
            dense[rows[low:high]] = values[low:high]
            arrays.append(pa.array(dense))
        return pa.RecordBatch.from_arrays(arrays, schema=self._schema_of(columns))


def svmlight_source(name: str, paths: Sequence[Path], options: TableOptions) -> Source:
    """Open SVMlight files; the target is their label if nothing else is said."""
    shape = svmlight_shape(paths)
    if options.target is None:
        options = replace(options, target=LABEL)
    roles = options.roles(name, shape.schema.names)
    return cleaned(SvmlightSource(name, paths, shape, roles), options)


def svmlight_shape(paths: Sequence[Path]) -> Shape:
    """Check every line and return the table's shape, in one pass."""
    n_rows, whole = 0, True
    found = np.empty(0, dtype=np.int64)
    for lines in _line_blocks(paths):
        try:
            labels, _, indices, _ = _parsed([line for _, line in lines])
        except (ValueError, OverflowError):
            _raise_bad_line(lines)
        n_rows += len(lines)
        whole = whole and _are_whole(labels)
        found = np.union1d(found, indices)
        _check_n_columns(paths[0].name, found)
    if found.size and found[-1] > MOST_COLUMNS:
        return Shape(n_rows, found.tolist(), whole)
    first, last = (min(1, int(found[0])), int(found[-1])) if found.size else (1, 0)
    return Shape(n_rows, range(first, last + 1), whole)


def _check_n_columns(name: str, indices: NDArray[np.int64]) -> None:
    if len(indices) > MOST_COLUMNS + 1:
        raise InputError(
            f"{name} has more than {MOST_COLUMNS:,} different indices, up to {indices[-1]:,}; "
            "each would be a column.",
            hint="keep those that occur most often, or hash them into fewer.",
        )


def _are_whole(labels: NDArray[np.float64]) -> bool:
    """Whether all are whole numbers of 64 bits; infinity is none, although it equals its floor."""
    return bool(((labels == np.rint(labels)) & (np.abs(labels) < 2**63)).all())


def _line_blocks(paths: Sequence[Path]) -> Iterator[list[tuple[str, bytes]]]:
    """Yield lists of (where, line) with comments, blank lines and query numbers taken out."""
    for path in paths:
        found: list[tuple[str, bytes]] = []
        for number, raw in enumerate(_lines(path), start=1):
            line = raw.partition(b"#")[0].strip()
            if line:
                found.append((f"{path.name}, line {number:,}", line))
            if len(found) == _BLOCK_ROWS:
                yield found
                found = []
        if found:
            yield found


def _lines(path: Path) -> Iterator[bytes]:
    rest = b""
    try:
        with pa.input_stream(str(path), compression="detect") as file:
            while block := file.read(_BLOCK):
                *whole, rest = (rest + block).split(b"\n")
                yield from whole
    except OSError as error:
        raise FileError(f"{path.name} cannot be read: {error}", hint="copy it again.") from None
    yield rest


def _parsed(lines: list[bytes]) -> tuple[NDArray[Any], ...]:
    """Return labels, and the row, index and value of every entry."""
    heads, entries, lengths = [], [], []
    for line in lines:
        label, *pairs = line.split()
        if pairs and pairs[0].startswith(b"qid:"):
            del pairs[0]
        heads.append(label)
        entries.extend(pairs)
        lengths.append(len(pairs))
    if any(entry.count(b":") != 1 for entry in entries):
        raise ValueError("an entry is not index:value")
    numbers = b":".join(entries).split(b":") if entries else []
    pairs_array = np.array(numbers, dtype="S").reshape(-1, 2) if numbers else np.empty((0, 2), "S")
    indices = pairs_array[:, 0].astype(np.int64)
    if indices.size and indices.min() < 0:
        raise ValueError("an index is negative")
    labels = np.array(heads, dtype="S").astype(np.float64)
    rows = np.repeat(np.arange(len(lines)), lengths)
    return labels, rows, indices, pairs_array[:, 1].astype(np.float64)


def _raise_bad_line(lines: list[tuple[str, bytes]]) -> None:
    for where, line in lines:
        try:
            _parsed([line])
        except (ValueError, OverflowError):
            shown = line[:60].decode("utf-8", "replace")
            raise InputError(
                f"{where} is {shown!r}; expected a number, then index:value pairs.",
                hint="one class per line, such as '1 3:0.5 7:1'.",
            ) from None
