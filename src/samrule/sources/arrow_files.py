"""Arrow and Feather files, read batch by batch through a memory map."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from samrule.errors import FileError, InputError
from samrule.sources.arrow_types import without_views
from samrule.sources.base import Source
from samrule.sources.cleaned import cleaned
from samrule.sources.options import TableOptions
from samrule.sources.roles import Roles, check_names

# What Arrow raises for bytes that make no sense.
_DAMAGE = (pa.ArrowException, OSError, MemoryError, OverflowError, UnicodeDecodeError)


class ArrowFileSource(Source):
    """One or many files in Arrow's file or stream format, one after the other."""

    def __init__(self, name: str, paths: Sequence[Path], schema: Any, roles: Roles) -> None:
        super().__init__(name, schema, roles)
        self._paths = paths

    def _count_rows(self) -> int:
        # Without columns there is nothing to decompress.
        return sum(batch.num_rows for path in self._paths for batch in _read(path, []))

    def _batches(self, columns: Sequence[str]) -> Iterator[Any]:
        for path in self._paths:
            yield from _read(path, columns)


def arrow_source(name: str, paths: Sequence[Path], options: TableOptions) -> Source:
    """Open Arrow and Feather files."""
    schema = _common_schema(paths)
    source = ArrowFileSource(name, paths, schema, options.roles(name, schema.names))
    return cleaned(source, options)


def _common_schema(paths: Sequence[Path]) -> Any:
    """Return the schema all files have; raise for the first that differs."""
    first = _schema(paths[0])
    for path in paths[1:]:
        check_same_schema(paths[0], first, path, _schema(path))
    return first


def check_same_schema(first: Path, wanted: Any, other: Path, found: Any) -> None:
    """Raise unless both files have the same columns of the same types, in any order."""
    check_names(first.name, wanted.names)
    check_names(other.name, found.names)
    wanted_types, found_types = (
        {one.name: one.type for one in schema} for schema in (wanted, found)
    )
    for name in wanted_types | found_types:
        types = [wanted_types.get(name), found_types.get(name)]
        if types[0] != types[1]:
            has = [f"{type_}" if type_ is not None else "no such column" for type_ in types]
            raise InputError(
                f"the files differ in column {name!r}: {has[0]} in {first.name}, "
                f"{has[1]} in {other.name}.",
                hint="write them with one schema, or leave one of them out.",
            )


def _schema(path: Path) -> Any:
    with pa.memory_map(str(path)) if path.stat().st_size else _raise_not_arrow(path) as file:
        schema = _reader(path, file, None).schema
        try:
            check_names(path.name, schema.names)
            str(schema)
        except _DAMAGE as error:
            _raise_damaged(path, error)
        return schema


def _read(path: Path, columns: Sequence[str]) -> Iterator[Any]:
    schema = _schema(path)
    places = sorted(schema.names.index(name) for name in columns)
    with pa.memory_map(str(path)) as file:
        reader = _reader(path, file, places)
        for batch in _record_batches(path, reader):
            yield without_views(batch.select(list(columns))) if columns else batch


def _record_batches(path: Path, reader: Any) -> Iterator[Any]:
    try:
        batches = (
            map(reader.get_batch, range(reader.num_record_batches))
            if isinstance(reader, pa.RecordBatchFileReader)
            else reader
        )
        for batch in batches:
            batch.validate(full=True)  # Arrow trusts offsets and lengths, and would follow them.
            yield batch
    except _DAMAGE as error:
        _raise_damaged(path, error)


def _reader(path: Path, file: Any, places: Sequence[int] | None) -> Any:
    # An empty list of fields means all of them to Arrow.
    wanted = {} if places is None else {"included_fields": list(places) or [0]}
    options = pa.ipc.IpcReadOptions(**wanted)
    start = file.read(6)
    file.seek(0)
    try:
        if start == b"ARROW1":
            return pa.ipc.open_file(file, options=options)
        return pa.ipc.open_stream(file, options=options)
    except _DAMAGE as error:
        return _raise_not_arrow(path) if start != b"ARROW1" else _raise_damaged(path, error)


def _raise_not_arrow(path: Path) -> Any:
    raise FileError(
        f"{path.name} is not an Arrow file, although its name says so.",
        hint="check how it was written; Feather version 1 is no longer read.",
    ) from None


def _raise_damaged(path: Path, error: Exception) -> Any:
    raise FileError(
        f"{path.name} is damaged or cut short: {error}", hint="write or copy it again."
    ) from None
