"""Both engines say the same of foreign models, whatever these are made of."""

from __future__ import annotations

from typing import Final

import pytest

from foreign.own_models import COUNTERPARTS
from foreign.peers import CAT, PEERS
from mcm import check_all, read_source

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not CAT.is_dir(), reason="the peers' models are not here: no folder shared/peers/cat"),
]

# Read-modify-writes, fences, sequentially consistent accesses, plain ones, a compare-exchange.
_C11: Final = ("imm-E3.2", "imm-E3.10", "imm-R2", "mp_fences", "mp_relaxed", "RWC-sc-acq-sc-sc-sc")
_OPENCL: Final = ("imm-E3.2", "mp_fences", "mp_relaxed", "RWC-sc-acq-sc-sc-sc")
_BY_MODEL: Final = {
    True: [PEERS / "opencl" / "portedFromC11" / "manual" / f"{name}.litmus" for name in _OPENCL],
    False: [PEERS / "c11" / f"{name}.litmus" for name in _C11],
}


@pytest.mark.parametrize("name", [*COUNTERPARTS, "herd7/c11_cos.cat"])
def test_engines_agree(name: str) -> None:
    for test in _BY_MODEL["opencl" in name]:
        explicit, smt = (
            check_all(read_source(test), models=(str(CAT / name),), engine=engine)[0] for engine in ("explicit", "smt")
        )

        assert [(s.values, s.satisfies, s.thin_air) for s in explicit.states] == [
            (s.values, s.satisfies, s.thin_air) for s in smt.states
        ], test.name
        assert explicit.undefined == smt.undefined, test.name
        assert [flag.kind for flag in explicit.flags] == [flag.kind for flag in smt.flags], test.name
