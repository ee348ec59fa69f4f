"""Names that a test gives to types and numbers: `typedef`, `enum`, and those of C++."""

from __future__ import annotations

import pytest

from mcm import InputError, Judged, Source, check, format_test, parse

C = """OPENCL names
"typedef and enum { are words here: using x = y;"
Origin=typedef, enum
{ [x]=0; }
#define LAST MORE
typedef int number; // an enum of nothing
enum state { OFF, ON = 3, MORE /* more */ };
typedef enum { RED, GREEN } colour;
typedef struct { number a; number green; } pair;
kernel K (global atomic_int* x) {
  typedef long number2;
  enum { LOCAL = ON, NEXT };
  number r0 = atomic_exchange(x, NEXT);
  colour c = GREEN;
  pair p = { LAST, 2 };
  number2 r1 = p.a + p.green + c;
  enum state s = OFF;
  { enum { ON = 7 }; c = ON; }
  number r2 = ON + s;
}
launch K global 1;
forall (x=4 /\\ K[0]:r1=7 /\\ K[0]:r2=3 /\\ K[0]:c=7)
"""

SYCL = """SYCL names
"using x = y;"
{ int x = 0; }
namespace s = sycl;
using s::memory_order;
using number = int;
typedef unsigned long wide;
enum { OFF, ON = 3 };
using counter = s::atomic_ref<number, s::memory_order::relaxed, s::memory_scope::device>;
using same = counter;
wide twice(number a) { using T = wide; T b = a; return 2 * b; }
q.parallel_for(s::nd_range<1>(2, 2), [=](s::nd_item<1> it) {
  same a(*x);
  number r0 = a.fetch_add(ON);
  auto r1 = twice(s::reduce_over_group(it.get_group(), 1, s::plus<>()));
});
forall (x=6 /\\ 0:r1=4)
"""


@pytest.mark.parametrize("text", [C, SYCL], ids=["C", "SYCL"])
def test_names_stand_for_what_they_mean(text: str) -> None:
    found = check(Source("names.litmus", text))

    assert isinstance(found, Judged)
    assert (found.holds, found.undefined) == (True, ())


def test_what_is_wrong_is_told_at_its_place() -> None:
    text = SYCL.replace("scope::device>", "scope::devic>")
    with pytest.raises(InputError) as raised:
        parse(Source("names.litmus", text))
    (problem,) = raised.value.diagnostics
    assert (problem.code, problem.span.text) == ("E106", "same")
    assert "did you mean 'memory_scope::device'?" in problem.message


def test_a_name_ends_with_its_block() -> None:
    text = C.replace("number r2 = ON + s;", "number r2 = s; }\nkernel L (global int* x) { *x = LOCAL;")
    text = text.replace("launch K global 1;", "launch L global 1;")
    with pytest.raises(InputError, match="unknown name 'LOCAL'"):
        parse(Source("names.litmus", text))


@pytest.mark.parametrize("text", [C, SYCL], ids=["C", "SYCL"])
def test_names_are_not_lost_by_a_layout(text: str) -> None:
    with pytest.raises(InputError, match="has no standard layout"):
        format_test(Source("names.litmus", text))


def test_tags_of_structures_are_no_names_of_types() -> None:
    text = """OPENCL tags
{ x = 0; }
typedef struct node { int a; } node;
typedef struct node other;
typedef node same;
kernel K (global int* x) { struct node p = {1}; other q = {2}; same r = {3}; node s = q; *x = p.a + r.a + s.a; }
launch K global 1;
forall (x=6)
"""
    found = check(Source("tags.litmus", text))
    assert isinstance(found, Judged)
    assert found.holds


def test_types_that_have_no_name_here() -> None:
    with pytest.raises(InputError, match="of anything but scalar types, pointers and arrays of them is not supported"):
        parse(Source("names.litmus", "OPENCL t\n{ }\ntypedef int (*call)(int);\nP0 () { call r; }\nexists (0:r=1)"))
