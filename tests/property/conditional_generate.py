"""Random kernels in which barriers, and what stands between them, are executed under conditions of a group or not."""

from __future__ import annotations

from random import Random
from typing import Final

_BOTH: Final = "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE"
_FLAGS: Final = (_BOTH, _BOTH, _BOTH, "CLK_LOCAL_MEM_FENCE")
_WIDE: Final = "memory_scope_device"
# What holds for all members of a group, if the barrier before it was one for all: and what may not.
_UNIFORM: Final = ("*last", "*last", "*last", "w == 0", "!*last")
_OWN: Final = ("l == 0", "r0 > 1", "t[l] == 0", "mine")


def conditional_kernel(seed: str, number: int) -> str:
    """The litmus test of this number."""
    return _Kernel(Random(f"{seed} conditional {number}")).text(number)  # noqa: S311 - nothing secret


class _Kernel:
    def __init__(self, random: Random) -> None:
        self._random = random
        self._local, self._groups = random.choice(((2, 1), (2, 2), (2, 2), (2, 2), (3, 1), (4, 1)))

    def text(self, number: int) -> str:
        body = [self._statement() for _ in range(self._random.randint(0, 1))]
        body += [self._elects(), f"barrier({self._random.choice(_FLAGS)});"]
        body += [line for _ in range(self._random.randint(1, 3)) for line in self._block()]
        items = self._local * self._groups
        observed = " ".join(f"a[{i}];" for i in range(items))
        lines = "\n".join(f"  {line}" for line in body)
        return f"""OPENCL conditional-{number}
{{ int a[{items}]; int p[{self._groups}]; [c] = 0; [f] = 0; }}
kernel K (global int* a, global int* p, local int t[{self._local}], local int* last, global atomic_int* c,
          global atomic_int* f) {{
  int l = get_local_id(0);
  int g = get_global_id(0);
  int w = get_group_id(0);
  int r0 = 0;
  int mine = 0;
{lines}
}}
launch K global {items}, local {self._local},{" sub 2," if self._local == 4 else ""} dev 0;
locations [{observed} p[0]; 0:r0; 1:r0;]
"""

    def _elects(self) -> str:
        """One work-item finds out something that it tells its group."""
        order = self._random.choice(("acq_rel", "relaxed"))
        add = f"atomic_fetch_add_explicit(c, 1, memory_order_{order}, {_WIDE})"
        spin = f"while (atomic_load_explicit(f, memory_order_acquire, {_WIDE}) == 0) {{}} *last = 1;"
        told = self._random.choice(
            (
                f"p[w] = 1; mine = {add}; *last = mine == {self._groups - 1};",
                f"*last = {add};",
                f"*last = atomic_load_explicit(f, memory_order_relaxed, {_WIDE});",
                f"mine = {add}; if (mine == {self._groups - 1}) {{ *last = 1; }} else {{ *last = 0; }}",
                f"if (w == 0) {{ atomic_store_explicit(f, 1, memory_order_release, {_WIDE}); }} {spin}",
                spin,
            )
        )
        gives = f" else {{ atomic_store_explicit(f, 1, memory_order_relaxed, {_WIDE}); }}"
        return f"if (l == 0) {{ {told} }}" + (gives if self._random.random() < 0.3 else "")

    def _block(self) -> list[str]:
        """Some statements, perhaps under a condition, with barriers between them."""
        body = []
        for _ in range(self._random.randint(0, 2)):
            body.append(self._statement())
            if self._random.random() < 0.6:
                body.append(self._barrier())
        if self._random.random() < 0.25:
            return [*body, self._statement()]
        body += [self._barrier() if self._random.random() < 0.5 else self._statement()]
        conditions = _UNIFORM if self._random.random() < 0.85 else _OWN
        condition = self._random.choice(conditions)
        if self._random.random() < 0.15:
            return [f"if ({condition}) {{", *body, "} else {", *body, "}"]
        return [f"if ({condition}) {{", *body, "}"]

    def _barrier(self) -> str:
        of = "sub_group_" if self._local == 4 and self._random.random() < 0.5 else ""
        return f"{of}barrier({self._random.choice(_FLAGS)});"

    def _statement(self) -> str:
        other = self._random.choice((f"(l + 1) % {self._local}", "0", "l", "l"))
        value = self._random.choice(("1", "r0", f"t[{other}]", "l + 2", "p[0]"))
        condition = self._random.choice(("*last", "l == 0", "w == 0", "r0 > 0"))
        return self._random.choice(
            (
                f"t[l] = {value};",
                f"t[l] = {value};",
                f"if ({condition}) {{ t[l] = {value}; }}",
                f"r0 = t[{other}];",
                f"if ({condition}) {{ r0 = t[{other}]; }}",
                f"a[g] = t[{other}];",
                f"if ({condition}) {{ a[g] = {value}; }}",
                "if (l == 0) { r0 = p[0]; }",
                f"if (l == {self._random.randrange(self._local)}) {{ t[0] = {value}; }}",
            )
        )
