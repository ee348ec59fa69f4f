"""Runs end where everybody waits, and go on where many units only read."""

from __future__ import annotations

from mcm.base.source import Source
from mcm.confirm import runs_of
from mcm.front_end.read import read_test
from mcm.machine.standstill import Standstill

# Everybody reads much before a barrier; behind the next one, whose flag is the wrong one, neighbours race.
READERS = """OPENCL readers
{ int in[256] = {1}; }
kernel K (global const int* in, global int out[256], local int t[256]) {
  int l = get_local_id(0), sum = 0;
  for (int i = 0; i < 8; i++) { sum += in[(l + i) % 256]; }
  t[l] = sum;
  work_group_barrier(CLK_GLOBAL_MEM_FENCE);
  out[l] = t[l ^ 1];
}
launch K global 256, local 256, dev 0;
exists (out[0]=1)
"""
WAITING = """OPENCL waiting
{ [x]=0; }
P0 (global atomic_int* x) { while (atomic_load(x) == 0) { } }
P1 (global atomic_int* x) { while (atomic_load(x) == 0) { } }
exists (x=0)
"""


def test_what_is_read_for_the_first_time_leads_on() -> None:
    standstill = Standstill()
    for number in range(5_000):
        standstill.add(0, number, None)
    assert not standstill.is_long

    for _ in range(1_001):
        standstill.add(0, 3, None)
    assert standstill.is_long

    standstill.end()
    assert not standstill.is_long


def test_a_run_goes_on_to_the_race_behind_many_reads() -> None:
    run = runs_of(read_test(Source("readers", READERS)).program)(0)

    assert len(run.operations) > 256 * 8
    assert "data-race" in {found.finding.kind for found in run.findings}


def test_a_run_in_which_everybody_waits_ends() -> None:
    run = runs_of(read_test(Source("waiting", WAITING)).program)(0)

    assert run.end is None
    assert 1_000 < len(run.operations) < 1_100
