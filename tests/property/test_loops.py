"""Both engines give the same answers on random programs with loops, branches and compare-exchanges that are retried.

The oracle's programs have no loops. What is compared here are states, thin air, flags, faults, which loops are cut or
wait, and which units wait for ever; and loops that wait with the same loops unrolled.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Final

import pytest
from msgspec.structs import replace

from mcm.answer.query import Limits, Query
from mcm.base.source import Source
from mcm.catalogue import registry
from mcm.catalogue.waiting import drops_failed_reads, drops_stores, mixes_orders
from mcm.engine.explicit.decide import decide as decide_explicitly
from mcm.engine.smt.decide import decide as decide_with_solver
from mcm.execution.algebra import TRUE
from mcm.execution.elaborate import elaborate
from mcm.execution.evaluate import reads_of
from mcm.execution.skeleton import StopKind
from mcm.explain.observed import observed_by
from mcm.front_end.read import read_test
from mcm.machine.build import build
from mcm.machine.exhaustive import Budget, explore

if TYPE_CHECKING:
    from mcm.answer.answer import Answer
    from mcm.execution.skeleton import Skeleton, Stop
    from mcm.machine.exhaustive import Exploration
    from mcm.program.program import Program

pytestmark = pytest.mark.slow

PROGRAMS: Final = 30
SEED: Final = 2026
MODELS: Final = {"C": ("rc11", "c11"), "OPENCL": ("opencl-3.0", "sc")}

LOADS: Final = ("relaxed", "acquire", "seq_cst")
STORES: Final = ("relaxed", "release", "seq_cst")
UPDATES: Final = ("relaxed", "acquire", "release", "acq_rel", "seq_cst")


class Thread:
    """Writes the body of one thread over two atomic objects, `x` and `y`, and a plain one, `d`."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._names = 0
        # Registers of the outermost block, which conditions and states may name.
        self.registers: list[str] = []

    def block(self, length: int, depth: int = 0) -> list[str]:
        """Statements; branches hold blocks of their own, two levels deep."""
        return [self._statement(depth) for _ in range(length)]

    def _statement(self, depth: int) -> str:
        kinds = [self._load, self._store, self._plain, self._add, self._wait, self._poll, self._retry, self._try]
        if depth < 2:
            kinds += [self._branch]
        return self._random.choice(kinds)(depth)

    def _register(self, depth: int) -> str:
        self._names += 1
        name = f"r{self._names}"
        if depth == 0:
            self.registers.append(name)
        return name

    def _object(self) -> str:
        return self._random.choice("xy")

    def _number(self) -> str:
        return self._random.choice("012")

    def _order(self, orders: tuple[str, ...]) -> str:
        return f"memory_order_{self._random.choice(orders)}"

    def _value(self) -> str:
        return f"atomic_load_explicit({self._object()}, {self._order(LOADS)})"

    def _exchange(self, expected: str) -> str:
        name = f"atomic_compare_exchange_{self._random.choice(('weak', 'strong'))}_explicit"
        orders = f"{self._order(UPDATES)}, memory_order_relaxed"
        return f"{name}({self._object()}, &{expected}, {self._random.choice('12')}, {orders})"

    def _load(self, depth: int) -> str:
        value = self._value()
        return f"int {self._register(depth)} = {value};"

    def _store(self, depth: int) -> str:
        value = self._random.choice(["1", "2", *(self.registers if depth == 0 else [])])
        return f"atomic_store_explicit({self._object()}, {value}, {self._order(STORES)});"

    def _plain(self, depth: int) -> str:
        return self._random.choice((f"*d = {self._number()};", "")) or f"int {self._register(depth)} = *d;"

    def _add(self, _: int) -> str:
        return f"atomic_fetch_add_explicit({self._object()}, 1, {self._order(UPDATES)});"

    def _wait(self, _: int) -> str:
        return f"while ({self._value()} {self._random.choice(('==', '!='))} {self._number()}) {{}}"

    def _poll(self, depth: int) -> str:
        register = self._register(depth)
        return f"int {register} = 0; do {{ {register} = {self._value()}; }} while ({register} == {self._number()});"

    def _retry(self, depth: int) -> str:
        register = self._register(depth)
        again = self._random.choice(("", f"{register} = {self._number()};"))
        return f"int {register} = {self._number()}; while (!{self._exchange(register)}) {{ {again} }}"

    def _try(self, depth: int) -> str:
        register = self._register(depth)
        inside = " ".join(self.block(1, depth + 1)) if depth < 2 else ""
        return f"int {register} = {self._number()}; if ({self._exchange(register)}) {{ {inside} }}"

    def _branch(self, depth: int) -> str:
        condition = self._random.choice([*self.registers, "1"]) if depth == 0 else "1"
        inside = " ".join(self.block(self._random.choice((1, 2)), depth + 1))
        return f"if ({condition} == {self._number()}) {{ {inside} }}"


class WaitingThread(Thread):
    """A body with more plain accesses, and loops that wait: by loads, by exchanges, with plain reads inside."""

    def _statement(self, depth: int) -> str:
        kinds = [self._store, self._plain, self._plain, self._wait, self._wait_inside, self._exchange_loop, self._retry]
        if depth < 2:
            kinds += [self._branch]
        return self._random.choice(kinds)(depth)

    def _wait_inside(self, _: int) -> str:
        condition = f"{self._value()} {self._random.choice(('==', '!='))} {self._number()}"
        return f"while ({condition}) {{ int inside = *d; }}"

    def _exchange_loop(self, _: int) -> str:
        old = f"atomic_exchange_explicit({self._object()}, {self._number()}, {self._order(UPDATES)})"
        return f"while ({old} == {self._number()}) {{}}"


class RenewingThread(WaitingThread):
    """A body with compare-exchanges that are tried again with what they have found."""

    def _statement(self, depth: int) -> str:
        kinds = [self._store, self._add, self._plain, self._load, self._renewed, self._renewed, self._renewed]
        if depth < 2:
            kinds += [self._branch]
        return self._random.choice(kinds)(depth)

    def _renewed(self, depth: int) -> str:
        register, place = self._register(depth), self._object()
        name = f"atomic_compare_exchange_{self._random.choice(('weak', 'strong'))}_explicit"
        new = self._random.choice(("1", "2", f"{register} + 1"))
        load = f"atomic_load_explicit({place}, memory_order_relaxed)"
        first = self._random.choice((load, load, self._number(), self._number(), self._value()))
        inside = self._random.choice(("", "", "", "int inside = *d; "))
        orders = f"{self._order(UPDATES)}, memory_order_relaxed"
        exchange = f"{name}({place}, &{register}, {new}, {orders})"
        test = self._random.choice(("", f"{register} {self._random.choice(('!=', '<', '>='))} {self._number()} && "))
        loop = f"while ({test}!{exchange}) {{ {inside}}}"
        if self._random.random() < 0.3:
            # Whether the first one succeeds is remembered.
            tried = self._register(depth)
            once = f"{name}({place}, &{register}, {self._number()}, {orders})"
            return f"int {register} = {first}; int {tried} = 0; if (!{once}) {{ {tried} = 1; {loop} }}"
        return f"int {register} = {first}; {loop}"


class GuessingThread(RenewingThread):
    """A body of nothing but compare-exchanges of one object that are tried again."""

    def _statement(self, depth: int) -> str:
        return self._renewed(depth)

    def _object(self) -> str:
        return "x"


class RestoringThread(WaitingThread):
    """A body that writes this and that to one object, so that it holds again what it held before."""

    def _statement(self, depth: int) -> str:
        return self._random.choice((*[self._store] * 6, self._plain, self._wait))(depth)

    def _object(self) -> str:
        return self._random.choice("xxxxy")


class CarelessThread(WaitingThread):
    """A body that also writes to atomic objects as if they were plain, in `space`."""

    def __init__(self, random: Random, space: str) -> None:
        super().__init__(random)
        self._space = space

    def _statement(self, depth: int) -> str:
        kinds = [self._store, self._store, self._plain, self._wait, self._written]
        return self._random.choice(kinds)(depth)

    def _written(self, _: int) -> str:
        return f"*({self._space}int*){self._object()} = {self._number()};"


class SeenThread(WaitingThread):
    """A body with loops that test what was read before, and then read anew."""

    def _statement(self, depth: int) -> str:
        kinds = [self._store, self._store, self._plain, self._wait, self._seen, self._seen, self._seen]
        if depth < 2:
            kinds += [self._branch]
        return self._random.choice(kinds)(depth)

    def _seen(self, depth: int) -> str:
        register, value, again = self._register(depth), self._value(), self._value()
        first = self._random.choice(
            (value, value, self._number(), f"atomic_fetch_add_explicit(x, 1, {self._order(UPDATES)})")
        )
        inside = self._random.choice(("", "", "int inside = *d; "))
        test = f"{register} {self._random.choice(('==', '!=', '>'))} {self._number()}"
        return f"int {register} = {first}; while ({test}) {{ {inside}{register} = {again}; }}"


class StoringThread(WaitingThread):
    """A body with loops that write to the plain object in each iteration, mostly anew, while they wait."""

    def _statement(self, depth: int) -> str:
        kinds = [self._store, self._plain, self._load, self._wait, *[self._storing] * 4]
        if depth < 2:
            kinds += [self._branch]
        return self._random.choice(kinds)(depth)

    def _storing(self, depth: int) -> str:
        register, place = self._register(depth), self._object()
        store = f"*d = {self._random.choice((register, self._number()))};"
        if self._random.random() < 0.15:
            store = f"if ({register} == {self._number()}) {{ {store} }}"
        elif self._random.random() < 0.15:
            store = f"{register} += *d; {store}"
        store += self._random.choice(("", "", "", " int behind = *d;"))
        kind = self._random.choice(("weak", "strong"))
        new = self._random.choice(("1", "2", f"{register} + 1"))
        order = self._order(UPDATES)
        acquires = order.endswith(("acquire", "acq_rel", "seq_cst")) and self._random.random() < 0.4
        orders = f"{order}, memory_order_{'acquire' if acquires else 'relaxed'}"
        tried = f"atomic_compare_exchange_{kind}_explicit({place}, &{register}, {new}, {orders})"
        taken = f"atomic_exchange_explicit({place}, 1, {self._order(UPDATES)}) == 1"
        first = self._random.choice((f"atomic_load_explicit({place}, memory_order_relaxed)", self._number()))
        loaded = f"{register} = {self._value()};"
        test = f"{register} {self._random.choice(('==', '!='))} {self._number()}"
        loop = self._random.choice(
            (
                f"do {{ {store} }} while (!{tried});",
                f"do {{ {store} }} while (!{tried});",
                f"while (1) {{ {store} if ({tried}) break; }}",
                f"do {{ {loaded} {store} }} while ({test});",
                f"do {{ {store} {loaded} }} while ({test});",
                f"do {{ {loaded} {store} }} while (!{tried});",
                f"do {{ {store} }} while ({taken});",
                f"while ({test}) {{ {store} {loaded} }}",
            )
        )
        return f"int {register} = {first}; {loop}"


class BarrierThread(Thread):
    """A body in which barriers stand behind loops that need not end."""

    def _statement(self, depth: int) -> str:
        kinds = [
            self._load,
            self._store,
            self._plain,
            self._wait,
            self._poll,
            self._retry,
            self._barrier,
            self._barrier,
        ]
        if depth < 2:
            kinds += [self._branch]
        return self._random.choice(kinds)(depth)

    def _barrier(self, _: int) -> str:
        return f"barrier(CLK_{self._random.choice(('GLOBAL', 'GLOBAL', 'LOCAL'))}_MEM_FENCE);"


def litmus(random: Random, dialect: str, kind: type[Thread] = Thread, groups: str = "01") -> str:
    """A random test in C or OpenCL, whose work-items are in one of the groups each."""
    threads, observed = [], ["x"]
    space = "global " if dialect == "OPENCL" else ""
    for number in range(random.choice((2, 2, 2, 3))):
        thread = kind(random)
        body = "\n".join(f"  {statement}" for statement in thread.block(random.choice((1, 2, 2, 3))))
        place = f"@wg {random.choice(groups)}, dev 0" if dialect == "OPENCL" else ""
        parameters = f"{space}atomic_int* x, {space}atomic_int* y, {space}int* d"
        threads.append(f"P{number}{place} ({parameters}) {{\n{body}\n}}")
        observed += [f"{number}:{register}" for register in thread.registers[:2]]
    names = " ".join(f"{name};" for name in observed)
    return "\n".join([f"{dialect} loops", "{ x = 0; y = 0; d = 0; }", *threads, f"locations [{names}]"])


def told(answer: Answer) -> tuple[object, ...]:
    """Everything that an answer says, without the executions that show it."""
    flags = {
        (flag.name, frozenset(flag.witness.skeleton.events[event].span for event in flag.events))
        for flag in answer.flags
    }
    states = {state.values: state.thin_air for state in answer.states}
    blocked = {frozenset(unit.span for unit in blocked.units) for blocked in answer.blocked}
    return (
        answer.undecided,
        states,
        flags,
        {(fault.kind, fault.why, fault.spans) for fault in (raised.fault for raised in answer.faults)},
        set(answer.bounded),
        set(answer.waits),
        blocked,
        answer.complete_exists,
    )


def with_waits(skeleton: Skeleton, random: Random) -> Skeleton:
    """The skeleton in which some of the loops that a bound cuts wait instead for what an iteration has read."""

    def changed(stop: Stop) -> Stop:
        reads = sorted(reads_of(stop.condition))
        if not reads or random.random() < 0.25:
            return stop
        persists = random.choice((TRUE, TRUE, *(skeleton.events[read].guard for read in reads)))
        return replace(stop, kind=StopKind.WAIT, reads=tuple(reads[-random.choice((1, 2)) :]), persists=persists)

    return replace(skeleton, stops=tuple(map(changed, skeleton.stops)))


@pytest.mark.parametrize("dialect", MODELS)
@pytest.mark.parametrize("number", range(PROGRAMS))
def test_engines_agree_on_loops(number: int, dialect: str) -> None:
    random = Random(f"{SEED} {dialect} {number}")  # noqa: S311 - no secret
    source = Source("loops.litmus", litmus(random, dialect))
    program = read_test(source).program
    skeletons = elaborate(program, 1 + number % 2)
    if number % 4 > 1:
        skeletons = tuple(with_waits(skeleton, random) for skeleton in skeletons)
    for model in MODELS[dialect]:
        query = Query(skeletons, registry.get(model), observed_by(program), limits=Limits(seconds=600))
        explicit, solver = told(decide_explicitly(query)), told(decide_with_solver(query))
        assert explicit[0] is None, source.text
        assert explicit == solver, source.text


@pytest.mark.parametrize("number", range(PROGRAMS))
def test_engines_agree_where_barriers_hold(number: int) -> None:
    random = Random(f"{SEED} barriers {number}")  # noqa: S311 - no secret
    source = Source("loops.litmus", litmus(random, "OPENCL", BarrierThread, groups="0001"))
    program = read_test(source).program
    skeletons = elaborate(program, 1 + number % 2, waiting=number % 4 > 0)
    for model in MODELS["OPENCL"]:
        query = Query(skeletons, registry.get(model), observed_by(program), limits=Limits(seconds=600))
        explicit, solver = told(decide_explicitly(query)), told(decide_with_solver(query))
        assert explicit[0] is None, source.text
        assert explicit == solver, source.text


@pytest.mark.parametrize("kind", [WaitingThread, SeenThread, StoringThread])
@pytest.mark.parametrize("dialect", MODELS)
@pytest.mark.parametrize("number", range(PROGRAMS // 2))
def test_loops_that_wait_lose_nothing(number: int, dialect: str, kind: type[Thread]) -> None:
    """One failing iteration stands for all: the states and problems are those of loops that are unrolled."""
    random = Random(f"{SEED} waiting {dialect} {number}")  # noqa: S311 - no secret
    assert_nothing_is_lost(litmus(random, dialect, kind), dialect, 1 + number % 2)


@pytest.mark.parametrize("dialect", MODELS)
@pytest.mark.parametrize("number", range(PROGRAMS // 2))
def test_what_is_tried_again_loses_nothing(number: int, dialect: str) -> None:
    """So do compare-exchanges that go on with what they have found."""
    random = Random(f"{SEED} renewing {dialect} {number}")  # noqa: S311 - no secret
    renewing, other = RenewingThread(random), CarelessThread(random, "global " if dialect == "OPENCL" else "")
    text = two_threads(dialect, (renewing, renewing.block(1)), (other, other.block(1)))
    assert_nothing_is_lost(text, dialect, 2)


@pytest.mark.parametrize("dialect", MODELS)
@pytest.mark.parametrize("number", range(PROGRAMS // 2))
def test_what_is_tried_with_a_guess_loses_nothing(number: int, dialect: str) -> None:
    """They show what is seen of more iterations, too, where another thread restores what was there."""
    random = Random(f"{SEED} guessing {dialect} {number}")  # noqa: S311 - no secret
    guessing, other = GuessingThread(random), RestoringThread(random)
    bodies = guessing.block(1), other.block(random.choice((1, 2, 2, 3, 3)))
    text = two_threads(dialect, (guessing, bodies[0]), (other, bodies[1]))
    program = read_test(Source("guessing.litmus", text)).program
    waiting, unrolled = elaborate(program, 2, waiting=True), elaborate(program, 4)
    query = Query(waiting, registry.get(MODELS[dialect][0]), observed_by(program), limits=Limits(seconds=600))
    undecided, states, flags, faults, *_ = told(decide_explicitly(query))
    _, all_states, all_flags, all_faults, *_ = told(decide_explicitly(replace(query, skeletons=unrolled)))

    assert undecided is None
    assert (flags, faults) == (all_flags, all_faults), text
    is_cut = any(stop.kind is StopKind.BOUND for skeleton in waiting for stop in skeleton.stops)
    assert flags or faults or is_cut or states == all_states, text


def two_threads(dialect: str, first: tuple[Thread, list[str]], second: tuple[Thread, list[str]]) -> str:
    """A test of two threads in C or OpenCL, each with its body, of which the first one's registers are observed."""
    space, names = ("global ", ("@wg 0, dev 0", "@wg 1, dev 0")) if dialect == "OPENCL" else ("", ("", ""))
    parameters = f"({space}atomic_int* x, {space}atomic_int* y, {space}int* d)"
    bodies = (" ".join(body) for _, body in (first, second))
    threads = [f"P{i}{names[i]} {parameters} {{ {body} }}" for i, body in enumerate(bodies)]
    observed = " ".join(f"0:{register};" for register in first[0].registers[:2])
    return "\n".join([f"{dialect} tried", "{ x = 0; y = 0; d = 0; }", *threads, f"locations [x; y; {observed}]"])


def assert_nothing_is_lost(text: str, dialect: str, bound: int) -> None:
    """Assert that engines agree about a test, and say the same where its loops are unrolled."""
    source = Source("loops.litmus", text)
    program = read_test(source).program
    overwriting = elaborate(program, bound, waiting=True, overwrites=True)
    strict, unrolled = elaborate(program, bound, waiting=True), elaborate(program, bound)
    for name in MODELS[dialect]:
        model = registry.get(name)
        assert drops_failed_reads(model)
        waiting = overwriting if all(drops_stores(model, skeleton) for skeleton in overwriting) else strict
        if model.linearisations and any(map(mixes_orders, waiting)):
            continue
        query = Query(waiting, model, observed_by(program), limits=Limits(seconds=600))
        explicit, solver = told(decide_explicitly(query)), told(decide_with_solver(query))
        assert explicit == solver, source.text
        undecided, states, flags, faults, *_ = solver
        assert undecided is None
        _, all_states, all_flags, all_faults, *_ = told(decide_with_solver(replace(query, skeletons=unrolled)))
        assert flags == all_flags, source.text
        assert faults == all_faults, source.text
        # Where there is undefined behaviour, states mean nothing.
        assert flags or faults or states == all_states, source.text


# More than all but one of the programs have; of that one, so many of the runs in which every access is an event.
MOST_CONFIGURATIONS: Final = 6_000


def runs_of(program: Program, operations: int) -> Exploration:
    budget = Budget(configurations=MOST_CONFIGURATIONS, operations=operations)
    return explore(build(program, "views"), observed_by(program), budget)


@pytest.mark.parametrize("dialect", MODELS)
@pytest.mark.parametrize("start", range(0, PROGRAMS, 15))
def test_accesses_of_the_machine_that_add_nothing_lose_nothing(
    start: int, dialect: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What runs show in which every access is an event, those show too in which a thread that waits repeats itself."""
    complete = 0
    for number in range(start, start + 20):
        random = Random(f"{SEED} repeating {dialect} {number}")  # noqa: S311 - no secret
        source = Source("loops.litmus", litmus(random, dialect, WaitingThread))
        program = read_test(source).program
        found = runs_of(program, 60)
        with monkeypatch.context() as patch:
            patch.setattr("mcm.machine.view_memory.read_adds_nothing", lambda *_: False)
            patch.setattr("mcm.machine.view_memory.repeated_update", lambda *_: None)
            with_all = runs_of(program, 14)
        if found.limit is not None:
            continue
        complete += 1
        assert set(with_all.states) <= set(found.states), source.text
        assert set(with_all.findings) <= set(found.findings), source.text
        if with_all.limit is None:
            assert set(found.states) == set(with_all.states), source.text
    assert complete > 15
