"""What must not matter does not matter, and what is stronger allows no more.

Random programs come from the oracle's generator; they are asked of mcm alone. Load buffering is left out where a
property is about strength: there a new happens-before edge can make a plain read of a later write consistent, which is
how C11 and OpenCL lose monotonicity (Vafeiadis and others, POPL 2015).
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Final

import pytest

from mcm import Source, check_all
from mcm import models as model_names
from oracle.generate import from_seed, well_formed
from oracle.litmus_text import to_litmus
from oracle.program import (
    CompareExchange,
    Exchange,
    Fence,
    FetchAdd,
    Instruction,
    Load,
    Location,
    Order,
    Program,
    Scope,
    Store,
    Unit,
)

pytestmark = pytest.mark.slow

PROGRAMS: Final = 80
SEED: Final = "invariances"

State = frozenset[tuple[str, object]]


def ask(program: Program, model: str) -> tuple[frozenset[State], bool]:
    """The states, and whether there is undefined behaviour."""
    (result,) = check_all(Source("random.litmus", to_litmus(program)), models=(model,))
    assert result.status.value == "ok", result
    return frozenset(frozenset(state.values.items()) for state in result.states), bool(result.undefined)


def programs(kind: str) -> Iterator[Program]:
    for number in range(PROGRAMS):
        yield from_seed(f"{SEED}-{kind}", number)


@pytest.fixture(scope="module")
def without_load_buffering(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Built-in models with one more check, as files."""
    folder = tmp_path_factory.mktemp("models")
    made = {}
    for name in ("opencl-3.1", "opencl-scoped"):
        path = Path(folder) / f"{name}-acyclic.cat"
        path.write_text(f'"no load buffering"\ninclude "{name}.cat"\nacyclic po | rf as no-load-buffering\n')
        made[name] = str(path)
    return made


def renamed(program: Program, names: dict[str, str]) -> Program:
    def rename(instruction: Instruction) -> Instruction:
        match instruction:
            case Store() | Load() | Exchange() | FetchAdd() | CompareExchange():
                return replace(instruction, location=names[instruction.location])
            case _:
                return instruction

    locations = tuple(replace(location, name=names[location.name]) for location in program.locations)
    units = tuple(replace(unit, body=tuple(map(rename, unit.body))) for unit in program.units)
    return replace(program, locations=locations, units=units)


def test_the_names_of_locations_do_not_matter() -> None:
    for program in programs("locations"):
        names = {location.name: f"other_{location.name}" for location in program.locations}
        states, undefined = ask(program, "opencl-3.0")
        other_states, other_undefined = ask(renamed(program, names), "opencl-3.0")
        assert undefined is other_undefined, to_litmus(program)
        assert {frozenset((names.get(key, key), value) for key, value in state) for state in states} == other_states


def test_the_order_of_threads_does_not_matter() -> None:
    for program in programs("threads"):
        last = len(program.units) - 1
        turned = replace(program, units=program.units[::-1])

        def name(key: str, last: int = last) -> str:
            thread, colon, register = key.partition(":")
            return f"{last - int(thread)}:{register}" if colon else key

        states, undefined = ask(program, "opencl-3.0")
        other_states, other_undefined = ask(turned, "opencl-3.0")
        assert undefined is other_undefined, to_litmus(program)
        assert {frozenset((name(key), value) for key, value in state) for state in states} == other_states


WIDER: Final = {Scope.SUB_GROUP: Scope.WORK_GROUP, Scope.WORK_GROUP: Scope.DEVICE, Scope.DEVICE: Scope.ALL}
STRONGER: Final = {
    Load: {Order.RELAXED: Order.ACQUIRE, Order.ACQUIRE: Order.SEQ_CST},
    Store: {Order.RELAXED: Order.RELEASE, Order.RELEASE: Order.SEQ_CST},
    Exchange: {Order.RELAXED: Order.ACQ_REL, Order.ACQUIRE: Order.ACQ_REL, Order.ACQ_REL: Order.SEQ_CST},
    FetchAdd: {Order.RELAXED: Order.RELEASE, Order.RELEASE: Order.ACQ_REL, Order.ACQ_REL: Order.SEQ_CST},
    Fence: {Order.RELAXED: Order.ACQUIRE, Order.ACQUIRE: Order.ACQ_REL, Order.ACQ_REL: Order.SEQ_CST},
}


def widened(instruction: Instruction) -> Instruction | None:
    scope = getattr(instruction, "scope", None)
    return None if scope not in WIDER else replace(instruction, scope=WIDER[scope])


def strengthened(instruction: Instruction) -> Instruction | None:
    order = getattr(instruction, "order", None)
    stronger = STRONGER.get(type(instruction), {}).get(order)
    return None if stronger is None else replace(instruction, order=stronger)  # type: ignore[call-arg]


def changed(program: Program, random: Random, change: object) -> Program | None:
    """The program with one instruction changed, if there is one that can be."""
    places = [
        (u, i, new)
        for u, unit in enumerate(program.units)
        for i, instruction in enumerate(unit.body)
        if (new := change(instruction)) is not None  # type: ignore[operator]
    ]
    if not places:
        return None
    u, i, new = random.choice(places)
    unit = program.units[u]
    body = (*unit.body[:i], new, *unit.body[i + 1 :])
    units = (*program.units[:u], replace(unit, body=body), *program.units[u + 1 :])
    made = replace(program, units=units)
    return made if well_formed(made) else None


@pytest.mark.parametrize(
    ("kind", "change", "model"),
    [
        ("scopes", widened, "opencl-3.1"),
        ("orders", strengthened, "opencl-scoped"),
        ("orders-3.1", strengthened, "opencl-3.1"),
        ("orders-rc11", strengthened, "rc11"),
    ],
)
def test_what_is_stronger_adds_no_state_to_a_race_free_program(
    kind: str, change: object, model: str, without_load_buffering: dict[str, str]
) -> None:
    random = Random(SEED)  # noqa: S311 - a reproducible choice, no secret
    looked_at = 0
    for program in programs(kind):
        stronger = changed(program, random, change)
        if stronger is None:
            continue
        states, undefined = ask(program, without_load_buffering.get(model, model))
        if undefined:
            continue
        looked_at += 1
        more, _ = ask(stronger, without_load_buffering.get(model, model))
        assert more <= states, f"{to_litmus(program)}\nand\n{to_litmus(stronger)}"
    assert looked_at >= 5, "the generator gives too few race-free programs for this test to mean anything"


@pytest.mark.parametrize("model", [name for name in model_names() if name != "sc"])
def test_every_model_allows_what_sc_allows(model: str) -> None:
    looked_at = 0
    for number in range(PROGRAMS // 2):
        program = from_seed(f"{SEED}-sc", number)
        states, undefined = ask(program, model)
        if not undefined:
            looked_at += 1
            assert ask(program, "sc")[0] <= states, to_litmus(program)
    assert looked_at >= 5, "the generator gives too few race-free programs for this test to mean anything"


def test_the_changes_are_changes() -> None:
    store = Store("x", 1, Order.RELAXED, Scope.WORK_GROUP)
    assert widened(store) == replace(store, scope=Scope.DEVICE)
    assert strengthened(store) == replace(store, order=Order.RELEASE)
    assert widened(Store("x", 1)) is None
    program = Program((Location("x", atomic=True),), (Unit((store,)),))
    assert changed(program, Random(0), widened) is not None  # noqa: S311 - see above
