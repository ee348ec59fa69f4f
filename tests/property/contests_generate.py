"""Random kernels whose work-items try to be the first at some objects, and do what depends on who is."""

from __future__ import annotations

from random import Random
from typing import Final

# Work-items of a group, and groups.
_SHAPES: Final = ((1, 3), (3, 1), (1, 3), (2, 2), (1, 4), (4, 1), (1, 2))
_ORDERS: Final = ("relaxed", "relaxed", "acquire", "release", "acq_rel", "seq_cst")
_FENCE: Final = "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);"


def kernel_of_contests(seed: str, number: int) -> str:
    """The litmus test of this number."""
    return _Kernel(Random(f"contests {seed} {number}")).text(f"contests-{number}")  # noqa: S311 - nothing secret


class _Kernel:
    def __init__(self, random: Random) -> None:
        self._random = random
        self._local, self._groups = random.choice(_SHAPES)
        # Mostly it is decided by who wins what is done.
        self._is_odd = random.random() < 0.35
        self._objects = random.choice((1, 1, 2))

    def text(self, name: str) -> str:
        random = self._random
        first = random.choice((0, 0, 0, 5))
        tries = [self._try(place, first) for place in range(self._objects)]
        if self._is_odd and random.random() < 0.3:
            tries = [f"if (me {random.choice(('> 0', '== 0'))}) {{ {tries[0]} }}", *tries[1:]]
        if self._is_odd and self._objects == 2 and random.random() < 0.4:
            tries = [f"if (me & 1) {{ {tries[0]} {tries[1]} }} else {{ {tries[1]} {tries[0]} }}"]
        work = " ".join(f"{{ {self._job()} }}" for _ in range(random.choice((1, 1, 2))))
        other = ""
        if self._is_odd and random.random() < 0.25:
            does = random.choice(
                ("int q = atomic_load(a);", "atomic_store(a, 7);", "atomic_fetch_add(n, 3);", "out[0] = 9;")
            )
            other = f"P0@wg 9, dev 0 (global atomic_int* a, global atomic_int* n, global int* out) {{ {does} }}\n"
        return f"""OPENCL {name}
{{ [a]={first}; [b]={first}; [n]=0; [who]=7; int out[8]; int in[4] = {{1, 0, 2, 1}}; }}
kernel K (global atomic_int* a, global atomic_int* b, global atomic_int* n, global int* who, global int* out,
          global const int* in) {{
  int me = get_global_id(0); int x = 9; int y = 9; int won = 0; int won2 = 0;
  {" ".join(tries)}
  {work}
}}
launch K global {self._local * self._groups}, local {self._local}, dev 0;
{other}locations [a; b; n; who; out;]
exists (who=1)
"""

    def _try(self, place: int, first: int) -> str:
        """A try to be the first at an object: what is found is in `x` or `y`, and whether it was the first in `won`."""
        random = self._random
        what, old, won = (("a", "x", "won"), ("b", "y", "won2"))[place]
        value = random.choice(("1", "1", "3", "me + 10"))
        odd = self._is_odd and random.random() < 0.4
        match random.choice(("strong", "strong", "exchange", "or")):
            case "strong":
                kind = "weak" if odd and random.random() < 0.5 else "strong"
                expected = 4 if odd and random.random() < 0.3 else first
                order = self._order()
                failed = "relaxed" if order.endswith(("relaxed", "release")) else random.choice(("relaxed", "acquire"))
                return (
                    f"{old} = {expected}; {won} = atomic_compare_exchange_{kind}_explicit({what}, &{old}, {value}, "
                    f"{order}, memory_order_{failed}, {self._scope()});"
                )
            case "exchange":
                value = value if odd else "1"
                return (
                    f"{old} = atomic_exchange_explicit({what}, {value}, {self._order()}, {self._scope()}); "
                    f"{won} = {old} == {first};"
                )
            case _:
                operator, operand = random.choice((("or", "2"), ("max", "6"), *((("add", "1"),) if odd else ())))
                return (
                    f"{old} = atomic_fetch_{operator}_explicit({what}, {operand}, {self._order()}, {self._scope()}); "
                    f"{won} = {old} == {first};"
                )

    def _scope(self) -> str:
        return "memory_scope_" + self._random.choice(("device", "device", "device", "device", "work_group"))

    def _order(self) -> str:
        return "memory_order_" + self._random.choice(_ORDERS)

    def _job(self) -> str:
        random = self._random
        won = random.choice(("won", "won2")) if self._objects == 2 else "won"
        old = "x" if won == "won" else "y"
        count = f"atomic_fetch_{random.choice(('add', 'sub', 'or', 'max'))}_explicit"
        whole = [
            f"if ({won}) {{ *who = me; }}",
            f"if ({won}) {{ *who = me; out[me] = 1; }} else {{ out[me] = 2; }}",
            f"out[me] = {won} ? 3 : 4;",
            f"out[me] = {old};",
            f"if ({won}) {{ {count}(n, me, {self._order()}, {self._scope()}); }}",
            f"if (!{won}) {{ {count}(n, 1, {self._order()}, {self._scope()}); }}",
            f"{count}(n, {won} ? 2 : 1, {self._order()}, {self._scope()});",
            f"out[2 * me + {won}] = 5;",
            f"if ({won}) {{ {_FENCE} *who = in[me & 3]; }}",
            f"if ({won}) {{ atomic_exchange(n, me); }}",
            "if (won && !won2) { out[me] = 6; }",
            "if (won == won2) { *who = 8; }" if self._objects == 1 else "out[me] = won + 2 * won2;",
        ]
        odd = [
            f"if (!{won}) {{ *who = me; }}",
            "*who = 3;",
            f"if ({won}) {{ *who = me; }} else {{ out[me] = *who; }}",
            f"if ({won}) {{ *who = me; out[me] = *who; }}",
            f"out[{old} & 7] = me;",
            f"if ({won}) {{ out[me] = atomic_fetch_add(n, 1); }}",
            "out[me] = atomic_load(n);",
            f"if ({won}) {{ out[8 * me] = 1; }}",
            f"atomic_exchange(n, {won});",
            "barrier(CLK_GLOBAL_MEM_FENCE); out[me] = *who;",
            f"while (!{won} && atomic_load(n) == 0) {{ }} if ({won}) {{ atomic_store(n, 1); }}",
        ]
        return random.choice(odd if self._is_odd and random.random() < 0.6 else whole)
