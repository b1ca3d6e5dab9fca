"""`python -m samrule` is the command `samrule`, for where scripts are not on the path."""

from samrule.cli import main

if __name__ == "__main__":
    main()
