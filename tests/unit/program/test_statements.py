from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mcm import Source, check
from mcm.front_end.read import format_test
from mcm.program.instruction import Barrier, Block, Collective, Declare, Fence, If, Literal, Loop, Modify, Return
from mcm.program.operators import Level
from mcm.program.types import Flag, Order, Scalar, Scope
from mcm.program.walk import walk

if TYPE_CHECKING:
    from conftest import Complain, Resolve, Thread
    from mcm.program.program import Program

GLOBAL, LOCAL, IMAGE = Flag.GLOBAL, Flag.LOCAL, Flag.IMAGE


def shown_registers(program: Program) -> list[str]:
    return [r.name for r in program.threads[0].registers if not r.is_parameter and not r.is_hidden]


@pytest.mark.parametrize(
    ("call", "flags", "order", "scope"),
    [
        ("atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release)", {GLOBAL}, Order.RELEASE, Scope.DEVICE),
        (
            "atomic_work_item_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel)",
            {GLOBAL, LOCAL},
            Order.ACQ_REL,
            Scope.DEVICE,
        ),
        (
            "atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, memory_scope_work_item)",
            {IMAGE},
            Order.ACQ_REL,
            Scope.WORK_ITEM,
        ),
        (
            "fence(CLK_LOCAL_MEM_FENCE, memory_order_seq_cst, memory_scope_all_svm_devices)",
            {LOCAL},
            Order.SEQ_CST,
            Scope.ALL_SVM_DEVICES,
        ),
        ("mem_fence(CLK_LOCAL_MEM_FENCE)", {LOCAL}, Order.ACQ_REL, Scope.WORK_GROUP),
        ("read_mem_fence(CLK_GLOBAL_MEM_FENCE)", {GLOBAL}, Order.ACQUIRE, Scope.WORK_GROUP),
        ("write_mem_fence(CLK_GLOBAL_MEM_FENCE)", {GLOBAL}, Order.RELEASE, Scope.WORK_GROUP),
        ("atomic_work_item_fence(get_fence(x), memory_order_acquire)", {GLOBAL}, Order.ACQUIRE, Scope.DEVICE),
    ],
)
def test_fences(resolved: Resolve, thread: Thread, call: str, flags: set[Flag], order: Order, scope: Scope) -> None:
    (fence,) = resolved(thread(f"{call};")).threads[0].body.statements
    assert isinstance(fence, Fence)
    assert (fence.flags, fence.order, fence.scope) == (flags, order, scope)


@pytest.mark.parametrize("header", ["C t\n{ }\nP0 ()", "OPENCL t\n{ }\nP0@host ()"])
def test_a_fence_without_flags_covers_all_memory(resolved: Resolve, header: str) -> None:
    program = resolved(header + " { atomic_thread_fence(memory_order_acquire); }\n")
    (fence,) = program.threads[0].body.statements
    assert isinstance(fence, Fence)
    assert (fence.flags, fence.order, fence.scope) == ({GLOBAL, LOCAL}, Order.ACQUIRE, Scope.ALL_SVM_DEVICES)


def test_barriers_are_told_apart_by_label_or_number(resolved: Resolve, thread: Thread) -> None:
    body = "barrier(CLK_LOCAL_MEM_FENCE); B1: work_group_barrier(0, memory_scope_device); "
    body += "sub_group_barrier(CLK_GLOBAL_MEM_FENCE);"
    found = resolved(thread(body)).threads[0].body.statements
    barriers = [s for s in found if isinstance(s, Barrier)]
    assert [b.site for b in barriers] == ["#1", "B1", "#2"]
    assert [b.scope for b in barriers] == [Scope.WORK_GROUP, Scope.DEVICE, Scope.SUB_GROUP]
    assert [b.level for b in barriers] == [Level.WORK_GROUP, Level.WORK_GROUP, Level.SUB_GROUP]
    assert [b.flags for b in barriers] == [{LOCAL}, set(), {GLOBAL}]


def test_what_sub_groups_do_alone_is_not_counted_for_the_work_group(resolved: Resolve, thread: Thread) -> None:
    body = "sub_group_barrier(0); barrier(0); sub_group_barrier(0); "
    body += "int r = sub_group_all(1); int s = work_group_all(1);"
    found = [n for n in walk(resolved(thread(body)).threads[0].body) if isinstance(n, Barrier | Collective)]
    assert [(one.level, one.site) for one in found] == [
        (Level.SUB_GROUP, "#1"),
        (Level.WORK_GROUP, "#1"),
        (Level.SUB_GROUP, "#3"),
        (Level.SUB_GROUP, "all#1"),
        (Level.WORK_GROUP, "all#1"),
    ]


def test_collectives(resolved: Resolve, thread: Thread) -> None:
    body = "int r = work_group_all(1); long s = sub_group_broadcast(5l, 1); L: r = work_group_any(*x);"
    found = [n for n in walk(resolved(thread(body)).threads[0].body) if isinstance(n, Collective)]
    assert [(c.site, c.level, c.type) for c in found] == [
        ("all#1", Level.WORK_GROUP, Scalar.INT),
        ("broadcast#1", Level.SUB_GROUP, Scalar.LONG),
        ("L", Level.WORK_GROUP, Scalar.INT),
    ]


def test_loops(resolved: Resolve, thread: Thread) -> None:
    body = "for (int i = 0; i < 2; i++) { if (i == 1) continue; break; } while (1) { } do { *x = 1; } while (*x);"
    first, second, third = resolved(thread(body)).threads[0].body.statements
    assert isinstance(first, Block)
    declaration, loop = first.statements
    assert isinstance(declaration, Declare)
    assert isinstance(loop, Loop)
    assert isinstance(loop.step, Modify)
    assert loop.tests_first
    assert isinstance(loop.body.statements[0], If)
    assert isinstance(second, Loop)
    assert isinstance(third, Loop)
    assert not third.tests_first


def test_a_loop_without_a_condition_never_ends_by_itself(resolved: Resolve, thread: Thread) -> None:
    (block,) = resolved(thread("for (;;) { return; }")).threads[0].body.statements
    assert isinstance(block, Block)
    loop = block.statements[0]
    assert isinstance(loop, Loop)
    assert isinstance(loop.condition, Literal)
    assert loop.condition.value == 1
    assert isinstance(loop.body.statements[0], Return)


def test_one_name_in_sibling_blocks_is_one_register(resolved: Resolve, thread: Thread) -> None:
    program = resolved(thread("if (*x) { int r = 1; } else { int r = 2; }"))
    assert shown_registers(program) == ["r"]


def test_a_name_that_hides_another_is_a_hidden_register(resolved: Resolve, thread: Thread) -> None:
    program = resolved(thread("int r = 1; { int r = 2; { int r = 3; } } r = 4;"))
    assert shown_registers(program) == ["r"]
    hidden = [r.name for r in program.threads[0].registers if r.is_hidden]
    assert hidden == ["r#2", "r#3"]
    last = program.threads[0].body.statements[-1]
    assert "r#2" not in repr(last)


def test_elements_of_a_private_array_are_registers(resolved: Resolve, thread: Thread) -> None:
    program = resolved(thread("int a[2] = {7};"))
    assert shown_registers(program) == ["a[0]", "a[1]"]
    (declaration,) = program.threads[0].body.statements
    assert isinstance(declaration, Declare)
    assert declaration.initializer is not None
    assert [i.value for i in declaration.initializer if isinstance(i, Literal)] == [7, 0]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("int r; int r;", ["E118 4:12"]),
        ("int x;", ["E118 4:5"]),
        # Conditions are told which one they mean, if they name it.
        ("if (*x) { int r; } else { long r; }", []),
        ("break;", ["E141 4:1"]),
        ("return 1;", ["W119 4:8"]),
        ("L: *x = 1;", ["W113 4:1"]),
        ("local int l;", ["E100 4:11"]),
        ("local int l = 1; l = 2;", ["E127 4:11"]),
        ("generic int g;", ["E127 4:13"]),
        ("atomic_int a;", ["E126 4:12"]),
        ("int a[2] = {1, 2, 3};", ["E131 4:19"]),
        ("int a[2] = 5;", ["E131 4:12"]),
        ("int a[*x];", ["E131 4:7"]),
        ("atomic_work_item_fence(0, memory_order_release);", ["E110 4:24"]),
        ("mem_fence(CLK_IMAGE_MEM_FENCE);", ["E112 4:11"]),
        (
            "atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_release, memory_scope_work_item);",
            ["E111 4:67"],
        ),
        ("work_group_barrier(CLK_IMAGE_MEM_FENCE, memory_scope_device);", ["E111 4:41"]),
        ("work_group_barrier(0, memory_scope_work_item);", ["E111 4:23"]),
        ("barrier(0, memory_scope_device);", ["E104 4:1"]),
        ("int r = laod(x); r = 1;", ["E102 4:9"]),
    ],
)
def test_complaints_about_statements(complaints: Complain, thread: Thread, body: str, expected: list[str]) -> None:
    assert complaints(thread(body)) == expected


@pytest.mark.parametrize(
    ("header", "body", "expected"),
    [
        ("C t\n{ }\nP0 ()", "barrier(CLK_LOCAL_MEM_FENCE);", ["E140 4:1"]),
        ("C t\n{ }\nP0 (atomic_int* x)", "atomic_load_explicit(x, memory_order_relaxed, 3);", ["E106 4:47"]),
        ("C t\n{ }\nP0 (int* x)", "atomic_add(x, 1);", ["E140 4:1"]),
        ("OPENCL t\n{ }\nP0@host ()", "int r = get_global_id(0);", ["E140 4:9"]),
        (
            "OPENCL t\n{ }\nP0@host (global atomic_int* x)",
            "atomic_load_explicit(x, memory_order_relaxed, memory_scope_device);",
            ["W114 4:47"],
        ),
    ],
)
def test_what_other_units_do_not_have(complaints: Complain, header: str, body: str, expected: list[str]) -> None:
    assert complaints(f"{header} {{\n{body}\n}}\n") == expected


def test_three_mistakes_are_three_complaints(complaints: Complain) -> None:
    text = "OPENCL t\n{ [x]=0; }\nP0 (global int* x) {\nint r0 = laod(x);\n*x = r1;\n}\nexists (0:r0=0 /\\ 0:r7=1)\n"
    assert complaints(text) == ["E102 4:10", "E101 5:6", "E136 7:19"]


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ("case 0 ... 4: b = 1; break; case 5: b = 2;", []),
        ("case 'a'...'z': b = 1; break; case '0' ... '9': b = 2;", []),
        ("case 0 ... 4: b = 1; break; case 4: b = 2;", ["E157 4:65"]),
        ("case 5 ... 4: b = 1;", ["E157 4:37"]),
        ("case 0 ... 5000: b = 1;", ["E157 4:37"]),
        ("case 0 ...: b = 1;", ["E040 4:42"]),
    ],
)
def test_a_label_may_be_a_range(thread: Thread, complaints: Complain, labels: str, expected: list[str]) -> None:
    assert complaints(thread(f"int a = 1, b = 0; switch (a) {{ {labels} }}")) == expected


def test_a_range_has_its_ends(thread: Thread) -> None:
    body = "int b = 0; for (int i = 0; i < 6; i++) switch (i) { case 1 ... 3: b += 10; break; case 4: b++; }"
    assert check(thread(body, rest="forall (0:b=31)")).holds
    assert "case 1 ... 3:" in format_test(Source("t", thread(body)))
