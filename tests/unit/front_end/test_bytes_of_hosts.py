"""Functions about bytes in host code, questions for headers, numbers of devices and classes that choose them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from host_samples import holds, kinds, refused

from mcm import Judged, KernelRequest, KernelSource, check

if TYPE_CHECKING:
    from pathlib import Path

_X = "int* x = malloc_shared<int>(4, q); for (int i = 0; i < 4; i++) x[i] = i + 1;"


@pytest.mark.parametrize(
    ("body", "question"),
    [
        ("memset(x, 0, 2 * sizeof(int));", "x[1]=0 /\\ x[2]=3"),
        ("int n = 3; std::memset(x, 0, sizeof(*x) * n);", "x[2]=0 /\\ x[3]=4"),
        ("int y[4]; memcpy(y, x, sizeof(y)); x[0] = y[3];", "x[0]=4"),
        ("std::vector<int> v(4, 1); std::memcpy(v.data(), x, 8); x[3] = v[1];", "x[3]=2"),
        ("std::vector<int> v(4, 1); memcpy(&v[0], x, 8); memmove(x, v.data(), 16);", "x[1]=2 /\\ x[3]=1"),
        ("auto y = malloc_host<int>(4, q); memcpy(y, x, 16); y[3] = 5; x[0] = memcmp(x, y, 12); ", "x[0]=0"),
        ("auto y = malloc_host<int>(4, q); memcpy(y, x, 16); y[3] = 5; if (memcmp(x, y, 16) != 0) x[0] = 9;", "x[0]=9"),
    ],
)
def test_functions_about_bytes(body: str, question: str) -> None:
    assert holds(f"{_X} {body}", question)


def test_a_copy_of_the_host_waits_for_nothing() -> None:
    body = "q.parallel_for(4, [=](auto i) { x[i] += 1; }); int y[4]; memcpy(y, x, sizeof(y)); q.wait();"
    assert kinds(f"{_X} {body}") == {"data-race"}


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("memset(x, 1, 16);", "'memset' of a host gives bytes the value 0"),
        ("float* f = (float*)malloc(16); memcpy(f, x, 16);", "'memcpy' between 'float' and 'int'"),
        ("int n = 1; memcpy(&n, x, 4);", "the name of an array, a container or a pointer"),
        ("auto n = q.get_device().get_info<info::device::vendor_id>();", "'vendor_id' is a number"),
    ],
)
def test_what_is_refused(body: str, message: str) -> None:
    assert message in refused(f"{_X} {body}")


def test_headers_that_may_be_there(tmp_path: Path) -> None:
    (tmp_path / "own.hpp").write_text("constexpr int own = 3;\n")
    text = (
        "#if __has_include(<sycl/sycl.hpp>)\n#include <sycl/sycl.hpp>\n#else\n#error none\n#endif\n"
        '#ifdef __has_include\n#if __has_include("own.hpp") && !__has_include("other.hpp")\n'
        '#include "own.hpp"\n#endif\n'
        "#endif\nint main() { sycl::queue q; int* x = sycl::malloc_shared<int>(1, q); *x = own; }\n"
    )
    file = tmp_path / "main.cpp"
    result = check(KernelSource(str(file), text, KernelRequest((), (), (), ("forall (x[0]=3)",))))
    assert isinstance(result, Judged)
    assert result.holds is True


def test_a_class_that_chooses_a_device() -> None:
    before = (
        "class chosen : public sycl::device_selector { public: int operator()(const sycl::device& d) const override "
        "{ return d.has(sycl::aspect::gpu) ? 2 : -1; } };"
    )
    assert holds(f"queue p{{chosen{{}}}}; {_X} p.single_task([=] {{ x[0] = 7; }}).wait();", "x[0]=7", before)
