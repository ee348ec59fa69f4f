"""Races in programs with so many events that only what is near is looked at."""

from __future__ import annotations

from host_samples import source

from mcm import Judged, check


def test_a_race_of_a_command_in_a_program_with_many_events() -> None:
    body = (
        "int* x = malloc_shared<int>(8, q); q.submit([&](handler& h) { local_accessor<int, 1> t(8, h); "
        "h.parallel_for(nd_range<1>(8, 8), [=](nd_item<1> it) { int l = it.get_local_id(0); x[l] = l; "
        "group_barrier(it.get_group()); t[l] = x[7 - l]; x[l] = t[l ^ 1]; }); }).wait(); int r = x[0] + x[1];"
    )
    judged = check(source(body))
    assert isinstance(judged, Judged)
    assert {one.kind for one in judged.races} == {"data-race"}
    sentences = [one for story in judged.explain().stories for one in story.sentences]
    assert any("SYCL-SC-1" in one.rules for one in sentences)
