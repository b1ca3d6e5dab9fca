"""What DuckDB says is passed on, without secrets."""

from samrule.sources.duckdb.errors import translated
from tests.sources.opening import caught


def test_credentials_are_not_printed() -> None:
    error = caught("s3://user:secret@bucket/t.arrow?token=secret")
    assert "s3://bucket/t.arrow" in error.message
    assert "secret" not in str(error)
    said = 'IO Error: cannot open "https://user:secret@host/t.parquet?token=secret"'
    assert "secret" not in str(translated("t.parquet", said))
