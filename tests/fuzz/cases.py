"""Cases of one target, run one after the other in a process of their own that may die of them.

``python -m tests.fuzz.cases TARGET SEED FIRST LAST FOLDER`` writes the number of the case it is at
to FOLDER/at, and a line of JSON per raw exception to standard output.
"""

import json
import sys
import traceback
import warnings
from pathlib import Path

from samrule.errors import SamruleError
from tests.fuzz.targets import TARGETS


def main() -> None:
    name, seed, first, last, place = sys.argv[1:]
    folder, target = Path(place), TARGETS[name]
    warnings.simplefilter("ignore")
    with (folder / "at").open("wb", buffering=0) as at:
        for number in range(int(first), int(last)):
            at.seek(0)
            at.write(b"%012d" % number)
            content, rng = target.case(int(seed), number)
            try:
                target.use(content, rng, folder)
            except SamruleError:
                continue
            except BaseException as error:
                where = traceback.extract_tb(error.__traceback__)[-1]
                told = f"{type(error).__name__}: {str(error)[:300]} ({where.name}, {where.lineno})"
                sys.stdout.write(json.dumps({"case": number, "raw": told}) + "\n")
                sys.stdout.flush()
        at.seek(0)
        at.write(b"%012d" % int(last))


if __name__ == "__main__":
    main()
