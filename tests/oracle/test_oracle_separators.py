"""The oracle reproduces the table of separators (section 5), every cell."""

from collections.abc import Mapping
from typing import Any, Final

import pytest

from oracle.brute import answer
from oracle.model import (
    C11,
    CPP20,
    OPENCL_3_0,
    OPENCL_3_1,
    OPENCL_SCOPED,
    POPL_ORIGINAL,
    RC11,
    SC,
    SYCL_2020,
    SYCL_NEXT,
    Model,
)
from oracle.shorthand import program
from oracle.table import (
    EXAMPLE_10,
    FOREIGN,
    HIDDEN,
    HOST,
    IRIW_FENCES,
    MP_SEEN,
    OOTA,
    OWN,
    RWC_FENCES,
    SB_FENCES,
    SB_SC,
    TWO_DEVICES_IN_GROUPS,
    TWO_KERNELS,
    Z6_U,
    mp,
    verdict,
)

COLUMNS: Final = (OPENCL_3_0, OPENCL_3_1, OPENCL_SCOPED, POPL_ORIGINAL, SYCL_2020, SYCL_NEXT, C11, RC11, CPP20, SC)
SB_SEEN: Final = "a=0 b=0"

SEPARATORS: Final[tuple[tuple[str, str, str, Mapping[str, Any], str], ...]] = (
    ("MP local flag / global data", mp(), MP_SEEN, {"local": "y"}, "A! A! A! A! F F F F F F"),
    ("MP WG/DV mix, same wg", mp("rel,wg", "acq,dv"), MP_SEEN, {}, "A! F A! A! A! F F F F F"),
    ("MP DV/ALL mix on clmem", mp("rel,dv", "acq,all"), MP_SEEN, {}, "F F A! A! F F F F F F"),
    ("MP DV, two kernels, clmem", mp(), MP_SEEN, {"places": TWO_KERNELS}, "A! A! F F A! A! F F F F"),
    (
        "MP ALL, host, cg",
        mp("rel,all", "acq,all"),
        MP_SEEN,
        {"places": HOST, "allocation": "cg"},
        "A! A! F F A! A! F F F F",
    ),
    ("MP at SG scope, same sg", mp("rel,sg", "acq,sg"), MP_SEEN, {}, "F F A! A! F F F F F F"),
    ("rlx atomics, WG scope, two wgs", "x.st(1,rlx,wg) ||| r=x.ld(rlx,wg)", "r=1", {}, "A! A! A! A! A! A! A A A A"),
    ("RS-1 own later relaxed store", OWN, "r=2 s=0", {}, "F F F F F F F F A! F"),
    ("RS-3 foreign store between", FOREIGN, "r=3 s=0", {}, "A! A! A! A! A! A! A! F A! F"),
    ("SB sc, DV on fga", SB_SC.format("dv", "||"), SB_SEEN, {"allocation": "fga"}, "F F F A F F F F F F"),
    ("SB sc, WG, one wg", SB_SC.format("wg", "||"), SB_SEEN, {}, "F F F A F F F F F F"),
    ("SB sc, WG scope, two wgs", SB_SC.format("wg", "|||"), SB_SEEN, {}, "F! F! A! A! F! F! F F F F"),
    ("SB rlx + SC fences WG, two wgs", SB_FENCES.format("G,sc,wg", "|||"), SB_SEEN, {}, "F F A A F F F F F F"),
    ("SB sc, x global y local", SB_SC.format("dv", "||"), SB_SEEN, {"local": "y"}, "A A A A F F F F F F"),
    (
        "POPL example 10 (two devices, DV)",
        EXAMPLE_10,
        SB_SEEN,
        {"allocation": "fga", "places": TWO_DEVICES_IN_GROUPS},
        "F F A A F F F F F F",
    ),
    ("SC-4 hidden non-SC store", HIDDEN, "a=0 b=1 x=2", {}, "A A F A A A A F F F"),
    ("Z6.U (SC store; RMW; SC load)", Z6_U, "a=1 b=3 c=0", {}, "F F F F F F F A A F"),
    ("IRIW rlx + SC fences", IRIW_FENCES, "a=1 b=0 c=1 d=0", {}, "A A A A A A A F F F"),
    ("RWC rlx + SC fences", RWC_FENCES, "a=1 b=0 c=0", {}, "A A A A A A A F F F"),
    ("LB relaxed", "a=x.ld(rlx); y.st(1,rlx) || b=y.ld(rlx); x.st(1,rlx)", "a=1 b=1", {}, "A A A A A A A F A F"),
    (
        "OOTA-1 mixed region acq/rel",
        OOTA.format("acq", "rel"),
        "t=42 u=42",
        {"local": "y", "free_values": frozenset({42})},
        "A A A A F F F F F F",
    ),
)

CELLS: Final = [
    pytest.param(text, target, options, model, cell, id=f"{name}-{model.name}")
    for name, text, target, options, row in SEPARATORS
    for model, cell in zip(COLUMNS, row.split(), strict=True)
]


@pytest.mark.parametrize(("text", "target", "options", "model", "cell"), CELLS)
def test_cell(text: str, target: str, options: Mapping[str, Any], model: Model, cell: str) -> None:
    assert verdict(answer(program(text, **options), model), target) == cell
