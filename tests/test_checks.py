"""One table of parameters: signatures have its defaults, functions its ranges and words."""

import inspect
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from samrule import (
    Binarizer,
    ConditionEncoder,
    RuleListClassifier,
    learn,
    solve,
    theory,
)
from samrule.checks import (
    DEFAULTS,
    PARAMETERS,
    Number,
    Relative,
    WholeNumber,
    checked,
    checked_price,
)
from samrule.cli.demo import demo
from samrule.cli.fit import fit
from samrule.cli.sample_size import sample_size as sample_size_command
from samrule.errors import ParameterError, ParameterTypeError, SamruleError
from samrule.learning import Settings
from samrule.objective import ERROR
from samrule.solver.limits import Limits

ROWS, LABELS = np.eye(4, dtype=np.uint8), [0, 1, 0, 1]
TABLE = pa.table({"x": np.arange(100), "y": np.arange(100) >= 40})
SHAPE = {"n_conditions": 10, "max_rules": 2, "max_terms": 1}
PROMISE = {"epsilon": 0.5, "theta": 0.1, "delta": 0.05}
SEEN = {"n_rules": 1, "train_rows": 100, "sample_lower_bound": 0.1, "table_loss": 0.1}


def fit_classifier(**parameters: Any) -> object:
    return RuleListClassifier(**parameters).fit(np.arange(100).reshape(-1, 1), np.arange(100) >= 40)


# Who takes parameters of the table, and how to call it with some of them changed.
TAKERS: dict[str, Callable[..., object]] = {
    "solve": lambda **changed: solve(ROWS, LABELS, **changed),
    "learn": lambda **changed: learn(TABLE, "y", **changed),
    "Settings": Settings,
    "classifier": fit_classifier,
    "Binarizer": lambda **changed: Binarizer(**changed).fit(TABLE, "y"),
    "sample_size": lambda **changed: theory.sample_size(**(SHAPE | PROMISE | changed)),
    "sample_size_closed_form": lambda **changed: theory.sample_size_closed_form(
        **(SHAPE | PROMISE | changed)
    ),
    "progressive_schedule": lambda **changed: theory.progressive_schedule(
        **(SHAPE | PROMISE | changed)
    ),
    "certify": lambda **changed: theory.certify(**(PROMISE | SEEN | {"max_rules": 2} | changed)),
    "complexity": lambda **changed: theory.complexity(**(SHAPE | changed)),
}
SIGNATURES: dict[str, Callable[..., object]] = {
    "solve": solve,
    "learn": learn,
    "Settings": Settings,
    "limits of a search": Limits,
    "classifier": RuleListClassifier.__init__,
    "Binarizer": Binarizer,
    "ConditionEncoder": ConditionEncoder.__init__,
    **{name: getattr(theory, name) for name in theory.__all__ if name[0].islower()},
    "Shares": theory.Shares,
    "Column": theory.Column,
    "samrule fit": fit,
    "samrule sample-size": sample_size_command,
    "samrule demo": demo,
}
# Defaults that differ, and why.
ELSEWHERE = {
    # Supervised if there are classes, which only `fit` sees.
    ("ConditionEncoder", "scheme"): None,
    # A hundred for the scheme that looks at classes, all of them for the others.
    ("Binarizer", "max_conditions"): "auto",
    ("ConditionEncoder", "max_conditions"): "auto",
    ("samrule fit", "max_conditions"): "auto",
    # A progressive run may stop early, so nothing speaks for the larger size.
    ("progressive_schedule", "method"): "tight",
    # As text: it may say "relative".
    ("samrule fit", "regularization"): str(DEFAULTS["regularization"]),
    # As text: it may say "none".
    ("samrule fit", "epsilon"): str(DEFAULTS["epsilon"]),
    # As text: it may say "cv".
    ("samrule fit", "max_rules"): str(DEFAULTS["max_rules"]),
    # Checked, too.
    ("limits of a search", "objective"): ERROR,
    # Checked limits: no limit is an infinite one, and one thread serves tests.
    ("limits of a search", "time_limit"): math.inf,
    ("limits of a search", "memory_limit"): 640 << 20,
    ("limits of a search", "threads"): 1,
}
RENAMED = {"classes": "n_classes", "conditions": "n_conditions"}
BAD: list[tuple[str, object]] = [
    ("max_rules", -1),
    ("max_rules", 1001),
    ("max_rules", 2.5),
    ("max_rules", "4"),
    ("max_rules", True),
    ("max_terms", 0),
    ("regularization", -1e-4),
    ("regularization", math.nan),
    ("regularization", math.inf),
    ("regularization", None),
    ("min_support", -0.1),
    ("min_support", 1.5),
    ("min_support", "some"),
    ("epsilon", 0.0),
    ("epsilon", 1.5),
    ("theta", 0),
    ("theta", math.inf),
    ("delta", 1),
    ("delta", "5 %"),
    ("strategy", "best"),
    ("strategy", ["auto"]),
    ("tolerance", 1.5),
    ("time_limit", 0),
    ("time_limit", math.inf),
    ("work_limit", 0),
    ("work_limit", "all"),
    ("memory_limit", 1000),
    ("memory_limit", 1e9),
    ("threads", 0),
    ("n_jobs", 0),
    ("n_jobs", 1.5),
    ("progress", 3),
    ("scheme", "best"),
    ("n_thresholds", 0),
    ("n_thresholds", 2.5),
    ("min_level_share", 1),
    ("n_classes", 1),
    ("n_conditions", 0),
    ("growth", 1),
    ("method", "best"),
]


@pytest.mark.parametrize("name", SIGNATURES)
def test_defaults_are_those_of_the_table(name: str) -> None:
    for parameter in inspect.signature(SIGNATURES[name]).parameters.values():
        key = parameter.name
        if name.startswith("samrule"):
            key = RENAMED.get(key, key)
        if key in PARAMETERS and parameter.default is not inspect.Parameter.empty:
            expected = ELSEWHERE.get((name, key), DEFAULTS.get(key, "none at all"))
            assert parameter.default == expected, f"{key} of {name}"
            assert type(parameter.default) is type(expected) or isinstance(expected, int | float)


@pytest.mark.parametrize("name", ["solve", "learn", "classifier", "sample_size", "certify"])
def test_every_number_and_word_that_has_a_default_stands_in_the_table(name: str) -> None:
    for parameter in inspect.signature(SIGNATURES[name]).parameters.values():
        if parameter.default not in (inspect.Parameter.empty, None):
            assert parameter.name in {*PARAMETERS, "drawn", "weighted"}, parameter.name


@pytest.mark.parametrize(("name", "value"), BAD, ids=str)
def test_everyone_refuses_a_bad_value_in_the_same_words(name: str, value: object) -> None:
    said = set()
    for taker, call in TAKERS.items():
        if name not in inspect.signature(SIGNATURES[taker]).parameters:
            continue
        with pytest.raises(SamruleError) as refused:
            call(**{name: value})
        assert isinstance(refused.value, ParameterError | ParameterTypeError), taker
        assert refused.value.parameter == name
        said.add(str(refused.value))
    assert len(said) == 1, said
    assert f"expected {PARAMETERS[name].expected}" in said.pop()


@pytest.mark.parametrize("name", PARAMETERS)
def test_defaults_and_examples_may_be_passed(name: str) -> None:
    kind = PARAMETERS[name]
    if name in DEFAULTS:
        assert checked(name, kind.default) == kind.default
    if kind.example is not None:
        assert checked(name, kind.example) == kind.example


def test_a_number_is_of_any_type_and_comes_back_as_pythons_own() -> None:
    for four in (4, np.int8(4), np.uint64(4)):
        assert type(checked("max_rules", four)) is int
    for half in (0.5, np.float32(0.5), np.float64(0.5), Fraction(1, 2)):
        assert checked("theta", half) == 0.5
        assert type(checked("theta", half)) is float
    with pytest.raises(ParameterTypeError):
        checked("max_rules", np.True_)
    with pytest.raises(ParameterTypeError):
        checked("theta", np.True_)


def test_numbers_beyond_every_float_are_refused() -> None:
    with pytest.raises(ParameterError, match="expected a finite number, at least 0"):
        checked("regularization", 10**400)
    with pytest.raises(ParameterError, match="expected a share"):
        checked("min_support", 10**400)


def test_a_price_may_be_relative_to_the_loss_without_rules() -> None:
    assert checked_price("0.01 relative") == checked_price(" 1e-2 relative ") == Relative(0.01)
    assert checked_price(str(Relative(0.05))) == Relative(0.05)
    assert checked_price(0.05) == 0.05


@pytest.mark.parametrize("text", ["", "relative", "0.01", "-1 relative", "nan relative", "1 share"])
def test_other_texts_are_no_price(text: str) -> None:
    for take in (checked_price, lambda one: learn(TABLE, "y", regularization=one)):
        with pytest.raises(ParameterError, match="or such a number and the word") as error:
            take(text)
        assert "regularization='0.01 relative' is a hundredth" in str(error.value)


def test_theory_knows_no_rows_to_be_relative_to() -> None:
    with pytest.raises(ParameterTypeError, match=r"regularization is '0\.01 relative'"):
        theory.sample_size(**(SHAPE | PROMISE), regularization="0.01 relative")


def test_a_whole_float_says_what_to_pass() -> None:
    with pytest.raises(ParameterError, match=r"max_rules is 4\.0 \(float\).*\n.*pass max_rules=4"):
        checked("max_rules", 4.0)


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (WholeNumber(at_least=1), "a whole number, at least 1"),
        (WholeNumber(at_least=1, at_most=2000), "a whole number from 1 to 2,000"),
        (WholeNumber(at_least=9, unit="bytes"), "a whole number of bytes, at least 9"),
        (WholeNumber(at_least=-2, at_most=2, not_zero=True), "a whole number from -2 to 2, not 0"),
        (Number(at_least=0, at_most=1), "a number from 0 to 1"),
        (Number(above=0, at_most=1), "a number, above 0 and at most 1"),
        (Number(at_least=0, below=1), "a number, at least 0 and below 1"),
        (Number(above=0, unit="seconds"), "a finite number of seconds, above 0"),
        (Number(at_least=0, may_be_infinite=True), "a number, at least 0"),
    ],
)
def test_ranges_in_words(kind: WholeNumber | Number, words: str) -> None:
    assert kind.expected == words


@pytest.mark.parametrize("strategy", ["exact", "progressive"])
@pytest.mark.parametrize("changed", [{"max_rules": 0}, {"regularization": 1e308}], ids=str)
def test_lists_without_rules_are_learned_and_certified(
    changed: dict[str, Any], strategy: Any
) -> None:
    rng = np.random.default_rng(0)
    table = pa.table({"x": rng.integers(0, 9, 3000), "y": rng.random(3000) < 0.3})
    fitted = learn(table, "y", strategy=strategy, random_state=0, **changed)
    assert str(fitted.rule_list) == "always False"
    assert fitted.certificate.holds
