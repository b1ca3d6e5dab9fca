"""Which kind of file a path names: its ending says so, and its first bytes are checked."""

from pathlib import Path

from samrule.errors import FileError, InputError

# Endings and the kind of file they announce; .gz and .zst may follow those of text.
KINDS = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".csv": "csv",
    ".tsv": "csv",
    ".tab": "csv",
    ".jsonl": "json",
    ".ndjson": "json",
    ".json": "json",
    ".arrow": "arrow",
    ".arrows": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".svm": "svmlight",
    ".svmlight": "svmlight",
    ".libsvm": "svmlight",
    ".xlsx": "excel",
    ".xlsm": "excel",
    ".xlsb": "excel",
    ".xls": "excel",
    ".ods": "excel",
    ".duckdb": "database",
    ".ddb": "database",
    ".db": "database",
}
_COMPRESSIONS = {".gz": b"\x1f\x8b", ".zst": b"\x28\xb5\x2f\xfd"}

# First bytes of files that are no text, although their ending may say so.
_SIGNATURES = {
    b"PAR1": "a Parquet file",
    b"ARROW1": "an Arrow file",
    b"PK\x03\x04": "a zip archive or a workbook (.xlsx)",
    b"SQLite format 3": "an SQLite database",
    **{start: f"compressed ({ending})" for ending, start in _COMPRESSIONS.items()},
}


def kind_of(path: Path) -> str:
    """Return the kind of file that a name announces; raise if it announces none."""
    kind = KINDS.get(ending(path))
    if kind is None:
        raise InputError(
            f"{path.name} does not say what it is; expected a name ending in {', '.join(KINDS)}.",
            hint="rename it, or open it with DuckDB or a dataframe library first.",
        )
    return kind


def ending(path: Path) -> str:
    """Return the ending that names the kind, in small letters: that before .gz or .zst."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    while suffixes and suffixes[-1] in _COMPRESSIONS:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def check_readable(path: Path, kind: str) -> None:
    """Raise for files that may not be read or start with the bytes of another kind."""
    try:
        with path.open("rb") as file:
            start = file.read(16)
    except OSError as error:
        raise FileError(
            f"{path.name} cannot be read: {error.strerror}.", hint="check with ls -l."
        ) from None
    if kind not in {"csv", "json", "svmlight"}:
        return
    compression = _COMPRESSIONS.get(path.suffix.lower())
    if compression is not None:
        if start and not start.startswith(compression):
            raise FileError(
                f"{path.name} is not compressed, although its name says so.",
                hint=f"remove {path.suffix} from its name.",
            )
        return
    for signature, what in _SIGNATURES.items():
        if start.startswith(signature):
            raise FileError(
                f"{path.name} is {what}, although its name says {ending(path)}.",
                hint="give it the ending of what it is.",
            )
    first = start.removeprefix(b"\xef\xbb\xbf").strip()
    if kind == "json" and first and not first.startswith(b"{"):
        raise FileError(
            f"{path.name} starts with {first[:1]!r}; expected JSON lines, an object on each.",
            hint="turn a list of objects into lines, for example with jq -c '.[]'.",
        )
