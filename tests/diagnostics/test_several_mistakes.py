"""Mistakes of different kinds are reported together, each where it stands."""

from mcm import Source, check_all

TEXT = """OPENCL three
{ [x]=0; [y]=0; }
P0@wg 0, dev 0 (global atomic_int* x, global atomic_int* y) {
  atomic_store_explict(x, 1, memory_order_release, memory_scope_device);
  int r0 = atomic_load_explicit(y, memory_order_release, memory_scope_device);
}
P1@wg 1, dev 0 (global atomic_int* x, global atomic_int* y) {
  int r1 = atomic_load(y)
  int r2 = atomic_load(x);
}
exists (0:r0=1 /\\ 1:r1=0)
"""


def test_syntax_names_and_orders_are_reported_at_once() -> None:
    (result,) = check_all(Source("three.litmus", TEXT))
    found = [(d.code, d.span.line, d.span.column) for d in result.diagnostics]
    assert found == [("E102", 4, 3), ("E108", 5, 36), ("E041", 8, 26)]


def test_what_could_not_be_parsed_leads_to_no_further_complaint() -> None:
    (result,) = check_all(
        Source(
            "one.litmus",
            TEXT.replace("explict", "explicit").replace("y, memory_order_release", "y, memory_order_acquire"),
        )
    )
    assert [d.code for d in result.diagnostics] == ["E041"]
