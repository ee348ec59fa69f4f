"""An outcome that is allowed is told where longer executions were not looked at."""

from __future__ import annotations

import mcm

# The loop is cut, and no execution within the bound is an interleaving.
WEAK = """OPENCL weak
{ [f]=0; [x]=0; }
P0@wg 0 (global atomic_int* f, global atomic_int* x) {
  int i = 0;
  while (atomic_load_explicit(f, memory_order_relaxed, memory_scope_device) == 0) { i = i + 1; }
  int r0 = atomic_load_explicit(x, memory_order_relaxed, memory_scope_device);
}
P1@wg 1 (global atomic_int* f, global atomic_int* x) {
  atomic_store_explicit(x, 1, memory_order_relaxed, memory_scope_device);
  atomic_store_explicit(f, 1, memory_order_release, memory_scope_device);
}
exists (0:r0=0 /\\ 0:i=1)
"""
# The same, where a read has to see a write that is executed later.
LATER = """OPENCL later
{ [f]=0; [y]=0; }
P0@wg 0 (global atomic_int* f, global atomic_int* y) {
  int i = 0;
  while (atomic_load_explicit(f, memory_order_relaxed, memory_scope_device) == 0) { i = i + 1; }
  atomic_store_explicit(y, 1, memory_order_relaxed, memory_scope_device);
}
P1@wg 1 (global atomic_int* f, global atomic_int* y) {
  int r1 = atomic_load_explicit(y, memory_order_relaxed, memory_scope_device);
  atomic_store_explicit(f, 1, memory_order_relaxed, memory_scope_device);
}
exists (1:r1=1 /\\ 0:i=1)
"""
# Tasks from a counter: it does not matter who takes which, so that the loop is executed to its end.
TASKS = """OPENCL tasks
{ [n]=0; [s]=0; }
kernel K (global atomic_int* n, global atomic_int* s) {
  int t = atomic_fetch_add_explicit(n, 1, memory_order_relaxed, memory_scope_device);
  while (t < 3) {
    atomic_fetch_add_explicit(s, t, memory_order_relaxed, memory_scope_device);
    t = atomic_fetch_add_explicit(n, 1, memory_order_relaxed, memory_scope_device);
  }
}
launch K global 2, local 1;
forall (s=3)
"""


def told(text: str) -> tuple[str, list[str]]:
    """What is explained, and its sentences."""
    explanation = mcm.Session().explain(text)
    stories = [sentence.text for story in explanation.stories for sentence in story.sentences]
    return explanation.subject, [*stories, *(sentence.text for sentence in explanation.sentences)]


def test_a_weak_execution_is_told_where_longer_ones_were_not_looked_at() -> None:
    assert mcm.check(WEAK).verdict is mcm.Verdict.ALLOWED
    subject, sentences = told(WEAK)

    assert subject == "allowed"
    assert "no execution that was looked at is an interleaving of the units" in sentences
    assert "no interleaving of the units shows it" not in sentences


def test_what_longer_executions_might_show_is_not_called_load_buffering() -> None:
    subject, sentences = told(LATER)

    assert subject == "allowed"
    assert "mcm run did not show it within the schedules that were tried" in sentences


def test_a_verdict_that_cannot_be_explained_is_not_called_undecided() -> None:
    explanation = mcm.Session().explain(TASKS)

    assert mcm.check(TASKS).verdict is mcm.Verdict.REQUIRED
    assert (explanation.kind.value, explanation.subject) == ("undecided", "required")
    assert explanation.sentences[0].text == (
        "nothing can be explained: the verdict is known, but the search for what explains it ended early (bound)"
    )
