"""The names of the base sets and relations that executions hand to models: each once, with one line of meaning."""

from __future__ import annotations

from typing import Final

SETS: Final[dict[str, str]] = {
    "R": "reads: loads, failed compare-exchanges, read-modify-writes",
    "W": "writes: stores, read-modify-writes, initial writes",
    "M": "memory accesses: R | W",
    "RMW": "read-modify-writes, one event in R and in W",
    "F": "fences, barrier entries and barrier exits among them",
    "IW": "initial writes",
    "A": "atomic accesses",
    "AO": "accesses of atomic objects: declared atomic, or accessed atomically somewhere in the program",
    "ATOMIC_TYPE": "accesses of objects that are declared with an atomic type",
    "RLX": "events with memory_order_relaxed",
    "ACQ": "reads and fences that acquire: acquire, acq_rel or seq_cst",
    "REL": "writes and fences that release: release, acq_rel or seq_cst",
    "ACQ_REL": "events with memory_order_acq_rel exactly",
    "SC": "events with memory_order_seq_cst",
    "WI": "events with memory_scope_work_item",
    "SG": "events with memory_scope_sub_group",
    "WG": "events with memory_scope_work_group",
    "DV": "events with memory_scope_device",
    "ALL": "events with memory_scope_all_svm_devices, and every atomic or fence of a host thread",
    "G": "accesses of global memory, and fences and barriers with the global flag",
    "L": "accesses of local memory, and fences and barriers with the local flag",
    "C": "accesses of constant memory",
    "IMAGE": "fences and barriers with the image flag",
    "EF": "barrier entries",
    "XF": "barrier exits",
    "ONE_SPACE": "entries and exits of barriers with one of the global and the local flag alone",
    "COPIED": "ends of asynchronous copies",
    "AWAITED": "returns of calls that wait for asynchronous copies",
    "COLL": "calls of group functions, which are no fences",
    "BUFFER": "accesses of global objects in buffers (cl_mem)",
    "IMAGES": "accesses of images",
    "PIPES": "accesses of pipes: of their states, and of packets",
    "PACKETS": "accesses of packets of pipes",
    "PIPE_WRITES": "calls that write to a pipe, reserve packets for writing or commit them: accesses of its state",
    "PIPE_READS": "calls that read from a pipe, reserve packets for reading or commit them: accesses of its state",
    "COARSE": "accesses of global objects in coarse-grain SVM",
    "PROG": "accesses of program-scope global variables",
    "FINE": "accesses of global objects in fine-grain SVM without atomics",
    "FINE_ATOMICS": "accesses of global objects in fine-grain SVM with atomics",
    "SYSTEM": "accesses of global objects in system SVM without atomics",
    "SYSTEM_ATOMICS": "accesses of global objects in system SVM with atomics",
    "INDETERMINATE": "initial writes of objects without an initial value",
    "H": "events of host threads",
    "CALL": "calls of the host API and of enqueue_kernel",
    "RETURN": "returns of calls that wait: clWaitForEvents, clFinish, blocking commands",
    "BLOCKING": "returns of blocking commands",
    "QUERY": "calls of clGetEventInfo",
    "QUEUED": "queries that are answered CL_QUEUED",
    "SUBMITTED": "queries that are answered CL_SUBMITTED",
    "RUNNING": "queries that are answered CL_RUNNING",
    "COMPLETED": "queries that are answered CL_COMPLETE",
    "SETTER": "calls of clSetUserEventStatus that set their event: the first for each that is made",
    "ABNORMAL": "calls of clSetUserEventStatus that set their event to a negative status",
    "START": "starts of commands",
    "END": "ends of commands: all their work-groups have finished",
    "COMPLETE": "completions of commands",
    "IN_ORDER": "starts, ends and completions of commands in in-order queues",
    "MARKER": "starts, ends and completions of markers",
    "COMMAND_BARRIER": "starts, ends and completions of command barriers",
    "LISTED": "starts, ends and completions of commands with a wait list",
    "CHILD": "starts, ends and completions of kernels that kernels enqueue",
    "WAIT_KERNEL": "those of children that wait for their parent kernel to end",
    "WAIT_WORK_GROUP": "those of children that wait for the work-group that enqueues them to end",
    "MAP": "accesses of maps: of memory that the host does not share otherwise",
    "MAP_WRITE": "those of maps for writing",
    "NEEDS_MAP": "accesses of global objects declared buffer or coarse_svm",
}

RELATIONS: Final[dict[str, str]] = {
    "po": "sequenced-before inside one unit of execution",
    "rf": "reads-from: a write and a read that takes its value",
    "mo": "modification order: a total order on the writes of each location, initial write first",
    "loc": "accesses of the same location",
    "int": "events of the same unit of execution, each event with itself included",
    "ext": "events that are not of the same unit: the complement of int",
    "ssg": "events of work-items of the same sub-group",
    "swg": "events of work-items of the same work-group",
    "ski": "events of work-items of the same kernel instance",
    "family": "events of work-items of one kernel instance, its parent and its children",
    "sdv": "events of work-items on the same device",
    "shared-buffer": "accesses of one buffer by work-items of kernel instances of different families",
    "overlapping-buffers": "accesses of two units by way of two buffers that overlap: a sub-buffer and another",
    "enqueue": "a call and the start of the command that it enqueues",
    "run": "the start of a command and an event of a thread that executes it",
    "same-command": "start, end and completion of one command, all with all",
    "awaits": "a completion, or a call that sets a user event, and a start or return that waits for it by name",
    "before-in-queue": "a completion and the start of a later command of the queue, or the return of a later clFinish",
    "queued": "calls of clEnqueue… and clFinish to one queue, or that set one user event, an earlier and a later one",
    "callback": "a completion, or a call that sets a user event, and an event of a callback registered for it",
    "child": "the completion of a child kernel and that of its parent",
    "status": "call, start and completion of a command (or a call that sets a user event) and a query of its status",
    "unmap": "an access of a map, and the call and the completion of the unmap that ends it",
    "syncbar": "entries and exits of the same dynamic barrier instance of one group, calls of the same group function, "
    "the end of an asynchronous copy and the returns of those who wait for it",
    "data": "a read and a write whose value depends on it",
    "rmw": "the read and the write of one read-modify-write, in models that name this relation",
    "addr": "a read and an access whose address depends on it",
    "ctrl": "a read and an event whose execution depends on it",
}

# Names of other tools for the same thing, accepted in models.
ALIASES: Final[dict[str, str]] = {
    "sb": "po",
    "co": "mo",
    "thd": "int",
    "wi": "int",
    "sloc": "loc",
    "GLOBAL": "G",
    "LOCAL": "L",
    "CONSTANT": "C",
    "DEV": "DV",
    "SYS": "ALL",
    "SY": "ALL",
    "X": "RMW",
    "I": "IW",
}

COMMAND_RELATIONS: Final = (
    *("enqueue", "run", "same-command", "awaits", "before-in-queue", "queued", "callback", "child", "status", "unmap"),
)

# What the events of commands are, beside their accesses.
COMMAND_EVENTS: Final = (
    *("CALL", "RETURN", "BLOCKING", "QUERY", "QUEUED", "SUBMITTED", "RUNNING", "COMPLETED", "SETTER", "ABNORMAL"),
    *("START", "END", "COMPLETE", "IN_ORDER", "MARKER", "COMMAND_BARRIER", "LISTED", "CHILD"),
    *("WAIT_KERNEL", "WAIT_WORK_GROUP"),
)

PIPE_SETS: Final = ("PIPES", "PACKETS", "PIPE_WRITES", "PIPE_READS")

# Sets and relations that are empty in most programs: those about commands, asynchronous copies, and pipes.
BEYOND_MEMORY: Final[frozenset[str]] = frozenset(
    {*COMMAND_EVENTS, "MAP", "MAP_WRITE", "COPIED", "AWAITED", *PIPE_SETS, *COMMAND_RELATIONS}
)

# Those that are empty where there is nothing but accesses of global memory: those about fences, barriers, group
# functions, and other memory too.
BEYOND_ACCESSES: Final[frozenset[str]] = BEYOND_MEMORY | {
    *("F", "EF", "XF", "ONE_SPACE", "COLL", "syncbar", "IMAGE"),
    *("L", "C", "IMAGES"),
}

# Relations that engines compute for a candidate; the others are static and stand in the skeleton.
DYNAMIC: Final[frozenset[str]] = frozenset({"rf", "mo", "loc"})

# Those that say where the units of two events stand, from the widest group to the smallest.
PLACES: Final = ("sdv", "family", "ski", "swg", "ssg")

# Relations that have each pair in both directions.
SYMMETRIC: Final[frozenset[str]] = frozenset(
    (
        *PLACES,
        *("loc", "int", "ext", "syncbar", "same-command"),
        *("shared-buffer", "overlapping-buffers"),
    )
)
