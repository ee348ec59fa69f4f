"""Random kernels whose work-items try to be the first at objects in local memory, between barriers."""

from __future__ import annotations

from random import Random
from typing import Final

# Work-items of a group, and groups.
_SHAPES: Final = ((3, 1), (3, 1), (4, 1), (3, 2), (2, 2))
_ORDERS: Final = ("relaxed", "relaxed", "relaxed", "acq_rel", "seq_cst")
_LOCAL: Final = "barrier(CLK_LOCAL_MEM_FENCE);"
_BOTH: Final = "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);"
_FENCE: Final = "atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_seq_cst, memory_scope_work_group);"


def kernel_of_phases(seed: str, number: int) -> str:
    """The litmus test of this number."""
    return _Kernel(Random(f"phases {seed} {number}")).text(f"phases-{number}")  # noqa: S311 - nothing secret


class _Kernel:
    def __init__(self, random: Random) -> None:
        self._random = random
        self._local, self._groups = random.choice(_SHAPES)
        # Mostly what barriers order is decided by who wins.
        self._is_odd = random.random() < 0.4
        self._is_atomic = random.random() < 0.5

    def text(self, name: str) -> str:
        random = self._random
        rounds = " ".join(self._round(place) for place in range(random.choice((1, 1, 1, 2))))
        atomic = "atomic_int" if self._is_atomic else "int"
        other = ""
        if self._is_odd and random.random() < 0.3:
            does = random.choice(("int q = atomic_load(n);", "atomic_store(n, 7);", "out[0] = 9;", "int q = *who;"))
            other = f"P0@wg 9, dev 0 (global atomic_int* n, global int* who, global int* out) {{ {does} }}\n"
        return f"""OPENCL {name}
{{ [n]=0; [who]=7; int out[8]; }}
kernel K (global atomic_int* n, global int* who, global int* out) {{
  local {atomic} taken; local {atomic} again; local int leader; local int data[4];
  int me = get_local_id(0); int g = get_global_id(0); int x = 9; int won = 0;
  {rounds}
}}
launch K global {self._local * self._groups}, local {self._local}, dev 0;
{other}locations [n; who; out;]
exists (who=1)
"""

    def _round(self, place: int) -> str:
        random = self._random
        what = random.choice(("taken", "again")) if place else "taken"
        first = random.choice(("0", "0", "5"))
        setter = random.choice(("me == 0", "me == 0", "me == 1"))
        steps = [f"if ({setter}) {{ {self._set(what, first)} leader = 8; {'data[me] = 3;' if self._is_odd else ''} }}"]
        steps.append(self._barrier())
        if self._is_odd and random.random() < 0.3:
            steps.append(random.choice((_FENCE, "x = atomic_load(n);", "atomic_fetch_add(n, 1);", "out[g] = 6;")))
        tries = self._try(what, first)
        if self._is_odd and random.random() < 0.25:
            tries = f"if ({random.choice(('me > 0', 'me != 2', 'x == 9'))}) {{ {tries} }}"
        steps += [tries, *(f"{{ {self._job(what)} }}" for _ in range(random.choice((1, 1, 2)))), self._barrier()]
        steps += [self._end(what) for _ in range(random.choice((1, 1, 2)))]
        if random.random() < 0.7:
            steps.append(_BOTH)
        return " ".join(steps)

    def _barrier(self) -> str:
        random = self._random
        if self._is_odd and random.random() < 0.15:
            return random.choice(("", "barrier(CLK_GLOBAL_MEM_FENCE);"))
        return random.choice((_LOCAL, _LOCAL, _BOTH))

    def _set(self, what: str, value: str) -> str:
        if not self._is_atomic:
            return f"{what} = {value};"
        return self._random.choice(
            (
                f"atomic_init(&{what}, {value});",
                f"atomic_store_explicit(&{what}, {value}, memory_order_relaxed, memory_scope_work_group);",
                f"atomic_store(&{what}, {value});",
            )
        )

    def _try(self, what: str, first: str) -> str:
        """A try to be the first: `x` is what is found, and `won` says whether that is so."""
        random = self._random
        odd = self._is_odd and random.random() < 0.3
        value = random.choice(("1", "me + 10"))
        expected = "4" if odd and random.random() < 0.4 else first
        if not self._is_atomic:
            call = random.choice((f"cmpxchg(&{what}, {expected}, {value})", f"xchg(&{what}, 1)", f"or(&{what}, 2)"))
            return f"x = atomic_{call}; won = x == {first};"
        order = random.choice(_ORDERS)
        scope = random.choice(("work_group", "work_group", "device"))
        rest = f"memory_order_{order}, memory_scope_{scope}"
        if random.random() < 0.6:
            failed = "relaxed" if order == "relaxed" else random.choice(("relaxed", "acquire"))
            rest = f"memory_order_{order}, memory_order_{failed}, memory_scope_{scope}"
            kind = "weak" if odd else "strong"
            return f"x = {expected}; won = atomic_compare_exchange_{kind}_explicit(&{what}, &x, {value}, {rest});"
        call = random.choice((f"exchange_explicit(&{what}, 1", f"fetch_or_explicit(&{what}, 2"))
        return f"x = atomic_{call}, {rest}); won = x == {first};"

    def _job(self, what: str) -> str:
        random = self._random
        whole = [
            "if (won) { leader = me; }",
            "if (won) { leader = me; } else { out[g] = 2; }",
            "if (won) { leader = me; data[0] = 4; }",
            "if (won) { leader = 4; }",
            "if (!won) { data[me] = 1; }",
            "if (won) { data[me] = 2; } else { data[me] = 1; }",
            "out[g] = won ? 3 : 4;",
            "if (won) { leader = atomic_fetch_add_explicit(n, 1, memory_order_relaxed, memory_scope_device); }",
            "if (won) { atomic_fetch_add_explicit(n, me, memory_order_relaxed, memory_scope_device); }",
            "if (won) { if (me) { leader = 1; } else { leader = 2; } }",
        ]
        odd = [
            "if (!won) { leader = me; }",
            "leader = 3;",
            "if (won) { leader = me; } else { out[g] = leader; }",
            "if (won) { atomic_store(n, 1); } else { while (atomic_load(n) == 0) { } }",
            f"{_LOCAL} out[g] = leader;",
            "if (won) { leader = me; } if (won) { leader = leader + 1; }",
            "data[x & 3] = me;",
            "if (won && atomic_load(n) == 0) { leader = me; }",
            f"if (won) {{ {self._set(what, '1')} }}",
        ]
        return random.choice(odd if self._is_odd and random.random() < 0.5 else whole)

    def _end(self, what: str) -> str:
        random = self._random
        read = f"atomic_load(&{what})" if self._is_atomic else what
        whole = [
            "out[g] = leader;",
            "out[g] = leader;",
            f"out[g] = {read};",
            "if (leader == me) { out[7] = 5; }",
            "if (me == 0) { *who = leader; }",
            "atomic_fetch_add_explicit(n, leader, memory_order_relaxed, memory_scope_device);",
            "out[g] = data[0];",
            "out[g] = x;",
        ]
        return random.choice(whole)
