"""Members of structures and unions that have no name."""

from __future__ import annotations

import pytest

from mcm import InputError, Judged, KernelRequest, KernelSource, check, run

TYPES = """
typedef union { struct { float x, y, z, w; }; float4 v; float e[4]; } vec;
typedef struct {
  union { float4 at; struct { uint bits; int rest[3]; }; };
  struct { struct { int lo; }; int hi; };
} item;
"""
BODIES = {
    "vec a; a.v = (float4)(1, 2, 3, 4); o[0] = a.x + 10 * a.e[1] + 100 * a.w;": 421,
    "item i; i.at = (float4)(1, 2, 3, 4); i.lo = 7; item* p = &i; o[0] = p->at.z + p->lo + (p->bits >> 23);": 137,
    "item i[2]; i[1].hi = 5; i[1].lo = 1; item j = i[1]; o[0] = j.hi * 10 + j.lo;": 51,
    "local item i[1]; i[0].bits = 0x40000000u; o[0] = i[0].at.x;": 2,
    "int4 x = (int4)(1, 2, 3, 4); vec a; a.x = x.y; o[0] = a.e[0] + x.x;": 3,
}


def source(body: str, parameters: str = "global int* o", *initial: str, size: int = 1) -> KernelSource:
    text = f"{TYPES}kernel void k({parameters}) {{ {body} }}\n"
    launch = f"k global {size}, local {size}"
    return KernelSource("k.cl", text, KernelRequest(launches=(launch,), initial=initial))


@pytest.mark.parametrize("engine", ["explicit", "smt"])
@pytest.mark.parametrize(("body", "value"), BODIES.items())
def test_values(body: str, value: int, engine: str) -> None:
    found = check(source(body), engine=engine)

    assert isinstance(found, Judged)
    assert found.undefined == ()
    assert [list(state.values.values()) for state in found.states] == [[value]]
    assert [list(count.state.values.values()) for count in run(source(body), runs=1).states] == [[value]]


@pytest.mark.parametrize(("other", "races"), [("p[i].hi", False), ("p[1 - i].lo", False), ("p[1 - i].hi", True)])
def test_members_in_buffers_are_places_of_their_own(other: str, races: bool) -> None:
    body = f"int i = get_global_id(0); p[i].hi = i; o[i] = {other};"
    found = check(source(body, "global item* p, global int* o", "item p[2]", size=2))

    assert isinstance(found, Judged)
    assert bool(found.races) is races


def test_a_member_that_is_nowhere_is_told() -> None:
    with pytest.raises(InputError, match="has no member 'u'"):
        check(source("item i; o[0] = i.u;"))
