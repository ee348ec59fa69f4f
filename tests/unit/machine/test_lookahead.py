"""What a thread may still touch, by the locations' names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mcm.machine.build import build
from mcm.machine.lookahead import Lookahead
from mcm.program.operators import Level

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Test

READ = "atomic_load_explicit({}, memory_order_relaxed, memory_scope_device)"


def touched(test: Test, *until: Level) -> tuple[str, str]:
    """What the first thread may read and write."""
    machine = build(test.program, "interleaving")
    rest = Lookahead(machine).of_rest(machine.start().after, 0, frozenset(until))
    names = [test.program.objects[name.object].name + str(name.offset) for name in machine.layout.names]
    reads, writes = (" ".join(n for i, n in enumerate(names) if mask >> i & 1) for mask in rest)
    return reads, writes


@pytest.mark.parametrize(
    ("body", "reads", "writes"),
    [
        ("a[1] = 1;", "", "a1"),
        ("for (int i = 0; i < 2; i++) { a[i] = 1; }", "", "a0 a1"),
        ("a[b[0]] = 1;", "b0", "a0 a1 a2 b0"),
        ("if (b[0]) { a[0] = 1; } else { a[2] = 1; }", "b0", "a0 a2"),
        ("while (b[0]) { a[0]++; } a[1] = 1;", "a0 b0", "a0 a1"),
        ("int n = 0; while (b[0]) { n++; } a[n] = 1;", "b0", "a0 a1 a2 b0"),
        ("int p[2] = {0, 2}; a[p[1]] = 1;", "", "a2"),
        ("int p[2] = {0, 2}; p[0] = 1; a[p[0]] = 1;", "", "a1"),
        ("int p[2] = {0, 2}; p[b[0]] = 1; a[p[1]] = 1;", "b0", "a0 a1 a2 b0"),
        ("int n = 0; int *q = &n; *q = 2; a[n] = 1;", "", "a0 a1 a2 b0"),
        ("a[5] = 1;", "", ""),
        ("int r = a[0] + b[0];", "a0 b0", ""),
        ("int r = work_group_all(1); if (r) { a[0] = 1; } else { a[1] = 1; }", "", "a0 a1"),
    ],
)
def test_code_is_followed_as_far_as_values_are_known(
    program: Callable[[str], Test], body: str, reads: str, writes: str
) -> None:
    assert touched(program(f"{{ int a[3]; int b[1]; }}\nP0 (global int* a, global int* b) {{ {body} }}")) == (
        reads,
        writes,
    )


def test_a_loop_that_counts_far_is_followed_to_an_end(program: Callable[[str], Test]) -> None:
    body = "for (int i = 0; i < 1000; i++) { if (i < 2) { a[i] = 1; } }"

    assert (
        touched(program(f"{{ int a[2]; int b[1]; }}\nP0 (global int* a, global int* b) {{ {body} }}"))[1] == "a0 a1 b0"
    )


def test_nothing_comes_after_a_meeting_that_has_to_be_waited_for(program: Callable[[str], Test]) -> None:
    test = program("""{ int a[3]; }
P0@wg 0, sg 0 (global int* a) {
  a[0] = 1;
  sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
  a[1] = 1;
  work_group_barrier(CLK_GLOBAL_MEM_FENCE);
  a[2] = 1;
}
""")

    assert touched(test) == ("", "a0 a1 a2")
    assert touched(test, Level.WORK_GROUP) == ("", "a0 a1")
    assert touched(test, Level.WORK_GROUP, Level.SUB_GROUP) == ("", "a0")
