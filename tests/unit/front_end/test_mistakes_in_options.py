"""Natural mistakes in the options for a kernel file: each is told where it stands, with what was expected."""

from __future__ import annotations

import pytest

from mcm import InputError, KernelRequest, KernelSource, check, parse

TEXT = "kernel void K(global int* in, global int* out) { out[get_global_id(0)] = in[get_global_id(0)]; }"
SIZES = "K global 4, local 2"


def source(
    launch: str = SIZES, initial: tuple[str, ...] = (), questions: tuple[str, ...] = (), names: tuple[str, ...] = ()
) -> KernelSource:
    return KernelSource("k.cl", TEXT, KernelRequest((launch,), names, initial, questions))


@pytest.mark.parametrize(
    ("asked", "place", "message"),
    [
        (source("K"), ("--launch", 2), "expected a part of the launch such as 'global 4', found its end"),
        (source("K global"), ("--launch", 9), "expected a number, found its end"),
        (source("K global 4; local 2"), ("--launch", 11), "expected ',' between the parts of a launch, found ';'"),
        (source(" "), ("--launch", 1), "expected a kernel and its sizes, such as"),
        (
            source(questions=("exists out[0]=",)),
            ("--exists", 8),
            "expected a register, a location or a number, found its",
        ),
        (source(questions=("forall ",)), ("--forall", 1), "expected a condition on what is left at the end, such as"),
        (source(questions=("exists (out[0]=1",)), ("--exists", 1), "this '(' is never closed"),
        (source(questions=("exists out[0]=1)",)), ("--exists", 9), "')' without '(' before it"),
        (source("K global COUNT"), ("--launch", 10), "expected a number, found 'COUNT'"),
    ],
)
def test_places(asked: KernelSource, place: tuple[str, int], message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse(asked)
    found = caught.value.diagnostics[0]
    assert (found.span.source.name, found.span.column) == place
    assert found.message.startswith(message)


def test_sizes_may_be_macros() -> None:
    found = check(source("K global M, local N", ("in = {1, 2, 3, 4}",), ("forall out[3]=4",), ("N=2", "M=4")))
    assert found.holds


def test_names_that_nothing_has() -> None:
    assert [one.message for one in parse(source(initial=("inn = {1}", "out[4]"))).diagnostics] == [
        "no kernel that is launched uses 'inn'; did you mean 'in'?"
    ]
    others = ("in = {1, 2}", "int y = 3", "int *p = &y", "q[2]")
    told = [one.message for one in parse(source(initial=others, questions=("exists q[0]=0",))).diagnostics]
    assert told == ["no kernel that is launched uses 'p'"]
