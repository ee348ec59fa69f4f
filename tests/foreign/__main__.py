"""`python -m tests.foreign`: each cat file of other tools, whether it is accepted, and on how many tests it agrees."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

# The packages of the tests are named as pytest names them.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from foreign.agreement import differences, load
from foreign.own_models import COUNTERPARTS, agreement
from foreign.peers import model_files, name_of, said


def main() -> int:
    """One line a file, and one for each difference; the exit code is 1 if there is a difference."""
    parser = argparse.ArgumentParser(prog="python -m tests.foreign", description="Foreign models, held against theirs.")
    parser.add_argument("models", nargs="*", help="of `herd7/rc11.cat` or parts of such names  [default: all]")
    parser.add_argument("--engine", default="auto", help="[default: auto]")
    parser.add_argument("--load", action="store_true", help="say only whether they are accepted")
    parser.add_argument("--own", action="store_true", help="compare with the built-in models, on the shipped tests")
    chosen = parser.parse_args()
    files = [f for f in model_files() if not chosen.models or any(part in name_of(f) for part in chosen.models)]
    if chosen.own:
        return compare([name for name in map(name_of, files) if name in COUNTERPARTS])
    accepted = different = 0
    for file in files:
        loaded, name = load(file), name_of(file)
        if loaded.complaints:
            first = loaded.complaints[0]
            print(f"{name:28} refused: {first.span.source.name}: {first.code} {first.message}")
            continue
        accepted += 1
        tests = () if chosen.load else said().get(name, ())
        wrong = {one.test: found for one in tests if (found := differences(file, one, chosen.engine))}
        different += len(wrong)
        print(f"{name:28} accepted" + (f", agrees on {len(tests) - len(wrong)} of {len(tests)}" if tests else ""))
        for test, found in wrong.items():
            print(f"    {test.name}: {'; '.join(found[:4])}", flush=True)
    print(f"{accepted} of {len(files)} accepted, {different} differences")
    return 1 if different else 0


def compare(names: list[str]) -> int:
    """One line a model: on how many tests it answers as the built-in one, and on which it does not."""
    for name in names:
        found = agreement(name)
        print(f"{name:28} {COUNTERPARTS[name][0]:16} {found.same} alike, {found.undecided} open", flush=True)
        for word, tests in (("allows more", found.weaker), ("allows less", found.stronger)):
            if tests:
                print(f"    {word}: {', '.join(tests)}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
