"""Reductions of spans: each work-item combines values with several elements."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds, refused

_BINS = (
    "int* b = malloc_shared<int>(3, q); int* in = malloc_shared<int>(4, q); b[0] = 5; b[1] = b[2] = 0; "
    "for (int i = 0; i < 4; i++) in[i] = i; "
)
_KERNEL = "q.parallel_for(range<1>(4), {reduction}, [=](id<1> i, auto& h) {{ {body} }}){wait};"
_TO_IDENTITY = "property::reduction::initialize_to_identity{}"
_PLUS = "reduction(sycl::span<int, 2>(b, 2), plus<>())"


def kernel(body: str, reduction: str = _PLUS, wait: str = ".wait()") -> str:
    return _BINS + _KERNEL.format(reduction=reduction, body=body, wait=wait)


@pytest.mark.parametrize(
    ("body", "reduction", "question"),
    [
        ("h[in[i] % 2] += 1;", _PLUS, "b[0]=7 /\\ b[1]=2 /\\ b[2]=0"),
        ("h[i % 2].combine(in[i]); h[1]++;", _PLUS, "b[0]=7 /\\ b[1]=8"),
        (
            "h[0] += in[i];",
            "reduction(span(b, 2), plus<int>(), property::reduction::initialize_to_identity{})",
            "b[0]=6",
        ),
        ("h[i / 2].combine(in[i] + 1);", "reduction(span<int, 3>(b, 3), maximum<>())", "b[0]=5 /\\ b[1]=4 /\\ b[2]=0"),
    ],
)
def test_each_element_is_combined(body: str, reduction: str, question: str) -> None:
    assert holds(kernel(body, reduction), question)


def test_an_index_outside_of_the_span() -> None:
    assert kinds(kernel("h[i] += 1;")) == {"out-of-bounds"}
    assert kinds(kernel("h[1] += 1;")) == set()


def test_the_command_accesses_the_elements_of_the_span() -> None:
    assert kinds(kernel("h[1] += 1;", wait="") + " std::cout << b[0];") == {"data-race"}
    assert kinds(kernel("h[1] += 1;", wait="") + " std::cout << b[2];") == set()


def test_an_element_has_to_be_named() -> None:
    assert refused(kernel("h += 1;")).startswith("this reducer is of 2 elements: name one, 'h[i]'")
    assert refused(kernel("h[0] += 1;", "reduction(b, plus<>())")).startswith("this reducer combines one value")
    assert refused(kernel("h[0] += 1;", "reduction(span<int, 2>(b, in[1]), plus<>())")).startswith(
        "expected a constant"
    )
