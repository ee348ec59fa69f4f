"""What is left of a body when the pieces that mention nothing are left out."""

from __future__ import annotations

import pytest

from mcm.program.resolve.mentions import unusual_parts

_PLAIN = "{ [x] = 0; [y] = 0; } P0 (global atomic_int* x, global int* y) { atomic_store(x, 1); *y = 2; } exists (true)"


def test_nothing_is_left_of_a_body_that_mentions_nothing() -> None:
    assert unusual_parts(_PLAIN) == "{"
    # The same pieces again, whose answers are known.
    assert unusual_parts(_PLAIN) == "{"


@pytest.mark.parametrize(
    "statement",
    [
        "int a[2][\n2]",
        "int a[2] = {\n{1}, 2}",
        "int a[2] = {1,\n[1] = 2}",
        "r = ({ 1",
        "typeof(x) r",
        "goto end",
        "void\n* p",
        "fract(r, &q)",
        "r = sizeof(int)",
        "struct S s",
        "anonymous_1.a = 1",
        "int2\nv",
        "r = *\n&x",
        "(&s[0])\n->a = 1",
        "memory_order o = memory_order_relaxed",
        "read_imagei(i, 0)",
        "read_pipe(p, q)",
        "enqueue_kernel(q, f, n, ^{ *x = 1",
    ],
)
def test_what_mentions_something_is_left(statement: str) -> None:
    body = _PLAIN.replace("*y = 2", statement)
    assert unusual_parts(body).startswith("{;")
    assert statement in unusual_parts(body)


def test_all_is_left_where_a_macro_may_stand_for_some_of_it() -> None:
    body = _PLAIN.replace("*y = 2", "\n#define AT(a) ((a)->b)\n")
    assert unusual_parts(body) == body
