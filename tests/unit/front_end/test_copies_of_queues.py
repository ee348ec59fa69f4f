"""Copies of a queue, and other names for it, are that queue."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds

BODY = (
    "queue r{{property::queue::in_order()}}; {} int* x = malloc_shared<int>(1, r); r.single_task([=] {{ *x = 1; }}); "
    "p.submit([&](handler& h) {{ h.single_task([=] {{ *x += 1; }}); }}); p.wait(); *x += 1;"
)


@pytest.mark.parametrize(
    "declared", ["queue p = r;", "queue p(r);", "queue p{r};", "auto p = r;", "queue& p = r;", "auto& p = r;"]
)
def test_a_copy_is_the_same_queue(declared: str) -> None:
    assert holds(BODY.format(declared), "x[0]=3")


@pytest.mark.parametrize("declared", ["queue p;", "queue p{property::queue::in_order()};", "queue p(r.get_device());"])
def test_a_queue_of_its_own(declared: str) -> None:
    assert "data-race" in kinds(BODY.format(declared))
