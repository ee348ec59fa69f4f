"""Random host programs: a few commands of two work-items, mostly one after the other, and a host that reads and writes.

Data decides what kernels and the host do, and how often; now and then something that should wait does not.
"""

from __future__ import annotations

from random import Random
from typing import Final

_QUEUES: Final = ("in_order", "out_of_order")
_KINDS: Final = ("fine_svm ", "fine_svm ", "", "fine_svm_atomics ")


def _access(random: Random) -> str:
    """A statement of a work-item without loops, in which `l` is its number in its group, and `g` its number."""
    other = random.choice(("g", "1 - g", "g", "(g + 1) % 2", "0"))
    return random.choice(
        (
            f"int r = d[{other}]; e[g] = r + 1;",
            f"if (d[{other}] > 0) e[g] = d[{other}];",
            "d[g] = d[g] + 1;",
            f"e[d[{other}] & 1] = g;",
            "if (d[g] != e[g]) { d[g] = e[g]; FLAG }",
            "FLAG",
            "if (e[g] > 1) { FLAG }",
            f"if (LOAD) e[g] = d[{other}];",
            "ADD",
        )
    )


def _rounds(random: Random) -> str:
    """A loop in which work-items of a group go on until nothing changes."""
    test = random.choice(("work_group_any(more)", "work_group_any(more)", "more", "*t", "LOAD"))
    clear = "if (l == 0) { *t = 0; }" if test == "*t" else ""
    mark = "atomic_fetch_or_explicit(t, 1, memory_order_relaxed, memory_scope_work_group);" if test == "*t" else "FLAG"
    barrier = "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);"
    maybe = barrier if random.random() < 0.9 else ""
    return f"""int k = 0, more = 0;
    do {{
      {clear} {maybe}
      int v = d[g]; int w = d[1 - g];
      {barrier}
      more = w < v;
      if (more) {{ d[g] = w; {mark if random.random() < 0.6 or test != "work_group_any(more)" else ""} }}
      {maybe}
    }} while ({test} && ++k < 2);"""


def _kernel(random: Random, name: str, *, one_group: bool) -> str:
    body = " ".join(f"{{ {_access(random)} }}" for _ in range(random.choice((1, 1, 2))))
    if one_group and random.random() < 0.4:
        body = random.choice((f"{{ {_rounds(random)} }}", f"{{ {_rounds(random)} }} {body}"))
    return (
        f"kernel {name} (global int* d, global int* e, global atomic_int* f, local atomic_int* t) "
        f"{{ int l = get_local_id(0); int g = get_global_id(0); {body} }}"
    )


def _host_statement(random: Random) -> str:
    return random.choice(
        (
            "d[0] = 1;",
            "e[1] = d[0];",
            "CLEAR",
            "int r{n} = d[1];",
            "int r{n} = LOAD;",
            "if (LOAD) d[1] = 0;",
            "if (e[0] > e[1]) d[0] = e[1];",
        )
    )


def _atomics(random: Random, text: str) -> str:
    """The text with the operations on the flag written out."""
    load, store = (
        ("relaxed", "relaxed") if random.random() < 0.8 else random.choice((("acquire", "release"), ("seq_cst",) * 2))
    )
    scope = "memory_scope_all_svm_devices" if random.random() < 0.8 else "memory_scope_device"
    value = "1" if random.random() < 0.8 else "2 + d[0]"
    for name, call in (
        ("FLAG", f"atomic_store_explicit(f, {value}, memory_order_{store}, {scope});"),
        ("CLEAR", f"atomic_store_explicit(f, 0, memory_order_{store}, {scope});"),
        ("LOAD", f"atomic_load_explicit(f, memory_order_{load}, {scope})" if random.random() < 0.7 else "(*f)"),
        ("ADD", f"atomic_fetch_add_explicit(f, 1, memory_order_relaxed, {scope});"),
    ):
        text = text.replace(name, call)
    return text


def _in_a_loop(random: Random, lines: list[str]) -> list[str]:
    """The host does all this again as long as data says so."""
    test = random.choice(("LOAD", "d[0] < 2", "LOAD == 1", "e[0] != e[1]"))
    clear = ["CLEAR"] if "LOAD" in test and random.random() < 0.7 else []
    finish = [] if random.random() < 0.15 else ["clFinish(q);"]
    body = [*clear, *lines, *finish]
    if random.random() < 0.3:
        leave = [random.choice(("if (d[1] > 1) break;", "if (!LOAD) break;"))]
        body = [*leave, *body] if random.random() < 0.3 else [*body, *leave]
    if random.random() < 0.3:
        return ["do {", *body, f"}} while ({test});"]
    return [f"while ({test}) {{", *body, "}"]


def commands_program(seed: str, number: int, *, loops: bool = False) -> str:
    """The litmus test of this number; with `loops`, the host enqueues in a loop."""
    random = Random(f"{seed} commands {number}")  # noqa: S311 - nothing secret
    queue = random.choice(_QUEUES)
    local = random.choice((2, 2, 2, 1))
    amount = random.choice((1, 2, 2))
    kernels = [_kernel(random, name, one_group=local == 2) for name in "AB"]
    lines: list[str] = []
    before = ""
    for command in range(amount):
        if random.random() < 0.4:
            lines.append(_host_statement(random).replace("{n}", str(len(lines))))
        wait = f", wait({before})" if before and (queue == "out_of_order") and random.random() < 0.6 else ""
        before = f"c{command}"
        lines.append(f"event {before} = clEnqueueNDRangeKernel(q, {random.choice('AB')}, 2, {local}{wait});")
        if random.random() < 0.5:
            lines.append(random.choice(("clFinish(q);", f"clWaitForEvents({before});")))
    if random.random() < 0.3:
        lines.append("int s = clEnqueueReadBuffer(q, f, CL_TRUE);" if random.random() < 0.5 else "clFinish(q);")
    if random.random() < 0.85:
        lines.append("clFinish(q);")
        lines.append("int r = d[1] + e[0];")
    if loops:
        lines = _in_a_loop(random, lines)
    kind = random.choice(_KINDS)
    values = ", ".join(str(random.randrange(3)) for _ in range(2))
    return f"""OPENCL commands-{number}
{{
  {kind}int d[2] = {{{values}}};
  {kind}int e[2] = {{{random.randrange(2)}, {random.randrange(2)}}};
  {kind or random.choice(("", "fine_svm_atomics "))}atomic_int f = {random.randrange(2)};
  queue q = {queue} dev 0;
}}
{_atomics(random, kernels[0])}
{_atomics(random, kernels[1])}
P0@host (global int* d, global int* e, global atomic_int* f) {{
  {_atomics(random, chr(10).join(lines)).replace(chr(10), chr(10) + "  ")}
}}
locations [ d[0]; d[1]; e[0]; e[1]; f; ]
"""
