"""SYCL programs as they stand: what is left out, what stands for what, and what is refused."""

from __future__ import annotations

from typing import Literal

import host_samples
import pytest

from mcm import InputError, Judged, KernelRequest, KernelSource, check, format_test
from mcm.front_end.read import header_of, read_test

PROGRAM = """// Each element twice, and one more.
#include <iostream>
#include <sycl/sycl.hpp>
#define N 2
using namespace sycl;
namespace names { class twice; template <typename T> class unused; }

template <typename T> static T doubled(const T* from, int i) { return T(2) * from[i]; }

class Increment {
 public:
  explicit Increment(accessor<int> data, int by) : data_(data), by_{by} {}
  void operator()(item<1> i) const { data_[i] += by_; }
 private:
  accessor<int> data_;
  int by_;
};

template <typename T>
void run(queue& q, std::vector<T>& values, const T* first) {
  buffer<T> b{values.data(), range{values.size()}};
  auto event = q.submit([&](handler& h) {
    auto out = b.template get_access<access::mode::discard_write>(h);
    h.parallel_for<class names::twice>(range<1>(N), [=](id<1> i) { out[i] = doubled<T>(first, i); });
  });
  q.submit([&](handler& h) {
    accessor out{b, h};
    h.parallel_for(values.size(), Increment(out, 1));
  });
}

int main(int argc, char* argv[]) {
  auto q = queue{gpu_selector_v, [](exception_list) {}};
  std::cout << "on " << q.get_device().get_info<info::device::name>() << std::endl;
  int* first = static_cast<int*>(malloc_shared(N * sizeof(int), q));
  if (first == nullptr) return 1;
  std::iota(first, first + N, 3);
  std::vector<int> values(N);
  try {
    run(q, values, first);
  } catch (const exception& e) {
    std::cerr << e.what();
    return 2;
  }
  int sum = 0;
  for (const auto& value : values) sum += value;
  std::cout << "sum " << sum << " " << (sum == 16 ? "right" : "wrong") << '\\n';
  assert(values[0] == 7 and not (values[1] == 8));
  free(first, q);
  return sum == 16 ? EXIT_SUCCESS : EXIT_FAILURE;
}
"""


def source(text: str = PROGRAM, **request: tuple[str, ...]) -> KernelSource:
    return KernelSource("twice.cpp", text, KernelRequest(**request))


def judged(text: str, **request: tuple[str, ...]) -> Judged:
    found = check(source(text, **request))
    assert isinstance(found, Judged), found
    return found


def main(body: str) -> str:
    return f"#include <CL/sycl.hpp>\nint main() {{\n  cl::sycl::queue q;\n  {body}\n}}\n"


def complaint(text: str, **request: tuple[str, ...]) -> str:
    with pytest.raises(InputError) as raised:
        read_test(source(text, **request))
    first = raised.value.diagnostics[0]
    return f"{first.span.line}: {first.code} {first.message}"


def test_a_program_is_read_as_it_stands() -> None:
    found = judged(PROGRAM)

    assert found.undefined == ()
    assert [sorted(state.values.values()) for state in found.states] == [[3, 4, 7, 9]]


def test_a_question_and_definitions_may_stand_beside_it() -> None:
    assert judged(PROGRAM, questions=("exists values[1]=9",)).reachable
    assert not judged(PROGRAM, questions=("exists values[1]=8",)).reachable
    assert judged(main("int* x = malloc_shared<int>(M, q); *x = M;"), definitions=("M=1",)).undefined == ()


def test_its_name_and_its_layout() -> None:
    header = header_of(source())

    assert header is not None
    assert header.name == "twice"
    assert format_test(source(main("int* x = malloc_shared<int>(1, q); *x = 1;"))).startswith("SYCL twice")


def test_places_are_those_of_the_file() -> None:
    (race,) = judged(main("int* x = malloc_shared<int>(1, q);\n  q.single_task([=] { *x = 1; });\n  *x = 2;")).undefined

    assert sorted(site.span.line for site in race.sites) == [5, 6]


@pytest.mark.parametrize(
    "body",
    [
        # What is put out, or asserted, is read; so is what a condition of `main` returns.
        "int* x = malloc_shared<int>(1, q); *x = 1; q.single_task([=] { *x = 2; }); std::cout << *x;",
        'int* x = malloc_shared<int>(1, q); *x = 1; q.single_task([=] { *x = 2; }); printf("%d", *x);',
        "int* x = malloc_shared<int>(1, q); *x = 1; q.single_task([=] { *x = 2; }); assert(*x == 2);",
        "int* x = malloc_shared<int>(1, q); *x = 1; q.single_task([=] { *x = 2; }); return *x == 2;",
        # A vector is written back where its buffer ends, and not before.
        (
            "std::vector<int> v(1); sycl::buffer b(v); q.submit([&](sycl::handler& h) { sycl::accessor a(b, h); "
            "h.single_task([=] { a[0] = 1; }); }); if (v[0]) return 1;"
        ),
        # Each queue is out of order unless it says otherwise.
        "int* x = sycl::malloc_device<int>(1, q); q.fill(x, 0, 1); q.single_task([=] { *x += 1; }).wait();",
    ],
)
def test_races_with_the_host(body: str) -> None:
    assert "data-race" in {problem.kind for problem in judged(main(body)).undefined}


@pytest.mark.parametrize(
    ("body", "value"),
    [
        (
            "std::vector<int> v(3, 2); v[1] = 1; auto r = std::all_of(v.begin(), v.end(), [](int i) {return i > 1;});",
            0,
        ),
        ("std::array<int, 2> v = {{1, 2}}; bool r = std::any_of(v.begin(), v.end(), [](int i) { return i > 1; });", 1),
        (
            "std::array<int, 2> v{1, 2}; bool r = std::none_of(v.begin(), v.end(), [](int i) { return i > 1; });",
            0,
        ),
        ("std::vector<float> v(3, 1.5f); float f = std::accumulate(v.begin(), v.end(), 0); int r = f;", 3),
        ("std::vector<int> v{1, 2, 3}; auto r = std::accumulate(v.begin(), v.end(), 10);", 16),
        ("int* p = nullptr; p = (int*)malloc(2 * sizeof(int)); std::fill(p, p + 2, 4); int r = p[1]; free(p);", 4),
        ("int* p = new int[2]; for (int i = 0; i < 2; i++) p[i] = i; int r = p[1]; delete[] p;", 1),
        ("int c[2] = {}; c[1] += 2; { sycl::buffer b(c, sycl::range{2}); } int r = c[0] + c[1];", 2),
        ("std::vector<int> v(2); for (auto& x : v) x = 3; int r = 0; for (int x : v) { r += x; }", 6),
    ],
)
def test_the_library_of_the_host(body: str, value: int) -> None:
    assert judged(main(body), questions=(f"forall 0:r={value}",)).holds


def test_ids_that_kernels_make() -> None:
    body = (
        "sycl::range<2> n{2, 2}, half = n / sycl::range<2>(2, 1); sycl::buffer<int, 2> b(n); "
        "q.submit([&](sycl::handler& h) { sycl::accessor a(b, h, sycl::write_only); "
        "h.parallel_for(n, [=](sycl::item<2> it) { auto i = it.get_id(); auto t = sycl::id{i[1], i[0]}; "
        "sycl::id<2> u(1, 1); auto w = u - t; a[w] = i[0] * 10 + w.get(1) + half[0] - 1; }); });"
    )
    # Work-item {i, j} writes 10 i + 1 - i to {1 - j, 1 - i}.
    asked = "forall b[0]=10 /\\ b[1]=1 /\\ b[2]=10 /\\ b[3]=1"
    assert judged(main(body), questions=(asked,)).holds


@pytest.mark.parametrize(
    "body",
    [
        (
            "sycl::buffer<int> b(1); "
            "q.submit([&](sycl::handler& h) { sycl::accessor a(b, h); h.fill(a, 1); }); "
            "q.submit([&](sycl::handler& h) { auto a = b.get_access<sycl::access::mode::atomic>(h); "
            "h.parallel_for(3, [=](sycl::id<1> i) { sycl::atomic_fetch_add(a[0], 1); a[0].fetch_add(1); }); });"
        ),
        (
            "int* b = sycl::malloc_shared<int>(1, q); *b = 1; q.parallel_for(3, [=](auto i) { sycl::atomic<int, "
            "sycl::access::address_space::global_space> a(sycl::multi_ptr<int, "
            "sycl::access::address_space::global_space>(b)); a.fetch_add(2); }).wait();"
        ),
    ],
)
def test_atomic_operations_in_older_words(body: str) -> None:
    found = judged(main(body), questions=("forall b[0]=7",))

    assert found.undefined == ()
    assert found.holds


def test_functions_may_have_names_that_opencl_c_has() -> None:
    own = "int min(int a, int b) { return a + b; }\nint atomic_add(int* p, int v) { *p += v; return 0; }\n"
    body = (
        "int* x = malloc_shared<int>(2, q); x[0] = 1; q.single_task([=] { atomic_add(x, min(2, 3)); "
        "x[1] = sycl::min(2, 3); }).wait();"
    )
    assert judged(own + main(body), questions=("forall x[0]=6 /\\ x[1]=2",)).holds


def test_a_buffer_is_made_of_an_array_with_values() -> None:
    body = (
        "int data[4] = {3, 0, -2, 7}; { buffer<int> b(data, 4); q.submit([&](handler& h) { accessor a(b, h); "
        "h.parallel_for(4, [=](id<1> i) { a[i] += 1; }); }); }"
    )
    found = judged(main(body), questions=("forall data[0]=4 /\\ data[1]=1 /\\ data[2]=-1 /\\ data[3]=8",))

    assert found.holds
    assert not any(name.startswith("b") for state in found.states for name in state.values)


@pytest.mark.parametrize("type_", ["int", "long", "unsigned", "unsigned long", "unsigned char", "short"])
def test_what_a_template_stands_for_is_seen_in_a_declaration(type_: str) -> None:
    function = "template <typename T> void change(T &x) { x = x * 3 + 1; }\n"
    body = f"int* o = malloc_shared<int>(1, q); q.single_task([=] {{ {type_} v = 4; change(v); o[0] = v; }}).wait();"

    assert judged(function + main(body), questions=("forall o[0]=13",)).holds


def test_loops_over_arrays() -> None:
    body = (
        "int* o = malloc_shared<int>(2, q); q.single_task([=] { int a[3] = {1, 2, 3}; for (auto& e : a) e *= 2; "
        "o[0] = 0; for (const int e : a) o[0] += e; o[1] = std::size(a); }).wait(); "
        "int b[2] = {4, 5}; for (int e : b) o[0] += e; std::vector<int> v(2, 1); o[1] += std::size(v);"
    )
    assert judged(main(body), questions=("forall o[0]=21 /\\ o[1]=5",)).holds


def test_leaving_main_ends_buffers() -> None:
    body = (
        "int x = 0; { sycl::buffer b(&x, 1); q.submit([&](sycl::handler& h) { sycl::accessor a(b, h); "
        "h.single_task([=] { a[0] = 1; }); }); if (q.get_device().has(sycl::aspect::gpu)) return 1; } return x;"
    )
    assert judged(main(body)).undefined == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("void f() {}\n", "1: E181 this program has no function 'main'"),
        (main("std::sort(q);"), "4: E207 'std::sort': this is C++"),
        (main("std::list<int> s;"), "4: E"),
        (
            "void f(sycl::queue q) { do { return; } while (true); }\n" + main("f(q);"),
            "1: E207 'f', a function of the host, returns",
        ),
        (
            "int f(sycl::queue q) { return 1; }\n" + main("int r = x ? 2 * f(q) : 3;"),
            "5: E207 'f', a function of the host, is called",
        ),
        ("void f(sycl::queue q, int n) { }\n" + main("f(q);"), "5: E104 'f' takes 2 arguments, found 1"),
        ("template <class T> T f(int a) { return a; }\n" + main("int r = f(1);"), "5: E207 what 'T' stands for"),
        (
            "template <class T> void f(T& a) { a = 1; }\n" + main("q.single_task([=] { auto v = 2; f(v); });"),
            "5: E207 what 'T' stands for in this call of 'f' is not evident: write it, 'f<…>(…)'",
        ),
        (
            "void f(std::vector<int> v) { }\n" + main("std::vector<int> v(1); f(v);"),
            "5: E207 'v' is a copy of a container",
        ),
        (
            "struct F { int* x; void operator()() const { *x = 1; } };\n"
            + main("int* x = malloc_shared<int>(2, q); q.single_task(F{&x[f(1)]});"),
            "5: E207 a kernel is an object that is made of names and numbers here, found '&x[f(1)]'",
        ),
        ('#include "missing.hpp"\n' + main(""), "1: E180 'missing.hpp' cannot be found"),
    ],
)
def test_what_is_refused(text: str, message: str) -> None:
    assert complaint(text).startswith(message)


def test_a_program_says_itself_what_it_launches() -> None:
    assert complaint(PROGRAM, launches=("K global 2",)).startswith("1: E181 a program says itself")


@pytest.mark.parametrize(
    "body",
    [
        "queue r(",
        "printf(",
        "std::fill(p, p + 2, );",
        "for (auto& x : ) {}",
        "struct F { void operator()( } ; q.single_task(F());",
        "struct F { void operator()() ; int ; }; q.single_task(F());",
    ],
)
def test_what_breaks_off_is_a_mistake_of_the_program(body: str) -> None:
    with pytest.raises(InputError):
        read_test(source(main(body)))


@pytest.mark.parametrize("engine", ["explicit", "smt"])
def test_numbers_of_floating_types_are_shown_as_such(engine: Literal["explicit", "smt"]) -> None:
    program = """#include <sycl/sycl.hpp>
int main() {
  float r[2];
  for (int i = 0; i < 2; ++i) { r[i] = 5.0f; }
  sycl::queue q;
  float* d = sycl::malloc_device<float>(2, q);
  q.parallel_for(sycl::range<1>{2}, [=](sycl::id<1> i) { d[i] = i * 0.5f; }).wait();
  q.memcpy(r, d, 2 * sizeof(float)).wait();
}
"""
    result = check(source(program), engine=engine)

    assert isinstance(result, Judged)
    assert [repr(value) for value in result.states[0].values.values()] == ["0.0", "0.5"]


def test_streams_of_kernels_say_nothing_but_what_they_read() -> None:
    body = (
        "int* x = sycl::malloc_shared<int>(2, q); q.submit([&](sycl::handler& h) { sycl::stream out(1024, 256, h); "
        'h.parallel_for(2, [=](sycl::id<1> i) { x[i] = 1; out << "item " << i << sycl::endl; }); }).wait(); '
    )
    assert host_samples.holds(body, "x[1]=1")
    assert "data-race" in host_samples.kinds(body.replace("out << ", "out << x[0] << "))


def test_arrays_of_several_dimensions_are_named() -> None:
    body = "int a[2][2][2]; sycl::buffer<int, 3> b(reinterpret_cast<int*>(a), sycl::range<3>(2, 2, 2));"
    assert "'a' is an array of several dimensions" in host_samples.refused(body)
