"""What reads return in a run is supposed to be all that they return, and shown or given up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest
from msgspec.structs import replace

import mcm
from mcm.answer.query import Query
from mcm.base.source import Source
from mcm.catalogue import registry
from mcm.confirm import undefined_behaviour
from mcm.engine.choose import EngineName, decide, objects_of_suppositions
from mcm.execution.elaborate import elaborate
from mcm.execution.expression import Constant
from mcm.execution.supposition import NOTHING_SUPPOSED, FalseSuppositionError, Suppositions
from mcm.explain.observed import observed_by
from mcm.front_end.read import read_test
from mcm.program.types import Location
from mcm.supposing import reads_of_run, results_of_groups, supposed_query

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcm.machine.recording import Recording
    from mcm.program.program import Program

MODEL: Final = "opencl-3.0"
BARRIER: Final = "work_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);"
# Data says how far the loop goes.
LOOP: Final = "for (int k = 0; k < t[l]; k++) r0 += t[k];"


def program_with(body: str, *, items: int = 2, local: int = 2, parameters: str = "", initial: str = "") -> Program:
    text = f"""OPENCL supposed
{{ int in[{items}] = {{2, 1}}; {initial} }}
kernel K (global int* in, local int t[2]{parameters}) {{
  int l = get_local_id(0), r0 = 0;
  t[l] = in[get_global_id(0)];
  {BARRIER}
  {body}
}}
launch K global {items}, local {local}, dev 0;
locations [ 0:r0; 1:r0; ]
"""
    return read_test(Source("supposed", text)).program


def asker(program: Program) -> Callable[[Suppositions], Query]:
    def query_of(supposed: Suppositions) -> Query:
        skeletons = elaborate(program, 4, waiting=True, supposed=supposed)
        return Query(skeletons, registry.get(MODEL), observed_by(program))

    return query_of


def run_of(program: Program) -> Recording:
    run = undefined_behaviour(program, registry.get(MODEL), range(1)).last
    assert run is not None
    return run


def shown(program: Program) -> Query | None:
    return supposed_query(program, run_of(program), asker(program))


def test_reads_that_barriers_order_are_shown() -> None:
    program = program_with(LOOP)

    query = shown(program)

    assert query is not None
    (skeleton,) = query.skeletons
    # Work-item 0 goes round twice, 1 once: what each loads, the iterations, and one condition more.
    assert len(skeleton.supposed) == (1 + 2 + 3) + (1 + 1 + 2)
    assert not skeleton.stops
    plain = decide(asker(program)(NOTHING_SUPPOSED), EngineName.EXPLICIT)
    assert [state.values for state in decide(query, EngineName.EXPLICIT).states] == [s.values for s in plain.states]


@pytest.mark.parametrize("body", ["if (l == 0) t[1] = 0; r0 = t[1];", "if (l == 1) t[0] = 7; r0 = t[0];"])
def test_a_racy_object_is_given_up(body: str) -> None:
    program = program_with(f"{LOOP} {body}")
    reads = reads_of_run(program, run_of(program))
    query = asker(program)(reads)

    racy = objects_of_suppositions(query)

    assert {program.objects[number].name for number in racy} == {"t"}
    again = shown(program)
    assert again is not None
    assert {read.locations[0].object for s in again.skeletons for read in map(s.events.__getitem__, s.supposed)} == {
        next(number for number, item in enumerate(program.objects) if item.name == "in")
    }


def test_another_value_is_not_shown() -> None:
    program = program_with(LOOP)
    reads = reads_of_run(program, run_of(program))
    for place, found in reads.items():
        assert isinstance(found.value.value, int)
        other = replace(found, value=Constant(found.value.value - 1))
        assert objects_of_suppositions(asker(program)(reads | {place: other})), place


def test_a_read_at_another_location_is_not_supposed() -> None:
    program = program_with(LOOP)
    reads = reads_of_run(program, run_of(program))
    place, found = next(iter(reads.items()))
    moved = replace(found, location=Location(found.location.object, found.location.offset + 1))

    (skeleton,) = asker(program)(reads | {place: moved}).skeletons

    assert len(skeleton.supposed) < len(asker(program)(reads).skeletons[0].supposed)


RELAXED: Final = "memory_order_relaxed, memory_scope_work_group"
FLAG: Final = ", local atomic_int* f"
RELEASE: Final = "atomic_store_explicit(f, 1, memory_order_release, memory_scope_work_group);"
ACQUIRE: Final = "r0 += atomic_load_explicit(f, memory_order_acquire, memory_scope_work_group);"


@pytest.mark.parametrize(
    ("body", "is_supposed"),
    [
        (f"atomic_fetch_add_explicit(f, 1, {RELAXED});", True),
        (f"if (t[0] == 9) atomic_fetch_add_explicit(f, 1, {RELAXED});", False),  # never executed
        (f"if (t[0] == 9) {{ {BARRIER} }}", False),  # likewise
        (f"{RELEASE}", True),  # nobody loads
        (f"{RELEASE} {BARRIER} {ACQUIRE}", True),
        (f"{RELEASE} {ACQUIRE}", False),
        (f"if (l == 0) {{ {RELEASE} }} else {{ {ACQUIRE} }}", False),
        (f"{RELEASE} work_group_barrier(CLK_GLOBAL_MEM_FENCE); {ACQUIRE}", False),  # it orders no local memory
        ("atomic_fetch_add_explicit(f, 1, memory_order_acquire, memory_scope_work_group);", False),
        ("atomic_exchange_explicit(f, 1, memory_order_release, memory_scope_work_group);", False),
        ("atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_acquire, memory_scope_work_group);", False),
        ("sub_group_barrier(CLK_LOCAL_MEM_FENCE);", False),
        ("r0 = sub_group_reduce_add(r0);", True),
        ("if (t[0] == 9) r0 = sub_group_ballot(1).x;", True),  # it orders nothing
        ("r0 = work_group_reduce_add(r0);", True),
    ],
)
def test_nothing_is_supposed_where_more_than_barriers_may_decide_who_goes_first(body: str, is_supposed: bool) -> None:
    program = program_with(f"if (l == 0) atomic_init(f, 0); {BARRIER} {LOOP} {body}", parameters=FLAG)

    assert (shown(program) is not None) == is_supposed


@pytest.mark.parametrize(("region", "is_supposed"), [("local", True), ("global", False)])
def test_groups_that_meet_at_atomics_are_left_as_they_are(region: str, is_supposed: bool) -> None:
    program = program_with(
        f"if (l == 0) atomic_init(f + {'get_group_id(0)' if region == 'global' else '0'}, 0); {LOOP}",
        items=4,
        parameters=f", {region} atomic_int* f",
        initial="atomic_int f[2];" if region == "global" else "",
    )

    assert (shown(program) is not None) == is_supposed


@pytest.mark.parametrize("between", [BARRIER, ""])
def test_reads_of_atomic_objects_are_supposed_where_barriers_lie_between_them_and_writes(between: str) -> None:
    program = program_with(
        f"if (l == 0) atomic_init(f, 0); {BARRIER} atomic_fetch_add_explicit(f, 1, {RELAXED}); {between} r0 = *f;",
        parameters=FLAG,
    )
    (atomic,) = (number for number, item in enumerate(program.objects) if item.atomic)

    supposed = {found.location.object for found in reads_of_run(program, run_of(program)).values()}

    assert (atomic in supposed) == bool(between)


def test_reads_that_justify_each_other_s_writes_are_not_supposed() -> None:
    """In a run neither item stores in the first turn; in an execution both do, as each has read the other's store."""
    turn = f"if (k == 1 || f[l] == 1) atomic_store_explicit(&f[1 - l], 1, {RELAXED});"
    program = program_with(
        f"atomic_init(&f[l], 0); {BARRIER} for (int k = 0; k < 2; k++) {{ {turn} {BARRIER} }}",
        parameters=", local atomic_int f[2]",
    )
    (atomic,) = (number for number, item in enumerate(program.objects) if item.atomic)

    supposed = {found.location.object for found in reads_of_run(program, run_of(program)).values()}

    assert atomic not in supposed
    answer = decide(asker(program)(NOTHING_SUPPOSED), EngineName.EXPLICIT)
    assert "data_race" in {flag.name for flag in answer.flags}


def test_rounds_until_nothing_changes_are_no_matter_of_the_bound() -> None:
    body = f"""
        for (;;) {{
          if (l == 0) *f = 0;
          {BARRIER}
          if (t[l] > 0) {{ t[l]--; atomic_fetch_add_explicit(f, 1, {RELAXED}); }}
          {BARRIER}
          if (*f == 0) break;
          {BARRIER}
          r0++;
        }}"""
    program = program_with(body, parameters=FLAG)

    result = mcm.check(program.source, model=MODEL)

    assert isinstance(result, mcm.Judged)
    assert not result.bounded
    assert [dict(state.values) for state in result.states] == [{"0:r0": 2, "1:r0": 2}]


ROUNDS: Final = f"""
    for (;;) {{
      {BARRIER}
      if (l == 0) atomic_store_explicit(f, 0, {RELAXED});
      {BARRIER}
      if (t[l] > 0) {{ t[l]--; SET }}
      {BARRIER}
      if (!atomic_load_explicit(f, {RELAXED})) break;
      r0++;
    }}"""


@pytest.mark.parametrize(
    ("set_", "is_shown"),
    [
        (f"atomic_store_explicit(f, 1, {RELAXED});", True),
        (f"atomic_exchange_explicit(f, 1, {RELAXED});", True),
        (f"atomic_fetch_or_explicit(f, 1, {RELAXED});", True),
        (f"atomic_store_explicit(f, l + 1, {RELAXED});", False),  # it depends on who is last
        (f"atomic_store_explicit(f, 1, {RELAXED}); r1 += atomic_load_explicit(f, {RELAXED});", False),
    ],
)
def test_rounds_may_end_by_a_flag_that_several_set(set_: str, is_shown: bool) -> None:
    program = program_with(f"int r1 = 0; {ROUNDS.replace('SET', set_)}", parameters=FLAG)
    (flag,) = (number for number, item in enumerate(program.objects) if item.name == "f")

    query = shown(program)

    assert query is not None
    supposed = {skeleton.events[read].locations[0].object for skeleton in query.skeletons for read in skeleton.supposed}
    assert (flag in supposed) == is_shown
    if is_shown:
        result = mcm.check(program.source, model=MODEL)
        assert isinstance(result, mcm.Judged)
        assert not result.bounded
        assert [dict(state.values) for state in result.states] == [{"0:r0": 2, "1:r0": 2}]


def test_the_flag_may_synchronise() -> None:
    body = ROUNDS.replace("SET", f"atomic_store_explicit(f, 1, {RELAXED});").replace("relaxed", "seq_cst")
    program = program_with(body, parameters=FLAG)

    result = mcm.check(program.source, model=MODEL)

    assert isinstance(result, mcm.Judged)
    assert (result.bound, result.bounded) == (2, ())
    assert [dict(state.values) for state in result.states] == [{"0:r0": 2, "1:r0": 2}]


def test_rounds_may_end_by_a_group_function() -> None:
    body = f"int more; do {{ more = t[l] > 0; if (more) t[l]--; r0++; {BARRIER} }} while (work_group_any(more));"
    program = program_with(body)

    result = mcm.check(program.source, model=MODEL)

    assert isinstance(result, mcm.Judged)
    assert not result.bounded
    assert [dict(state.values) for state in result.states] == [{"0:r0": 3, "1:r0": 3}]


def test_what_a_group_function_returns_is_given_up_where_its_members_may_pass_something_else() -> None:
    """Who adds first decides; the sum of all is another one where the second one adds twice."""
    add = f"atomic_fetch_add_explicit(f, 1, {RELAXED})"
    body = f"if (l == 0) atomic_init(f, 0); {BARRIER} int x = {add}; if (l == 1) x += x; r0 = work_group_reduce_add(x);"
    program = program_with(f"{body} {LOOP}", parameters=FLAG)
    results = results_of_groups(run_of(program))
    assert len(results) == 2

    with pytest.raises(FalseSuppositionError):
        asker(program)(results)
    query = shown(program)
    assert query is not None
    sums = {state.values[0] for state in decide(query, EngineName.EXPLICIT).states}
    assert len(sums) == 2


def test_another_result_of_a_group_function_is_false() -> None:
    program = program_with(f"r0 = work_group_reduce_add(in[l]); {LOOP}")
    run = run_of(program)
    supposed = reads_of_run(program, run) | results_of_groups(run)
    assert asker(program)(supposed)
    for place, found in results_of_groups(run).items():
        assert found.value == Constant(3)
        with pytest.raises(FalseSuppositionError):
            asker(program)(supposed | {place: replace(found, value=Constant(4))})


def test_what_is_written_under_a_condition_is_not_shown() -> None:
    """Whether the write is executed depends on an update, of which nothing is supposed."""
    program = program_with(
        f"if (l == 0) {{ atomic_init(f, 0); }} {BARRIER} "
        f"if (l == 1 || atomic_fetch_add_explicit(f, 0, {RELAXED}) == 0) t[l] = 3; {BARRIER} r0 = t[1 - l] + in[0];",
        parameters=FLAG,
    )

    query = shown(program)

    assert query is not None
    supposed = {s.events[read].locations[0] for s in query.skeletons for read in s.supposed}
    assert {program.objects[place.object].name for place in supposed} == {"in"}


SORT: Final = """
kernel void merge_sort(global const int *in, global int *out, local int *a, local int *b) {
  int i = get_local_id(0), n = get_local_size(0);
  a[i] = in[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int width = 1; width < n; width *= 2) {
    int x = a[i];
    int block = i / (2 * width) * (2 * width);
    int is_right = (i / width) & 1;
    int begin = is_right ? block : block + width;
    int low = begin, high = begin + width;
    while (low < high) {
      int middle = (low + high) / 2;
      if (is_right ? a[middle] <= x : a[middle] < x) low = middle + 1; else high = middle;
    }
    b[block + i % width + low - begin] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    a[i] = b[i];
    BARRIER
  }
  out[i] = a[i];
}
"""


def sort(items: int, barrier: str, **options: str) -> mcm.Judged:
    values = [i * 37 % 101 for i in range(items)]
    text = f"OPENCL sort\n{{ int in[{items}] = {{{', '.join(map(str, values))}}}; out[{items}]; }}\n"
    text += SORT.replace("BARRIER", barrier).replace(
        "local int *a, local int *b", f"local int a[{items}], local int b[{items}]"
    )
    wrong = " \\/ ".join(f"out[{place}]!={value}" for place, value in enumerate(sorted(values)))
    text += f"launch merge_sort global {items}, local {items};\nexists ({wrong})\n"
    result = mcm.check(text, **options)
    assert isinstance(result, mcm.Judged)
    return result


def test_a_merge_sort_has_one_outcome() -> None:
    """Its binary searches go where the data says; not a second is needed, where it was undecided after a minute."""
    result = sort(32, "barrier(CLK_LOCAL_MEM_FENCE);")

    assert result.verdict is mcm.Verdict.FORBIDDEN
    assert len(result.states) == 1
    assert not result.bounded


def test_a_merge_sort_without_a_barrier_races() -> None:
    assert sort(32, "").verdict is mcm.Verdict.UNDEFINED


IN_PLACE: Final = """OPENCL in-place
{{ int a[6] = {{12, 18, 35, 6, 9, 4}}; int b[3] = {{8, 27, 14}}; }}
kernel void gcd(global int* a, global int* b) {{
  int i = get_global_id(0);
  while (b[i]) {{ int t = a[i] % b[i]; a[i] = b[i]; b[i] = t; }}
}}
kernel void bubble(global int* a) {{
  int swapped;
  do {{
    swapped = 0;
    for (int i = 0; i < 5; i++)
      if (a[i] > a[i + 1]) {{ int t = a[i]; a[i] = a[i + 1]; a[i + 1] = t; swapped = 1; }}
  }} while (swapped);
}}
launch {launch};
locations [a;]
"""


@pytest.mark.parametrize(
    ("launch", "expected"),
    [("gcd global 3, local 3", (4, 9, 7, 6, 9, 4)), ("bubble global 1, local 1", (4, 6, 9, 12, 18, 35))],
)
def test_so_it_is_where_everything_is_written_and_of_one_work_item(launch: str, expected: tuple[int, ...]) -> None:
    result = mcm.check(IN_PLACE.format(launch=launch), MODEL)
    assert isinstance(result, mcm.Judged)
    assert [tuple(dict(state.values).values()) for state in result.states] == [expected]
    assert not result.bounded


@pytest.mark.slow
def test_the_solver_alone_supposes_nothing() -> None:
    result, other = sort(4, "barrier(CLK_LOCAL_MEM_FENCE);", engine="smt"), sort(4, "barrier(CLK_LOCAL_MEM_FENCE);")

    assert [s.values for s in result.states] == [s.values for s in other.states]


@pytest.mark.parametrize(
    ("flags", "is_shown"),
    [("CLK_LOCAL_MEM_FENCE", False), ("CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE", True)],
)
@pytest.mark.parametrize("read", ["atomic_load_explicit(&c[0], HOW)", "atomic_fetch_or_explicit(&c[0], 0, HOW)"])
def test_what_a_barrier_does_not_order_may_come_out_of_thin_air(read: str, flags: str, *, is_shown: bool) -> None:
    """Where it orders local memory alone, the work-item that is told 3 may have written that, as c[3 % 3] is read."""
    how = "memory_order_relaxed, memory_scope_work_group"
    program = read_test(
        Source(
            "thin air",
            f"""OPENCL thin air
{{ atomic_int c[3] = {{2, 1, 0}}; }}
kernel K (global atomic_int* c, local int t[1]) {{
  int l = get_local_id(0);
  if (l == 0) {{ t[0] = {read.replace("HOW", how)}; }}
  work_group_barrier({flags});
  if (l == 1) {{ atomic_fetch_add_explicit(&c[t[0] % 3], 1, {how}); }}
}}
launch K global 2, local 2, dev 0;
locations [c[0];]
""",
        )
    ).program
    states = [(state.values, state.thin_air) for state in decide(asker(program)(NOTHING_SUPPOSED)).states]

    assert states == ([((2,), False)] if is_shown else [((2,), False), ((3,), True)])
    assert (shown(program) is not None) is is_shown
