"""Nodes that point to each other and nodes that hold the numbers of each other are the same programs."""

from __future__ import annotations

import os
from random import Random
from typing import TYPE_CHECKING, Final

import pytest

from mcm import Judged, KernelRequest, KernelSource, check, run

if TYPE_CHECKING:
    from collections.abc import Mapping

COUNT: Final = int(os.environ.get("MCM_LINKS_COUNT", "30"))
_NODES: Final = 3
_POINTERS: Final = """
typedef struct node {{ int v; global struct node* next; int w; }} node_t;
kernel void K(global node_t* p, global node_t* global* h, global int* o) {{
  int i = get_global_id(0);
  global node_t* a = p + i;
  global node_t* b = p;
{body}}}
"""
_NUMBERS: Final = """
typedef struct node {{ int v; int next; int w; }} node_t;
kernel void K(global node_t* p, global int* h, global int* o) {{
  int i = get_global_id(0);
  int a = i + 1;
  int b = 1;
{body}}}
"""
# What is done with nodes, in terms of pointers and of numbers from 1 on, of which 0 is none.
_STEPS: Final = (
    ("{x} = p + {k};", "{x} = {k} + 1;"),
    ("{x} = {y};", "{x} = {y};"),
    ("if ({x}) {x} = {x}->next;", "if ({x}) {x} = p[{x} - 1].next;"),
    ("if ({x}) {x}->next = {y};", "if ({x}) p[{x} - 1].next = {y};"),
    ("if ({x}) {x}->v = {k} + i;", "if ({x}) p[{x} - 1].v = {k} + i;"),
    ("if ({x}) {x}->w += {x}->v + 1;", "if ({x}) p[{x} - 1].w += p[{x} - 1].v + 1;"),
    ("if ({x} && {x}->next) o[i] += {x}->next->v;", "if ({x} && p[{x} - 1].next) o[i] += p[p[{x} - 1].next - 1].v;"),
    ("if ({x} == {y}) o[i]++;", "if ({x} == {y}) o[i]++;"),
    ("*h = {x};", "*h = {x};"),
    ("{x} = *h;", "{x} = *h;"),
    ("if (*h) (*h)->v++;", "if (*h) p[*h - 1].v++;"),
    ("if ({x} && {y}) *{x} = *{y};", "if ({x} && {y}) p[{x} - 1] = p[{y} - 1];"),
    (
        "for (int k = 0; {x} && k < 2; k++) {x} = {x}->next;",
        "for (int k = 0; {x} && k < 2; k++) {x} = p[{x} - 1].next;",
    ),
    ("barrier(CLK_GLOBAL_MEM_FENCE);", "barrier(CLK_GLOBAL_MEM_FENCE);"),
)


def programs(seed: int) -> tuple[str, str]:
    """The same random program with pointers and with numbers."""
    random = Random(seed)  # noqa: S311 - no secret
    bodies: tuple[list[str], list[str]] = ([], [])
    for _ in range(random.randrange(4, 9)):
        step = random.choice(_STEPS)
        x, y = random.sample("ab", 2)
        number = random.randrange(_NODES)
        guard = "if (i == 0) " if "barrier" not in step[0] and random.random() < 0.4 else ""
        for lines, text in zip(bodies, step, strict=True):
            lines.append(f"  {guard}{{ {text.format(x=x, y=y, k=number)} }}\n")
    return _POINTERS.format(body="".join(bodies[0])), _NUMBERS.format(body="".join(bodies[1]))


def source(text: str, items: int) -> KernelSource:
    """A kernel, its nodes, and so many work-items."""
    initial = (f"node_t p[{_NODES}]", "h = 0", f"int o[{items}]")
    return KernelSource("k.cl", text, KernelRequest((f"K global {items}, local {items}",), initial=initial))


def answer(text: str, items: int) -> tuple[set[str], set[tuple[str, ...]]]:
    """The kinds of problems, and the final states, in which addresses of nodes are their numbers."""
    found = check(source(text, items))
    assert isinstance(found, Judged), found
    return {one.kind for one in found.undefined}, {_in_numbers(state.values) for state in found.states}


def _in_numbers(values: Mapping[str, object]) -> tuple[str, ...]:
    """A state in which the addresses of nodes are their numbers."""
    numbers = {f"&p.v[{k}]": str(k + 1) for k in range(_NODES)}
    return tuple(sorted(f"{name}={numbers.get(str(value), value)}" for name, value in values.items()))


@pytest.mark.parametrize("seed", range(COUNT))
def test_pointers_and_numbers_are_the_same(seed: int) -> None:
    pointers, numbers = programs(seed)
    items = 1 + seed % 2

    kinds, states = answer(pointers, items)
    expected, wanted = answer(numbers, items)

    assert kinds == expected, pointers
    assert kinds or states == wanted, pointers
    ran = run(source(pointers, items), runs=20, seed=seed)
    assert {one.kind for one in ran.problems} <= kinds, pointers
    assert kinds or {_in_numbers(one.state.values) for one in ran.states} <= states, pointers
