"""What is supposed of kernels that host programs enqueue, and loops of the host that go on until data says so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

import mcm
from mcm.answer.query import Query
from mcm.base.source import Source
from mcm.catalogue import registry
from mcm.confirm import undefined_behaviour
from mcm.execution.elaborate import elaborate
from mcm.execution.text_commands import meet_at_atomics
from mcm.explain.observed import observed_by
from mcm.front_end.read import read_test
from mcm.program.resolve.call_walk import WRITTEN_OUT
from mcm.session import Session
from mcm.supposing import may_be_supposed, supposed_query

if TYPE_CHECKING:
    from mcm.cat.model import Model
    from mcm.execution.supposition import Suppositions
    from mcm.program.program import Program

MODEL: Final = "opencl-3.0"
RELAXED: Final = "memory_order_relaxed, memory_scope_all_svm_devices"
SET: Final = f"atomic_store_explicit(f, 1, {RELAXED});"
LOADED: Final = f"atomic_load_explicit(f, {RELAXED})"
BARRIER: Final = "work_group_barrier(CLK_GLOBAL_MEM_FENCE);"
# Work-items of a group go on until nothing changes.
ROUNDS: Final = f"""
    int more;
    do {{
      int v = d[l], w = l ? d[l - 1] + 1 : v;
      {BARRIER}
      more = w < v;
      if (more) d[l] = w;
      {BARRIER}
    }} while (work_group_any(more));"""
# One step; the flag says that something has changed.
STEP: Final = f"int w = g ? d[g - 1] + 1 : 0; e[g] = d[g]; if (w < d[g]) {{ e[g] = w; {SET} }}"
BACK: Final = "d[g] = e[g];"


def text_of(host: str, *kernels: str, queue: str = "in_order", kind: str = "fine_svm_atomics") -> str:
    names = "KLM"
    items = "int l = get_local_id(0), g = get_global_id(0);"
    parameters = "global int* d, global int* e, global atomic_int* f"
    written = "\n".join(
        f"kernel {name} ({parameters}) {{ {items} {body} }}" for name, body in zip(names, kernels, strict=False)
    )
    return f"""OPENCL commands
{{ {kind} int d[4] = {{0, 9, 9, 9}}; {kind} int e[4] = 0; {kind} atomic_int f = 1; queue q = {queue} dev 0; }}
{written}
P0@host ({parameters}) {{ {host} }}
locations [ d[1]; d[3]; f; ]
"""


def program_of(text: str) -> Program:
    return read_test(Source("commands", text)).program


def is_shown(program: Program, model: Model | None = None) -> bool:
    model = model or registry.get(MODEL)
    run = undefined_behaviour(program, model, range(1)).last

    def query_of(supposed: Suppositions) -> Query:
        return Query(elaborate(program, 4, waiting=True, supposed=supposed), model, observed_by(program))

    assert run is not None
    return may_be_supposed(program) and supposed_query(program, run, query_of) is not None


def states_of(text: str, model: str = MODEL) -> list[dict[str, object]]:
    result = mcm.check(Source("commands", text), model=model)
    assert isinstance(result, mcm.Judged)
    assert not result.bounded
    assert not result.races
    return [dict(state.values) for state in result.states]


ENQUEUED: Final = "clEnqueueNDRangeKernel(q, K, 4, 4);"


@pytest.mark.parametrize(
    ("host", "queue", "shown"),
    [
        (f"{ENQUEUED} clFinish(q); int r = d[3];", "in_order", True),
        (f"{ENQUEUED} {ENQUEUED}", "in_order", True),
        (f"{ENQUEUED} {ENQUEUED}", "out_of_order", False),
        (f"event a = {ENQUEUED} clEnqueueNDRangeKernel(q, K, 4, 4, wait(a));", "out_of_order", True),
        (f"event a = {ENQUEUED} clWaitForEvents(a); {ENQUEUED}", "out_of_order", True),
        (f"{ENQUEUED} clEnqueueBarrierWithWaitList(q); {ENQUEUED}", "out_of_order", True),
        (f"{ENQUEUED} clEnqueueMarkerWithWaitList(q); {ENQUEUED}", "out_of_order", False),
        (f"{ENQUEUED} d[1] = 0;", "in_order", False),
        (f"{ENQUEUED} int r = d[3];", "in_order", False),
        (f"d[1] = 2; {ENQUEUED}", "in_order", True),
        (f"int r = clEnqueueReadBuffer(q, f, CL_TRUE); if (r == 1) {ENQUEUED}", "in_order", True),
        (f"{ENQUEUED} clFinish(q); if (d[3] == 3) {ENQUEUED}", "in_order", True),
    ],
)
def test_rounds_of_a_command_are_shown_where_commands_order_what_they_read(
    host: str, queue: str, *, shown: bool
) -> None:
    assert is_shown(program_of(text_of(host, ROUNDS, queue=queue))) is shown


def test_rounds_of_a_command_are_no_matter_of_the_bound() -> None:
    assert states_of(text_of(f"{ENQUEUED} clFinish(q);", ROUNDS)) == [{"d[1]": 1, "d[3]": 3, "f": 1}]


# --- loops of the host ------------------------------------------------------------------------------------------------

CLEAR: Final = f"atomic_store_explicit(f, 0, {RELAXED});"
BOTH: Final = "clEnqueueNDRangeKernel(q, K, 4, 2); clEnqueueNDRangeKernel(q, L, 4, 2); clFinish(q);"


@pytest.mark.parametrize(
    "host",
    [
        f"while ({LOADED}) {{ {CLEAR} {BOTH} }}",
        f"do {{ {CLEAR} {BOTH} }} while ({LOADED});",
        f"for (;;) {{ {CLEAR} {BOTH} if (!{LOADED}) break; }}",
        f"for (int k = 0; k < 20 && {LOADED}; k++) {{ {CLEAR} {BOTH} }}",
        f"for (int k = 0; k < 20; k++) {{ {CLEAR} {BOTH} if (!{LOADED}) {{ break; }} }}",
        f"int r = 1; while (r) {{ {CLEAR} {BOTH} r = clEnqueueReadBuffer(q, f, CL_TRUE); }}",
        f"int r = 1; while (r) {{ int z = 0; clEnqueueWriteBuffer(q, f, CL_TRUE, z); {BOTH} r = *f; }}",
    ],
)
def test_the_host_goes_on_until_nothing_changes(host: str) -> None:
    (state,) = states_of(text_of(host, STEP, BACK))

    assert [state["d[1]"], state["d[3]"], state["f"]] == [1, 3, 0]


def test_what_is_not_written_out_is_not_looked_at() -> None:
    host = "while (d[0] < LIMIT) { clEnqueueNDRangeKernel(q, K, 1, 1); clFinish(q); }"
    enough, more = (text_of(host.replace("LIMIT", str(limit)), "d[0]++;") for limit in (WRITTEN_OUT, WRITTEN_OUT + 1))

    assert states_of(enough)
    run = undefined_behaviour(program_of(more), registry.get(MODEL), range(1)).last
    assert run is None or run.end is None
    (skeleton,) = elaborate(program_of(more.replace("while (d[0]", "while (d[0] + d[1]")), 2)
    assert any(stop.kind.value == "bound" for stop in skeleton.stops)


# --- conditions -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("host", "body", "queue", "meet"),
    [
        (f"{ENQUEUED} clFinish(q); int r = {LOADED};", SET, "in_order", False),
        (f"{ENQUEUED} int r = {LOADED};", SET, "in_order", True),
        (f"{ENQUEUED} {ENQUEUED}", SET, "in_order", False),
        (f"{ENQUEUED} {ENQUEUED}", SET, "out_of_order", True),
        (f"{ENQUEUED} {ENQUEUED}", "d[l] = 1;", "out_of_order", False),
        # Who waits for a command that may not be executed waits for none that comes before it.
        (
            f"event a = {ENQUEUED} if (d[0]) {{ clEnqueueNDRangeKernel(q, K, 4, 4, wait(a)); }} {ENQUEUED}",
            SET,
            "out_of_order",
            True,
        ),
        (f"if (d[0]) {{ {ENQUEUED} }} {CLEAR}", SET, "in_order", True),
        (f"if (d[0]) {{ {ENQUEUED} clFinish(q); }} {CLEAR}", SET, "in_order", False),
        (f"while (d[0]) {{ {ENQUEUED} if (d[1]) break; clFinish(q); }} {CLEAR}", SET, "in_order", True),
        (f"while (d[0]) {{ {ENQUEUED} clFinish(q); if (d[1]) break; }} {CLEAR}", SET, "in_order", False),
    ],
)
def test_it_is_told_from_the_text_who_may_meet_at_an_atomic_object(
    host: str, body: str, queue: str, *, meet: bool
) -> None:
    assert meet_at_atomics(program_of(text_of(host, body, queue=queue))) is meet


@pytest.mark.parametrize(
    ("body", "local", "supposed"),
    [
        (f"if ({LOADED}) d[g] = 1;", 2, True),
        (f"{SET} {BARRIER} if ({LOADED}) d[g] = 1;", 4, True),
        (f"{SET} {BARRIER} if ({LOADED}) d[g] = 1;", 2, False),
        (f"atomic_fetch_add_explicit(f, 1, {RELAXED});", 2, True),
        (f"{BARRIER} atomic_fetch_add_explicit(f, 1, {RELAXED});", 2, False),
        (f"{BARRIER} atomic_fetch_add_explicit(f, 1, {RELAXED});", 4, True),
    ],
)
def test_groups_of_one_command_may_not_synchronise(body: str, local: int, *, supposed: bool) -> None:
    text = text_of(f"clEnqueueNDRangeKernel(q, K, 4, {local}); clFinish(q);", body)

    assert may_be_supposed(program_of(text)) is supposed


@pytest.mark.parametrize("rule", ["HOST-1", "HOST-2", "HOST-3", "HOST-4", "HOST-5", "HOST-8", "HOST-9", "HOST-10"])
def test_nothing_is_supposed_where_a_model_does_not_order_commands(rule: str) -> None:
    program = program_of(text_of(f"{ENQUEUED} clFinish(q);", ROUNDS))
    session = Session()

    assert is_shown(program)
    assert not is_shown(program, session.load_model(MODEL, [rule]).model)
