"""Schedules lose the switches that their state does not need."""

from mcm.base.source import Source
from mcm.execute import RunOptions, clearest_schedule, run_program
from mcm.machine.schedule import read_schedule
from mcm.machine.shorten import switches
from mcm.program.resolve import resolve
from mcm.syntax.parse import parse

TEXT = """C SB
{ [x]=0; [y]=0; }
P0 (atomic_int* x, atomic_int* y) {
  atomic_store_explicit(x, 1, memory_order_relaxed);
  int r0 = atomic_load_explicit(y, memory_order_relaxed);
}
P1 (atomic_int* x, atomic_int* y) {
  atomic_store_explicit(y, 1, memory_order_relaxed);
  int r1 = atomic_load_explicit(x, memory_order_relaxed);
}
exists (0:r0=1 /\\ 1:r1=1)
"""


def clearest(schedule: str, memory: str) -> int:
    source = Source("sb.litmus", TEXT)
    program = resolve(parse(source), source)
    done = run_program(program, RunOptions(memory=memory, replay=read_schedule(schedule)))
    ((values, recorded),) = done.schedules.items()
    found = clearest_schedule(program, done, values)
    again = run_program(program, RunOptions(memory=memory, replay=found))
    assert list(again.schedules) == [values]
    assert sorted(found) == sorted(recorded)
    return switches(found)


def test_switches_that_the_state_needs_stay() -> None:
    # Both loads see the other's store, so each thread has to stop between its store and its load.
    assert clearest("0 1 1 0", "interleaving") == 2
    assert clearest("0 1 0 1", "interleaving") == 2


def test_switches_that_it_does_not_need_go() -> None:
    source = Source("sb.litmus", TEXT)
    program = resolve(parse(source), source)
    # On weak memory both loads may miss the other's store, in any order of the threads.
    stale = run_program(program, RunOptions(schedule="exhaustive", memory="views"))
    values = next(key for key in stale.schedules if all(value == 0 for _, value in key))
    assert switches(clearest_schedule(program, stale, values)) == 1
