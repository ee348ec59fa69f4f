"""Events of asynchronous copies behind pointers, and what cannot be done with an event."""

from __future__ import annotations

import pytest

import mcm

FILE = """
static void done(event_t *e) { wait_group_events(1, e); }
static void both(event_t *e) { wait_group_events(2, e); }
kernel void K(global int *p, global int *q) {
  local int t[2], u[2];
  int l = get_local_id(0);
  event_t e[2];
  e[0] = async_work_group_copy(t, p, 2, 0);
  e[1] = async_work_group_copy(u, q, 2, 0);
  STATEMENTS
}
"""
KINDS = {
    "both(e); p[l] = t[1 - l] + u[l];": set(),
    "done(e); done(e + 1); q[l] = t[1 - l] + u[l];": set(),
    "event_t *now = e; wait_group_events(1, now); now++; wait_group_events(1, now); p[l] = u[l];": set(),
    "done(e + 1); p[l] = u[l]; done(e);": {"data-race"},
    "done(e);": {"copy-misuse"},
    "done(e); both(e + 1);": {"copy-misuse", "out-of-bounds"},
    "event_t *now = l ? e : e + 1; done(now); now = l ? e + 1 : e; done(now);": {"copy-misuse"},
    "event_t *now = get_group_id(0) ? e : e + 1; done(now); now = get_group_id(0) ? e + 1 : e; done(now);": set(),
}


def source(statements: str) -> mcm.KernelSource:
    text = FILE.replace("STATEMENTS", statements)
    return mcm.KernelSource("events.cl", text, mcm.KernelRequest(("K global 2, local 2",)))


@pytest.mark.parametrize("statements", KINDS)
def test_events_behind_a_pointer_are_waited_for(statements: str) -> None:
    for engine in ("explicit", "smt"):
        result = mcm.check(source(statements), engine=engine)
        assert isinstance(result, mcm.Judged)
        assert {problem.kind for problem in result.undefined} == KINDS[statements]
    assert {problem.kind for problem in mcm.run(source(statements), runs=20).problems} <= KINDS[statements]


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("e[1] = e[0] + 1;", "operator '+' does not apply to 'event_t' and 'int'"),
        ("if (e[0] == e[1]) l = 0;", "operator '==' does not apply to 'event_t' and 'event_t'"),
        ("e[0] |= 1;", "operator '|' does not apply to 'event_t' and 'int'"),
    ],
)
def test_nothing_is_computed_with_an_event(statement: str, message: str) -> None:
    with pytest.raises(mcm.InputError) as raised:
        mcm.parse(source(statement))
    assert message in [one.message for one in raised.value.diagnostics]


@pytest.mark.parametrize("number", ["get_local_id(0)", "get_local_id(0) + 1", "3 + get_global_id(0)"])
def test_a_number_of_events_that_depends_on_ids_is_told_once(number: str) -> None:
    text = FILE.replace("STATEMENTS", f"wait_group_events({number}, e);")

    with pytest.raises(mcm.InputError) as raised:
        mcm.check(mcm.KernelSource("events.cl", text, mcm.KernelRequest(("K global 8, local 4",))))

    assert [(one.code, one.span.text) for one in raised.value.diagnostics] == [("E170", number)]
