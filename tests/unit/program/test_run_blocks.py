"""`typeof`, and blocks with a value, `({ … })`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mcm import InputError, KernelRequest, KernelSource, Source, check
from mcm.front_end.read import format_test

if TYPE_CHECKING:
    from tests.unit.program.conftest import Thread

MACROS = """
#define MAX(a, b) ({ __typeof__(a) _a = (a); __typeof__(b) _b = (b); _a > _b ? _a : _b; })
#define SWAP(a, b) do { typeof(a) _t = (a); (a) = (b); (b) = _t; } while (0)
#define INC(p) ({ int _o; do { _o = READ; } while (atomic_cmpxchg(p, _o, _o + 1) != _o); _o; })
typedef struct { int a; float f; } S;
"""


def source(body: str, *asked: str, launch: str = "K global 1", read: str = "atomic_add(p, 0)") -> KernelSource:
    """A kernel with these macros."""
    text = f"{MACROS}kernel void K(global int* o, global int* p) {{ {body} }}"
    return KernelSource("k.cl", text, KernelRequest((launch,), (f"READ={read}",), ("o[2]", "p[2]"), asked))


@pytest.mark.parametrize(
    ("body", "result"),
    [
        ("int i = 3; __typeof__(i) j = i; o[0] = MAX(j, 1) + MAX(2, i + 5);", 11),
        ("o[0] = MAX(MAX(1, 7), MAX(5, 2));", 7),
        ("int a = 4, b = MAX(a, 2) + a, c = b; o[0] = c;", 8),
        ("float4 a = (float4)(1.0f), b = a * 3.0f; SWAP(a, b); o[0] = a.y + ({ float4 t = b + 1.0f; t; }).w;", 5),
        ("int s = 0; for (int n = 0; n < ({ int k = 4; k - 1; }); n++) s += ({ n * 2; }); o[0] = s;", 6),
        ("int s = 0; while (({ s < 5; })) s += 2; if (({ s; }) == 6) o[0] = 9;", 9),
        ("int s = 1; switch (s) { case 1: o[0] = ({ int t = 2; t; }); break; default: o[0] = 3; }", 2),
        ("o[0] = ({ int t = 0; for (;;) { if (t == 3) break; t++; } t; });", 3),
        ("int x = 1; ({ x = 5; o[1] = x; }); o[0] = x;", 5),
        ("S s = {3, 0.5f}; typeof(s) t = s; typeof(s.f) f = 0.75f; o[0] = t.a + (int)(f * 4);", 6),
        ("typeof(o) q = o + 1; typeof(*q) v = 3, w[2] = {1, 2}; typeof(w[0])* r = w; o[0] = v + r[1];", 5),
        ("const int c = 3; typeof(int) z = (typeof(c))2.9f; o[0] = z;", 2),
        ("uchar u = 200; typeof(u) v = u + 100; typeof(u + 1) w = u + 100; o[0] = v + w;", 344),
        ("float f = 2.0f; o[0] = MAX(sqrt(f * 8.0f), f);", 4),
    ],
)
def test_they_are_those_of_gnu_c(body: str, result: int) -> None:
    found = check(source(body, f"forall (o[0]={result})"))
    assert found.holds
    assert not found.undefined


@pytest.mark.parametrize(("read", "kinds"), [("atomic_add(p, 0)", set()), ("*(p)", {"data-race"})])
def test_what_is_done_in_one_is_done_where_it_stands(read: str, kinds: set[str]) -> None:
    found = check(source("int x = INC(p); o[x] = 1;", "forall (p[0]=2)", launch="K global 2", read=read))
    assert {one.kind for one in found.undefined} == kinds
    assert found.undefined or found.holds


@pytest.mark.parametrize(
    ("body", "code", "message"),
    [
        ("int x = ({ return; 1; });", "E050", "a jump out of a block with a value"),
        ("for (;;) { int x = ({ break; 1; }); }", "E050", "a jump out of a block with a value"),
        ("int x = ({ int y = 1; });", "E138", "returns nothing"),
        ("typeof(nobody) x;", "E101", "unknown name 'nobody'"),
        ("typeof(atomic_inc(p)) x;", "E100", "the type of 'atomic_inc(p)'"),
    ],
)
def test_what_is_refused(body: str, code: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        check(source(body))
    (first, *_) = caught.value.diagnostics
    assert first.code == code
    assert message in first.message


def test_they_are_printed(thread: Thread) -> None:
    text = thread("int a = 1; __typeof__(a) b = ({ int c = a; c + 1; });", rest="forall (0:b=2)")
    printed = format_test(Source("t", text))

    assert "__typeof__(a) b = ({ int c = a; c + 1; });" in printed
    assert check(printed).holds
