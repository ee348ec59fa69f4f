"""What comes nearest to ordering two accesses that race, and what it lacks."""

from __future__ import annotations

from mcm import Source, check, render_explanations

HEAD = "OPENCL t\n{ [x]=0; [y]=0; }\n"
LAST = "exists (1:r0=1)\n"


def told(first: str, second: str, region: str = "local", more: str = "") -> str:
    """The explanation of a message in global memory: `first` stores the flag y after it, `second` loads it before."""
    text = (
        f"{HEAD}P0@wg 0 (global int* x, {region} atomic_int* y) {{\n  *x = 1;\n  {first}\n}}\n"
        f"P1@wg 0 (global int* x, {region} atomic_int* y) {{\n"
        f"  int r0 = 0;\n  {second}\n  if (r0 != 0) {{ r0 = *x; }}\n}}\n"
        f"{more}{LAST}"
    )
    return render_explanations([check(Source("t.litmus", text)).explain()])


def store(order: str, value: int = 1) -> str:
    return f"atomic_store_explicit(y, {value}, memory_order_{order}, memory_scope_work_group);"


def load(order: str) -> str:
    return f"r0 = atomic_load_explicit(y, memory_order_{order}, memory_scope_work_group);"


def test_a_rule_that_is_in_the_way_is_named() -> None:
    shown = told(store("release"), load("acquire"))

    assert "line 4 →sb line 5 →sw-l-1 line 9 →sb line 10" in shown
    assert "✓ P0 line 5 synchronises with P1 line 9 through local memory" in shown
    assert "✗ global and local happens-before are apart" in shown
    assert "HB-SEP" in shown
    assert "this rule alone is in the way" in shown


def test_a_rule_may_be_in_the_way_beside_a_condition() -> None:
    shown = told(store("relaxed"), load("acquire"))

    assert "✗ P0 line 5 is no release (memory_order_relaxed)" in shown
    assert "✗ global and local happens-before are apart" in shown
    assert "one condition fails, and a rule is in the way" in shown


def test_in_one_region_no_rule_is_in_the_way() -> None:
    shown = told(store("relaxed"), load("acquire"), region="global")

    assert "✗ P0 line 5 is no release (memory_order_relaxed)" in shown
    assert "in the way" not in shown
    assert "one condition fails: if it held" in shown


def test_two_words_that_mend_a_program_come_before_a_rule() -> None:
    fence = "atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_{}, memory_scope_work_group);"
    shown = told(fence.format("release") + store("relaxed"), load("relaxed") + fence.format("acquire"))

    assert "has no global flag" in shown
    assert "2 conditions fail" in shown


def test_a_read_that_leads_to_the_access_stays_what_it_is() -> None:
    relay = (
        "P2@wg 0 (global atomic_int* y) {\n"
        "  if (atomic_load_explicit(y, memory_order_relaxed, memory_scope_work_group) == 1) {\n"
        f"    {store('relaxed', 2)}\n  }}\n}}\n"
    )
    shown = told(store("release"), f"{load('acquire')} r0 = r0 == 2;", region="global", more=relay)

    assert "does not read from" not in shown
    assert "✗ P2 line 13 is no acquire (memory_order_relaxed)" in shown
    assert "✗ P2 line 14 is no release (memory_order_relaxed)" in shown


def test_what_a_barrier_lacks_is_said_once() -> None:
    text = (
        f"{HEAD}P0@wg 0 (local int* x) {{\n  *x = 1;\n  barrier(CLK_GLOBAL_MEM_FENCE);\n}}\n"
        f"P1@wg 0 (local int* x) {{\n  barrier(CLK_GLOBAL_MEM_FENCE);\n  int r0 = *x;\n}}\n{LAST}"
    )
    shown = render_explanations([check(Source("t.litmus", text)).explain()])

    assert "✗ the barrier of line 5 has no local flag" in shown
    assert "✗ the barrier of line 8 has no local flag" in shown
    assert "2 conditions fail" in shown


def test_nothing_is_read_from_what_comes_of_the_read() -> None:
    text = (
        "OPENCL t\n{ [d]=0; [x]=0; [y]=0; }\n"
        "P0@wg 0 (global int* d, global atomic_int* x, global atomic_int* y) {\n"
        "  int r0 = atomic_load_explicit(y, memory_order_acquire, memory_scope_device);\n"
        "  *d = 1;\n  atomic_store_explicit(x, 1, memory_order_release, memory_scope_device);\n}\n"
        "P1@wg 1 (global int* d, global atomic_int* x, global atomic_int* y) {\n"
        "  if (atomic_load_explicit(x, memory_order_relaxed, memory_scope_device)) {\n    int r0 = *d;\n"
        "    atomic_store_explicit(y, 1, memory_order_release, memory_scope_device);\n  }\n}\nexists (d=1)\n"
    )
    shown = render_explanations([check(Source("t.litmus", text)).explain()])

    assert "✗ P1 line 9 is no acquire (memory_order_relaxed)" in shown
    assert "does not read from" not in shown


def test_of_a_buffer_it_is_said_that_it_is_one_where_kernels_are_apart() -> None:
    text = (
        "OPENCL t\n{ KIND int x; KIND atomic_int y; }\n"
        "P0@wg 0, ki 0 (global int* x, global atomic_int* y) {\n  *x = 1;\n"
        "  atomic_store_explicit(y, 1, memory_order_release, memory_scope_device);\n}\n"
        "P1@wg 0, ki 1 (global int* x, global atomic_int* y) {\n"
        "  int r0 = atomic_load_explicit(y, memory_order_acquire, memory_scope_device);\n"
        "  if (r0 == 1) { r0 = *x; }\n}\nexists (1:r0=0)\n"
    )
    shown = render_explanations([check(Source("t.litmus", text.replace("KIND", "buffer"))).explain()])

    assert "✗ P0 line 5 and P1 line 8 are not in one kernel instance (y is a buffer)\n" in shown
    assert not check(Source("t.litmus", text.replace("KIND", "fine_svm_atomics"))).undefined


def test_the_write_that_ends_a_release_sequence_is_named() -> None:
    update = "r0 = atomic_fetch_add_explicit(y, 1, memory_order_acquire, memory_scope_work_group);"
    other = f"P2@wg 0 (global atomic_int* y) {{\n  {store('relaxed', 5)}\n}}\n"
    text = (
        f"{HEAD}P0@wg 0 (global int* x, global atomic_int* y) {{\n  *x = 1;\n  {store('release')}\n}}\n"
        f"P1@wg 0 (global atomic_int* y) {{\n  int r0;\n  {update}\n}}\n{other}"
        f"P3@wg 0 (global int* x, global atomic_int* y) {{\n  int r0 = 0;\n  {load('acquire')}\n"
        f"  if (r0 == 6) {{ r0 = *x; }}\n}}\n{LAST}"
    )
    shown = render_explanations([check(Source("t.litmus", text)).explain()])

    assert "✗ P2 line 12 ends the release sequence of P0 line 5 before P1 line 9:" in shown
    assert [line.split()[-1] for line in shown.splitlines() if "no read-modify-write" in line or "RS-3" in line][
        -1
    ] == ("RS-3")


def test_a_flag_of_a_barrier_counts_once() -> None:
    text = (
        "OPENCL t\n{ }\nkernel k () {\n  local atomic_int c;\n  if (get_local_id(0) == 0) atomic_init(&c, 0);\n"
        "  work_group_barrier(FLAG);\n"
        "  atomic_fetch_add_explicit(&c, 1, memory_order_relaxed, memory_scope_work_group);\n"
        "}\nlaunch k global 2, local 2;\nexists (true)\n"
    )
    shown = render_explanations([check(text.replace("FLAG", "CLK_GLOBAL_MEM_FENCE")).explain()])

    assert "✗ the barrier of line 6 has no local flag" in shown
    assert "one condition fails: if it held, these two would not race" in shown
    assert not check(text.replace("FLAG", "CLK_LOCAL_MEM_FENCE")).undefined


def race_of(text: str) -> str:
    return render_explanations([check(Source("t.litmus", text), "opencl-scoped").explain()])


def test_what_cannot_be_read_all_at_once_is_not_near() -> None:
    # With 1 of y P1 stores 1 to z, and P2 that reads it does not access x; each of both alone would leave the access.
    shown = race_of(
        "OPENCL t\n{ [x]=0; [y]=0; [z]=0; }\n"
        "P0@wg 0, dev 0 (local int* x, global atomic_int* y) {\n"
        "  *x = 1;\n"
        "  atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);\n"
        "  atomic_store_explicit(y, 1, memory_order_release, memory_scope_device);\n}\n"
        "P1@wg 0, dev 0 (global atomic_int* y, global atomic_int* z) {\n"
        "  int r0 = atomic_load_explicit(y, memory_order_acquire, memory_scope_device);\n"
        "  atomic_store_explicit(z, r0, memory_order_release, memory_scope_device);\n}\n"
        "P2@wg 0, dev 0 (local int* x, global atomic_int* z) {\n"
        "  int r0 = atomic_load_explicit(z, memory_order_acquire, memory_scope_device);\n"
        "  int r1 = 0;\n  if (r0 == 0) { r1 = *x; }\n}\n"
        "exists (2:r1=1)\n"
    )

    assert "data race on x" in shown
    assert "does not read from" not in shown


def test_what_comes_behind_a_barrier_is_not_read_before_it_whatever_rule_is_in_the_way() -> None:
    shown = race_of(
        "OPENCL t\n{ [x]=0; [y]=0; }\n"
        "P0@wg 0, dev 0 (local atomic_int* x, global int* y) {\n"
        "  int r0 = *y;\n  B0: work_group_barrier(CLK_GLOBAL_MEM_FENCE);\n  atomic_store(x, 2);\n}\n"
        "P1@wg 0, dev 0 (local atomic_int* x, global int* y) {\n"
        "  int r1 = atomic_load(x);\n  *y = 1;\n  B0: work_group_barrier(CLK_GLOBAL_MEM_FENCE);\n}\n"
        "exists (0:r0=1)\n"
    )

    assert "data race on y" in shown
    assert "does not read from" not in shown


def relayed(value: str) -> str:
    """A message by a unit that may have it in two ways; with what it reads of y it would not leave the access."""
    device = "memory_scope_device"
    return race_of(
        "OPENCL t\n{ [x]=0; [y]=0; [u]=0; [z]=0; }\n"
        "P0@wg 0, dev 0 (global int* x, global atomic_int* y, global atomic_int* u) {\n"
        "  *x = 1;\n"
        f"  atomic_store_explicit(y, 1, memory_order_release, {device});\n"
        f"  atomic_store_explicit(u, 1, memory_order_release, {device});\n}}\n"
        "P1@wg 1, dev 0 (global atomic_int* y, global atomic_int* u, global atomic_int* z) {\n"
        f"  int r0 = atomic_load_explicit(y, memory_order_acquire, {device});\n"
        f"  int r1 = atomic_load_explicit(u, memory_order_acquire, {device});\n"
        f"  atomic_store_explicit(z, {value}, memory_order_release, {device});\n}}\n"
        "P2@wg 2, dev 0 (global int* x, global atomic_int* z) {\n"
        f"  int r0 = atomic_load_explicit(z, memory_order_acquire, {device});\n"
        "  int r1 = 0;\n  if (r0 == 0) { r1 = *x; }\n}\n"
        "exists (2:r1=1)\n"
    )


def test_a_message_that_was_not_read_is_near() -> None:
    shown = relayed("0")

    assert "✗ P1 line 9 does not read from P0 line 5" in shown
    assert "✗ P2 line 14 does not read from P1 line 11" in shown
    assert "2 conditions fail" in shown


def test_where_readings_cannot_be_together_another_one_of_them_may_be_left_out() -> None:
    shown = relayed("r0")

    assert "does not read from P0 line 5" not in shown
    assert "✗ P1 line 10 does not read from P0 line 6" in shown
    assert "✗ P2 line 14 does not read from P1 line 11" in shown


def test_where_no_choice_of_readings_can_be_nothing_is_near() -> None:
    assert "does not read from" not in relayed("r0 | r1")
