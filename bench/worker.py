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

from mcm.answer.query import Limits, SolverName
from mcm.answer.result import Status
from mcm.base.source import Source
from mcm.engine.choose import EngineName
from mcm.pipeline import Options, check

if TYPE_CHECKING:
    from mcm.answer.result import Result

_SMALL: Final = "C small\n{ [x]=0; }\nP0 (atomic_int* x) { atomic_store(x, 1); }\nexists (x=1)\n"


def main(file: str, model: str, engine: str, solver: str, seconds: str) -> None:
    """Answer, and print how long it took and what the answer is."""
    for warm in (EngineName.EXPLICIT, EngineName.SMT) if engine == "auto" else (EngineName(engine),):
        check(Source("small", _SMALL), Options(models=(model,), engine=warm, solver=SolverName(solver)))
    options = Options(
        models=(model,),
        engine=EngineName(engine),
        limits=Limits(seconds=float(seconds)),
        solver=SolverName(solver),
    )
    (result,) = check(Source(file, Path(file).read_text(encoding="utf-8")), options)
    if result.status not in {Status.OK, Status.UNDECIDED}:
        sys.exit(f"{file}: {'; '.join(diagnostic.message for diagnostic in result.diagnostics)}")
    report = {
        "seconds": result.seconds,
        "undecided": result.reason,
        "states": len(result.states),
        "answer": _fingerprint(result),
    }
    print(json.dumps(report))


def _fingerprint(result: Result) -> str:
    """Equal for equal answers, whichever engine gave them."""
    states = sorted(repr((sorted(state.values.items()), state.satisfies, state.thin_air)) for state in result.states)
    answer = (result.verdict.value, result.reachable, states)
    return sha256(repr(answer).encode()).hexdigest()[:16]


if __name__ == "__main__":
    main(*sys.argv[1:])
