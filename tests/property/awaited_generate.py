"""Random kernels whose work-groups wait for each other in rounds, rightly or not, and what they access between."""

from __future__ import annotations

from random import Random
from typing import Final

# Work-items of a group, and groups.
_SHAPES: Final = ((1, 2), (1, 2), (1, 3), (1, 3), (2, 2))
_SCOPE: Final = "memory_scope_device"
_FENCE: Final = "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_{}, memory_scope_device);"


def waiting_kernel(seed: str, number: int) -> str:
    """The litmus test of this number: the same seed and number give the same text."""
    return _Kernel(Random(f"awaited {seed} {number}")).text(f"waiting-{number}")  # noqa: S311 - nothing secret


def turn_taking_kernel(seed: str, number: int) -> str:
    """The same for groups of which one goes on after the other, rightly or not."""
    return _Kernel(Random(f"turns {seed} {number}")).in_turn(f"in-turn-{number}")  # noqa: S311 - nothing secret


def flagging_kernel(seed: str, number: int) -> str:
    """The same for work-items that raise flags and wait for those of others, rightly or not."""
    return _Kernel(Random(f"flags {seed} {number}")).with_flags(f"flags-{number}")  # noqa: S311 - nothing secret


class _Kernel:
    def __init__(self, random: Random) -> None:
        self._random = random
        self._local, self._groups = random.choice(_SHAPES)
        self._items = self._local * self._groups
        self._rounds = 1 if self._groups == 3 and random.random() < 0.5 else 2

    def text(self, name: str) -> str:
        random = self._random
        barrier = random.choice((self._sense, self._sense, self._generation, self._count, self._fences))()
        if self._local > 1:
            wait = "work_group_barrier(CLK_GLOBAL_MEM_FENCE);"
            barrier = f"{wait} if (get_local_id(0) == 0) {{ {barrier} }} {wait if random.random() < 0.9 else ''}"
        last = f"a[{random.randrange(self._items)}] = 7;" if random.random() < 0.2 else ""
        after = random.choice(("r[me] = a[next];", "r[me] = a[next] + b[next];", "", "if (a[next] == 1) r[me] = 5;"))
        watched = random.choice(("r[0]=1", "a[0]=1 /\\ r[1]=0", "x=1", "b[0]=2 /\\ r[0]=1"))
        return f"""OPENCL {name}
{{ [x]=0; [y]=0; [h]=0; int a[8]; int b[8]; int r[8]; }}
kernel K (global atomic_int* x, global atomic_int* y, global atomic_int* h, global int* a, global int* b,
          global int* r) {{
  int me = get_global_id(0), next = (me + {random.choice((1, self._local))}) % {self._items};
  int sense = 0;
  for (int round = 0; round < {self._rounds}; round++) {{
    {self._access()}
    {barrier}
  }}
  {after} {last}
}}
launch K global {self._items}, local {self._local}, dev 0;
exists ({watched})
"""

    def with_flags(self, name: str) -> str:
        random = self._random
        items = random.choice((2, 3, 3))
        # Who waits for whom: nobody for a later one but where all may wait for ever.
        flag = random.choice(("me", "me", "0", "me / 2"))
        other = random.choice(("me - 1", "me - 1", "0", f"(me + 1) % {items}"))
        value = random.choice(("1", "1", "me + 1", "round + 1"))
        test = random.choice(("== 0", "== 0", "!= 1", "< 1", "!= me"))
        raised = self._store(f"&f[{flag}]", value, "release")
        if random.random() < 0.25:
            raised = f"{self._fence('release')} {self._store(f'&f[{flag}]', value, 'relaxed')}"
        elif random.random() < 0.15:
            raised = f"if (a[me] != 3) {{ {raised} }}"
        waits = f"while ({self._load(f'&f[{other}]')} {test}) {{ }}"
        if random.random() < 0.2:
            waits = f"while ({self._load(f'&f[{other}]', 'relaxed')} {test}) {{ }} {self._fence('acquire')}"
        if "% " not in other or random.random() < 0.5:
            waits = f"if (me > 0) {{ {waits} }}"
        steps = [f"a[me] = me + 1; {raised}", f"{waits} {self._read()}"]
        if random.random() < 0.5:
            steps.reverse()
        first = random.choice(("", "", "= {1}", "= {0, 1}"))
        watched = random.choice(("r[1]=1", "a[1]=2 /\\ r[1]=0", "f[0]=1", "n=2"))
        return f"""OPENCL {name}
{{ atomic_int f[4] {first}; [n]=0; int a[24]; int b[24]; int r[24]; }}
kernel K (global atomic_int* f, global int* n, global int* a, global int* b, global int* r) {{
  int me = get_global_id(0);
  for (int round = 0; round < {random.choice((1, 1, 2))}; round++) {{
    {" ".join(steps)}
  }}
}}
launch K global {items}, local 1, dev 0;
exists ({watched})
"""

    def _fence(self, order: str) -> str:
        """A fence, which is not always executed."""
        when = self._random.choice(("", "", "", "if (b[me] == 0) ", "if (me > 0) "))
        return f"{when}{{ {_FENCE.format(order)} }}"

    def _read(self) -> str:
        """What is done behind a wait for a neighbour."""
        return self._random.choice(
            ("r[me] = a[0];", "if (me > 0) r[me] = a[me - 1];", "*n = *n * 2 + me;", "b[me] = r[0] + 1; r[0] = me;")
        )

    def in_turn(self, name: str) -> str:
        random = self._random
        groups = self._groups
        mine, after = random.choice(
            (
                (f"{groups} * round + w", f"{groups} * round + w + 1"),
                ("w", f"(w + 1) % {groups}"),
                ("w", "w + 1"),
            )
        )
        section = random.choice(
            (
                "*n = *n * 2 + me + 1;",
                "if (*n == w) *n = w + 1; else b[me] = 1;",
                "a[*n & 7] = me + 1; *n += 1;",
                "if (round == 0) *n = me; else b[me] = *n;",
                "b[me] = *n; *n = 3;",
            )
        )
        section = f"while ({self._load('x')} != {mine}) {{ }} {section} {self._store('x', after, 'release')}"
        if self._local > 1:
            section = f"if (get_local_id(0) == 0) {{ {section} }}"
        last = random.choice(("", "", "if (w == 0) *n = 9;", "r[me] = *n;"))
        watched = random.choice(("n=3", "x=1 /\\ n=2", "b[0]=1 /\\ a[1]=2", "r[1]=0 /\\ b[1]=1"))
        return f"""OPENCL {name}
{{ [x]=0; [n]=0; int a[24]; int b[24]; int r[24]; }}
kernel K (global atomic_int* x, global int* n, global int* a, global int* b, global int* r) {{
  int me = get_global_id(0), w = get_group_id(0);
  for (int round = 0; round < {self._rounds}; round++) {{
    {section}
  }}
  {last}
}}
launch K global {self._items}, local {self._local}, dev 0;
exists ({watched})
"""

    def _access(self) -> str:
        """What is done in each round before the barrier."""
        return self._random.choice(
            (
                "if (round == 0) a[me] = 1; else b[me] = a[next];",
                "a[me] = a[me] + 1;",
                "b[me] = a[me]; a[me] = round + 1;",
                f"a[me] = 1; atomic_fetch_add_explicit(h, 1, memory_order_relaxed, {_SCOPE});",
                "if (round == 0) a[me] = 1; else if (a[next] == 1) b[me] = 2;",
                "if (round == 0) a[next] = me; else b[me] = a[me];",
                "a[next] = 1; b[me] = round;",
            )
        )

    def _order(self, usual: str) -> str:
        """An order, mostly the usual one."""
        return usual if self._random.random() < 0.85 else "relaxed"

    def _add(self, location: str, usual: str) -> str:
        return f"atomic_fetch_add_explicit({location}, 1, memory_order_{self._order(usual)}, {_SCOPE})"

    def _load(self, location: str, usual: str = "acquire") -> str:
        return f"atomic_load_explicit({location}, memory_order_{self._order(usual)}, {_SCOPE})"

    def _store(self, location: str, value: str, usual: str) -> str:
        return f"atomic_store_explicit({location}, {value}, memory_order_{self._order(usual)}, {_SCOPE});"

    def _freed(self, *steps: str) -> str:
        """What the last one does, mostly in this order."""
        in_order = self._random.random() < 0.9
        return " ".join(steps if in_order else reversed(steps))

    def _sense(self) -> str:
        freed = self._freed(self._store("x", "0", "relaxed"), self._store("y", "sense", "release"))
        flip = "sense = !sense;" if self._random.random() < 0.9 else "sense = 1;"
        arrives = f"if ({self._add('x', 'acq_rel')} == {self._groups - 1}) {{ {freed} }}"
        return f"{flip} {arrives} else {{ while ({self._load('y')} != sense) {{ }} }}"

    def _generation(self) -> str:
        freed = self._freed(self._store("x", "0", "relaxed"), f"{self._add('y', 'release')};")
        arrives = f"if ({self._add('x', 'acq_rel')} == {self._groups - 1}) {{ {freed} }}"
        return f"int g = {self._load('y', 'relaxed')}; {arrives} else {{ while ({self._load('y')} == g) {{ }} }}"

    def _count(self) -> str:
        enough = f"{self._groups} * (round + 1)" if self._random.random() < 0.9 else str(self._groups)
        return f"{self._add('x', 'acq_rel')}; while ({self._load('x')} < {enough}) {{ }}"

    def _fences(self) -> str:
        before, after = (
            _FENCE.format(order) if self._random.random() < 0.85 else "" for order in ("release", "acquire")
        )
        arrives = f"{before} {self._add('x', 'relaxed')};"
        return f"{arrives} while ({self._load('x', 'relaxed')} < {self._groups} * (round + 1)) {{ }} {after}"
