"""Messages in the words of the command line."""

import typer

from samrule.cli.app import app
from samrule.cli.messages import OPTIONS, in_options, option
from samrule.errors import Parameter, Words


def test_every_parameter_that_is_called_an_option_is_one():
    commands = typer.main.get_command(app).commands.values()
    known = {name for one in commands for parameter in one.params for name in parameter.opts}
    assert {option(name) for name in OPTIONS} <= known


def test_only_marked_parameters_become_options():
    message = Words("the column 'max_rules=4' has no value; leave ", Parameter("target"), " out.")
    assert in_options(message) == "the column 'max_rules=4' has no value; leave --target out."
    assert in_options("max_rules is 4") == "max_rules is 4"


def test_values_are_written_for_a_shell():
    assert in_options(Words(Parameter("types", {"a b": "text"}))) == "--types 'a b=text'"
    assert in_options(Words(Parameter("missing_values", ["", "?"]))) == "--missing-values ',?'"
