"""`std::optional<event>` in programs."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds, refused

X = "int* x = malloc_shared<int>(1, q); *x = 0; std::optional<event> e%s; "
LOOP = "for (int i = 0; i < 2; i++) { %s e = q.single_task([=] { *x += 1; }); } "


@pytest.mark.parametrize("nothing", ["", " = std::nullopt", "{}"])
@pytest.mark.parametrize("wait", ["if (e) e->wait();", "if (e.has_value()) { e->wait(); }"])
def test_a_wait_for_an_event_that_there_may_be(nothing: str, wait: str) -> None:
    assert holds(X % nothing + LOOP % wait + wait, "x[0]=2")
    assert kinds(X % nothing + LOOP % "" + "q.wait();") == {"data-race"}


def test_the_event_itself() -> None:
    assert holds(X % "" + "e = q.single_task([=] { *x = 1; }); q.single_task(*e, [=] { *x += 1; }).wait();", "x[0]=2")
    assert holds(X % "" + "e = q.single_task([=] { *x = 1; }); event::wait({e.value()});", "x[0]=1")


def test_what_else_depends_on_whether_there_is_one_is_refused() -> None:
    assert refused(X % "" + "if (e) *x = 1; else *x = 2;")
