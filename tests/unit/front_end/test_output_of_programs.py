"""What a program puts out is read, also where the library makes something else of it before it is shown."""

from __future__ import annotations

import pytest
from host_samples import kinds

_BEFORE = "int* x = malloc_shared<int>(1, q); *x = 0; q.single_task([=] { *x += 1; });"


@pytest.mark.parametrize(
    "statement",
    [
        "std::cout << *x << std::endl;",
        "std::cout << std::bitset<32>(*x);",
        "std::cout << std::bitset<32>(*x).to_string() << '\\n';",
        "std::cout << std::setw(4) << std::to_string(*x);",
        "std::cout << std::max(*x, 1) - 1;",
        "std::cout << std::abs(std::min(*x, 2)) << std::flush;",
        "std::cout << std::accumulate(x, x + 1, 0);",
        'printf("%d", std::min(1, *x));',
        'std::fprintf(stderr, "%d", *x);',
        'sycl::ext::oneapi::experimental::printf("%d", *x);',
        'puts(*x ? "a" : "b");',
        'assert(*x == 1 && "text");',
    ],
)
def test_what_is_shown_is_read(statement: str) -> None:
    assert kinds(f"{_BEFORE} {statement} q.wait();") == {"data-race"}


@pytest.mark.parametrize(
    "statement",
    [
        "std::cout << std::setw(4) << std::fixed << std::setprecision(3) << std::endl;",
        "std::cout << std::string(20, '-') << std::string(\"a\") << std::numeric_limits<int>::max();",
        'std::fprintf(stderr, "hello"); puts("hello");',
        "std::cout.precision(3); std::cout.flush(); fflush(stdout); std::cout.setf(std::ios::fixed);",
    ],
)
def test_other_output_reads_nothing(statement: str) -> None:
    assert kinds(f"{_BEFORE} {statement} q.wait();") == set()


def test_streams_of_kernels() -> None:
    body = (
        "q.submit([&](handler& h) { auto out = sycl::stream(1024, 80, h); h.single_task([=] "
        '{ out << "i " << *x << sycl::endl; }); }); q.wait();'
    )
    assert kinds(f"{_BEFORE} {body}") == {"data-race"}
    assert kinds(f"{_BEFORE} q.wait(); {body.replace('auto out = sycl::stream', 'sycl::stream out')}") == set()
