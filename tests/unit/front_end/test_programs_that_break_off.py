"""Programs that are no C++: what is missing is told, whatever looks at the words before."""

from __future__ import annotations

import pytest

from mcm import InputError, KernelRequest, KernelSource, parse

BEGIN = "#include <sycl/sycl.hpp>\nusing namespace sycl;\n"


@pytest.mark.parametrize(
    "text",
    [
        "int main() { queue q; int* a = malloc<int>(2, q, , usm::alloc::shared); }",
        "int main() { queue q; int* a = malloc<int>(2, q, usm::alloc::shared",
        "int f(queue& q) { q.wait(); return 1; } int main() { queue q; int r = f(q) + 1",
        "int main() { queue q; q.single_task([=, , k = 2] { }); }",
        "int main() { queue q; std::array<> a; }",
        "int main() { queue q; buffer<int> b(range<1>(2), property::buffer::use_host_ptr()",
        "int main() { queue q; int i = 0; for (int i = 0; i < 3; i++) q.wait()",
        "int main() { try { return 0; } ",
        "int main() { queue q; std::unique_ptr<buffer<int>> b",
        "int main() { queue q; int n = 0; auto f = [&, ]() { return ++n; }; int a = f(), ",
    ],
)
def test_it_is_told(text: str) -> None:
    with pytest.raises(InputError):
        parse(KernelSource("broken.cpp", BEGIN + text, KernelRequest((), (), (), ())))
