"""What is asserted of counters: that it is found without a search, of what it is asserted, and of what it is not."""

from __future__ import annotations

import pytest
from smt_inputs import query

from mcm.answer.query import Limits
from mcm.catalogue import registry
from mcm.catalogue.rules import without
from mcm.catalogue.updates import reads_write_before
from mcm.engine.explicit.decide import decide as decide_by_search
from mcm.engine.smt.budget import Budget
from mcm.engine.smt.counters import Counting, counters_of
from mcm.engine.smt.decide import decide
from mcm.engine.smt.encode import Encoding


def counting(code: str, number: int = 4, other: str = "") -> str:
    return f"""OPENCL counting
{{ [c]=0; [x]=0; int a[8]; }}
kernel K (global atomic_uint* c, global atomic_uint* x, global int* a) {{ uint r = 0; {code} }}
launch K global {number}, local 1, dev 0;
{other}exists (x=1)
"""


ADD = "r = atomic_fetch_add_explicit(c, {}, memory_order_relaxed, memory_scope_device);"
LAST = "if (r == 3) {{ atomic_store_explicit({}, {}, memory_order_relaxed, memory_scope_device); }}"

# What it writes is negative, seen as another type than that in which the others add.
MINUS = """P9 (global atomic_uint* c) {
  int e = 0; atomic_compare_exchange_strong((global atomic_int*)c, &e, -1);
}
"""


def encoding_of(text: str, model: str = "opencl-3.0") -> Encoding:
    asked = query(text, model)
    return Encoding(asked.skeletons[0], asked.model, Budget(Limits()))


def counters(text: str) -> list[tuple[int, int]]:
    """For each counter how many updates and other writes it has."""
    encoding = encoding_of(text)
    return [(len(each.all_updates), len(each.bases)) for each in counters_of(encoding.execution)]


def implied(clauses: list[int], *assumed: int) -> set[int]:
    """The literals that follow by unit propagation alone; 0 is among them if that is a contradiction."""
    rows: list[list[int]] = [[]]
    for literal in clauses:
        if literal:
            rows[-1].append(literal)
        else:
            rows.append([])
    true = {*assumed}
    while True:
        before = len(true)
        for row in rows[:-1]:
            if true.isdisjoint(row):
                left = [literal for literal in row if -literal not in true]
                true.update(left or [0] if len(left) < 2 else ())
        if 0 in true or len(true) == before:
            return true


@pytest.mark.slow
@pytest.mark.parametrize("counts", [True, False])
def test_who_counts_last_comes_after_all_others_without_a_search(counts: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not counts:
        monkeypatch.setattr(Counting, "require", lambda _: None)
    encoding = encoding_of(counting(ADD.format(1) + LAST.format("x", 1)))
    updates = [event.identifier for event in encoding.skeleton.events if event.kind.reads]
    last = updates[1]
    orders = [encoding.execution.order(other, last) for other in updates if other != last]

    found = implied(encoding.circuit.take_clauses(), encoding.circular[last][3])

    assert 0 not in found
    assert found.issuperset(orders) is counts


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (counting(ADD.format(1)), [(4, 1)]),
        (counting(ADD.format(1).replace("add", "sub")), [(4, 1)]),
        (counting(ADD.format(1) + LAST.format("c", 0)), [(4, 5)]),
        # Two are in one of two orders.
        (counting(ADD.format(1), 2), []),
        # Each adds a number of its own.
        (counting(ADD.format("get_global_id(0)")), [(4, 1)]),
        # One gives back what it took.
        (counting(ADD.format(1) + ADD.format(1).replace("add", "sub")), [(8, 1)]),
        # A number that is not known; nothing.
        (counting("r = atomic_load(x);" + ADD.format("r")), []),
        # A compare-exchange that writes what it expects and a number; constants, where others add; and alone.
        (counting("r = atomic_load(c); atomic_compare_exchange_strong(c, &r, r + 1);"), [(4, 1)]),
        (counting("r = atomic_load(c); atomic_compare_exchange_weak(c, &r, 2 * r);"), []),
        (counting("r = atomic_load(x); uint e = 0; atomic_compare_exchange_strong(c, &e, r + 1);"), []),
        (counting(ADD.format(1) + "uint e = 2; atomic_compare_exchange_strong(c, &e, 0);"), [(8, 1)]),
        (counting("uint e = 2; atomic_compare_exchange_strong(c, &e, 0);"), []),
        # What is written is the number of that type which has the bits.
        (counting(ADD.format(1), other=MINUS), [(5, 1)]),
        (counting(ADD.format(1), other=MINUS.replace(" int e", " uint e").replace("_int*", "_uint*")), [(5, 1)]),
        # What another operation writes is counted from.
        (counting(ADD.format(1), other="P9 (global atomic_uint* c) { atomic_fetch_or(c, 1); }\n"), [(4, 2)]),
        # Another sign, which makes no difference to a sum.
        (
            counting(
                ADD.format(1), other="P9 (global atomic_uint* c) { atomic_fetch_add((global atomic_int*)c, 1); }\n"
            ),
            [(5, 1)],
        ),
        # A write that may reach it, or something else.
        (counting(ADD.format(1) + "atomic_store(r == 1 ? c : x, 7);"), []),
    ],
)
def test_what_a_counter_is(text: str, expected: list[tuple[int, int]]) -> None:
    assert counters(text) == expected


def test_a_model_has_to_say_that_updates_read_the_write_before() -> None:
    assert all(reads_write_before(registry.get(name)) for name in registry.names())
    assert not reads_write_before(without(registry.get("opencl-3.0"), ["RMW-1"]))


@pytest.mark.parametrize(
    "code",
    [
        # After two steps the counter is as before.
        ADD.format("0x80000000") + "a[r & 1] = 1;",
        # It is set back by who comes last, or by who comes first.
        ADD.format(1) + LAST.replace("3", "2").format("c", 0) + "a[r] = 1;",
        ADD.format(1) + LAST.replace("3", "0").format("c", 5) + "a[r & 7] = 1;",
        # One that comes too late gives back what it took, another one goes on; numbers of different sizes.
        ADD.format(1) + "if (r > 1) { " + ADD.format(1).replace("add", "sub") + " } else { a[r & 7] = 1; }",
        ADD.format("1 + 2 * (get_global_id(0) & 1)") + "a[r & 7] = 1;",
        # Whoever finds it at one doubles it, and others count on from there.
        ADD.format(1) + "uint e = 1; atomic_compare_exchange_strong(c, &e, 2); a[r & 7] = 1;",
        ADD.format(1) + "atomic_exchange(c, 4);" + "a[r & 7] = 1;",
        # A number is added by a compare-exchange, as often as it takes; a semaphore of two.
        "r = atomic_load(c); while (!atomic_compare_exchange_strong(c, &r, r + 1)) { } a[r & 7] = 1;",
        "r = atomic_load(c); if (r < 2 && atomic_compare_exchange_weak(c, &r, r + 1)) { a[r & 7] = 1; "
        + ADD.format(1).replace("add", "sub")
        + " }",
        # Of two updates one is executed.
        f"if (atomic_load(x)) {{ {ADD.format(1)} }} else {{ {ADD.format(1)} }} if (r == 2) {{ atomic_store(x, 1); }}",
    ],
)
def test_the_search_says_the_same(code: str) -> None:
    asked = query(counting(code, 3), "opencl-3.0", limits=Limits(nodes=3000))
    searched, solved = decide_by_search(asked), decide(asked)

    assert searched.undecided is None
    assert [state.values for state in solved.states] == [state.values for state in searched.states]
    assert {flag.name for flag in solved.flags} == {flag.name for flag in searched.flags}


def test_without_the_rule_two_updates_return_the_same() -> None:
    model = without(registry.get("opencl-3.0"), ["RMW-1"])
    text = counting(ADD.format(1), 3).replace("x=1", "0:r=0 /\\ 1:r=0 /\\ 2:r=0")

    assert decide(query(text, model, wants_flags=False)).reachable
    assert not decide(query(text, "opencl-3.0", wants_flags=False)).reachable
