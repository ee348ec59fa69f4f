"""Group algorithms of SYCL."""

from __future__ import annotations

import pytest

from mcm import InputError, Source, check, convert_test, run

TEXT = """SYCL algorithms
{ int d[4] = {5, 6, 7, 8}; int out[4]; }
q.parallel_for(nd_range<1>(4, 4), [=](nd_item<1> it) {
  auto g = it.get_group();
  auto sg = it.get_sub_group();
  int x = d[it.get_local_id(0)];
  auto r = VALUE;
  out[it.get_local_id(0)] = r;
});
forall (CONDITION)
"""

VALUES = {
    "permute_group_by_xor(sg, x, 1)": (6, 5, 8, 7),
    "sycl::permute_group_by_xor(sg, x, sg.get_max_local_range()[0] / 2)": (7, 8, 5, 6),
    "select_from_group(sg, x, id<1>(3))": (8, 8, 8, 8),
    "select_from_group(sg, x, sg.get_local_id())": (5, 6, 7, 8),
    "group_broadcast(g, x, sycl::id(2))": (7, 7, 7, 7),
    "reduce_over_group(g, x, 10, plus<>())": (36, 36, 36, 36),
    "reduce_over_group(sg, x, sycl::multiplies<int>())": (1680, 1680, 1680, 1680),
    "reduce_over_group(sg, x, 100, sycl::maximum<int>())": (100, 100, 100, 100),
    "reduce_over_group(g, x, bit_xor<int>{})": (12, 12, 12, 12),
    "reduce_over_group(g, x > 7, logical_or<bool>())": (1, 1, 1, 1),
    "exclusive_scan_over_group(g, x, 100, plus<int>())": (100, 105, 111, 118),
    "exclusive_scan_over_group(sg, x, bit_and<int>())": (-1, 5, 4, 4),
    "inclusive_scan_over_group(g, x, plus<>(), 100)": (105, 111, 118, 126),
    "exclusive_scan_over_group(g, x < 6, true, logical_and<bool>())": (1, 1, 0, 0),
    "none_of_group(g, x == 9)": (1, 1, 1, 1),
    "any_of_group(g, x, [](int a) { return a == 7; })": (1, 1, 1, 1),
    "all_of_group(sg, x - 5, [=](int a) { return a > 0; })": (0, 0, 0, 0),
    "sycl::none_of_group(g, x, [](int a) { return a == 7; })": (0, 0, 0, 0),
}


@pytest.mark.parametrize(("value", "expected"), VALUES.items())
def test_values(value: str, expected: tuple[int, ...]) -> None:
    condition = " /\\ ".join(f"out[{item}]={one}" for item, one in enumerate(expected))
    source = Source("algorithms", TEXT.replace("VALUE", value).replace("CONDITION", condition))

    for engine in ("explicit", "smt"):
        found = check(source, engine=engine)
        assert found.holds
        assert not found.undefined
    assert run(source, runs=2).problems == ()


@pytest.mark.parametrize(
    ("value", "inside", "expected"),
    [("shift_group_left(sg, x)", "< 3", (6, 7, 8, 0)), ("sycl::shift_group_right(sg, x, 2)", "> 1", (0, 0, 5, 6))],
)
def test_shifts(value: str, inside: str, expected: tuple[int, ...]) -> None:
    text = TEXT.replace("VALUE", value).replace("  out[", f"  if (sg.get_local_id()[0] {inside}) out[")
    condition = " /\\ ".join(f"out[{item}]={one}" for item, one in enumerate(expected))
    source = Source("algorithms", text.replace("CONDITION", condition))

    for engine in ("explicit", "smt"):
        found = check(source, engine=engine)
        assert found.holds
        assert not found.undefined


def test_what_a_shift_brings_from_outside_is_not_stored() -> None:
    source = Source("algorithms", TEXT.replace("VALUE", "shift_group_right(sg, x)").replace("CONDITION", "true"))

    assert {problem.kind for problem in check(source).undefined} == {"undetermined-value"}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("shift_group_left(g, x, 1)", ("E206", "'shift_group_left' is for sub-groups")),
        ("permute_group_by_xor(sg, x)", ("E104", "takes a sub-group, a value, and a mask, found 2")),
        ("reduce_over_group(g, x, range<1>(1))", ("E207", "'range' is not part")),
        ("reduce_over_group(g, x, 1)", ("E206", "expected one of 'plus<>()'")),
        ("reduce_over_group(g, x, 1, 2, plus<>())", ("E104", "found 5 arguments")),
    ],
)
def test_wrong_calls(value: str, expected: tuple[str, str]) -> None:
    with pytest.raises(InputError) as error:
        check(Source("algorithms", TEXT.replace("VALUE", value).replace("CONDITION", "true")))

    found = error.value.diagnostics[0]
    assert (found.code, expected[1] in found.message) == (expected[0], True)


def test_in_both_languages() -> None:
    value = "permute_group_by_xor(sg, x, 1) + reduce_over_group(g, x, multiplies<>())"
    opencl = convert_test(Source("a", TEXT.replace("VALUE", value).replace("CONDITION", "true")), "opencl")
    assert "sub_group_shuffle_xor(x, 1) + work_group_reduce_mul(x)" in opencl

    sycl = convert_test(Source("b", opencl), "sycl")
    assert "permute_group_by_xor(it.get_sub_group(), x, 1)" in sycl
    assert "reduce_over_group(it.get_group(), x, multiplies<>())" in sycl
