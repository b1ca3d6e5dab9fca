"""The `samrule` command: one thin file per subcommand, the only place that prints."""

import sys

from samrule.cli.messages import INTERRUPTED, ExitCode
from samrule.cli.signals import answered_signals


def main() -> None:
    """Run the command line.

    What it needs is imported here, which takes a while: Ctrl-C is answered from the start.
    """
    with answered_signals() as stop:
        try:
            from samrule.cli.app import exit_code

            code = exit_code()
        except KeyboardInterrupt:
            sys.stderr.write(f"{INTERRUPTED}\n")
            code = ExitCode.INTERRUPTED
    sys.exit(stop.exit_code(code))
