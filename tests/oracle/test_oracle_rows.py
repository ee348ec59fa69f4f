"""The oracle gives the verdicts that the rule table states, row by row, with and without the rule."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import pytest

from oracle.brute import answer
from oracle.model import (
    C11,
    CPP20,
    OPENCL_2_0_COND,
    OPENCL_3_0,
    OPENCL_3_0_SC_BOTH,
    OPENCL_3_1,
    OPENCL_SCOPED,
    RC11,
    SC,
    SYCL_2020,
    SYCL_NEXT,
    Model,
)
from oracle.program import Program
from oracle.shorthand import program
from oracle.table import (
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
    TWO_DEVICES,
    TWO_KERNELS,
    mp,
    verdict,
)


@dataclass(frozen=True)
class Row:
    rule: str
    text: str
    target: str
    expected: str
    options: Mapping[str, Any]
    model: Model = OPENCL_3_0

    def program(self) -> Program:
        return program(self.text, **self.options)

    def __str__(self) -> str:
        return f"{self.rule}: {self.text} [{self.target}] {self.model.name}" + "".join(
            f" without {rule}" for rule in sorted(self.model.without)
        )


def rows(rule: str, text: str, target: str, expected: str, *more: tuple[Model | str, str], **options: Any) -> list[Row]:
    """Return the row in opencl-3.0 and in other models; a model given as text is opencl-3.0 without these rules."""
    found = [Row(rule, text, target, expected, options)]
    for other, letter in more:
        model = OPENCL_3_0.minus(*other.split()) if isinstance(other, str) else other
        found.append(Row(rule, text, target, letter, options, model))
    return found


ORDER_PRIMITIVES: Final = [
    *rows("SB-1", "x.st(1,rlx); r=x.ld(rlx)", "r=0", "F"),
    *rows(
        "MO-1",
        "x.st(1,rlx) || x.st(2,rlx) || a=x.ld(rlx); b=x.ld(rlx) || c=x.ld(rlx); d=x.ld(rlx)",
        "a=1 b=2 c=2 d=1",
        "F",
    ),
    *rows("MO-2", "x:=1 || x:=2", "x=1", "A!"),
    *rows("RS-1", OWN, "r=2 s=0", "F", ("RS-1", "A!"), (CPP20, "A!")),
    *rows("RS-2", "x:=1; y.st(1,rel) || y.add(1,rlx) || r=y.ld(acq); if r=2: s=*x", "r=2 s=0", "F", ("RS-2", "A!")),
    *rows("RS-3", FOREIGN, "r=3 s=0", "A!", (RC11, "F")),
    *rows(
        "RS-4",
        "x:=1; F(G,rel); y.st(1,rlx) || y.add(1,rlx) || r=y.ld(acq); if r=2: s=*x",
        "r=2 s=0",
        "F",
        ("RS-4", "A!"),
    ),
    *rows("RS-5", "x:=1; y.st(1,rel) || y.add(1,rlx,wg) ||| r=y.ld(acq); if r=2: s=*x", "r=2 s=0", "F!"),
]

SCOPES: Final = [
    *rows("SCOPE-1", mp("rel,sg", "acq,sg"), MP_SEEN, "F"),
    *rows("SCOPE-1", mp("rel,sg", "acq,sg"), MP_SEEN, "A!", places={1: {"sg": 1}}),
    *rows("SCOPE-2", mp("rel,wg", "acq,wg"), MP_SEEN, "F"),
    *rows("SCOPE-2", mp("rel,wg", "acq,wg", "|||"), MP_SEEN, "A!"),
    *rows("SCOPE-3", mp(), MP_SEEN, "A!", places=TWO_KERNELS),
    *rows("SCOPE-3", mp(split="|||"), MP_SEEN, "F"),
    *rows("SCOPE-4", mp(), MP_SEEN, "F", places=TWO_KERNELS, allocation="cg"),
    *rows("SCOPE-4", mp(), MP_SEEN, "F", places=TWO_KERNELS, allocation="prog"),
    *rows("SCOPE-4", mp(), MP_SEEN, "A!", places=TWO_DEVICES, allocation="fga"),
    *rows("SCOPE-5", mp("rel,all", "acq,all"), MP_SEEN, "F", places=TWO_DEVICES, allocation="fga"),
    *rows("SCOPE-5", mp("rel,all", "acq,all"), MP_SEEN, "F", places=HOST, allocation="fga"),
    *rows("SCOPE-6", mp("rel,wg", "acq,dv"), MP_SEEN, "A!", (OPENCL_3_1, "F"), (SYCL_2020, "A!"), (SYCL_NEXT, "F")),
    *rows("SCOPE-7", mp("rel,all", "acq,all"), MP_SEEN, "A!", places=TWO_DEVICES, allocation="fg"),
    *rows("SCOPE-7", mp("rel,dv", "acq,all"), MP_SEEN, "F", ("SCOPE-7", "A!")),
    *rows("SCOPE-8", mp("rel,dv", "acq,wg"), MP_SEEN, "F", ("SCOPE-8", "A!"), local="xy"),
    *[
        row
        for kind, expected in (("clmem", "A!"), ("fga", "F"))
        for row in rows(
            "SCOPE-11",
            "x:=1; F(G,rel,all); y.st(1,rlx,all) || r=y.ld(rlx,all); F(G,acq,all); if r=1: s=*x",
            MP_SEEN,
            expected,
            places=TWO_DEVICES,
            allocation=kind,
        )
    ],
]


def synchronizes(letter: str, local: str) -> list[Row]:
    def rule(number: int, write: str, read: str) -> list[Row]:
        name = f"SW-{letter}-{number}"
        return rows(name, f"x:=1; {write} || {read}; if r=1: s=*x", MP_SEEN, "F", (name, "A!"), local=local)

    release, acquire = f"F({letter},rel); y.st(1,rlx)", f"r=y.ld(rlx); F({letter},acq)"
    other = "L" if letter == "G" else "G"
    return [
        *rule(1, "y.st(1,rel)", "r=y.ld(acq)"),
        *rule(2, release, acquire),
        *rule(3, release, "r=y.ld(acq)"),
        *rule(4, "y.st(1,rel)", acquire),
        *rows(f"SW-{letter}-1", mp(read="rlx"), MP_SEEN, "A!", local=local),
        *rows(
            "SW-5",
            f"x:=1; F({other},rel); y.st(1,rlx) || r=y.ld(rlx); F({other},acq); if r=1: s=*x",
            MP_SEEN,
            "A!",
            local=local,
        ),
    ]


def fences_around(scope: str, mediating: str, split: str) -> str:
    write = f"x:=1; F(G,rel,{scope}); y.st(1,rlx,{mediating})"
    return f"{write} {split} r=y.ld(rlx,{mediating}); F(G,acq,{scope}); if r=1: s=*x"


SYNCHRONIZES: Final = [
    *synchronizes("G", ""),
    *synchronizes("L", "xy"),
    *rows("SW-6", fences_around("wg", "dv", "|||"), MP_SEEN, "A!"),
    *rows("SW-6", fences_around("dv", "wg", "||"), MP_SEEN, "F"),
    *rows("SW-6", fences_around("dv", "wg", "|||"), MP_SEEN, "F!"),
    *rows("SW-7", "x:=1; F(G,rlx); y.st(1,rlx) || r=y.ld(rlx); F(G,rlx); if r=1: s=*x", MP_SEEN, "A!"),
    *rows(
        "SW-SC",
        "x:=1; F(GL,sc); y.st(1,rlx) || r=y.ld(rlx); F(L,sc); if r=1: z.st(1,rlx)"
        " || s=z.ld(rlx); F(GL,sc); if s=1: t=*x",
        "s=1 t=0",
        "F",
        ("SW-SC", "A!"),
        local="yz",
    ),
    *rows(
        "SW-DUAL",
        "x:=1; F(GL,rel); y.st(1,rlx) || r=y.ld(rlx); F(GL,acq); if r=1: s=*x",
        MP_SEEN,
        "F",
        ("SW-DUAL", "A!"),
        local="y",
    ),
    *rows("SW-DUAL", "x:=1; F(L,rel); y.st(1,rlx) || r=y.ld(rlx); F(GL,acq); if r=1: s=*x", MP_SEEN, "A!", local="y"),
    *rows("SW-DUAL", "x:=1; F(GL,rel); y.st(1,rlx) || r=y.ld(rlx); F(L,acq); if r=1: s=*x", MP_SEEN, "A!", local="y"),
]

ISA2: Final = "x:=1; y.st(1,rel,wg) || r=y.ld(acq,wg); if r=1: z.st(1,rel) ||| s=z.ld(acq); if s=1: t=*x"

HAPPENS_BEFORE: Final = [
    *rows("HB-G", ISA2, "s=1 t=0", "F"),
    *rows("HB-SEP", mp(), MP_SEEN, "A!", (C11, "F"), (SYCL_2020, "F"), local="y"),
    *rows("HB-SEP", "x.st(1,rlx); y.st(1,rel) || r=y.ld(acq); if r=1: s=x.ld(rlx)", MP_SEEN, "A", local="y"),
    *rows("HB-SEP", ISA2, "s=1 t=0", "A!", local="y"),
    *rows(
        "HB-ACYC",
        "x.st(1,rlx); B1:BAR(GL); B2:BAR(GL) || B2:BAR(GL); B1:BAR(GL)",
        "x=1",
        "F",
        ("HB-ACYC", "A"),
    ),
]

VALUES: Final = [
    *rows("VIS-1", "x:=1; x:=2; y.st(1,rel) || r=y.ld(acq); if r=1: s=*x", "r=1 s=1", "F"),
    *rows("VIS-2", "x:=1; x:=2; y.st(1,rel) || r=y.ld(acq); if r=1: s=*x", "r=1 s=2", "A"),
    *rows("VIS-3", "r=x.ld(rlx); x.st(1,rlx)", "r=1", "F"),
    *rows("INIT-1", "r=*x; x:=1", "r=1", "F"),
    *rows("COH-WW", "x.st(1,rlx); x.st(2,rlx)", "x=1", "F", ("COH-WW", "A")),
    *rows("COH-RR", "x.st(1,rlx) || a=x.ld(rlx); b=x.ld(rlx)", "a=1 b=0", "F", ("COH-RR", "A")),
    *rows("COH-RW", "x.st(1,rlx) || r=x.ld(rlx); x.st(2,rlx)", "r=1 x=1", "F", ("COH-RW", "A")),
    *rows("COH-WR", "x.st(1,rlx) || x.st(2,rlx); r=x.ld(rlx)", "r=1 x=2", "F", ("COH-WR", "A")),
    *rows("RMW-1", "x.add(1,rlx) || x.add(1,rlx)", "x=1", "F", ("RMW-1", "A")),
    *rows("RMW-1", "x.add(1,rlx,wg) ||| x.add(1,rlx,wg)", "x=1", "F!"),
    *rows("RMW-2", "x:=1; y.st(1,rel) || r=y.cas(0,5,ar,rlx); if r=0: s=*x", "r=0 s=0", "A!"),
    *rows("RMW-2", "x:=1; y.st(1,rel) || r=y.cas(0,5,ar,acq); if r=0: s=*x", "r=0 s=0", "F"),
]

RACES: Final = [
    *rows("DR-1", "x:=1 || r=*x", "r=1", "F!"),
    *rows("DR-1", "x.st(1,rlx,wg) ||| r=x.ld(rlx,wg)", "r=1", "A!"),
    *rows("DR-2", "x.st(1,rlx,wg); y.st(1,rel) ||| r=y.ld(acq); if r=1: s=x.ld(rlx,wg)", MP_SEEN, "F"),
    *rows("DR-4", "a=*x || b=*x", "a=0 b=0", "A"),
    *rows("DR-5", "y.st(1,rlx) || r=*y", "r=0", "A!"),
    *rows("DR-6", "r=*x; if r=1: y:=1 || s=*y; if s=1: x:=1", "r=1 s=1", "F"),
    *rows("DR-7", mp(), MP_SEEN, "A!", local="x"),
]

SEQUENTIAL_CONSISTENCY: Final = [
    *rows("SC-0", SB_SC.format("dv", "||"), "a=0 b=0", "F", (OPENCL_2_0_COND, "A"), allocation="fga"),
    *rows("SC-0", SB_SC.format("all", "||"), "a=0 b=0", "F", (OPENCL_2_0_COND, "F"), allocation="fga"),
    *rows("SC-0", SB_SC.format("wg", "||"), "a=0 b=0", "F", (OPENCL_2_0_COND, "A")),
    *rows("SC-0", SB_SC.format("dv", "||"), "a=0 b=0", "F", (OPENCL_2_0_COND, "F")),
    *rows("SC-0", SB_SC.format("all", "||"), "a=0 b=0", "F", (OPENCL_2_0_COND, "F")),
    *rows("SC-1", "x.st(1,sc); y.st(2,sc) || y.st(1,sc); x.st(2,sc)", "x=1 y=1", "F", ("SC-1", "A")),
    *rows("SC-2", SB_SC.format("dv", "||"), "a=0 b=0", "F", ("SC-2", "A")),
    *rows("SC-3", SB_SC.format("dv", "||"), "a=0 b=0", "F", ("SC-3 SC-4", "A")),
    *rows("SC-4", SB_SC.format("dv", "||"), "a=0 b=0", "F", ("SC-4", "A")),
    *rows("SC-4", HIDDEN, "a=0 b=1 x=2", "A", (OPENCL_SCOPED, "F"), (RC11, "F"), (CPP20, "F")),
    *rows("SC-2", SB_SC.format("dv", "||"), "a=0 b=0", "A", (OPENCL_3_0_SC_BOTH, "F"), local="y"),
    *rows("SW-SC", mp("sc", "sc"), MP_SEEN, "A!", (OPENCL_3_0_SC_BOTH, "F"), local="y"),
    *rows("SC-5", "r=x.ld(sc) || x.st(1,sc)", "r=0", "A"),
    *rows("SC-F1", "x.st(1,sc); a=y.ld(sc) || y.st(1,sc); F(G,sc); b=x.ld(rlx)", "a=0 b=0", "F", ("SC-F1", "A")),
    *rows("SC-F2", "x.st(1,rlx); F(G,sc); a=y.ld(sc) || y.st(1,sc); b=x.ld(sc)", "a=0 b=0", "F", ("SC-F2", "A")),
    *rows("SC-F3", SB_FENCES.format("G,sc", "||"), "a=0 b=0", "F", ("SC-F3", "A")),
    *rows("SC-F3", SB_FENCES.format("G,ar", "||"), "a=0 b=0", "A"),
    *rows(
        "SC-F4",
        "x.st(1,rlx); F(G,sc); y.st(2,rlx) || y.st(1,rlx); F(G,sc); x.st(2,rlx)",
        "x=1 y=1",
        "F",
        ("SC-F4", "A"),
    ),
    *rows("SC-6", IRIW_FENCES, "a=1 b=0 c=1 d=0", "A", (RC11, "F"), (CPP20, "F")),
    *rows("SC-6", RWC_FENCES, "a=1 b=0 c=0", "A", (RC11, "F"), (CPP20, "F")),
    *rows("SC-7", SB_FENCES.format("L,sc", "||"), "a=0 b=0", "F"),
    *rows("SC-7", SB_FENCES.format("G,sc,wg", "|||"), "a=0 b=0", "F", (OPENCL_SCOPED, "A")),
]

THIN_AIR: Final = [
    *rows(
        "OOTA-1",
        OOTA.format("acq", "rel"),
        "t=42 u=42",
        "A",
        (C11, "F"),
        (SYCL_2020, "F"),
        local="y",
        free_values=frozenset({42}),
    ),
    *rows("OOTA-1", OOTA.format("acq", "rel"), "t=42 u=42", "F", free_values=frozenset({42})),
    *rows(
        "OOTA-1",
        OOTA.format("rlx", "rlx"),
        "t=42 u=42",
        "A",
        (C11, "A"),
        (CPP20, "A"),
        (RC11, "F"),
        (SC, "F"),
        free_values=frozenset({42}),
    ),
]

BARRIERS: Final = [
    *rows("BAR-1", "x:=1; BAR(G,dv); y.st(1,rlx) || BAR(G,dv) ||| r=y.ld(acq); if r=1: s=*x", MP_SEEN, "F"),
    *rows("BAR-1", "x:=1; BAR(G,wg); y.st(1,rlx) || BAR(G,wg) ||| r=y.ld(acq); if r=1: s=*x", MP_SEEN, "A!"),
    *rows("BAR-2", "x:=1; BAR(G) || BAR(G); s=*x", "s=0", "F", ("BAR-2", "A!")),
    *rows("BAR-3", "x:=1; BAR(L) || BAR(L); s=*x", "s=0", "F", ("BAR-3", "A!"), local="x"),
    *rows("BAR-4", "x:=1; BAR(L) || BAR(L); s=*x", "s=0", "A!"),
    *rows("BAR-4", "x:=1; BAR(0) || BAR(0); s=*x", "s=0", "A!"),
    *rows("BAR-5", "x:=1; BAR(G) ||| BAR(G); s=*x", "s=0", "A!"),
    *rows("BAR-6", "BAR(G); x:=1 || r=*x; BAR(G)", "r=1", "F"),
    *rows("BAR-7", "x:=1; BAR(G); BAR(G); x:=2 || BAR(G); r=*x; BAR(G)", "r=0", "F"),
    *rows("BAR-7", "x:=1; BAR(G); BAR(G); x:=2 || BAR(G); r=*x; BAR(G)", "r=2", "F"),
    *rows("BAR-8", "x:=1; BAR(G,dv) || BAR(G,dv); y.st(1,rlx) ||| r=y.ld(acq); if r=1: s=*x", MP_SEEN, "A!"),
    *rows("BAR-8", "x:=1; BAR(G,dv) || BAR(G,dv); y.st(1,rel) ||| r=y.ld(acq); if r=1: s=*x", MP_SEEN, "F"),
    *rows(
        "BAR-10",
        "x:=1; y.st(1,rel) ||| r=y.ld(rlx); BAR(G,dv) || BAR(G,dv); s=*x",
        MP_SEEN,
        "A!",
    ),
    *rows("SGB-1", "x:=1; SGB(G) || SGB(G); s=*x", "s=0", "F"),
    *rows("SGB-1", "x:=1; SGB(G) || SGB(G); s=*x", "s=0", "A!", places={1: {"sg": 1}}),
]

ROWS: Final = [
    *ORDER_PRIMITIVES,
    *SCOPES,
    *SYNCHRONIZES,
    *HAPPENS_BEFORE,
    *VALUES,
    *RACES,
    *SEQUENTIAL_CONSISTENCY,
    *THIN_AIR,
    *BARRIERS,
]


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_row(row: Row) -> None:
    assert verdict(answer(row.program(), row.model), row.target) == row.expected


def test_barrier_divergence_is_reported() -> None:
    """BAR-DIV."""
    assert answer(program("BAR(G) || x:=1"), OPENCL_3_0).divergent
    assert answer(program("BAR(G) || BAR(L)"), OPENCL_3_0).divergent
    assert answer(program("r=x.ld(rlx); if r=1: BAR(G) || x.st(1,rlx); BAR(G)"), OPENCL_3_0).divergent
    assert not answer(program("BAR(G) || BAR(G) ||| x:=1"), OPENCL_3_0).divergent
