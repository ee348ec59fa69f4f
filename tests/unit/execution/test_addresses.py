"""What addresses can be: a read index leads anywhere in one object, a read address wherever a stored one leads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mcm.base.source import Source
from mcm.execution import elaborate as elaboration
from mcm.execution.addresses import is_one_of
from mcm.execution.elaborate import elaborate
from mcm.execution.evaluate import evaluate
from mcm.execution.expression import ReadValue, size_of
from mcm.front_end.read import read_test
from mcm.program.types import Location, RegisterPointer

if TYPE_CHECKING:
    from mcm.program.types import Value

TEXT = """OPENCL t
{{ global int x[2]; global int y[3]; global int z = 1; global int* p = &x; }}
P0@dev 0 (global int* x, global int* y, global int* z, global int** p) {{ {} }}
"""


@pytest.mark.parametrize(
    ("body", "reached", "times"),
    [
        ("y[1] = 1;", {"y[1]"}, 1),
        ("y[*z] = 1;", {"y[0]", "y[1]", "y[2]"}, 1),
        ("*(*z + y) = 1;", {"y[0]", "y[1]", "y[2]"}, 1),
        ("y[*z % 2 + x[0]] = 1;", {"y[0]", "y[1]", "y[2]"}, 1),
        ("(*z ? x : y)[*z] = 1;", {"x[0]", "x[1]", "y[0]", "y[1]", "y[2]"}, 2),
        ("**p = 1;", {"x[0]", "x[1]"}, 2),
        ("(*p)[*z] = 1;", {"x[0]", "x[1]"}, 2),
    ],
)
def test_an_index_needs_no_second_elaboration(
    body: str, reached: set[str], times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = 0
    real = elaboration._run

    def counted(*arguments: object) -> object:
        nonlocal runs
        runs += 1
        return real(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(elaboration, "_run", counted)
    program = read_test(Source("t.litmus", TEXT.format(body))).program
    (skeleton,) = elaborate(program)
    (write,) = (e for e in skeleton.events if e.thread is not None and e.kind.writes)
    assert {program.show_location(location) for location in write.locations} == reached
    assert runs == times


@pytest.mark.parametrize(
    ("body", "reached"),
    [
        ("y[0] = **p + *z;", {"x[0]", "x[1]"}),
        ("y[0] = **p; *z = *p == x ? *z : y[1];", {"x[0]", "x[1]"}),
        ("*p = z; y[0] = **p;", {"x[0]", "x[1]", "z"}),
        ("*p = *z ? &x[1] : &y[1]; y[0] = **p;", {"x[0]", "x[1]", "y[0]", "y[1]", "y[2]"}),
    ],
)
def test_an_address_in_memory_is_one_that_is_stored(body: str, reached: set[str]) -> None:
    program = read_test(Source("t.litmus", TEXT.format(body))).program
    (skeleton,) = elaborate(program)
    (read,) = (e for e in skeleton.events if e.kind.reads and e.address is not None and len(e.locations) > 1)
    assert {program.show_location(location) for location in read.locations} == reached


@pytest.mark.parametrize(
    "locations",
    [
        (),
        (Location(0),),
        (Location(1, 0), Location(1, 1), Location(1, 2)),
        (Location(0), Location(1, 1), Location(1, 2), Location(2)),
    ],
)
def test_an_address_between_the_ends_of_a_runis_one_of_it(locations: tuple[Location, ...]) -> None:
    condition = is_one_of(ReadValue(0), locations)
    addresses: list[Value] = [0, 7, RegisterPointer(0, "r", 1)]
    addresses += [Location(one, offset) for one in range(4) for offset in range(-2, 5)]
    for address in addresses:
        assert evaluate(condition, {0: address}, ()) == (address in locations)


def test_the_condition_of_an_index_does_not_grow_with_its_object() -> None:
    sizes = []
    for length in (8, 512):
        text = f"OPENCL t\n{{ int x[{length}]; int z; }}\nP0 (global int* x, global int* z) {{ x[*z] = 1; }}\n"
        program = read_test(Source("t.litmus", text + "P1 (global int* z) { *z = 2; }\n")).program
        (skeleton,) = elaborate(program)
        sizes.append(max(size_of(fault.condition) for fault in skeleton.faults))
    assert sizes[0] == sizes[1]
