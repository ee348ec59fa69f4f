"""Queues of a program that are for devices of different kinds feed different devices."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import mcm

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = """#include <sycl/sycl.hpp>
using namespace sycl;
int main() {
  QUEUES
  int* x = malloc_shared<int>(1, q);
  *x = 0;
  q.single_task([=] { atomic_ref<int, memory_order::relaxed, memory_scope::SCOPE>(*x).fetch_add(1); });
  p.single_task([=] { atomic_ref<int, memory_order::relaxed, memory_scope::SCOPE>(*x).fetch_add(1); });
  q.wait();
  p.wait();
}
"""
SEVERAL = [
    "queue q{gpu_selector_v}; queue p{cpu_selector_v};",
    "queue q(gpu_selector_v, property::queue::in_order()); queue p(cpu_selector_v, property::queue::in_order());",
    "device g(gpu_selector_v); device c{cpu_selector_v}; queue q(g), p(c);",
    "device g{gpu_selector_v}; device c = device(sycl::cpu_selector_v); queue q(g); queue p(c);",
    "queue q{gpu_selector{}}; queue p{accelerator_selector{}};",
    "queue q{dev0}; queue p{dev1};",
    "std::vector<queue> all{queue{gpu_selector_v}, queue{cpu_selector_v}}; queue q = all[0]; queue p = all[1];",
]
ONE = [
    "queue q; queue p;",
    "queue q{gpu_selector_v}; queue p{gpu_selector_v};",
    "queue q{default_selector_v}; queue p{cpu_selector_v};",
    "device g(gpu_selector_v); queue q(g); queue p(g, property::queue::in_order());",
]


def kinds(tmp_path: Path, queues: str, scope: str = "device") -> list[str]:
    program = tmp_path / "program.cpp"
    program.write_text(PROGRAM.replace("QUEUES", queues).replace("SCOPE", scope), encoding="utf-8")
    result = mcm.check(program)
    assert result.diagnostics == ()
    return sorted({problem.kind for problem in result.undefined})


@pytest.mark.parametrize("queues", SEVERAL)
def test_device_scope_does_not_reach_another_device(tmp_path: Path, queues: str) -> None:
    assert kinds(tmp_path, queues) == ["data-race"]
    assert kinds(tmp_path, queues, "system") == []


@pytest.mark.parametrize("queues", ONE)
def test_what_may_be_one_device_is_one(tmp_path: Path, queues: str) -> None:
    assert kinds(tmp_path, queues) == []
