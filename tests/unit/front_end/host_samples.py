"""SYCL programs of a few statements."""

from __future__ import annotations

from mcm import KernelRequest, KernelSource


def source(body: str, question: str = "") -> KernelSource:
    """A program whose `main` has a queue `q` and these statements, and what is asked of it."""
    text = f"#include <sycl/sycl.hpp>\nusing namespace sycl;\nint main() {{ queue q;\n{body}\n}}\n"
    return KernelSource("sample.cpp", text, KernelRequest((), (), (), (question,) if question else ()))
