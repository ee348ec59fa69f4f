"""The time that an engine needs, in a process of its own: `python -m bench.worker FILE MODEL ENGINE SOLVER SECONDS`.

What every question of a process shares - imports, the parser, the model - is paid before the clock starts, by a
question of one line. The clock runs from the elaborated test to the explained answer.
"""

from __future__ import annotations

import json
import sys
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mcm import EngineName, InputError, SolverName, Source, Undecided, check

if TYPE_CHECKING:
    from mcm import Found

_SMALL: Final = "C small\n{ [x]=0; }\nP0 (atomic_int* x) { atomic_store(x, 1); }\nexists (x=1)\n"


def main(file: str, model: str, engine: str, solver: str, seconds: str) -> None:
    """Answer, and print how long it took and what the answer is."""
    for warm in (EngineName.EXPLICIT, EngineName.SMT) if engine == "auto" else (EngineName(engine),):
        check(Source("small", _SMALL), model, engine=warm, solver=SolverName(solver))
    try:
        result = check(Path(file), model, engine=EngineName(engine), solver=SolverName(solver), timeout=float(seconds))
    except InputError as error:
        sys.exit(f"{file}: {'; '.join(diagnostic.message for diagnostic in error.diagnostics)}")
    report = {
        "seconds": result.seconds,
        "undecided": result.reason if isinstance(result, Undecided) else None,
        "states": len(result.states),
        "answer": _fingerprint(result),
    }
    print(json.dumps(report))


def _fingerprint(result: Found) -> str:
    """Equal for equal answers, whichever engine gave them."""
    states = sorted(repr((sorted(state.values.items()), state.satisfies, state.thin_air)) for state in result.states)
    answer = (result.verdict.value, result.reachable, states)
    return sha256(repr(answer).encode()).hexdigest()[:16]


if __name__ == "__main__":
    main(*sys.argv[1:])
