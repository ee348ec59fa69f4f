"""Random programs whose values depend on themselves: engine against engine under all models, and all values of a char.

What is compared is everything that an answer says: states, of what they are examples, how many executions end in them,
thin air, flags, faults, and where loops stop.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Final

import pytest

from mcm.answer.blocked import rank_of_blocked
from mcm.answer.query import Limits, Query, SolverName
from mcm.base.source import Source
from mcm.catalogue import registry
from mcm.engine.explicit.decide import decide as decide_explicitly
from mcm.engine.smt.decide import decide as decide_with_solver
from mcm.engine.smt.least_blocked import stops_of
from mcm.execution.elaborate import elaborate
from mcm.explain.observed import observed_by
from mcm.front_end.read import read_test

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcm.answer.answer import Answer
    from mcm.program.program import Program

pytestmark = pytest.mark.slow

SEED: Final = 12
PROGRAMS: Final = 6
MODELS: Final = {"C": ("c11", "c11-simp", "rc11", "c20", "sc"), "OPENCL": ("opencl-2.0", "opencl-3.1", "opencl-scoped")}
COMPARISONS: Final = ("=", "!=", "<", ">")


def arithmetic(random: Random, register: str) -> str:
    """An expression over one register, as C writes it."""
    operator = random.choice(("+", "-", "^", "|", "&", "*", "/", "%", "<<", ">>"))
    return random.choice((register, f"({register} {operator} {random.choice((1, 1, 2, 3, 7))})"))


def thread(random: Random, number: int, type_: str) -> list[str]:
    """Statements that pass on what they read: from `x` to `y` in one thread, and back in the other."""
    source, target = ("x", "y") if number == 0 else random.choice((("y", "x"), ("y", "x"), ("x", "y")))
    order = random.choice(("relaxed", "relaxed", "relaxed", "seq_cst"))
    load = f"atomic_load_explicit({source}, memory_order_{order})"
    value = arithmetic(random, "r0")
    store = f"atomic_store_explicit({target}, {value}, memory_order_relaxed);"
    body = [f"{type_} r0 = {load};"]
    match random.randrange(7):
        case 0:
            body.append(f"if (r0 {random.choice(('>', '!=', '=='))} {random.randint(0, 3)}) {{ {store} }}")
        case 1:
            body.append(f"if (r0 > 1) {{ *d = 1; }} {store}")
        case 2:
            body.append(f"d[r0 & 1] = 1; {store}")
        case 3:
            body = [f"{type_} r0 = atomic_fetch_add_explicit({source}, 1, memory_order_relaxed);", store]
        case 4:
            body = [f"{type_} e = {random.randint(0, 2)};"]
            body += [f"{type_} r0 = atomic_exchange_explicit({source}, 1, memory_order_relaxed);", store]
        case 5:
            body.append(f"while (r0 > 2) {{ r0 = {load}; }} {store}")
        case _:
            body.append(store)
    return body


def litmus(random: Random, dialect: str) -> str:
    """A random test with a condition on what is read, in C or OpenCL."""
    type_ = random.choice(("char", "uchar", "int", "uint")) if dialect == "OPENCL" else random.choice(("char", "int"))
    type_ = "int" if dialect == "OPENCL" else type_
    space = "global " if dialect == "OPENCL" else ""
    threads = []
    for number in range(random.choice((2, 2, 2, 3))):
        place = f"@wg {number}, dev 0" if dialect == "OPENCL" else ""
        parameters = f"{space}atomic_{type_}* x, {space}atomic_{type_}* y, {space}int* d"
        body = "\n".join(f"  {statement}" for statement in thread(random, number, type_))
        threads.append(f"P{number}{place} ({parameters}) {{\n{body}\n}}")
    atoms = [
        f"{what}{random.choice(COMPARISONS)}{random.randint(-1, 5)}"
        for what in random.sample(("0:r0", "1:r0", "x"), random.choice((1, 2)))
    ]
    condition = random.choice((" /\\ ", " \\/ ")).join(atoms)
    return "\n".join([f"{dialect} thin", "{ x = 0; y = 0; int d[2] = {0, 0}; }", *threads, f"exists ({condition})"])


def told(answer: Answer) -> tuple[object, ...]:
    """Everything that an answer says, without the executions that show it."""
    flags = [(flag.name, flag.rule, flag.events) for flag in answer.flags]
    states = [(s.values, s.satisfies, s.thin_air, s.varying, s.executions) for s in answer.states]
    faults = [(fault.kind, fault.why, fault.spans) for fault in (raised.fault for raised in answer.faults)]
    blocked = {each.units: rank_of_blocked(stops_of(each.witness), each.witness) for each in answer.blocked}
    stops = set(answer.bounded), set(answer.waits), blocked
    return answer.undecided, states, flags, faults, stops, answer.complete_exists, answer.reachable


def asked(
    program: Program, model: str, *, counts: bool = False, waiting: bool = False, solver: SolverName = SolverName.Z3
) -> Query:
    """What is asked of a program with a condition."""
    assert program.condition is not None
    return Query(
        elaborate(program, 1, waiting=waiting),
        registry.get(model),
        observed_by(program),
        program.condition.proposition,
        counts=counts,
        limits=Limits(seconds=600),
        solver=solver,
    )


@pytest.mark.parametrize("dialect", MODELS)
@pytest.mark.parametrize("number", range(PROGRAMS))
def test_engines_agree_where_values_depend_on_themselves(number: int, dialect: str) -> None:
    random = Random(f"{SEED} {dialect} {number}")  # noqa: S311 - no secret
    text = litmus(random, dialect)
    program = read_test(Source("thin.litmus", text)).program
    for model in MODELS[dialect]:
        query = asked(program, model, counts=number % 2 == 0)
        assert told(decide_explicitly(query)) == told(decide_with_solver(query)), f"{model}\n{text}"


def waits(random: Random) -> str:
    """A random test in which threads wait for values, some of which may depend on themselves."""
    parameters = "atomic_int* x, atomic_int* y, atomic_int* z"
    threads = []
    for number, (source, target) in enumerate((("x", "y"), ("y", "x"), ("z", random.choice(("x", "z"))))):
        body = [f"int r0 = atomic_load_explicit({source}, memory_order_relaxed);"]
        store = f"atomic_store_explicit({target}, {arithmetic(random, 'r0')}, memory_order_relaxed);"
        watched, comparison = random.choice("xyz"), random.choice(COMPARISONS[1:])
        other = random.choice(("r0", "r0", str(random.randint(0, 2))))
        loop = f"while (atomic_load_explicit({watched}, memory_order_relaxed) {comparison} {other}) {{}}"
        body += random.choice(([store, loop], [loop, store], [store]))
        threads.append(f"P{number} ({parameters}) {{\n  {' '.join(body)}\n}}")
    condition = f"{random.randint(0, 1)}:r0{random.choice(COMPARISONS)}{random.randint(-1, 3)}"
    filtered = random.choice(("", "", f"filter (1:r0{random.choice(COMPARISONS)}{random.randint(-1, 2)})"))
    return "\n".join(["C waiting", "{ x = 0; y = 0; z = 0; }", *threads, filtered, f"exists ({condition})"])


@pytest.mark.parametrize("number", range(6))
def test_engines_tell_the_same_of_units_that_wait_for_such_values(number: int) -> None:
    random = Random(f"{SEED} waiting {number}")  # noqa: S311 - no secret
    text = waits(random)
    program = read_test(Source("waiting.litmus", text)).program
    for model in ("c11", "sc"):
        query = asked(program, model, waiting=True)
        assert told(decide_explicitly(query)) == told(decide_with_solver(query)), f"{model}\n{text}"


def char(value: int) -> int:
    """A number converted to a char."""
    return (value + 128) % 256 - 128


FUNCTIONS: Final[tuple[tuple[str, Callable[[int], int]], ...]] = (
    ("r0", lambda a: a),
    ("r0 + 1", lambda a: a + 1),
    ("r0 - 1", lambda a: a - 1),
    ("r0 * 3", lambda a: a * 3),
    ("r0 ^ 5", lambda a: a ^ 5),
    ("r0 & 6", lambda a: a & 6),
    ("r0 << 1", lambda a: a << 1),
    ("r0 >> 1", lambda a: a >> 1),
    ("-r0", lambda a: -a),
    ("~r0", lambda a: ~a),
    ("r0 * r0", lambda a: a * a),
    ("r0 == 4", lambda a: int(a == 4)),
    ("r0 / -3", lambda a: int(a / -3)),
    ("r0 % 5", lambda a: a - int(a / 5) * 5),
    ("100 / (r0 | 1)", lambda a: int(100 / (a | 1))),
    ("r0 / 7u", lambda a: (a % 2**32) // 7),
)


@pytest.mark.parametrize("decide", [decide_explicitly, decide_with_solver])
@pytest.mark.parametrize("number", range(8))
def test_conditions_hold_as_trying_all_values_of_a_char_tells(number: int, decide: Callable[[Query], Answer]) -> None:
    random = Random(f"{SEED} char {number}")  # noqa: S311 - no secret
    (one, first), (other, second) = random.choice(FUNCTIONS), random.choice(FUNCTIONS)
    # Each thread reads the initial value or what the other one wrote.
    reached = {
        (a, b)
        for a in range(-128, 128)
        for b in range(-128, 128)
        if a in {0, char(second(b))} and b in {0, char(first(a))}
    }
    for _ in range(4):
        left, right = random.choice((">", "<", "=")), random.choice((">", "<", "!="))
        low, high = random.randint(-128, 127), random.randint(-128, 127)
        text = (
            "C char\n{ [x]=0; [y]=0; }\n"
            "P0 (atomic_char* x, atomic_char* y) { char r0 = atomic_load_explicit(x, memory_order_relaxed);"
            f" atomic_store_explicit(y, {one}, memory_order_relaxed); }}\n"
            "P1 (atomic_char* x, atomic_char* y) { char r0 = atomic_load_explicit(y, memory_order_relaxed);"
            f" atomic_store_explicit(x, {other}, memory_order_relaxed); }}\n"
            f"exists (0:r0 {left} {low} /\\ 1:r0 {right} {high})\n"
        )
        compare: dict[str, Callable[[int, int], bool]] = {
            ">": int.__gt__, "<": int.__lt__, "=": int.__eq__, "!=": int.__ne__,
        }  # fmt: skip
        satisfying = {(a, b) for a, b in reached if compare[left](a, low) and compare[right](b, high)}
        answer = decide(asked(read_test(Source("char.litmus", text)).program, "c11"))
        assert answer.reachable == bool(satisfying), text
        assert any(not state.satisfies for state in answer.states) == bool(reached - satisfying), text
        assert {state.values for state in answer.states} <= reached, text


def test_cadical_gives_the_same_answers() -> None:
    pytest.importorskip("pysat")
    for number in range(3):
        random = Random(f"{SEED} C {number}")  # noqa: S311 - no secret
        program = read_test(Source("thin.litmus", litmus(random, "C"))).program
        answers = [told(decide_with_solver(asked(program, "c11", solver=solver))) for solver in SolverName]
        assert answers[0] == answers[1]
