"""Functions of sub-groups that take together those work-items that come to a call (COLL-3)."""

from __future__ import annotations

import pytest

from mcm import InputError, KernelRequest, KernelSource, Source, check, format_test, parse, run

ENGINES = ("explicit", "smt")
TEXT = """OPENCL functions
{ int d[4]={5, 0, 7, 2}; int out[4]; atomic_int x; }
kernel K (global int* d, global int* out, global atomic_int* x) {
  int i = get_sub_group_local_id();
  int v = d[i], r = 0;
  BODY
  out[i] = r;
}
launch K global 4, local 4, sub SIZE;
forall (CONDITION)
"""


def text_of(body: str, condition: str, size: int = 4) -> Source:
    text = TEXT.replace("BODY", body).replace("CONDITION", condition).replace("SIZE", str(size))
    return Source("functions", text)


def out(*values: int) -> str:
    return " /\\ ".join(f"out[{number}]={value}" for number, value in enumerate(values))


# What each of the work-items is returned, whose values are 5, 0, 7, 2.
OF_ALL = {
    "r = sub_group_ballot(v > 1).x;": (13, 13, 13, 13),
    "r = sub_group_ballot(v > 1).y;": (0, 0, 0, 0),
    "uint4 b = sub_group_ballot(v > 1); r = b.w + b.s0;": (13, 13, 13, 13),
    "r = sub_group_inverse_ballot(sub_group_ballot(v > 1)) != 0;": (1, 0, 1, 1),
    "r = sub_group_ballot_bit_extract((uint4)(5, 0, 0, 0), i) != 0;": (1, 0, 1, 0),
    "r = sub_group_ballot_bit_count((uint4)(0xf5, 9, 0, 0));": (2, 2, 2, 2),
    "r = sub_group_ballot_inclusive_scan(sub_group_ballot(v > 1));": (1, 1, 2, 3),
    "r = sub_group_ballot_exclusive_scan(sub_group_ballot(v > 1));": (0, 1, 1, 2),
    "r = 10 * sub_group_ballot_find_lsb((uint4)(6)) + sub_group_ballot_find_msb((uint4)(6));": (12, 12, 12, 12),
    "r = get_sub_group_eq_mask().x;": (1, 2, 4, 8),
    "r = (get_sub_group_ge_mask() & sub_group_ballot(v > 1)).x;": (13, 12, 12, 8),
    "r = get_sub_group_gt_mask().x;": (14, 12, 8, 0),
    "r = get_sub_group_le_mask().x + get_sub_group_lt_mask().x;": (1, 4, 10, 22),
    "r = sub_group_elect();": (1, 0, 0, 0),
    "r = sub_group_non_uniform_all(v) + 2 * sub_group_non_uniform_any(v);": (2, 2, 2, 2),
    "r = sub_group_non_uniform_all_equal(v > 9) + 2 * sub_group_non_uniform_all_equal(v * 0.5f);": (1, 1, 1, 1),
    "r = sub_group_non_uniform_broadcast(v, 2) + 10 * sub_group_broadcast_first(v);": (57, 57, 57, 57),
    "r = sub_group_shuffle(v, 3 - i);": (2, 7, 0, 5),
    "r = intel_sub_group_shuffle(v, 3 - i) + intel_sub_group_shuffle_xor(10 * v, 1);": (2, 57, 20, 75),
    "r = intel_sub_group_shuffle_down(v, 10 + v, 1u);": (0, 7, 2, 15),
    "r = intel_sub_group_shuffle_down(v, 10, i);": (5, 7, 10, 10),
    "r = intel_sub_group_shuffle_up(10 + v, v, 3u);": (10, 17, 12, 5),
    "r = intel_sub_group_shuffle((int2)(v, 2 * v), 2).y;": (14, 14, 14, 14),
    "r = intel_sub_group_block_read((global uint*)d) + intel_sub_group_block_read_ui((global uint*)d);": (10, 0, 14, 4),
    "r = sub_group_rotate(v, 1);": (0, 7, 2, 5),
    "r = sub_group_rotate(v, -1);": (2, 5, 0, 7),
    "r = sub_group_clustered_rotate(v, 3, 2);": (0, 5, 2, 7),
    "r = sub_group_clustered_reduce_add(v, 2);": (5, 5, 9, 9),
    "r = sub_group_clustered_reduce_max(v, 1) + sub_group_clustered_reduce_xor(v, 4);": (5, 0, 7, 2),
    "r = sub_group_clustered_reduce_logical_and(v, 2);": (0, 0, 1, 1),
    "r = sub_group_non_uniform_reduce_mul(v + 1);": (144, 144, 144, 144),
    "r = sub_group_non_uniform_scan_inclusive_min(v);": (5, 0, 0, 0),
    "r = sub_group_non_uniform_scan_exclusive_or(v);": (0, 5, 5, 7),
    "r = sub_group_non_uniform_scan_exclusive_and(v);": (-1, 5, 0, 0),
    "r = sub_group_non_uniform_reduce_add((uchar)(v + 100));": (158, 158, 158, 158),
    "r = sub_group_non_uniform_scan_exclusive_max((char)v) + 200;": (72, 205, 205, 207),
}
OF_SOME = {
    "if (v > 1) { r = sub_group_ballot(1).x + 100 * sub_group_elect(); }": (113, 0, 13, 13),
    "if (v > 1) { r = sub_group_non_uniform_reduce_add(v); } else { r = sub_group_elect() + 7; }": (14, 8, 14, 14),
    "if (v < 6) { r = sub_group_non_uniform_scan_exclusive_min(v + 1) == 2147483647; }": (1, 0, 0, 0),
    "if (v < 6) { r = sub_group_clustered_reduce_add(v + 1, 2); }": (7, 7, 0, 3),
    "if (v) { r = sub_group_broadcast_first(v + i) + sub_group_non_uniform_all_equal(v > 1); }": (6, 0, 6, 6),
    "for (int k = 0; k < v; k += 2) { r += sub_group_non_uniform_reduce_add(1); }": (7, 0, 8, 3),
    "for (int k = 0; k < 3; k++) { if (k == v) break; r = 10 * r + sub_group_ballot(1).x; }": (1435, 0, 1435, 143),
    "r = v > 1 && sub_group_non_uniform_all(v > 1);": (1, 0, 1, 1),
    "int t = sub_group_shuffle_xor(i, 1); if (v > 1) { int u = sub_group_shuffle_xor(i, 2); if (i != 3) r = u; } "
    "else { r = t; }": (2, 0, 0, 0),
}


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("body", "values"), [*OF_ALL.items(), *OF_SOME.items()])
def test_values(body: str, values: tuple[int, ...], engine: str) -> None:
    source = text_of(body, out(*values))
    found = check(source, engine=engine)

    assert (found.holds, found.undefined, found.blocked) == (True, (), ())
    ran = run(source, runs=2)
    assert (ran.positive, ran.problems, ran.blocked) == (2, (), ())


@pytest.mark.parametrize("engine", ENGINES)
def test_sub_groups_are_apart_and_the_last_one_may_be_smaller(engine: str) -> None:
    body = "r = sub_group_non_uniform_reduce_add(1) * 10 + sub_group_ballot_bit_count(get_sub_group_ge_mask());"

    found = check(text_of(body, "true", size=3), engine=engine)
    # Two work-items of different sub-groups have the number 0, and both write there.
    assert {problem.kind for problem in found.undefined} == {"data-race"}
    body = f"{body} i = get_local_id(0);"
    assert check(text_of(body, out(33, 32, 31, 13), size=3), engine=engine).holds


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("r = sub_group_shuffle(v, 4 + i);", "undetermined-value"),
        ("if (v > 1) { r = sub_group_shuffle(v, 1); }", "undetermined-value"),
        ("if (v > 1) { r = sub_group_non_uniform_broadcast(v, 1); }", "undetermined-value"),
        ("if (i > 0) { r = sub_group_rotate(v, 1); }", "undetermined-value"),
        ("if (v > 1) { r = intel_sub_group_shuffle_down(v, 0, 1u); }", "undetermined-value"),
        ("r = sub_group_ballot_find_msb(sub_group_ballot(v > 9));", "undetermined-value"),
        ("r = sub_group_ballot_bit_extract(sub_group_ballot(v > 1), 4);", "undetermined-value"),
        ("r = sub_group_non_uniform_broadcast(v, i);", "barrier-divergence"),
        ("r = sub_group_rotate(v, i);", "barrier-divergence"),
        ("r = sub_group_inverse_ballot((uint4)(i));", "barrier-divergence"),
        ("if (i > 0) { r = sub_group_reduce_add(v); }", "barrier-divergence"),
    ],
)
def test_what_is_undefined(body: str, kind: str, engine: str) -> None:
    found = check(text_of(body, "true"), engine=engine)

    assert kind in {problem.kind for problem in found.undefined}


@pytest.mark.parametrize("engine", ENGINES)
def test_what_nothing_determines_may_be_left_alone(engine: str) -> None:
    body = "uint4 b = sub_group_ballot(v > 9); int l = sub_group_ballot_find_lsb(b); if (b.x) { r = l; }"

    found = check(text_of(body, out(0, 0, 0, 0)), engine=engine)
    assert (found.holds, found.undefined) == (True, ())


BLOCKS = """OPENCL blocks
{ ushort a[16]={1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}; ushort b[16]; }
kernel K (global ushort* a, global ushort* b) {
  uint first = 8 * get_sub_group_id();
  ushort2 v = intel_sub_group_block_read_us2(a + first);
  intel_sub_group_block_write_us2(b + first, v.yx);
}
launch K global 8, local 8, sub 4;
forall (b[0]=5 /\\ b[3]=8 /\\ b[4]=1 /\\ b[8]=13 /\\ b[15]=12)
"""


@pytest.mark.parametrize("engine", ENGINES)
def test_blocks_have_a_number_of_each_share(engine: str) -> None:
    found = check(Source("blocks", BLOCKS), engine=engine)
    assert (found.holds, found.undefined) == (True, ())
    assert run(Source("blocks", BLOCKS), runs=2).positive == 2


@pytest.mark.parametrize("engine", ENGINES)
def test_blocks_of_two_sub_groups_at_one_place_race(engine: str) -> None:
    found = check(Source("blocks", BLOCKS.replace("b + first", "b")), engine=engine)
    assert {race.location for race in found.races} >= {f"b[{number}]" for number in range(4)}
    assert {site.text for race in found.races for site in race.sites} == {
        "intel_sub_group_block_write_us2(b, v.yx)",
    }


def complaints(body: str, size: int = 4) -> list[str]:
    with pytest.raises(InputError) as raised:
        check(text_of(body, "true", size=size))
    return [d.code for d in raised.value.diagnostics if d.is_error]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("r = intel_sub_group_block_read(d, (int2)(0));", "E100"),
        ("r = intel_sub_group_shuffle_down(v, 1u);", "E104"),
        ("r = intel_sub_group_shuffle_up(v, v, 1.0f);", "E119"),
        ("r = sub_group_ballot(v);", "E122"),
        ("r = get_sub_group_eq_mask();", "E122"),
        ("r = sub_group_ballot_bit_count(v);", "E104"),
        ("r = sub_group_clustered_reduce_add(v, v);", "E171"),
        ("r = sub_group_clustered_reduce_add(v, 8);", "E171"),
        ("r = sub_group_non_uniform_reduce_and(1.5f);", "E119"),
        ("r = sub_group_elect(1);", "E104"),
        ("r = sub_group_reduce_mul(v);", "E140"),
        # Who comes may be told by what the others do when they have gone on.
        ("if (i == 0 || atomic_load(x) == 1) { r = sub_group_ballot(1).x; atomic_store(x, 1); }", "E100"),
    ],
)
def test_complaints(body: str, code: str) -> None:
    assert complaints(body) == [code]


def test_ballots_of_large_sub_groups() -> None:
    text = "kernel void k(global uint* out) { out[0] = sub_group_ballot(1).x; }"
    with pytest.raises(InputError, match="more than 32 work-items; this has 64"):
        parse(KernelSource("k.cl", text, KernelRequest(("k global 64, local 64",))))


def test_who_reads_before_a_barrier_does_not_see_what_is_written_behind_it() -> None:
    body = """local int t[4]; t[i] = v; barrier(CLK_LOCAL_MEM_FENCE);
    if (t[3 - i] > 1) { r = sub_group_ballot(1).x; }
    atomic_fetch_add(x, 1);
    barrier(CLK_LOCAL_MEM_FENCE); t[i] = 0;"""

    assert check(text_of(body, out(11, 11, 0, 11))).holds


@pytest.mark.parametrize("engine", ENGINES)
def test_those_who_wait_elsewhere_do_not_come(engine: str) -> None:
    body = """if (i < 2) { while (atomic_load(x) != 1); } else { r = sub_group_non_uniform_reduce_add(1); }
    if (i == 2) { atomic_store(x, 1); }"""
    source = text_of(body, out(0, 0, 2, 2))

    found = check(source, engine=engine)
    assert (found.holds, found.undefined, found.blocked) == (True, (), ())
    assert run(source, runs=20).blocked == ()


def test_every_run_is_found() -> None:
    body = "int n = 0; if (atomic_fetch_add(x, 1) > 1) { n = sub_group_ballot(1).x; } r = n;"
    source = text_of(body, "true")

    allowed = {dict(state.values)["out[0]"] for state in check(source).states}
    ran = {dict(found.state.values)["out[0]"] for found in run(source, schedule="exhaustive").states}
    assert allowed == ran == {0, 3, 5, 9}


def test_several_calls_in_one_expression_come_in_one_order() -> None:
    source = text_of("r = sub_group_reduce_add(v) + 100 * sub_group_reduce_max(v);", out(714, 714, 714, 714))

    ran = run(source, runs=10)
    assert (ran.positive, ran.blocked) == (10, ())


@pytest.mark.parametrize("engine", ENGINES)
def test_vectors_are_broadcast(engine: str) -> None:
    text = """kernel void k(global int2* out, global const int2* in) {
      int i = get_global_id(0);
      int2 w = sub_group_broadcast(in[i], 1);
      if (i != 1) { w += sub_group_non_uniform_broadcast(in[i] + 1, 2u).yx; }
      out[i] = w;
    }"""
    asked = "forall out.x[0]=10 /\\ out.y[0]=10 /\\ out.x[1]=3 /\\ out.y[1]=4 /\\ out.x[2]=10"
    initial = ("out[3]", "in = {{1, 2}, {3, 4}, {5, 6}}")
    request = KernelRequest(("k global 3, local 3",), initial=initial, questions=(asked,))

    found = check(KernelSource("k.cl", text, request), engine=engine)
    assert (found.holds, found.undefined) == (True, ())


def test_a_trace_says_who_goes_on() -> None:
    body = "if (i < 2) { r = sub_group_elect(); } else { atomic_store(x, 1); }"
    trace = run(text_of(body, "true"), runs=1, trace=True).trace

    assert trace is not None
    assert "no more can come: K[0], K[1] go on" in [line.what for line in trace.lines]


def test_printing() -> None:
    printed = format_test(text_of("r = sub_group_ballot_bit_count(sub_group_ballot(v > 1));", "true"))

    assert "sub_group_ballot_bit_count(sub_group_ballot(v > 1))" in printed
