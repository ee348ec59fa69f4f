"""Atomic operations by a pointer that the host passes to a kernel: the object has a modification order."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds

_MADE = "int* o = malloc_shared<int>(2, q); o[0] = o[1] = 0; int* out = o; "
_ADD = "atomic_ref<int, memory_order::relaxed, memory_scope::device>(out[PLACE]).fetch_add(1);"


@pytest.mark.parametrize(("place", "question"), [("0", "o[0]=2"), ("i", "o[0]=1 /\\ o[1]=1")])
def test_updates(place: str, question: str) -> None:
    add = _ADD.replace("PLACE", place)
    assert holds(f"{_MADE} q.parallel_for(range<1>(2), [=](id<1> i) {{ {add} }}).wait();", question)


@pytest.mark.parametrize(("order", "races"), [("release", set()), ("relaxed", {"data-race"})])
def test_message_passing(order: str, races: set[str]) -> None:
    body = f"""{_MADE} int* d = malloc_shared<int>(1, q); *d = 0; int* data = d;
      q.parallel_for(nd_range<1>(2, 1), [=](nd_item<1> it) {{
        atomic_ref<int, memory_order::acq_rel, memory_scope::device> a(*out);
        if (it.get_global_id(0) == 0) {{ *data = 1; a.store(1, memory_order::{order}); }}
        else if (a.load() == 1) {{ int r = *data; }} }}).wait();"""
    assert kinds(body) == races
