"""Work-groups that wait for flags and numbers which others store: in turn, in a chain, across a grid, for all."""

from __future__ import annotations

from typing import Final

from bench.family import family
from bench.litmus import Kernel

_ACQUIRE: Final = "memory_order_acquire, memory_scope_device"
_RELEASE: Final = "memory_order_release, memory_scope_device"


def _awaits(flag: str, test: str = "== 0") -> str:
    return f"while (atomic_load_explicit({flag}, {_ACQUIRE}) {test}) {{ }}"


def _stores(flag: str, value: str = "1") -> str:
    return f"atomic_store_explicit({flag}, {value}, {_RELEASE});"


@family("turns", model="opencl-3.0", states=lambda _: 1)
def turns(n: int) -> Kernel:
    """Work-groups of one, n of them, append their squares to a list, one after the other by a number."""
    body = (
        "int i = get_global_id(0);",
        _awaits("turn", "!= i"),
        "list[*length] = i * i; *length += 1;",
        _stores("turn", "i + 1"),
    )
    parameters = ("global atomic_int* turn", f"global int list[{n}]", "global int* length")
    return Kernel(parameters, body, 1, f"forall (length={n} /\\ list[{n - 1}]={(n - 1) ** 2})", groups=n)


@family("tokens", model="opencl-3.0", states=lambda _: 1)
def tokens(n: int) -> Kernel:
    """Work-groups of one, n of them, pass a token on by flags, and count whoever has it."""
    body = ("int i = get_global_id(0);", _awaits("&flag[i]"), "*sum += i;", _stores("&flag[i + 1]"))
    initial = f"atomic_int flag[{n + 1}] = {{1}};"
    return Kernel(
        ("global atomic_int* flag", "global int* sum"),
        body,
        1,
        f"forall (sum={n * (n - 1) // 2})",
        groups=n,
        initial=initial,
    )


@family("wavefront", model="opencl-3.0", states=lambda _: 1)
def wavefront(n: int) -> Kernel:
    """A grid of n rows of four work-groups of one; each waits for those on the left and above, and adds their sums."""
    body = (
        "int c = get_global_id(0), x = c % 4;",
        f"if (x > 0) {{ {_awaits('&done[c - 1]')} }}",
        f"if (c >= 4) {{ {_awaits('&done[c - 4]')} }}",
        "s[c] = (x > 0 ? s[c - 1] : 1) + (c >= 4 ? s[c - 4] : 0);",
        _stores("&done[c]"),
    )
    row = [1] * 4
    for _ in range(1, n):
        row[0] += 1
        for x in range(1, 4):
            row[x] += row[x - 1]
    parameters = (f"global atomic_int done[{4 * n}]", f"global int s[{4 * n}]")
    return Kernel(parameters, body, 1, f"forall (s[{4 * n - 1}]={row[3]})", groups=4 * n)


@family("gathering", model="opencl-3.0", states=lambda _: 1)
def gathering(n: int) -> Kernel:
    """Work-groups of one, n of them: the first one waits for all others, adds up what they leave, and tells them."""
    body = (
        "int i = get_global_id(0);",
        "if (i == 0) {",
        f"  for (int j = 1; j < {n}; j++) {{ {_awaits('&here[j]')} *total += part[j]; }}",
        f"  {_stores('go')}",
        "} else {",
        f"  part[i] = i; {_stores('&here[i]')}",
        f"  {_awaits('go')} told[i] = *total;",
        "}",
    )
    parameters = (
        *(f"global atomic_int here[{n}]", "global atomic_int* go"),
        *(f"global int part[{n}]", "global int* total", f"global int told[{n}]"),
    )
    return Kernel(parameters, body, 1, f"forall (told[{n - 1}]={n * (n - 1) // 2})", groups=n)
