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
    "COLL": "calls of group functions, which are no fences",
    "BUFFER": "accesses of global objects in buffers (cl_mem)",
    "COARSE": "accesses of global objects in coarse-grain SVM",
    "PROG": "accesses of program-scope global variables",
    "FINE": "accesses of global objects in fine-grain SVM without atomics",
    "FINE_ATOMICS": "accesses of global objects in fine-grain SVM with atomics",
    "SYSTEM": "accesses of global objects in system SVM without atomics",
    "SYSTEM_ATOMICS": "accesses of global objects in system SVM with atomics",
    "INDETERMINATE": "initial writes of objects without an initial value",
    "H": "events of host threads",
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
    "syncbar": "entries and exits of the same dynamic barrier instance of one group, calls of the same group function",
    "data": "a read and a write whose value depends on it",
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

# Relations that engines compute for a candidate; the others are static and stand in the skeleton.
DYNAMIC: Final[frozenset[str]] = frozenset({"rf", "mo", "loc"})

# Relations that have each pair in both directions.
SYMMETRIC: Final[frozenset[str]] = frozenset({"loc", "int", "ext", "ssg", "swg", "ski", "family", "sdv", "syncbar"})
