"""Model files of version 2 are read, and written again as the newest version.

`models/second_weighted.json` was written by commit 70726ec, the last before version 3, from 12,000
weighted rows in which x >= 1 mostly says yes.
"""

import json
from pathlib import Path

import jsonschema
import pyarrow as pa
import pytest

import samrule
from samrule.errors import InputError
from samrule.learning.model_file import VERSION, dumps, loads
from samrule.learning.model_file_v2 import as_version_3

FILE = Path(__file__).parent / "models" / "second_weighted.json"
SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "model.schema.json").read_text())


def test_files_of_version_2_are_read_and_written_as_the_newest_version() -> None:
    assert json.loads(FILE.read_text())["version"] == 2
    found = samrule.load(FILE)
    assert found.predict(pa.table({"x": [0, 1, 2]})).tolist() == ["no", "yes", "yes"]
    assert found.settings.regularization == 1e-4
    assert found.settings.relative_regularization is None
    assert found.class_weight == (1.0, 1.5)
    written = dumps(found)
    jsonschema.Draft202012Validator(SCHEMA).validate(json.loads(written))
    assert json.loads(written)["version"] == VERSION
    assert loads(written) == found


def test_a_damaged_file_of_version_2_is_refused_like_a_new_one() -> None:
    data = json.loads(FILE.read_text())
    del data["settings"]
    assert "settings" not in as_version_3(data)
    with pytest.raises(InputError, match="settings"):
        loads(json.dumps(data).encode())
