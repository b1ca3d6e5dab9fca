"""Errors carry the parameter they speak of, and can be written in other words."""

import pickle

import pytest

from samrule import learn, theory
from samrule.errors import InputError, Parameter, ParameterError, SamruleError, Words


def test_an_error_knows_the_parameter_at_fault():
    error = ParameterError(
        Words(Parameter("epsilon"), " is 2 and ", Parameter("theta"), " is 3."),
        hint=Words("try ", Parameter("epsilon", 0.1), "."),
    )
    assert error.parameter == "epsilon"
    assert str(error) == "epsilon is 2 and theta is 3.\nHint: try epsilon=0.1."


def test_an_error_about_data_has_no_parameter():
    assert InputError("the table is empty.").parameter is None
    assert InputError(Words("the table is empty.")).parameter is None


@pytest.mark.parametrize("wrong", [{"epsilon": 0}, {"theta": 2}, {"delta": 1}, {"strategy": "x"}])
def test_learn_says_which_parameter_is_wrong(wrong):
    with pytest.raises(ParameterError) as caught:
        learn([[1], [2]], [0, 1], **wrong)
    assert caught.value.parameter == next(iter(wrong))


def test_theory_says_which_parameter_is_wrong():
    with pytest.raises(ParameterError) as caught:
        theory.sample_size(3, max_rules=2, max_terms=4, epsilon=1, theta=1)
    assert caught.value.parameter == "max_terms"
    assert caught.value.hint.parameters == (Parameter("max_terms", 3),)


def test_words_within_words_stay_words():
    inner = Words("with ", Parameter("max_rules", 3))
    joined = Words.joined("; ", [inner, "or wait"])
    assert joined == "with max_rules=3; or wait"
    assert Words("Hint: ", joined).parameters == (Parameter("max_rules", 3),)
    assert Words.joined("; ", []) == ""


def test_values_that_look_like_parameters_are_left_alone():
    words = Words("column 'max_rules=4' is ", Parameter("target"))
    assert words.with_parameters(lambda _: "?") == "column 'max_rules=4' is ?"


def test_errors_survive_pickling_with_their_parameters():
    error = ParameterError(Words(Parameter("theta"), " is 2."), hint=Words(Parameter("theta", 1)))
    copy = pickle.loads(pickle.dumps(error))
    assert isinstance(copy, SamruleError)
    assert (str(copy), copy.parameter) == (str(error), "theta")
    assert copy.hint.parameters == (Parameter("theta", 1),)
