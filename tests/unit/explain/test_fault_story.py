"""Accesses out of bounds and reads without a value: which unit, which element, what it rests on, what is in the way."""

from __future__ import annotations

import re

from mcm import EngineName, Explanation, Session, Source, check_all

OFF_BY_ONE = """OPENCL off_by_one
{ int a[3] = {1, 2, 3}; int out[3]; }
kernel k (global int* a, global int* out) {
  int i = get_global_id(0);
  out[i] = a[i + 1];
}
launch k global 3, local 3;
exists (out[0]=2)
"""
LOOP = """OPENCL loop
{ int a[3] = {1, 2, 3}; int out; }
P0@wg 0, dev 0 (global int* a, global int* out) {
  int s = 0;
  for (int i = 0; i <= 3; i++) s += a[i];
  *out = s;
}
exists ([out]=6)
"""
TAKEN = """OPENCL taken
{ int a[4]; atomic_int head = 0; }
P0@wg 0, dev 0 (global int* a, global atomic_int* head) {
  int i = atomic_fetch_add_explicit(head, 3, memory_order_relaxed, memory_scope_device);
  a[i + 1] = 7;
}
P1@wg 1, dev 0 (global atomic_int* head) {
  atomic_fetch_add_explicit(head, 3, memory_order_relaxed, memory_scope_device);
}
exists ([head]=6)
"""
UNSEEN = """OPENCL unseen
{ }
P0@wg 0, dev 0 (local int* t, local atomic_int* f) {
  *t = 1;
  atomic_store_explicit(f, 1, memory_order_relaxed, memory_scope_work_group);
}
P1@wg 0, dev 0 (local int* t, local atomic_int* f) {
  int r = 0;
  if (atomic_load_explicit(f, memory_order_acquire, memory_scope_work_group)) r = *t;
}
exists (1:r=1)
"""
ELEMENT = """OPENCL element
{ int out[2]; }
kernel k (global int* out) {
  local int t[2];
  int l = get_local_id(0);
  if (l == 0) t[0] = 5;
  out[l] = t[l];
}
launch k global 2, local 2;
exists (out[0]=5)
"""
LATE = """OPENCL late
{ int out; }
P0@wg 0, dev 0 (local int* t, global int* out) {
  *out = *t;
  *t = 1;
}
exists ([out]=1)
"""
VARIABLE = """OPENCL variable
{ int out; atomic_int f = 0; }
P0@wg 0, dev 0 (global int* out, global atomic_int* f) {
  int r;
  if (atomic_load_explicit(f, memory_order_relaxed, memory_scope_device)) r = 1;
  *out = r;
}
exists ([out]=1)
"""


def told(text: str, kind: str, where: str | None = None) -> Explanation:
    """The explanation of the first problem of a kind, on an object if one is named."""
    session = Session()
    problems = session.check(Source("t.litmus", text)).undefined
    number = next(n for n, one in enumerate(problems, 1) if one.kind == kind and where in {None, one.location})
    return session.explain(Source("t.litmus", text), problem=number)


def sentences(explanation: Explanation) -> list[str]:
    (story,) = explanation.stories
    return [sentence.text for sentence in story.sentences]


def test_the_work_item_and_the_element_are_named() -> None:
    explanation = told(OFF_BY_ONE, "out-of-bounds")

    assert explanation.problem is not None
    assert [(site.thread, site.text) for site in explanation.problem.sites] == [("k[2]", "a[i + 1]")]
    assert explanation.problem.why == "a[3] is outside a, which has 3 elements"
    assert sentences(explanation) == [
        "k[2] line 5 goes to element 3 of a: there are a[0] to a[2]",
        "k[2] comes to this whatever is read",
    ]
    assert explanation.stories[0].readings == ()
    # What other work-items read there is in order: a picture marks what is not, and nothing else.
    assert explanation.execution is not None
    marked = re.findall(r'class="node ([a-z]+) marked"', explanation.execution.svg())
    assert marked == ["fault"]


def test_the_first_iteration_that_goes_outside_is_named() -> None:
    explanation = told(LOOP, "out-of-bounds")

    assert explanation.problem is not None
    assert [site.iteration for site in explanation.problem.sites] == [4]
    assert sentences(explanation)[0] == "P0 line 5 (iteration 4) goes to element 3 of a: there are a[0] to a[2]"


def test_an_index_that_was_read_is_followed_to_where_it_was_written() -> None:
    explanation = told(TAKEN, "out-of-bounds")

    assert sentences(explanation) == ["P0 line 5 goes to element 4 of a: there are a[0] to a[3]"]
    assert [reading.text for reading in explanation.stories[0].readings] == [
        "P0 line 4 reads head from P1 line 8, the only write of 3",
        "P1 line 8 reads head from its initial value",
    ]


def test_what_keeps_a_write_from_the_read_is_told() -> None:
    texts = sentences(told(UNSEEN, "uninitialised-read", "t"))

    assert texts[0] == "P0 line 4 writes to t, but nothing orders it before the read"
    assert "P0 line 5 is no release (memory_order_relaxed)" in texts
    assert texts[-1] == "one condition fails: if it held, the write would come before the read in this execution"


def test_the_elements_that_are_written_are_told() -> None:
    assert sentences(told(ELEMENT, "uninitialised-read")) == [
        "nothing writes to t@wg0[1]",
        "what is written of the same object: t@wg0[0] by k[0] line 6",
    ]


def test_a_write_that_comes_too_late_is_told() -> None:
    (story,) = told(LATE, "uninitialised-read").stories

    assert [(sentence.text, sentence.path) for sentence in story.sentences] == [
        ("P0 line 5 writes to t, but only after the read", "line 4:10 →sb line 5")
    ]


def test_the_places_that_give_a_variable_a_value_are_told() -> None:
    (story,) = told(VARIABLE, "uninitialised-read").stories

    assert [sentence.text for sentence in story.sentences] == [
        "'r' is given a value at line 5 only: P0 line 6 is reached without that"
    ]
    assert [reading.text for reading in story.readings] == ["P0 line 5 reads f from its initial value"]


def test_both_engines_name_the_same_units() -> None:
    for text in (OFF_BY_ONE, LOOP, TAKEN, ELEMENT, VARIABLE):
        found = [
            check_all(Source("t.litmus", text), engine=engine)[0].undefined
            for engine in (EngineName.EXPLICIT, EngineName.SMT)
        ]

        assert found[0] == found[1]


def test_a_null_pointer_is_no_index() -> None:
    text = "OPENCL null\n{ }\nP0 () { global int* p = 0; int r0 = *p; }\nexists (true)\n"
    (story,) = Session().explain(Source("t.litmus", text)).stories
    assert [sentence.text for sentence in story.sentences] == [
        "P0 line 3 goes by a pointer that is NULL",
        "P0 comes to this whatever is read",
    ]
