"""The same targets led by coverage: ``python -m tests.fuzz.with_atheris csv -atheris_runs=20000``.

Needs atheris (``pip install --group fuzz``), which follows the branches of our Python and ends at
the first raw exception. What comes after the target is handed to libFuzzer.
"""

import contextlib
import sys
import tempfile
from pathlib import Path
from random import Random
from types import FunctionType

import atheris

from samrule.errors import SamruleError
from tests.fuzz.targets import TARGETS


def watch_branches() -> None:
    """Let atheris see what our functions do.

    An editable install has an importer of its own, which `atheris.instrument_imports` misses.
    """
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] != "samrule":
            continue
        places = [module, *(one for one in vars(module).values() if isinstance(one, type))]
        for place in places:
            for value in list(vars(place).values()):
                if isinstance(value, FunctionType) and value.__module__ == name:
                    atheris.instrument_func(value)


def main() -> None:
    program, name, *options = sys.argv
    target = TARGETS[name]
    with tempfile.TemporaryDirectory(prefix="samrule-fuzz-") as place:
        folder, corpus = Path(place), Path(place) / "corpus"
        corpus.mkdir()
        for number, seed in enumerate(target.seeds()):
            (corpus / str(number)).write_bytes(seed)

        def use(content: bytes) -> None:
            with contextlib.suppress(SamruleError):
                target.use(content, Random(len(content)), folder)

        def damage(content: bytes, most: int, seed: int) -> bytes:
            rng = Random(seed)
            try:
                return target.damage(content, rng)[:most]
            except ValueError:  # No longer JSON: begin again.
                return target.damage(rng.choice(target.seeds()), rng)[:most]

        watch_branches()
        longest = f"-max_len={2 * max(map(len, target.seeds()))}"
        arguments = [program, longest, "-timeout=60", *options, str(corpus)]
        atheris.Setup(arguments, use, custom_mutator=damage)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
