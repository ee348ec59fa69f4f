"""What functions that return references refer to is read where its value is asked for, and nowhere else."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds

VIEW = """struct View { int* p; int n;
  int& operator[](int i) const { return p[i]; } int& at(int i) const { return p[i]; }
  int operator()(int i) const { return p[i]; } };
int& at(int* p, int i) { return p[i]; }
"""
MADE = "int* x = malloc_shared<int>(2, q); x[0] = x[1] = 0; View v{x, 2}; q.parallel_for(2, [=](id<1> i) { v[i] = i; })"


@pytest.mark.parametrize(
    "read", ["std::cout << v[1];", "std::cout << v.at(1);", "std::cout << at(x, 1);", "return v[1];", "+v[1];"]
)
def test_values(read: str) -> None:
    assert kinds(f"{MADE}; {read}", VIEW) == {"data-race"}
    assert kinds(f"{MADE}.wait(); {read}", VIEW) == set()


@pytest.mark.parametrize("read", ["std::cout << v(1);", "int n = v(1);"])
def test_objects_that_are_called(read: str) -> None:
    assert kinds(f"{MADE}; {read}", VIEW) == {"data-race"}
    assert holds(f"{MADE}.wait(); x[0] = v(1); {read}", "x[0]=1", VIEW)


@pytest.mark.parametrize("call", ["v.set(i);", "set(x, i);"])
def test_references_that_nobody_uses(call: str) -> None:
    before = """struct V { int* p; int& set(int i) { p[i] = 1; return p[i + 1]; } };
      int& set(int* p, int i) { p[i] = 1; return p[i + 1]; }"""
    body = (
        "int* x = malloc_shared<int>(3, q); x[1] = x[2] = 0; q.parallel_for(2, [=](id<1> i) { V v{x}; CALL }).wait();"
    )
    assert kinds(body.replace("CALL", call), before) == set()
    assert kinds(body.replace("CALL", f"int n = {call}"), before) == {"data-race"}
