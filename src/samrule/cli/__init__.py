"""The `samrule` command: one thin file per subcommand, the only place that prints."""

import sys

from samrule.cli.messages import INTERRUPTED, ExitCode


def main() -> None:
    """Run the command line.

    What it needs is imported here, which takes a while: Ctrl-C is answered from the start.
    """
    try:
        from samrule.cli.app import exit_code

        sys.exit(exit_code())
    except KeyboardInterrupt:
        sys.stderr.write(f"{INTERRUPTED}\n")
        sys.exit(ExitCode.INTERRUPTED)
