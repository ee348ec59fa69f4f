from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mcm.base.diagnostic import InputError
from mcm.program.instruction import (
    AddressOfRegister,
    Assign,
    AtomicLoad,
    AtomicStore,
    AtomicUpdate,
    Binary,
    CompareExchange,
    Convert,
    Declare,
    ElementPlace,
    Evaluate,
    LegacyCompareExchange,
    Literal,
    MemoryPlace,
    Modify,
    Read,
    RegisterPlace,
)
from mcm.program.operators import UpdateOperator
from mcm.program.types import Order, PointerType, Region, Scalar, Scope
from mcm.program.walk import walk

if TYPE_CHECKING:
    from conftest import Complain, Resolve, Thread
    from mcm.program.instruction import Statement, Written


def statements(resolved: Resolve, text: str) -> tuple[Statement, ...]:
    return resolved(text).threads[0].body.statements


def only(resolved: Resolve, text: str, kind: type[Written]) -> Written:
    found = [n for n in walk(resolved(text).threads[0].body) if isinstance(n, kind)]
    assert len(found) == 1
    return found[0]


@pytest.mark.parametrize(
    ("declared", "expression", "operands", "result"),
    [
        ("int a; uint b;", "a + b", Scalar.UINT, Scalar.UINT),
        ("int a; long b;", "a * b", Scalar.LONG, Scalar.LONG),
        ("uint a; long b;", "a - b", Scalar.LONG, Scalar.LONG),
        ("long a; ulong b;", "a | b", Scalar.ULONG, Scalar.ULONG),
        ("char a; short b;", "a + b", Scalar.INT, Scalar.INT),
        ("uchar a; long b;", "a << b", Scalar.INT, Scalar.INT),
        ("uint a; int b;", "a < b", Scalar.UINT, Scalar.INT),
        ("float a; long b;", "a / b", Scalar.FLOAT, Scalar.FLOAT),
        ("unsigned long int a; unsigned b;", "a ^ b", Scalar.ULONG, Scalar.ULONG),
    ],
)
def test_usual_arithmetic_conversions(
    resolved: Resolve, thread: Thread, declared: str, expression: str, operands: Scalar, result: Scalar
) -> None:
    node = only(resolved, thread(f"{declared} {expression};"), Binary)
    assert isinstance(node, Binary)
    assert (node.operands, node.type) == (operands, result)
    assert node.left.type is node.right.type is operands


@pytest.mark.parametrize(
    ("literal", "type_", "value"),
    [
        ("5", Scalar.INT, 5),
        ("0x10u", Scalar.UINT, 16),
        ("010", Scalar.INT, 8),
        ("2147483648", Scalar.LONG, 2**31),
        ("9223372036854775807", Scalar.LONG, 2**63 - 1),
        ("18446744073709551615", Scalar.ULONG, 2**64 - 1),
        ("-INT_MIN", Scalar.INT, -(2**31)),
        ("-LONG_MIN", Scalar.LONG, -(2**63)),
        ("0x80000000", Scalar.UINT, 2**31),
        ("1ul", Scalar.ULONG, 1),
        ("0b101", Scalar.INT, 5),
        ("1.5f", Scalar.FLOAT, 1.5),
        ("-7", Scalar.INT, -7),
        ("true", Scalar.INT, 1),
    ],
)
def test_literals(resolved: Resolve, thread: Thread, literal: str, type_: Scalar, value: float) -> None:
    statement = statements(resolved, thread(f"{literal};"))[0]
    assert isinstance(statement, Evaluate)
    assert isinstance(statement.expression, Literal)
    assert (statement.expression.value, statement.expression.type) == (value, type_)


def test_a_parameter_reads_as_its_address_and_a_star_goes_through_it(resolved: Resolve, thread: Thread) -> None:
    declaration = statements(resolved, thread("int r = *x;"))[0]
    assert isinstance(declaration, Declare)
    assert declaration.initializer is not None
    read = declaration.initializer[0]
    assert isinstance(read, Read)
    assert isinstance(read.place, MemoryPlace)
    assert isinstance(read.place.address, Read)
    assert read.place.address.place == RegisterPlace(
        "x", PointerType(Scalar.INT, Region.GLOBAL), span=read.place.address.span
    )


def test_indexing_memory_adds_to_the_pointer_and_indexing_an_array_names_registers(
    resolved: Resolve, thread: Thread
) -> None:
    first, second, third = statements(resolved, thread("int a[3]; x[1] = 2; a[2] = 1;"))
    assert isinstance(first, Declare)
    assert first.length == 3
    assert isinstance(second, Evaluate)
    assert isinstance(second.expression, Assign)
    assert isinstance(second.expression.place, MemoryPlace)
    assert isinstance(second.expression.place.address, Binary)
    assert isinstance(third, Evaluate)
    assert isinstance(third.expression, Assign)
    assert isinstance(third.expression.place, ElementPlace)
    assert (third.expression.place.array, third.expression.place.length) == ("a", 3)


def test_address_of_a_private_variable(resolved: Resolve, thread: Thread) -> None:
    node = only(resolved, thread("int r = 0; private int* p = &r; *p = 1;"), AddressOfRegister)
    assert isinstance(node, AddressOfRegister)
    assert node.type == PointerType(Scalar.INT, Region.PRIVATE)
    assert isinstance(node.place, RegisterPlace)
    assert node.place.register == "r"


def test_postfix_returns_the_old_value_and_compound_assignment_the_new(resolved: Resolve, thread: Thread) -> None:
    first = only(resolved, thread("(*x)++;"), Modify)
    second = only(resolved, thread("*x -= 2l;"), Modify)
    assert isinstance(first, Modify)
    assert isinstance(second, Modify)
    assert (first.operator, first.returns_old, first.type) == ("+", True, Scalar.INT)
    assert (second.operator, second.returns_old, second.operands, second.type) == ("-", False, Scalar.LONG, Scalar.INT)


def test_implicit_conversion_is_written_out(resolved: Resolve, thread: Thread) -> None:
    node = only(resolved, thread("int r = 1; long s = r;"), Convert)
    assert isinstance(node, Convert)
    assert node.type is Scalar.LONG


@pytest.mark.parametrize(
    ("call", "order", "scope"),
    [
        ("atomic_load(y)", Order.SEQ_CST, Scope.DEVICE),
        ("atomic_load_explicit(y, memory_order_acquire)", Order.ACQUIRE, Scope.DEVICE),
        (
            "atomic_load_explicit(y, memory_order_relaxed, memory_scope_all_devices)",
            Order.RELAXED,
            Scope.ALL_SVM_DEVICES,
        ),
        ("atomic_load_explicit(y, memory_order_seq_cst, memory_scope_sub_group)", Order.SEQ_CST, Scope.SUB_GROUP),
    ],
)
def test_orders_and_scopes_of_loads(resolved: Resolve, thread: Thread, call: str, order: Order, scope: Scope) -> None:
    node = only(resolved, thread(f"int r = {call};"), AtomicLoad)
    assert isinstance(node, AtomicLoad)
    assert (node.order, node.scope, node.type) == (order, scope, Scalar.INT)


@pytest.mark.parametrize(
    ("call", "operator", "operand", "order"),
    [
        ("atomic_exchange(y, 3)", UpdateOperator.EXCHANGE, 3, Order.SEQ_CST),
        ("atomic_fetch_add_explicit(y, 2, memory_order_acq_rel)", UpdateOperator.ADD, 2, Order.ACQ_REL),
        ("atomic_fetch_min(y, 2)", UpdateOperator.MIN, 2, Order.SEQ_CST),
        ("atomic_flag_test_and_set(y)", UpdateOperator.EXCHANGE, 1, Order.SEQ_CST),
        ("atomic_add(x, 4)", UpdateOperator.ADD, 4, Order.RELAXED),
        ("atom_xor(x, 4)", UpdateOperator.XOR, 4, Order.RELAXED),
        ("atomic_dec(x)", UpdateOperator.SUB, 1, Order.RELAXED),
    ],
)
def test_read_modify_writes(
    resolved: Resolve, thread: Thread, call: str, operator: UpdateOperator, operand: int, order: Order
) -> None:
    node = only(resolved, thread(f"int r = {call};"), AtomicUpdate)
    assert isinstance(node, AtomicUpdate)
    assert isinstance(node.operand, Literal)
    assert (node.operator, node.operand.value, node.order, node.scope) == (operator, operand, order, Scope.DEVICE)


def test_flag_clear_stores_zero(resolved: Resolve, thread: Thread) -> None:
    text = thread("atomic_flag_clear_explicit(f, memory_order_release);", "global atomic_flag* f")
    node = only(resolved, text, AtomicStore)
    assert isinstance(node, AtomicStore)
    assert isinstance(node.value, Literal)
    assert (node.value.value, node.order) == (0, Order.RELEASE)


@pytest.mark.parametrize(
    ("expected", "kind"),
    [("&r", RegisterPlace), ("p", MemoryPlace), ("x", MemoryPlace), ("&a[1]", ElementPlace), ("a", ElementPlace)],
)
def test_expected_of_compare_exchange(resolved: Resolve, thread: Thread, expected: str, kind: type) -> None:
    body = f"int r = 0; int a[2] = {{0, 1}}; int* p = &r; atomic_compare_exchange_strong(y, {expected}, 1);"
    node = only(resolved, thread(body), CompareExchange)
    assert isinstance(node, CompareExchange)
    assert isinstance(node.expected, kind)
    assert (node.success, node.failure, node.weak) == (Order.SEQ_CST, Order.SEQ_CST, False)


def test_two_orders_and_weakness_of_compare_exchange(resolved: Resolve, thread: Thread) -> None:
    orders = "memory_order_acq_rel, memory_order_relaxed, memory_scope_work_group"
    text = thread(f"int r = 0; atomic_compare_exchange_weak_explicit(y, &r, 1, {orders});")
    node = only(resolved, text, CompareExchange)
    assert isinstance(node, CompareExchange)
    assert (node.success, node.failure, node.scope) == (Order.ACQ_REL, Order.RELAXED, Scope.WORK_GROUP)
    assert node.weak


def test_legacy_compare_exchange(resolved: Resolve, thread: Thread) -> None:
    node = only(resolved, thread("int r = atomic_cmpxchg(x, 0, 1);"), LegacyCompareExchange)
    assert isinstance(node, LegacyCompareExchange)
    assert node.scope is Scope.DEVICE


def test_placement_makes_constants_of_work_item_functions(resolved: Resolve) -> None:
    header = "OPENCL t\n{}\n"
    body = "{ int a = get_global_id(0); int b = get_local_id(0); int c = get_group_id(0); int d = get_num_groups(0);\n"
    body += "int e = get_local_size(0); int f = get_global_size(0); int g = get_sub_group_local_id(); int h = "
    body += "get_global_id(1); int i = get_local_size(2); int j = get_sub_group_id(); }\n"
    threads = "".join(f"P{n}@{place} () {body}" for n, place in enumerate(("wg 1, sg 1", "wg 0", "wg 1, sg 1", "wg 1")))
    program = resolved(header + threads)
    shown = []
    for one in program.threads:
        values = []
        for statement in one.body.statements:
            assert isinstance(statement, Declare)
            assert statement.initializer is not None
            literal = statement.initializer[0]
            assert isinstance(literal, Literal)
            values.append(literal.value)
        shown.append(values)
    assert shown == [
        [0, 0, 1, 2, 3, 4, 0, 0, 1, 1],
        [1, 0, 0, 2, 1, 4, 0, 0, 1, 0],
        [2, 1, 1, 2, 3, 4, 1, 0, 1, 1],
        [3, 2, 1, 2, 3, 4, 0, 0, 1, 0],
    ]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("int r = z;", ["E101 4:9"]),
        ("r = 1; r = 2;", ["E101 4:1"]),
        ("int r = atomic_laod(y);", ["E102 4:9"]),
        ("smp_mb();", ["E102 4:1"]),
        ("vload4(0, x);", ["E100 4:1"]),
        ("enqueue_kernel();", ["E166 4:1"]),
        ("int r = atomic_load_explicit(y);", ["E104 4:9"]),
        ("int r = atomic_load_explicit(y, 5, 6);", ["E105 4:33", "E106 4:36"]),
        ("int r = atomic_load_explicit(y, memory_order_release);", ["E108 4:33"]),
        ("atomic_store_explicit(y, 1, memory_order_acquire);", ["E108 4:29"]),
        ("atomic_store_explicit(y, 1, memory_order_consume);", ["E105 4:29"]),
        ("atomic_flag_clear_explicit(y, memory_order_acq_rel);", ["E108 4:31"]),
        (
            "int r; atomic_compare_exchange_strong_explicit(y, &r, 1, memory_order_relaxed, memory_order_acquire);",
            ["E109 4:80"],
        ),
        (
            "int r; atomic_compare_exchange_strong_explicit(y, &r, 1, memory_order_acq_rel, memory_order_acq_rel);",
            ["E108 4:80"],
        ),
        (
            "int r; atomic_compare_exchange_strong_explicit(y, &r, 1, memory_order_release, memory_order_release);",
            ["W109 4:80"],
        ),
        ("int r = 0; atomic_compare_exchange_strong(y, r, 1);", ["E121 4:46"]),
        ("long r = 0; atomic_compare_exchange_strong(y, &r, 1);", ["E122 4:47"]),
        ("atomic_store_explicit(y, 1, memory_order_relaxed, memory_scope_work_item);", ["W110 4:51"]),
        ("int r = atomic_store(y, 1);", ["E138 4:9"]),
        ("int r = 1 + barrier(CLK_LOCAL_MEM_FENCE);", ["E139 4:13"]),
        ("int r; atomic_store(&r, 1);", ["E126 4:21"]),
        ("atomic_store(*x, 1);", ["E121 4:14"]),
        ("int r = x;", ["E122 4:9"]),
        ("global int* p = 5;", ["E122 4:17"]),
        ("int r; r();", ["E102 4:8"]),
        ("float f = 1.0f; f % 2;", ["E119 4:17"]),
        ("int r; *r = 1;", ["E121 4:9"]),
        ("int a[2]; a[2] = 0;", ["E137 4:11"]),
        ("int a[2]; a = 0;", ["E120 4:11"]),
        ("int r = 99999999999999999999;", ["E144 4:9"]),
        ("float f = 0x1p-16f + 0X1.8P+3F;", []),
        ("float f = 0x1p99999f;", ["E144 4:11"]),
        ("atomic_half d;", ["E100 4:1"]),
        ("global int* p = x; local int* q = p;", ["E123 4:35"]),
        ("int* p = x; global int* q = p;", ["E123 4:29"]),
        ("int* p = x; global int* q = (global int*)p;", []),
        ("local int* q = (local int*)x;", ["E123 4:16"]),
        ("atomic_store(x, 1); atomic_store(x, 2);", ["W107 4:14"]),
        ("int r = *y; *y = 2;", ["W108 4:9"]),
        ("atomic_thread_fence(memory_order_seq_cst);", ["E140 4:1"]),
        ("int r = atomic_load(y) + atomic_lod(y) + atomic_stor(y, 1);", ["E102 4:26", "E102 4:42"]),
        ("if (q == 1) { *x = z; }", ["E101 4:5", "E101 4:20"]),
        ("get_global_id(*x);", []),
        ("get_global_id(x);", ["E119 4:15"]),
        ("atomic_work_item_fence(CLK_GLOBAL_MEMFENCE, memory_order_release);", ["E107 4:24"]),
    ],
)
def test_complaints_about_expressions(complaints: Complain, thread: Thread, body: str, expected: list[str]) -> None:
    assert complaints(thread(body)) == expected


def test_constant_memory_is_read_only(complaints: Complain, thread: Thread) -> None:
    initial = "{ [c]=1; [d]=1; }"
    parameters = "constant int* c, constant atomic_int* d"
    assert complaints(thread("int r = *c;", parameters, initial)) == []
    assert complaints(thread("*c = 1;", parameters, initial)) == ["E124 4:1"]
    assert complaints(thread("atomic_load(d);", parameters, initial)) == ["E125 4:13"]
    assert complaints(thread("int* p = c;", parameters, initial)) == ["E123 4:10"]
    assert complaints(thread("int* p = (int*)c;", parameters, initial)) == ["E123 4:10"]


@pytest.mark.parametrize(
    ("parameter", "body", "expected"),
    [
        ("global const int* x", "*x = 1;", ["E124 4:1"]),
        ("global const int* x", "x[0] += 1;", ["E124 4:1"]),
        ("global const atomic_int* x", "atomic_store(x, 1);", ["E124 4:14"]),
        ("global const atomic_int* x", "int r = atomic_load(x);", []),
        ("global int* const x", "*x = 1;", []),
        ("global const int* x", "*(global int*)x = 1;", []),
        ("global const int* x", "((global int*)x)[0] += 1;", []),
        ("global const int* x", "*(global const int*)x = 1;", ["E124 4:1"]),
        ("global int* x", "const int r = *x; r++;", ["E124 4:19"]),
    ],
)
def test_const_is_read_only(
    complaints: Complain, thread: Thread, parameter: str, body: str, expected: list[str]
) -> None:
    assert complaints(thread(body, parameter)) == expected


def test_a_location_that_is_no_parameter_is_said_to_be_one(resolved: Resolve, thread: Thread) -> None:
    with pytest.raises(InputError, match="declare 'global int\\* z'"):
        resolved(thread("int r = z;", initial="{ [z]=0; }"))


def test_the_address_of_a_pointer_is_taken_for_a_slip(resolved: Resolve, thread: Thread) -> None:
    with pytest.raises(InputError, match="did you mean 'y'"):
        resolved(thread("atomic_store(&y, 1);"))


def test_pointer_functions_know_the_region_of_a_parameter(resolved: Resolve, thread: Thread) -> None:
    text = thread("int* p = x; global int* g = to_global(x); local int* l = to_local(x);")
    _, inside, outside = statements(resolved, text)
    assert isinstance(inside, Declare)
    assert isinstance(outside, Declare)
    assert inside.initializer is not None
    assert outside.initializer is not None
    assert isinstance(inside.initializer[0], Read)
    assert isinstance(outside.initializer[0], Literal)
    assert outside.initializer[0].value == 0
