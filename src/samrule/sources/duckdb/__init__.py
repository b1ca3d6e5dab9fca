"""Tables that DuckDB reads: files, databases, relations."""
