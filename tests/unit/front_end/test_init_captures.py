"""What lambdas capture by an expression, and functions whose body has handlers."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds, refused

R = "int* r = malloc_shared<int>(2, q); int n = 3; "


@pytest.mark.parametrize(
    "capture", ["[=, k = n + 1]", "[r, n, k = n + 1]", "[r, k = 4, n = n]", "[=, k = 2 + 2, n = n]", "[=, k = n + 1]()"]
)
def test_constants_of_the_lambda(capture: str) -> None:
    assert holds(f"{R} q.single_task({capture} {{ r[0] = n + k; }}); n = 7; q.wait();", "r[0]=7")


def test_pointers() -> None:
    body = f"{R} q.single_task([=, p = r + 1] {{ *p = 2; }})"
    assert holds(f"{body}.wait();", "r[1]=2")
    assert kinds(f"{body}; r[1] = 3;") == {"data-race"}


@pytest.mark.parametrize("capture", ["[=, k = *r]", "[=, n = n + 1]", "[=, k = r[0]]"])
def test_what_is_read_when_it_is_captured_is_refused(capture: str) -> None:
    assert refused(f"{R} r[0] = 1; q.single_task({capture} {{ r[1] = 2; }}).wait();")


def test_functions_whose_body_has_handlers() -> None:
    before = "int wait(queue& q, int* r) try { q.wait(); return r[0]; } catch (const exception& e) { return 1; }"
    assert holds(f"{R} r[0] = 5; q.single_task([=] {{ r[0] = 6; }}); int s = wait(q, r);", "0:s=6", before)
