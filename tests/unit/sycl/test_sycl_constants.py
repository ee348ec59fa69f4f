"""Constants outside units, accessors that are declared `auto`, and lines that mean nothing."""

from __future__ import annotations

import pytest

from mcm import InputError, Source, check, convert_test, format_test, run

CONSTANTS = """SYCL constants
"Constants outside units are known in sizes, kernels, functions, threads and host programs."
{ int d[4] = {1, 2, 3, 4}; int r[4] = {0}; }
constexpr size_t N = 4, Half = N / 2;
static const int offset = -1;
inline constexpr float scale = 0.5f;
int moved(int a) { return a + offset + N; }
q.submit([&](handler& h) {
  auto t = sycl::local_accessor<int, 1>(sycl::range<1>(Half), h);
  h.parallel_for(nd_range<1>(N, Half), [=](nd_item<1> it) {
    t[it.get_local_id(0)] = d[it.get_global_id(0)];
    group_barrier(it.get_group());
    r[it.get_global_id(0)] = moved(t[Half - 1 - it.get_local_id(0)]) * scale * 2 + it.get_group()[0];
  });
});
P0@host (int* d) { int h = N * 10; }
forall (r[0]=5 /\\ r[1]=4 /\\ r[2]=8 /\\ r[3]=7 /\\ 0:h=40)
"""


def test_constants_outside_units() -> None:
    source = Source("constants", CONSTANTS)

    for engine in ("explicit", "smt"):
        found = check(source, engine=engine)
        assert found.holds
        assert not found.undefined
    assert run(source, runs=2).problems == ()


def test_they_are_printed_and_converted() -> None:
    printed = format_test(Source("constants", CONSTANTS))
    assert "\nconstexpr size_t N = 4, Half = N / 2;\n" in printed
    assert format_test(Source("constants", printed)) == printed

    assert check(Source("opencl", convert_test(Source("constants", CONSTANTS), "opencl"))).holds


def test_a_host_program_knows_them() -> None:
    text = """SYCL host
    {}
    constexpr int N = 4;
    host {
      queue q;
      int* x = malloc_shared<int>(N * 2, q);
      buffer<int> b(range<1>{N});
      q.fill(x, 1, N * 2).wait();
      q.submit([&](handler& h) {
        auto a = accessor(b, h, write_only);
        h.parallel_for(range<1>(N), [=](id<1> i) { a[i] = x[i + N] + N; });
      });
      host_accessor c(b);
      int r = c[3];
    }
    forall (0:r=5)
    """
    found = check(Source("host", text))

    assert found.holds
    assert not found.undefined


@pytest.mark.parametrize(
    ("declared", "where"),
    [
        ("static int N = 4;", "4:12"),
        ("constexpr int N = f(4);", "4:15"),
        ("const int a[2] = {1, 2};", "4:11"),
    ],
)
def test_other_variables_outside_units(declared: str, where: str) -> None:
    text = (
        f"SYCL others\n{{ int x = 0; }}\nint f(int a) {{ return a; }}\n{declared}\nq.single_task([=] {{ *x = 1; }});\n"
    )

    with pytest.raises(InputError) as error:
        check(Source("others", text + "\nexists (x=1)\n"))
    (found,) = error.value.diagnostics
    assert (found.code, f"{found.span.line}:{found.span.column}") == ("E207", where)
    assert "is no constant with a number for its value" in found.message


def test_a_mistake_behind_a_constant() -> None:
    text = "SYCL others\n{ int x = 0; }\nconstexpr int N = 4;\nq.single_task([=] { *x = ; });\nexists (x=1)\n"

    with pytest.raises(InputError) as error:
        check(Source("others", text))
    assert [(one.code, one.span.line) for one in error.value.diagnostics] == [("E040", 4)]


def test_lines_that_mean_nothing() -> None:
    text = """SYCL lines
    #include <sycl/sycl.hpp>
    { int x = 0; }
    using namespace sycl;
    #pragma once
    q.single_task([=] {
      #pragma unroll
      for (int i = 0; i < 2; i++) { *x += 1; }
    });
    forall (x=2)
    """.replace("    #include <sycl/sycl.hpp>\n", "")

    assert check(Source("lines", text)).holds
    with pytest.raises(InputError):
        check(Source("lines", text.replace("#pragma once", "#include <vector>")))
