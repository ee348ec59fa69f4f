"""Who has called a group function goes on when all others of the group have, in interleavings that are told."""

from __future__ import annotations

from mcm import Session

# P1 sees what P0 writes behind the call, and calls afterwards itself: no interleaving shows that.
BEHIND = """OPENCL behind
{ [x]=0; }
P0@sg 0, wg 0 (global atomic_int* x) {
  int r0 = sub_group_reduce_add(1);
  atomic_store_explicit(x, 1, memory_order_relaxed, memory_scope_work_group);
}
P1@sg 0, wg 0 (global atomic_int* x) {
  int r1 = atomic_load_explicit(x, memory_order_relaxed, memory_scope_work_group);
  int r2 = sub_group_reduce_add(2);
}
exists (1:r1=1)
"""


def sentences(text: str) -> list[str]:
    (story,) = Session().explain(text).stories
    return [sentence.text for sentence in story.sentences]


def test_no_interleaving_goes_on_before_the_others_have_called() -> None:
    told = sentences(BEHIND)

    assert told[:2] == [
        "no interleaving of the units shows it",
        "P1 line 8 already sees P0 line 5, which is executed later in every interleaving of the rest",
    ]


def test_an_interleaving_has_all_calls_before_what_stands_behind_one() -> None:
    (told,) = sentences(BEHIND.replace("1:r1=1", "1:r1=0"))

    assert told == "an interleaving shows it: P0 line 4, P1 line 8, P1 line 9, P0 line 5"
