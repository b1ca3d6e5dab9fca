"""Rule lists and values as SQL, over columns that an engine knows by names of its own."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa

from samrule.export.sql import deciding_rule_sql, missing_sql
from samrule.rules import RuleList
from samrule.sources.counts import strides


def deciding_rule_number_sql(
    rule_list: RuleList, schema: Any, engine_names: Mapping[str, str], dialect: str
) -> str:
    """Return an expression for the number of the rule that decides a row; the default is last.

    Parameters
    ----------
    rule_list
        The rules, over our names of the columns.
    schema
        Arrow types of the columns, under our names.
    engine_names
        What the engine calls each column.
    dialect
        Whose SQL.
    """
    return deciding_rule_sql(
        _with_columns_named(rule_list, engine_names),
        dialect,
        types={engine_names[field.name]: field.type for field in schema},
    )


def decided_together_sql(
    rule_lists: Sequence[RuleList], schema: Any, engine_names: Mapping[str, str], dialect: str
) -> str:
    """Return one number for the deciding rules of several lists; `split_tally` takes it apart."""
    numbers = [deciding_rule_number_sql(one, schema, engine_names, dialect) for one in rule_lists]
    parts = zip(numbers, strides(rule_lists), strict=True)
    return " + ".join(f"({number}) * {stride}" for number, stride in parts)


def present_sql(name: str, type_: Any, dialect: str) -> str:
    """Return a (quoted) column with NULL for every missing value: NaN is one, too."""
    if not pa.types.is_floating(type_):
        return name
    return f"CASE WHEN {missing_sql(name, type_, dialect)} THEN NULL ELSE {name} END"


def _with_columns_named(rule_list: RuleList, names: Mapping[str, str]) -> RuleList:
    """Return the list with its columns under the names that the engine gives them."""
    rules = tuple(
        replace(
            rule,
            conditions=tuple(replace(one, column=names[one.column]) for one in rule.conditions),
        )
        for rule in rule_list.rules
    )
    return replace(rule_list, rules=rules)
