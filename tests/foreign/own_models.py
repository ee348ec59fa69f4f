"""Foreign models held against the built-in ones that formalise the same, on the tests that mcm ships."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

from msgspec import Struct

from foreign.peers import CAT
from mcm import Status, check_all, read_source

LITMUS: Final = Path(__file__).resolve().parents[2] / "litmus"

# For each foreign model the built-in one, and the folders of tests that both can judge.
COUNTERPARTS: Final = {
    "herd7/c11_orig.cat": ("c11", ("c11",)),
    "herd7/c11_partialSC.cat": ("c11", ("c11",)),
    "herd7/c11_simp.cat": ("c11-simp", ("c11",)),
    "herd7/rc11.cat": ("rc11", ("c11",)),
    "herd7/simple-c11.cat": ("c11", ("c11",)),
    "herd7/sc.cat": ("sc", ("c11",)),
    "herd7/tso.cat": ("sc", ("c11",)),
    "herd7/x86tso.cat": ("sc", ("c11",)),
    "dat3m/c11.cat": ("c11-simp", ("c11",)),
    "dat3m/c11-partialsc.cat": ("c11", ("c11",)),
    "dat3m/c11-orig.cat": ("c11", ("c11",)),
    "dat3m/rc11.cat": ("rc11", ("c11",)),
    "dat3m/sc.cat": ("sc", ("c11",)),
    "dat3m/svcomp.cat": ("sc", ("c11",)),
    "dat3m/tso.cat": ("sc", ("c11",)),
    "dat3m/opencl.cat": ("opencl-scoped", ("opencl/patterns",)),
    "dat3m/opencl-herd.cat": ("opencl-2.0-cond", ("opencl/patterns",)),
    "herd1/opencl.cat": ("opencl-popl", ("opencl/patterns",)),
    "herd1/opencl_scopedsc.cat": ("opencl-scoped", ("opencl/patterns",)),
}
SECONDS: Final = 5.0


class Agreement(Struct, frozen=True):
    """On how many tests two models answer alike; `weaker` and `stronger` are those where the foreign one allows what
    its counterpart forbids, and the other way round; `undecided` tests count as neither.
    """

    same: int
    weaker: tuple[str, ...]
    stronger: tuple[str, ...]
    undecided: int


def agreement(name: str) -> Agreement:
    """The comparison of a foreign model with its counterpart."""
    own, folders = COUNTERPARTS[name]
    same = undecided = 0
    weaker, stronger = [], []
    for test in (path for folder in folders for path in sorted((LITMUS / folder).rglob("*.litmus"))):
        there, here = _reachable(test, str(CAT / name)), _reachable(test, own)
        if there is None or here is None:
            undecided += 1
        elif there == here:
            same += 1
        else:
            (weaker if there else stronger).append(test.stem)
    return Agreement(same, tuple(weaker), tuple(stronger), undecided)


@cache
def _reachable(test: Path, model: str) -> bool | None:
    """Whether the condition can hold; None where that is open, or the file is no program."""
    (result,) = check_all(read_source(test), models=(model,), timeout=SECONDS)
    return result.reachable if result.status is Status.OK and not result.bounded else None
