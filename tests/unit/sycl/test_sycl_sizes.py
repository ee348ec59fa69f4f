"""How large the memory is that host programs make: sizes are constants, or have the name of one, or of a range."""

from __future__ import annotations

import pytest

from mcm import InputError, Judged, Source, Verdict, check
from mcm.front_end.read import read_test

TEST = """SYCL sizes
{{}}
host {{
  queue q;
  {made}
  q.submit([&](handler& h) {{ {access} h.parallel_for(range<1>(4), [=](id<1> i) {{ b[i] = i; }}); }}).wait();
}}
locations [b;]
"""


@pytest.mark.parametrize(
    "made",
    [
        "constexpr int N = 4; int* b = malloc_shared<int>(N, q);",
        "const size_t N = 2; auto b = malloc_device<int>(N * 2, q);",
        "size_t N{4}; int* b = malloc_shared<int>(N, q);",
        "int N = 5; { int N = 4; } int* b = malloc_shared<int>(N - 1, q);",
    ],
)
def test_usm(made: str) -> None:
    assert _elements(made) == {f"b[{index}]": index for index in range(4)}


@pytest.mark.parametrize(
    "made",
    [
        "constexpr int N = 4; buffer<int> c(range<1>(N));",
        "const int N = 2; buffer<int> c{range{N * 2}};",
        "range<1> r(4); buffer<int, 1> c{r};",
        "auto r = range<1>(4); buffer<int> c(r);",
        "const range<1> r = range<1>{4}; buffer<int> c(r);",
    ],
)
def test_buffers(made: str) -> None:
    assert _elements(made, "accessor b(c, h, write_only, no_init);", "c") == {
        f"c[{index}]": index for index in range(4)
    }


def test_a_named_range_has_its_dimensions() -> None:
    text = TEST.replace("range<1>(4)", "r").replace("id<1>", "id<2>").replace("b[i] = i", "b[i] = i[1]")
    made = "constexpr int N = 2; range<2> r{N, N}; buffer<int, 2> c(r);"
    (state,) = check(
        text.format(made=made, access="accessor b(c, h, write_only, no_init);").replace("[b;]", "[c;]")
    ).states
    assert dict(state.values) == {"c[0]": 0, "c[1]": 1, "c[2]": 0, "c[3]": 1}


@pytest.mark.parametrize("made", ["int N = 4; N = 5;", "int N; N = 4;", ""])
def test_a_size_that_is_no_constant_is_refused(made: str) -> None:
    text = TEST.format(made=f"{made} int* b = malloc_shared<int>(N, q);", access="")
    with pytest.raises(InputError) as caught:
        read_test(Source("t.litmus", text))
    assert "expected a constant size, found 'N'" in [one.message for one in caught.value.diagnostics]


def _elements(made: str, access: str = "", name: str = "b") -> dict[str, object]:
    text = TEST.format(made=made, access=access).replace("[b;]", f"[{name};]")
    result = check(text)
    assert isinstance(result, Judged)
    assert result.verdict is Verdict.ALLOWED
    (state,) = result.states
    return dict(state.values)
