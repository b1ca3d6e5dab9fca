"""How a text file is written, as far as the caller says; the rest is guessed from the file."""

import codecs
import shutil
import tempfile
import weakref
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Literal

import pyarrow as pa

from samrule.errors import FileError, Parameter, ParameterError, Words

DecimalMark = Literal[".", ","]
ValueType = Literal["number", "text", "date", "datetime", "time"]

# What DuckDB calls them; numbers are text first, which every way of writing them is.
_ENGINE_TYPES: dict[str, str] = {
    "number": "VARCHAR",
    "text": "VARCHAR",
    "date": "DATE",
    "datetime": "TIMESTAMP",
    "time": "TIME",
}
_BLOCK = 1 << 20


@dataclass(frozen=True)
class TextFormat:
    """How CSV files are written; None where it is to be guessed.

    Parameters
    ----------
    delimiter
        What stands between two values.
    decimal
        What stands before the fraction of a number.
    encoding
        How letters become bytes, by Python's names; UTF-8 if not given.
    header
        Whether the first line names the columns.
    types
        What columns hold, by name.
    """

    delimiter: str | None = None
    decimal: DecimalMark | None = None
    encoding: str | None = None
    header: bool | None = None
    types: Mapping[str, ValueType] | None = None

    def __post_init__(self) -> None:
        if self.delimiter is not None and (len(self.delimiter) != 1 or self.delimiter in '"\r\n'):
            raise ParameterError(
                Words(
                    Parameter("delimiter"),
                    f" is {self.delimiter!r}; expected one character, and no quote.",
                ),
                hint="most files have a comma, a semicolon, a tab or |.",
            )
        if self.decimal not in (None, ".", ","):
            raise ParameterError(
                Words(Parameter("decimal"), f" is {self.decimal!r}; expected a point or a comma."),
                hint="leave it out to have each column looked at.",
            )
        if self.encoding is not None:
            _check_encoding(self.encoding)
        for column, type_ in (self.types or {}).items():
            if type_ not in _ENGINE_TYPES:
                raise ParameterError(
                    Words(
                        Parameter("types"),
                        f" has {type_!r} for {column!r}; expected {', '.join(_ENGINE_TYPES)}.",
                    ),
                    hint="leave a column out to have it looked at.",
                )

    @property
    def given(self) -> list[str]:
        """Names of the fields that were given."""
        return [field.name for field in fields(self) if getattr(self, field.name) is not None]

    def engine_types(self, engine_names: Mapping[str, str]) -> dict[str, str]:
        """Return DuckDB's types of the columns named, under its names."""
        given = (self.types or {}).items()
        return {engine_names[column]: _ENGINE_TYPES[type_] for column, type_ in given}


class KeptFolder:
    """A temporary folder that is deleted together with this object."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="samrule-"))
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)


def in_utf8(paths: Sequence[Path], encoding: str) -> tuple[list[Path], KeptFolder]:
    """Return copies of text files in UTF-8, and the folder that holds them."""
    folder = KeptFolder()
    copies = []
    for place, path in enumerate(paths):
        copy = folder.path / str(place) / path.name
        copy.parent.mkdir()
        for ending in (".gz", ".zst"):
            copy = copy.with_name(copy.name.removesuffix(ending))
        with copy.open("w", encoding="utf-8", newline="") as file:
            for text in _decoded(path, encoding):
                file.write(text)
        copies.append(copy)
    return copies, folder


def _decoded(path: Path, encoding: str) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        with pa.input_stream(str(path), compression="detect") as file:
            while block := file.read(_BLOCK):
                yield decoder.decode(block)
            yield decoder.decode(b"", final=True)
    except UnicodeError as error:
        raise FileError(
            f"{path.name} is not text in {encoding}: {error}.",
            hint="cp1252 is what Windows writes in Western Europe; latin-1 reads any bytes.",
        ) from None
    except (OSError, pa.ArrowInvalid) as error:
        raise FileError(f"{path.name} cannot be read: {error}", hint="copy it again.") from None


def _check_encoding(encoding: object) -> None:
    try:
        known = isinstance(encoding, str) and codecs.lookup(encoding)._is_text_encoding
    except (LookupError, ValueError):
        known = False
    if not known:
        raise ParameterError(
            Words(Parameter("encoding"), f" is {encoding!r}; Python knows no such one for text."),
            hint="cp1252, latin-1 and utf-16 are frequent ones.",
        )
