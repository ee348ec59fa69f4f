"""Random host programs of SYCL whose commands on buffers stand in a loop, or in its iterations written out."""

from __future__ import annotations

import random

_MODES = ("", ", read_only", "", ", write_only, no_init")


def program(seed: str, number: int, *, written_out: bool) -> str:
    """The program of a number: with `while`, or with what that does as often as it goes round."""
    rng = random.Random(f"{seed} {number}")  # noqa: S311 - nothing secret
    before = _some(rng, 0, 1)
    body = _some(rng, 1, 3)
    behind = _some(rng, 0, 1)
    count = rng.choice((2, 2, 3))
    around = f"{{\n{body}\n}}\n" * count
    if not written_out:
        around = f"int n = {count};\nwhile (n > 0) {{\n{body}\nn--;\n}}\n"
    buffers = " ".join(f"buffer<int> {name}({of}, range<1>(1));" for name, of in (("b", "x"), ("c", "y"), ("d", "z")))
    return (
        "SYCL t\n{ int x = 1; int y = 1; int z = 1; int v = 0; }\n"
        f"host {{\nqueue q1; queue q2; int r = 0;\n{{\n{buffers}\n{before}\n{around}{behind}\n}}\n}}\n"
        "locations [x; y; z; v; 0:r;]\nforall (true)\n"
    )


def _some(rng: random.Random, least: int, most: int) -> str:
    return "\n".join(_statement(rng, is_inner=False) for _ in range(rng.randint(least, most)))


def _statement(rng: random.Random, *, is_inner: bool) -> str:
    kind = rng.random()
    if kind < 0.6 or is_inner:
        return _task(rng)
    if kind < 0.85:
        return f"{{ host_accessor g({rng.choice('bcd')}, read_only); r = (r * 3 + g[0]) % 7; }}"
    return f"if (r % 2 == {rng.randint(0, 1)}) {{ {_statement(rng, is_inner=True)} }}"


def _task(rng: random.Random) -> str:
    """A kernel with accessors of some buffers, which may access other memory, too."""
    accessors: list[str] = []
    read: list[str] = []
    written: list[str] = []
    for name in rng.sample("bcd", rng.choice((1, 1, 2, 2, 3))):
        mode = rng.choice(_MODES)
        accessors.append(f"accessor a{name}({name}, h{mode});")
        if "no_init" not in mode:
            read.append(f"a{name}[0]")
        if "read_only" not in mode:
            written.append(f"a{name}[0]")
    value = " + ".join((*read, str(rng.randint(1, 3))))
    body = " ".join(f"{one} = {value};" for one in written) or f"int k = {value};"
    if rng.random() < 0.25:
        body += " *v = *v + 1;"
    queue = rng.choice(("q1", "q1", "q2"))
    return f"{queue}.submit([&](handler& h) {{ {' '.join(accessors)} h.single_task([=] {{ {body} }}); }});"


def competing(seed: str, number: int) -> str:
    """A loop whose kernels compete, and whose host waits for some of its commands only."""
    rng = random.Random(f"{seed} competing {number}")  # noqa: S311 - nothing secret
    commands = "\n".join(_kernel(rng) for _ in range(rng.choice((2, 2, 3))))
    waits = f"{{ host_accessor g({rng.choice('bcd')}, read_only); r = r + g[0]; }}"
    buffers = " ".join(f"buffer<int> {name}({of}, range<1>(1));" for name, of in (("b", "x"), ("c", "y"), ("d", "z")))
    return (
        "SYCL t\n{ int x = 0; int y = 1; int z = 1; int v = 0; }\n"
        f"host {{\nqueue q1; queue q2; int r = 0; int n = 0;\n{{\n{buffers}\n"
        f"while (n < 2 && r < {rng.randint(2, 9)}) {{\n{commands}\n{waits}\nn++;\n}}\n}}\n}}\n"
        "locations [x; y; z; v; 0:r;]\nforall (true)\n"
    )


def _kernel(rng: random.Random) -> str:
    """A kernel whose work-items compete for one buffer; what another one holds may decide, or get what they find."""
    one, other = rng.sample("bcd", 2)
    mode = rng.choice(("", "", ", read_only"))
    update = rng.choice(("fetch_add(1)", "exchange(i + 1)", "fetch_max(i + 2)"))
    first = "" if rng.random() < 0.5 else f"if (i == 0 || a{other}[0] > 1) "
    then = "" if mode else f" if (o == {rng.randint(0, 1)}) {{ atomic(a{other}[0]) = i + 2; }}"
    if not mode:
        first = ""
    body = f"int o = 0; {first}{{ o = atomic(a{one}[0]).{update}; }}{then}"
    if rng.random() < 0.4:
        body += " atomic(*v).fetch_add(o);"
    body = body.replace("atomic(", "atomic_ref<int, memory_order::relaxed, memory_scope::device>(")
    accessors = f"accessor a{one}({one}, h); accessor a{other}({other}, h{mode});"
    kernel = f"h.parallel_for(range<1>(2), [=](id<1> i) {{ {body} }});"
    if rng.random() < 0.3:
        kernel = f"h.single_task([=] {{ a{one}[0] += a{other}[0]; }});"
    return f"q{rng.choice('12')}.submit([&](handler& h) {{ {accessors} {kernel} }});"
