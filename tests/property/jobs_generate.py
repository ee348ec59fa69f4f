"""Random kernels whose work-items take numbers from a counter, and do something with each until there are no more."""

from __future__ import annotations

from random import Random
from typing import Final

# Work-items of a group, groups, and jobs.
_SHAPES: Final = ((2, 1, 1), (2, 1, 2), (1, 2, 2), (3, 1, 1), (1, 3, 1), (2, 1, 3), (1, 2, 1), (3, 1, 2))
_FENCE: Final = "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);"
_ORDERS: Final = ("relaxed", "relaxed", "acquire", "release", "acq_rel", "seq_cst")


def kernel_of_jobs(seed: str, number: int) -> tuple[str, int]:
    """The litmus test of this number, and how often its loop goes round at most, most often."""
    return _Kernel(Random(f"jobs {seed} {number}")).text(f"jobs-{number}")  # noqa: S311 - nothing secret


class _Kernel:
    def __init__(self, random: Random) -> None:
        self._random = random
        self._local, self._groups, self._jobs = random.choice(_SHAPES)
        # Mostly nothing is done that depends on who does it.
        self._is_odd = random.random() < 0.4

    def text(self, name: str) -> tuple[str, int]:
        random = self._random
        step = random.choice((1, 1, 1, 2))
        down = random.random() < 0.2
        first = self._jobs * step if down else random.choice((0, 0, 0, 3))
        last = first + self._jobs * step
        operation, more = ("sub", "> 0") if down else ("add", f"< {last}")
        take = f"atomic_fetch_{operation}_explicit(head, {step}, {self._order()}, {self._scope()})"
        at = f"(i - {step if down else first}) / {step}"
        body = " ".join(f"{{ {self._job(at)} }}" for _ in range(random.choice((1, 1, 2))))
        if (self._jobs, step, self._local * self._groups) == (1, 1, 3) and not down and random.random() < 0.5:
            # Each takes one number.
            loop = f"int i = {take}; {body}"
        else:
            loop = self._loop(take, more, body)
        after = self._always() if random.random() < 0.3 else ""
        other = ""
        if self._is_odd and random.random() < 0.3:
            does = random.choice(("int q = atomic_load(head);", "atomic_store(head, 1);"))
            other = f"P0@wg 9, dev 0 (global atomic_int* head) {{ {does} }}\n"
        return (
            f"""OPENCL {name}
{{ [head]={first}; int out[4]; int in[4] = {{1, 0, 2, 1}}; atomic_int bins[4]; [done]=0; }}
kernel K (global atomic_int* head, global int* out, global const int* in, global atomic_int* bins,
          global atomic_int* done) {{
  int me = get_global_id(0); int k = 0;
  {loop}
  {after}
}}
launch K global {self._local * self._groups}, local {self._local}, dev 0;
{other}locations [head; out; bins; done;]
exists (done=1)
""",
            self._jobs + (not (self._is_odd and random.random() < 0.2)),
        )

    def _loop(self, take: str, more: str, body: str) -> str:
        return self._random.choice(
            (
                f"int i; while ((i = {take}) {more}) {{ {body} }}",
                f"for (;;) {{ int i = {take}; if (!(i {more})) {{ {self._end()} break; }} {body} }}",
            )
        )

    def _scope(self) -> str:
        return "memory_scope_" + self._random.choice(("device", "device", "device", "device", "work_group"))

    def _order(self) -> str:
        return "memory_order_" + self._random.choice(_ORDERS)

    def _job(self, at: str) -> str:
        random = self._random
        update = f"atomic_fetch_{random.choice(('add', 'add', 'sub', 'max', 'or'))}_explicit"
        whole = [
            f"out[{at}] = i;",
            f"out[{at}] = in[{at}];",
            f"out[in[{at}]] = 5;",
            f"if (i & 1) {{ out[{at}] = i; }}",
            f"{update}(&bins[in[{at}]], 1, {self._order()}, {self._scope()});",
            f"{update}(&bins[{at}], i, {self._order()}, {self._scope()});",
            f"{update}(done, in[{at}], {self._order()}, memory_scope_device);",
            f"atomic_store_explicit(&bins[{at}], 2, memory_order_release, {self._scope()});",
            f"int r = in[{at}]; if (r == 1) {{ out[{at}] = r; }}",
            f"if (in[{at}] == 1) {{ {_FENCE} }}",
        ]
        odd = [
            f"out[{at}] = me;",
            "out[me] = i;",
            "out[0] = 1;",
            f"out[{at}] = k; k++;",
            f"out[{at}] = atomic_fetch_add(done, 1);",
            f"if (me == 0) {{ out[{at}] = 1; }}",
            f"if (out[{at}] == 0) {{ out[{at}] = 1; }}",
            f"out[{at}] = out[({at}) ^ 1];",
            "if (atomic_load(done) == 0) { out[3] = 1; }",
            f"atomic_exchange(&bins[{at} & 1], me);",
            f"out[{at} & 1] = 7;",
        ]
        return random.choice(odd if self._is_odd and random.random() < 0.6 else whole)

    def _end(self) -> str:
        return self._random.choice(("", "", "atomic_fetch_add(done, 1);", "atomic_fetch_add(done, i);"))

    def _always(self) -> str:
        odd = ("out[me] = 3;", "int last = atomic_load(head);", "out[3] = 1;", "atomic_fetch_add(done, k);")
        return self._random.choice(odd if self._is_odd else ("atomic_fetch_add(done, 1);", "atomic_fetch_or(done, 4);"))
