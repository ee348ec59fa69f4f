"""Random host programs: queues, commands with wait lists, host threads, callbacks and kernels that enqueue kernels."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Final

KINDS: Final = ("buffer", "buffer", "coarse_svm", "fine_svm", "fine_svm_atomics")
MOST_CALLS: Final = 5
MOST_ACCESSES: Final = 7

RELEASE: Final = "memory_order_release, memory_scope_all_svm_devices"
ACQUIRE: Final = "memory_order_acquire, memory_scope_all_svm_devices"
PARAMETERS: Final = "(global int* x, global int* y, global atomic_int* f)"

# The bodies of kernels, and how many accesses they make. CHILD is replaced by a flag and another kernel.
BODIES: Final = {
    "setX": ("*x = 1;", 1),
    "setXagain": ("*x = 2;", 1),
    "setY": ("*y = 1;", 1),
    "getX": ("int r = *x;", 1),
    "move": ("*y = *x + 4;", 2),
    "back": ("*x = *y + 8;", 2),
    "raise": (f"*x = 3; atomic_store_explicit(f, 1, {RELEASE});", 2),
    "look": (f"int r = -1; int s = atomic_load_explicit(f, {ACQUIRE}); if (s == 1) {{ r = *x; }}", 2),
    "count": ("atomic_fetch_add(f, 1);", 1),
    "parent": ("*x = 5; CHILD", 1),
    "each": ("x[0] = 6; if (get_global_id(0) == 1) { CHILD }", 2),
}
# How often a statement is of which kind.
STATEMENTS: Final = {
    "kernel": 9,
    "access": 3,
    "data": 3,
    "order": 2,
    "wait": 2,
    "query": 2,
    "finish": 1,
    "callback": 1,
    "map": 1,
}
STATUSES: Final = ("CL_COMPLETE", "CL_COMPLETE", "CL_COMPLETE", "-3")
FLAGS: Final = ("NO_WAIT", "WAIT_KERNEL", "WAIT_WORK_GROUP")


@dataclass
class Writer:
    """A program as it grows: `events` are those that a thread can name, `set` whether the user event has been set."""

    random: Random
    queues: list[str] = field(default_factory=list)
    kernels: dict[str, str] = field(default_factory=dict)
    accesses: int = 0
    events: int = 0
    registers: int = 0
    callbacks: list[str] = field(default_factory=list)
    is_set: bool = False


def host_program(seed: str, number: int) -> str:
    """The text of the host program of this number in the sequence that the seed names."""
    random = Random(f"{seed}/host/{number}")  # noqa: S311 (nothing secret)
    while True:
        text = written(Writer(random), f"host-{seed}-{number}")
        if text is not None:
            return text


def written(writer: Writer, name: str) -> str | None:
    """The text of a random program; None where it would be too large, or does nothing."""
    random = writer.random
    declared = []
    for queue in ("q", "p")[: random.choice((1, 1, 2))]:
        writer.queues.append(queue)
        declared.append(f"queue {queue} = {random.choice(('in_order', 'out_of_order'))} dev {random.randrange(2)};")
    amounts = random.choice(((2,), (3,), (4,), (MOST_CALLS,), (2, 2), (3, 2)))
    threads = [thread(writer, amount) for amount in amounts]
    if not 1 <= writer.accesses <= MOST_ACCESSES:
        return None
    kinds = [random.choice(KINDS) for _ in "xy"]
    objects = [f"{kind} int {place} = 0;" for kind, place in zip(kinds, "xy", strict=True)]
    objects.append(f"{random.choice(('buffer', 'fine_svm_atomics', 'fine_svm_atomics'))} int f = 0;")
    lines = [f"OPENCL {name}", "{ " + " ".join((*objects, *declared, "user_event u;")) + " }"]
    lines += [f"kernel {kernel} {PARAMETERS} {{ {body} }}" for kernel, body in writer.kernels.items()]
    lines += [
        f"callback {callback} {PARAMETERS} {{ {random.choice(('*y = *x;', '*x = 7;'))} }}"
        for callback in writer.callbacks
    ]
    lines += [f"P{number}@host {PARAMETERS} {{ {' '.join(calls)} }}" for number, calls in enumerate(threads)]
    return "\n".join((*lines, "exists (true)", ""))


def thread(writer: Writer, amount: int) -> list[str]:
    """The statements of a host thread."""
    own: list[str] = []
    found = [statement(writer, own) for _ in range(amount)]
    if writer.random.random() < (0.5 if not writer.is_set else 0.25):
        # The first call that is made sets it, the second one does not.
        told = f"int {register(writer)} = " if writer.is_set else ""
        writer.is_set = True
        found.append(f"{told}clSetUserEventStatus(u, {writer.random.choice(STATUSES)});")
    return found


def statement(writer: Writer, own: list[str]) -> str:
    """A random statement; `own` are the events that the thread has so far."""
    random = writer.random
    kinds = {
        "kernel": 9,
        "data": 3,
        "order": 2,
        "wait": 2,
        "finish": 1,
        "access": 3,
        "callback": 1,
        "query": 2,
        "map": 1,
    }
    kind = random.choices(tuple(kinds), tuple(kinds.values()))[0]
    queue = random.choice(writer.queues)
    match kind:
        case "kernel":
            return event(writer, own, f"clEnqueueNDRangeKernel({queue}, {kernel(writer)}{waits(writer, own)})")
        case "data":
            return data(writer, own, queue)
        case "order":
            name = random.choice(("Marker", "Barrier"))
            return event(writer, own, f"clEnqueue{name}WithWaitList({queue}{waits(writer, own)})")
        case "wait" if own:
            told = f"int {register(writer)} = " if random.random() < 0.2 else ""
            return f"{told}clWaitForEvents({random.choice(own)});"
        case "callback" if own and len(writer.callbacks) < 1:
            writer.accesses += 1
            writer.callbacks.append(f"CB{len(writer.callbacks)}")
            return f"clSetEventCallback({random.choice(own)}, {writer.callbacks[-1]});"
        case "query" if own:
            return query(writer, own)
        case "map":
            return mapping(writer, own, queue)
        case "finish":
            return f"clFinish({queue});"
        case _:
            writer.accesses += 1
            place = random.choice("xxy")
            return random.choice((f"*{place} = 9;", f"int {register(writer)} = *{place};"))


def query(writer: Writer, own: list[str]) -> str:
    """A question for the status of a command or user event, and perhaps an access that depends on the answer."""
    told = register(writer)
    asks = f"int {told} = clGetEventInfo({writer.random.choice((*own, 'u'))});"
    if writer.random.random() < 0.5:
        return asks
    writer.accesses += 1
    return f"{asks} if ({told} == CL_COMPLETE) {{ *y = 13; }}"


def kernel(writer: Writer) -> str:
    """The name and the sizes of a kernel to launch, which is added if it is new."""
    name = writer.random.choice(tuple(BODIES))
    body, accesses = BODIES[name]
    writer.accesses += accesses
    if name not in writer.kernels:
        if "CHILD" in body:
            child = writer.random.choice(("setY", "getX", "move", "setXagain"))
            writer.kernels.setdefault(child, BODIES[child][0])
            writer.accesses += BODIES[child][1]
            flag = writer.random.choice(FLAGS)
            body = body.replace("CHILD", f"enqueue_kernel(CLK_ENQUEUE_FLAGS_{flag}, {child}, 1, 1);")
        writer.kernels[name] = body
    return f"{name}, 2, {writer.random.choice((1, 2))}" if name == "each" else f"{name}, 1, 1"


def data(writer: Writer, own: list[str], queue: str) -> str:
    """A command on memory."""
    random, place = writer.random, writer.random.choice("xxy")
    blocking = random.choice(("CL_TRUE", "CL_FALSE"))
    writer.accesses += 1
    match random.randrange(5):
        case 0:
            call = f"clEnqueueReadBuffer({queue}, {place}, CL_TRUE{waits(writer, own)})"
            return f"int {register(writer)} = {call};"
        case 1:
            call = f"clEnqueueWriteBuffer({queue}, {place}, {blocking}, 10{waits(writer, own)})"
        case 2:
            call = f"clEnqueueFillBuffer({queue}, {place}, 11{waits(writer, own)})"
        case 3:
            writer.accesses += 1
            call = f"clEnqueueCopyBuffer({queue}, {place}, {'y' if place == 'x' else 'x'}{waits(writer, own)})"
        case _:
            writer.accesses += 2
            flag = random.choice(("CL_MAP_READ", "CL_MAP_WRITE"))
            mapped = f"clEnqueueMapBuffer({queue}, {place}, CL_TRUE, {flag}{waits(writer, own)});"
            access = f"int {register(writer)} = *{place};" if flag == "CL_MAP_READ" else f"*{place} = 12;"
            return f"{mapped} {access} clEnqueueUnmapMemObject({queue}, {place});"
    return event(writer, own, call)


def mapping(writer: Writer, own: list[str], queue: str) -> str:
    """A map that is not blocking, or an unmap of whatever is mapped."""
    place = writer.random.choice("xxy")
    if writer.random.random() < 0.4:
        return f"clEnqueueUnmapMemObject({queue}, {place}{waits(writer, own)});"
    writer.accesses += 2
    flag = writer.random.choice(("CL_MAP_READ", "CL_MAP_WRITE"))
    return event(writer, own, f"clEnqueueMapBuffer({queue}, {place}, CL_FALSE, {flag}{waits(writer, own)})")


def event(writer: Writer, own: list[str], call: str) -> str:
    """A call whose event has a name."""
    writer.events += 1
    own.append(f"e{writer.events}")
    return f"event {own[-1]} = {call};"


def register(writer: Writer) -> str:
    """A new private variable."""
    writer.registers += 1
    return f"r{writer.registers}"


def waits(writer: Writer, own: list[str]) -> str:
    """A wait list, or none."""
    chosen = [one for one in (*own, "u") if writer.random.random() < (0.3 if one != "u" else 0.15)]
    return f", wait({', '.join(chosen)})" if chosen else ""
