"""Address spaces (AS-1, AS-2, AS-6, AS-7): which conversions are accepted, and which are compile errors."""

from __future__ import annotations

import pytest

from mcm.base.diagnostic import InputError
from mcm.base.source import Source
from mcm.front_end.read import read_test

GLOBAL = "access::address_space::global_space"
LOCAL = "access::address_space::local_space"
GENERIC = "access::address_space::generic_space"
DECLARED = "multi_ptr<int, {}, access::decorated::no> p = {};"


def codes(body: str) -> list[str]:
    text = f"""SYCL t
{{ int x = 0; local_accessor int t[2]; private int r = 0; }}
static int get(int* p) {{ return *p; }}
q.parallel_for(nd_range<1>(2, 2), [=](nd_item<1> it) {{
  t[0] = 0;
  {body}
}});
exists (x=0)
"""
    try:
        read_test(Source("t", text))
    except InputError as error:
        return [one.code for one in error.diagnostics if one.is_error]
    return []


@pytest.mark.parametrize(
    "body",
    [
        # To a raw pointer, and to generic space, implicitly.
        "int* p = x;",
        "int* p = t;",
        "int* p = &r;",
        f"{DECLARED.format(GENERIC, 'x')}",
        f"{DECLARED.format(GENERIC, 't')}",
        # From a raw pointer to a named space by a cast.
        DECLARED.format(GLOBAL, f"address_space_cast<{GLOBAL}, access::decorated::no>(x)"),
        DECLARED.format(LOCAL, f"address_space_cast<{LOCAL}, access::decorated::no>(t)"),
        f"int* q = t; {DECLARED.format(LOCAL, f'address_space_cast<{LOCAL}, access::decorated::no>(q)')}",
        f"int* q = t; auto p = dynamic_address_cast<{LOCAL}>(q); if (p != nullptr) {{ *p = 1; }}",
        # From a named space back to a raw pointer.
        f"auto p = address_space_cast<{GLOBAL}, access::decorated::yes>(x); int* q = p; int v = get(p) + get(p.get());",
        f"global_ptr<int> p = address_space_cast<{GLOBAL}, access::decorated::yes>(x); *p = 1;",
        # The deprecated pointers come from raw ones, too.
        "int* q = x; global_ptr<int> p = q;",
        "int* q = t; local_ptr<int, access::decorated::legacy> p(q);",
        f"int* q = x; multi_ptr<int, {GLOBAL}> p{{q}};",
        # The last argument of an atomic_ref.
        f"atomic_ref<int, memory_order::relaxed, memory_scope::device, {GLOBAL}> a(*x); a = 1;",
        f"atomic_ref<int, memory_order::relaxed, memory_scope::work_group, {LOCAL}> a(t[1]); a = 1;",
        f"atomic_ref<int, memory_order::relaxed, memory_scope::work_group, {GENERIC}> a(t[1]); a = 1;",
        "atomic_ref<int, memory_order::relaxed, memory_scope::work_group> a(t[1]); a = 1;",
    ],
)
def test_accepted(body: str) -> None:
    assert codes(body) == []


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (DECLARED.format(GLOBAL, "x"), "E202"),
        (DECLARED.format(LOCAL, "x"), "E202"),
        ("int* q = x; raw_global_ptr<int> p = q;", "E202"),
        ("int* q = x; global_ptr<int, access::decorated::no> p = q;", "E202"),
        ("local_ptr<int> p = x;", "E202"),
        (f"auto g = address_space_cast<{GLOBAL}, access::decorated::no>(x); {DECLARED.format(LOCAL, 'g')}", "E202"),
        (f"auto g = address_space_cast<{LOCAL}, access::decorated::no>(x);", "E202"),
        (f"atomic_ref<int, memory_order::relaxed, memory_scope::device, {LOCAL}> a(*x);", "E201"),
        (f"atomic_ref<int, memory_order::relaxed, memory_scope::work_group, {GLOBAL}> a(t[1]);", "E201"),
        (
            "atomic_ref<int, memory_order::relaxed, memory_scope::device, access::address_space::private_space> a(r);",
            "E201",
        ),
        ("int* p = 5;", "E122"),
    ],
)
def test_refused(body: str, code: str) -> None:
    assert codes(body) == [code]
