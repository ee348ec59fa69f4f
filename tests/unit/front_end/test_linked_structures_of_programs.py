"""Pointers to structures in the memory of SYCL programs, and `atomic_ref` of pointers (ADR 124)."""

from __future__ import annotations

from typing import Final

import pytest

from mcm import InputError, KernelRequest, KernelSource, Verdict, check

NODE: Final = """
#include <sycl/sycl.hpp>
#include <cassert>
struct Node { int value; Node* next; };
using ref = sycl::atomic_ref<Node*, sycl::memory_order::acq_rel, sycl::memory_scope::device>;
"""
STACK: Final = """
int main() {
  sycl::queue q;
  Node* pool = sycl::malloc_shared<Node>(2, q);
  Node** head = sycl::malloc_shared<Node*>(1, q);
  *head = nullptr;
  q.parallel_for(sycl::range<1>(2), [=](sycl::id<1> i) {
    ref top(*head);
    Node* n = &pool[i];
    n->value = i + 1;
    Node* old = top.load();
    do n->next = old; while (!top.compare_exchange_strong(old, n));
  })WAIT;
  int count = 0, sum = 0;
  for (Node* n = *head; n != nullptr; n = n->next) { ++count; sum += n->value; }
  assert(count == 2 && sum == 3);
}
"""
LIST: Final = """
struct List { Node* first; int length; };
void put(List* list, Node* n, int value) { n->value = value; n->next = list->first; list->first = n; ++list->length; }
int main() {
  sycl::queue q;
  auto* pool = sycl::malloc_shared<Node>(3, q);
  auto* list = sycl::malloc_shared<List>(1, q);
  list->first = nullptr; list->length = 0;
  put(list, &pool[2], 4);
  q.single_task([=] { put(list, pool, 5); put(list, pool + 1, list->first->next->value + 2); }).wait();
  assert(list->first == &pool[1] && list->first->value == 6 && list->length == 3);
  assert(pool[0].next == pool + 2 && !pool[2].next);
}
"""
NUMBERS: Final = """
int main() {
  sycl::queue q;
  int* x = sycl::malloc_shared<int>(2, q);
  int** slot = sycl::malloc_shared<int*>(1, q);
  x[0] = 3; x[1] = 4; *slot = nullptr;
  q.parallel_for(sycl::range<1>(2), [=](sycl::id<1> i) {
    sycl::atomic_ref<int*, sycl::memory_order::relaxed, sycl::memory_scope::device> place(*slot);
    int* none = nullptr;
    place.compare_exchange_strong(none, x + i);
  }).wait();
  assert(*slot != nullptr && (**slot == 3 || **slot == 4));
}
"""


def program(body: str) -> KernelSource:
    """A program with nodes."""
    return KernelSource("list.cpp", NODE + body, KernelRequest())


@pytest.mark.parametrize("body", [LIST, NUMBERS, STACK.replace("WAIT", ".wait()")], ids=["list", "numbers", "stack"])
def test_what_programs_assert_holds(body: str) -> None:
    found = check(program(body))
    assert (found.verdict, found.undefined) == (Verdict.ALLOWED, ()), found


def test_a_list_that_is_not_waited_for_is_in_a_race() -> None:
    found = check(program(STACK.replace("WAIT", "")))
    assert found.verdict is Verdict.UNDEFINED
    assert "data-race" in {one.kind for one in found.undefined}


def test_an_atomic_ref_is_of_the_type_of_its_object() -> None:
    body = STACK.replace("WAIT", ".wait()").replace("ref top(*head)", "ref top(*pool)")
    with pytest.raises(InputError, match=r"the atomic_ref is of type 'struct Node\*'"):
        check(program(body))
