"""The programs on which machine and models are held against each other: shipped, of peers, and random ones.

`MCM_RANDOM_COUNT` and `MCM_RANDOM_SEED` choose how many random programs are run, and which.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mcm.base.diagnostic import InputError
from mcm.base.source import Source
from mcm.front_end.read import read_test
from mcm.syntax.read import read_source
from oracle.generate import from_seed
from oracle.litmus_text import to_litmus

if TYPE_CHECKING:
    from mcm.program.program import Program

ROOT: Final = Path(__file__).resolve().parents[2]
PEERS: Final = ROOT.parent / "shared" / "peers"
WAITING: Final = sorted(
    path
    for folder in ("dartagnan", "locks", "loops", "waiting")
    for path in (ROOT / "litmus" / "opencl" / folder).glob("*.litmus")
)
"""Programs whose threads wait for each other, or loop for ever."""

SHIPPED: Final = sorted(
    path for folder in ("opencl", "c11") for path in (ROOT / "litmus" / folder).rglob("*.litmus") if path not in WAITING
)
"""All others, which end."""

SEED: Final = os.environ.get("MCM_RANDOM_SEED", "2026")
COUNT: Final = int(os.environ.get("MCM_RANDOM_COUNT", "120"))


@cache
def program_of(path: Path) -> Program | None:
    """The program of a file; None where the file must be rejected."""
    source = read_source(path)
    try:
        return read_test(source).program
    except InputError:
        return None


def random_program(number: int) -> Program:
    """A random program of the chosen seed."""
    source = Source(f"random-{number}", to_litmus(from_seed(SEED, number)))
    return read_test(source).program


def identify(path: Path) -> str:
    return str(path.relative_to(ROOT / "litmus" if path.is_relative_to(ROOT) else PEERS).with_suffix(""))
