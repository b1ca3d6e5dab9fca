"""Files to open, and the errors of tables that cannot be opened."""

from pathlib import Path

import pytest

from samrule import open_table
from samrule.errors import SamruleError


def written(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def caught(*arguments: object, **options: object) -> SamruleError:
    with pytest.raises(SamruleError) as error:
        list(open_table(*arguments, **options).scan())  # type: ignore[arg-type]
    assert error.value.hint
    assert error.value.message.endswith((".", ")", "]")) or ":" in error.value.message
    return error.value
