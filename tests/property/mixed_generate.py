"""Random programs that mix what others keep apart: both regions and fences of either, 32 and 64 bits, locks, commands.

What a flag tells of in one region lies in the other now and then, barriers stand in loops that all leave together,
what a lock protects is accessed without it, too, and kernels follow each other, or do not.
"""

from __future__ import annotations

from random import Random
from typing import Final

_GLOBAL, _LOCAL = "CLK_GLOBAL_MEM_FENCE", "CLK_LOCAL_MEM_FENCE"
_BOTH: Final = f"{_GLOBAL} | {_LOCAL}"
# Work-items of a group, and groups.
_SHAPES: Final = ((2, 1), (2, 1), (3, 1), (2, 2), (1, 2), (4, 1))
_ORDERS: Final = {
    "load": ("relaxed", "acquire", "seq_cst"),
    "store": ("relaxed", "release", "seq_cst"),
    "update": ("relaxed", "acquire", "release", "acq_rel", "seq_cst"),
    "fence": ("acquire", "release", "acq_rel", "seq_cst"),
}
_STRONG: Final = {"load": "acquire", "store": "release", "update": "acq_rel", "fence": "acq_rel"}
_KINDS: Final = (
    *("atomic", "atomic", "wide", "wide", "plain", "plain", "told", "told", "fence", "barrier", "sub-group barrier"),
    *("rounds", "search", "section", "section", "last", "choice", "votes"),
)
# What the members of a group do together.
_OF_ALL: Final = frozenset({"barrier", "sub-group barrier", "rounds", "search", "votes"})
_COMMANDS: Final = ("in_order", "out_of_order", "out_of_order")
_ALLOCATIONS: Final = ("", "coarse_svm ", "fine_svm ", "fine_svm_atomics ", "fine_svm_atomics ")


def mixing_kernel(seed: str, number: int) -> str:
    """The kernel of this number, launched once: the same seed and number give the same text."""
    random = Random(f"mixed {seed} {number}")  # noqa: S311 - nothing secret
    local, groups = random.choice(_SHAPES)
    items, sub = local * groups, random.choice((1, 2, local))
    kernel = _Kernel(random, local, groups)
    lines = kernel.lines(random.choice((2, 3, 3) if items < 4 else (1, 2, 2)))
    return f"""OPENCL mixed-{number}
{{ [c]=0; [f]=0; [lock]=0; long w = {random.choice(("0", "1", "4294967295"))}; [p]=0; int a[{items}]; }}
kernel K ({PARAMETERS}) {{
{lines}
}}
launch K global {items}, local {local}, sub {min(sub, local)}, dev 0;
locations [ c; f; w; p; a; 0:r; {items - 1}:r; ]
"""


def mixing_commands(seed: str, number: int) -> str:
    """The host program of this number, which enqueues two or three kernels."""
    random = Random(f"mixed commands {seed} {number}")  # noqa: S311 - nothing secret
    allocation = random.choice(_ALLOCATIONS)
    shapes = [random.choice(((1, 1), (2, 1), (1, 2))) for _ in range(2)]
    kernels = [_Kernel(random, *shape) for shape in shapes]
    host = _host(random, shapes, allocation)
    texts = "\n".join(
        f"kernel {name} ({PARAMETERS}) {{\n{kernel.lines(random.choice((1, 1, 2)))}\n}}"
        for name, kernel in zip("KL", kernels, strict=True)
    )
    callback = _CALLBACK if "CB" in host else ""
    return f"""OPENCL mixed-commands-{number}
{{
  {allocation}atomic_int c = 0; {allocation}atomic_int f = 0; {allocation}atomic_int lock = 0;
  {allocation}atomic_long w = 0; {allocation}int p = 0; {allocation}int a[2];
  queue q = {random.choice(_COMMANDS)} dev 0; queue s = {random.choice(_COMMANDS)} dev 0; user_event u;
}}
{texts}
{callback}P0@host ({PARAMETERS}) {{
{host}
}}
locations [ c; f; w; p; a; ]
"""


_CALLBACK: Final = "callback CB (global int* p, global int* a) { *p = a[0] + 1; }\n"
PARAMETERS: Final = """global atomic_int* c, global atomic_int* f, global atomic_int* lock, global atomic_long* w,
          global int* p, global int* a"""


class _Kernel:
    def __init__(self, random: Random, local: int, groups: int) -> None:
        self._random = random
        self._local, self._groups = local, groups
        self._items = local * groups
        self._orders = random.choice(("relaxed", "right", "right", "any", "any", "seq_cst"))
        self._scopes = random.choice(
            (("device",), ("device",), ("device", "work_group"), ("all_svm_devices", "device", "sub_group"))
        )
        self._flags = random.choice(((_BOTH,), (_GLOBAL,), (_LOCAL,), (_BOTH, _GLOBAL, _LOCAL)))
        self._kinds = random.sample(_KINDS, k=3)
        self._open = 3 if self._items < 3 else 1
        self._names = 0
        # How many statements this one is in.
        self._depth = 0

    def lines(self, count: int) -> str:
        """The body of the kernel, with so many statements."""
        declared = [
            "  local atomic_int t; local atomic_int turn; local atomic_long lw; local int s[2];",
            "  int l = get_local_id(0); int g = get_global_id(0); int r = 0; long b = 0;",
            "  if (l == 0) { atomic_init(&t, 0); atomic_init(&turn, 0); atomic_init(&lw, 1); s[0] = 0; s[1] = 1; }",
            f"  barrier({_LOCAL if self._random.random() < 0.8 else _BOTH});",
        ]
        found = [self._statement() for _ in range(count)]
        return "\n".join((*declared, *(f"  {each}" for each in found)))

    def _name(self) -> str:
        self._names += 1
        return f"n{self._names}"

    def _how(self, kind: str) -> str:
        order = {"relaxed": "relaxed", "right": _STRONG[kind], "seq_cst": "seq_cst"}.get(self._orders)
        if kind == "fence" and order == "relaxed":
            order = "acq_rel"
        order = order or self._random.choice(_ORDERS[kind])
        return f"memory_order_{order}, memory_scope_{self._random.choice(self._scopes)}"

    def _who(self) -> str:
        return self._random.choice(("l == 0", "l == 1", "g == 0", "g == 1", "l > 0", "r == 1", "b != 0", "s[0] == 1"))

    def _statement(self) -> str:
        random = self._random
        kind = random.choice(self._kinds)
        if (self._depth and kind in _OF_ALL) or self._depth > 2:
            kind = "plain"
        self._depth += 1
        made: str = getattr(self, "_" + kind.replace("-", "_").replace(" ", "_"))()
        self._depth -= 1
        return made if kind in _OF_ALL or random.random() < 0.5 else f"if ({self._who()}) {{ {made} }}"

    def _atomic(self) -> str:
        place = self._random.choice(("c", "c", "&t", "f"))
        return self._access(place, "1")

    def _wide(self) -> str:
        place = self._random.choice(("w", "w", "&lw"))
        number = self._random.choice(("1", "4294967296L", "-1", "(long)r << 32", "l + 2147483647L"))
        other = self._random.choice(("c", "&t"))
        return self._random.choice(
            (
                self._access(place, number, "b"),
                self._access(place, number, "b"),
                f"b = {self._load(place)}; r = (int)(b >> 32);",
                self._store(place, f"{self._load(other)} * 4294967296L"),
                self._store(other, f"(int){self._load(place)}"),
            )
        )

    def _load(self, place: str) -> str:
        return f"atomic_load_explicit({place}, {self._how('load')})"

    def _store(self, place: str, value: str) -> str:
        return f"atomic_store_explicit({place}, {value}, {self._how('store')});"

    def _access(self, place: str, number: str, register: str = "r") -> str:
        random = self._random
        self._open -= 1
        if self._open < -2:
            return self._plain()
        update = random.choice(("add", "add", "or", "min", "max", "sub", "xor"))
        expected, kind = self._name(), "long" if register == "b" else "int"
        strength = random.choice(("strong", "weak"))
        both = self._how("update").replace("memory_scope", "memory_order_relaxed, memory_scope")
        exchange = f"atomic_compare_exchange_{strength}_explicit({place}, &{expected}, {number}, {both})"
        return random.choice(
            (
                self._store(place, number),
                *(f"{register} = {self._load(place)};",) * 2,
                f"atomic_fetch_{update}_explicit({place}, {number}, {self._how('update')});",
                f"{register} = atomic_fetch_{update}_explicit({place}, {number}, {self._how('update')});",
                f"{register} = atomic_exchange_explicit({place}, {number}, {self._how('update')});",
                f"{kind} {expected} = 0; if ({exchange}) {{ {self._plain()} }}",
            )
        )

    def _plain(self) -> str:
        return self._random.choice(
            (
                *("*p = 1;", "r = *p;", "s[0] = 2;", "r = s[0];", "s[l & 1] = r;", "a[g] = r + 1;", "r = a[0];"),
                *("a[g] = s[1 - (l & 1)];", "*p = s[0];", "if (l == 0) { s[1] = *p; }", "a[g] = b > 1;"),
            )
        )

    def _fence(self) -> str:
        return f"atomic_work_item_fence({self._random.choice(self._flags)}, {self._how('fence')});"

    def _barrier(self) -> str:
        scope = self._random.choice(("", "", ", memory_scope_device", ", memory_scope_work_group"))
        return f"work_group_barrier({self._random.choice(self._flags)}{scope});"

    def _sub_group_barrier(self) -> str:
        scope = self._random.choice(("", "", ", memory_scope_device", ", memory_scope_work_group"))
        return f"sub_group_barrier({self._random.choice(self._flags)}{scope});"

    def _told(self) -> str:
        """One tells another by a flag that something is written."""
        random = self._random
        data = random.choice(("*p", "*p", "s[0]", "a[0]"))
        flag = random.choice(("f", "&t", "c", "w"))
        one, other = random.choice((("l == 0", "l == 1"), ("g == 0", "g == 1"), ("g == 0", f"g == {self._items - 1}")))
        before, after = (self._fence() if random.random() < 0.6 else "" for _ in range(2))
        first, then = (
            (f"{data} = 5; {before}", f"{after} r = {data};")
            if random.random() < 0.8
            else (f"r = {data}; {before}", f"{after} {data} = 5;")
        )
        add = f"atomic_fetch_add_explicit({flag}, 1, {self._how('update')});"
        store, load = random.choice((self._store(flag, "1"), add)), self._load(flag)
        return f"if ({one}) {{ {first} {store} }} if ({other}) {{ if ({load} == 1) {{ {then} }} }}"

    def _rounds(self) -> str:
        """A loop of as many rounds for all, each with a barrier."""
        name = self._name()
        return (
            f"for (int {name} = 0; {name} < 2; {name}++) {{ {self._statement()} {self._barrier()} "
            f"{self._statement() if self._random.random() < 0.3 else ''} }}"
        )

    def _search(self) -> str:
        """A loop that all leave together, since all read the same."""
        random, name = self._random, self._name()
        change = random.choice(
            (
                "s[0] = s[0] + 1;",
                f"atomic_fetch_add_explicit(&t, 1, {self._how('update')}); s[0] = 1;",
                f"s[0] = {self._load('c')};",
                "s[0] = 1; *p = 1;",
            )
        )
        leave = random.choice(("s[0] > 0", "s[0] == 1", f"{self._load('&t')} > 0"))
        second = self._barrier() if random.random() < 0.8 else ""
        return (
            f"for (int {name} = 0; {name} < 2; {name}++) {{ if (l == 0) {{ {change} }} {self._barrier()} "
            f"if ({leave}) break; {second} }}"
        )

    def _section(self) -> str:
        """A critical section, or an access beside it to what it protects."""
        random = self._random
        lock = random.choice(("lock", "lock", "&turn"))
        protected = random.choice(("*p", "*p", "s[0]"))
        if random.random() < 0.25:
            return random.choice((f"{protected} = 3;", f"r = {protected};", self._fence()))
        scope = f"memory_scope_{random.choice(self._scopes)}"
        take, give = ("acquire", "release") if random.random() < 0.85 else ("relaxed", "relaxed")
        before = after = ""
        if random.random() < 0.2:
            before, after, take, give = self._fence(), self._fence(), "relaxed", "relaxed"
        inside = random.choice(
            (
                f"{protected} = {protected} + 1;",
                f"{protected} += l + 1;",
                f"r = {protected}; {protected} = r + 1;",
                f"{protected} = {protected} + 1; {self._statement()}",
                f"{protected} = l;",
                f"{protected} += 1; *p += 1;",
            )
        )
        return (
            f"while (atomic_exchange_explicit({lock}, 1, memory_order_{take}, {scope}) != 0) {{ }} {before} {inside} "
            f"{after} atomic_store_explicit({lock}, 0, memory_order_{give}, {scope});"
        )

    def _last(self) -> str:
        """The last that counts itself goes on with what all have written."""
        random = self._random
        counter, among = random.choice((("c", self._items), ("&t", self._local), ("w", self._items)))
        read = random.choice(("r = a[0];", f"r = a[{self._items - 1}];", "*p = a[0] + 1;", "r = s[0];"))
        fences = [self._fence() if random.random() < 0.4 else "" for _ in range(2)]
        return (
            f"a[g] = g + 1; {fences[0]} if (atomic_fetch_add_explicit({counter}, 1, {self._how('update')}) == "
            f"{among - 1}) {{ {fences[1]} {read} }}"
        )

    def _choice(self) -> str:
        test = self._random.choice((self._who(), "*p == 1", "r == b", self._load("f")))
        return f"if ({test}) {{ {self._statement()} }} else {{ {self._statement()} }}"

    def _votes(self) -> str:
        function = self._random.choice(("work_group_any", "work_group_all", "sub_group_any"))
        passed = self._random.choice(("r == 1", "l == 0", "s[0] == 1", self._load("c")))
        return (
            f"if ({function}({passed})) {{ {self._random.choice((self._barrier(), self._plain(), self._atomic()))} }}"
        )


def _host(random: Random, shapes: list[tuple[int, int]], allocation: str) -> str:
    """What the host does: commands, waits between them, accesses of its own."""
    lines: list[str] = []
    events: list[str] = []
    for number in range(random.choice((2, 2, 3))):
        lines += _host_access(random, allocation, number) if random.random() < 0.4 else []
        queue = random.choice(("q", "q", "q", "s"))
        awaited = [random.choice((*events, events[-1]))] if events and random.random() < 0.5 else []
        awaited += ["u"] if random.random() < 0.1 else []
        waits = f", wait({', '.join(awaited)})" if awaited else ""
        if random.random() < 0.7:
            which = random.randrange(2)
            local, groups = shapes[which]
            call = f"clEnqueueNDRangeKernel({queue}, {'KL'[which]}, {local * groups}, {local}{waits});"
        else:
            call = random.choice(
                (
                    f"clEnqueueFillBuffer({queue}, p, 7{waits});",
                    f"clEnqueueWriteBuffer({queue}, p, CL_FALSE, 4{waits});",
                    f"clEnqueueCopyBuffer({queue}, p, c{waits});",
                    f"clEnqueueMapBuffer({queue}, p, CL_TRUE, CL_MAP_{random.choice(('READ', 'WRITE'))}{waits});",
                    f"clEnqueueUnmapMemObject({queue}, p{waits});",
                    f"clEnqueueMarkerWithWaitList({queue}{waits});",
                    f"clEnqueueBarrierWithWaitList({queue}{waits});",
                )
            )
        events.append(f"e{number}")
        lines.append(f"event e{number} = {call}")
        after = ("clFinish(q);", "clFinish(s);", f"clWaitForEvents({events[-1]});", "clFlush(q);")
        lines += [random.choice(after)] if random.random() < 0.35 else []
        asked = (f"int i{number} = clGetEventInfo({events[-1]});", f"clSetEventCallback({events[-1]}, CB);")
        lines += [random.choice(asked)] if random.random() < 0.1 else []
    if any("wait(u)" in line or ", u)" in line for line in lines):
        lines.insert(random.randrange(len(lines) + 1), "clSetUserEventStatus(u, CL_COMPLETE);")
    if random.random() < 0.7:
        lines += ["clFinish(q);", "clFinish(s);"]
        lines += [random.choice(("int z = *p;", "int z = clEnqueueReadBuffer(q, p, CL_TRUE);", "int z = a[0] + *p;"))]
    return "\n".join(f"  {line}" for line in lines)


def _host_access(random: Random, allocation: str, number: int) -> list[str]:
    scope = f"memory_scope_{random.choice(('all_svm_devices', 'all_svm_devices', 'device'))}"
    store = random.choice(("relaxed", "release", "seq_cst"))
    load = random.choice(("relaxed", "acquire", "seq_cst"))
    choices = ["*p = 9;", f"int h{number} = *p;", "a[0] = 2;"]
    if "atomics" in allocation:
        choices += [
            f"atomic_store_explicit(f, 1, memory_order_{store}, {scope});",
            f"int h{number} = atomic_load_explicit(c, memory_order_{load}, {scope});",
            f"long h{number} = atomic_fetch_add_explicit(w, 4294967296L, memory_order_relaxed, {scope});",
            f"if (atomic_load_explicit(f, memory_order_{load}, {scope}) == 1) {{ *p = 8; }}",
        ]
    return [random.choice(choices)]
