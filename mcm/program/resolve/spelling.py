"""The words of the language for types, regions, allocation kinds, orders, scopes and flags."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from mcm.program.float_arithmetic import DIRECTED, EXACT_PRODUCT, NEXT, ONE, ROUNDED_SUM, TWO
from mcm.program.types import AllocationKind, Flag, Order, Region, Scalar, Scope

if TYPE_CHECKING:
    from mcm.syntax.ast import TypeName

ORDERS: Final[dict[str, Order]] = {order.value: order for order in Order}

SCOPES: Final[dict[str, Scope]] = {
    "memory_scope_work_item": Scope.WORK_ITEM,
    "memory_scope_sub_group": Scope.SUB_GROUP,
    "memory_scope_work_group": Scope.WORK_GROUP,
    "memory_scope_device": Scope.DEVICE,
    "memory_scope_all_svm_devices": Scope.ALL_SVM_DEVICES,
    "memory_scope_all_devices": Scope.ALL_SVM_DEVICES,
}
FLAGS: Final[dict[str, Flag]] = {flag.value: flag for flag in Flag}

ALLOCATIONS: Final[dict[str, AllocationKind]] = {kind.value: kind for kind in AllocationKind}

REGIONS: Final[dict[str, Region]] = {
    **{f"{prefix}{region.value}": region for region in Region if region is not Region.NONE for prefix in ("", "__")},
}

# Qualifiers that memory models do not distinguish.
_IGNORED_QUALIFIERS: Final = frozenset(
    (
        *(
            "volatile",
            "__volatile",
            "const",
            "__const",
            "restrict",
            "__restrict",
            "__restrict__",
            "register",
            "auto",
            "unaligned",
        ),
        *(f"{prefix}{word}" for word in ("read_only", "write_only", "read_write") for prefix in ("", "__")),
    )
)

SCALARS: Final[dict[str, Scalar]] = {
    "bool": Scalar.BOOL,
    "_Bool": Scalar.BOOL,
    "char": Scalar.CHAR,
    "uchar": Scalar.UCHAR,
    "short": Scalar.SHORT,
    "ushort": Scalar.USHORT,
    "int": Scalar.INT,
    "uint": Scalar.UINT,
    "long": Scalar.LONG,
    "ulong": Scalar.ULONG,
    "half": Scalar.HALF,
    "float": Scalar.FLOAT,
    "double": Scalar.DOUBLE,
    "size_t": Scalar.ULONG,
    "ptrdiff_t": Scalar.LONG,
    "intptr_t": Scalar.LONG,
    "uintptr_t": Scalar.ULONG,
    "cl_mem_fence_flags": Scalar.UINT,
    "event_t": Scalar.EVENT,
    "reserve_id_t": Scalar.RESERVATION,
    **{f"int{s.bits}_t": s for s in (Scalar.CHAR, Scalar.SHORT, Scalar.INT, Scalar.LONG)},
    **{f"uint{s.bits}_t": s for s in (Scalar.UCHAR, Scalar.USHORT, Scalar.UINT, Scalar.ULONG)},
}

ATOMICS: Final[dict[str, Scalar]] = {
    "atomic_flag": Scalar.INT,
    **{
        f"atomic_{name}": SCALARS[name]
        for name in (
            *("bool", "char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "float", "double"),
            *("size_t", "ptrdiff_t", "intptr_t", "uintptr_t"),
            *("int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t"),
        )
    },
    "atomic_schar": Scalar.CHAR,
    "atomic_llong": Scalar.LONG,
    "atomic_ullong": Scalar.ULONG,
}

# The types of variables that hold events of commands.
EVENT_TYPES: Final = frozenset({"event", "cl_event", "clk_event_t"})

# Types of OpenCL C and C that are not supported.
# A string, compiled only for types that are not known.
_UNSUPPORTED_TYPE: Final = (
    r"(atomic_)?(double|half)\d*|void|struct|union|enum|(u?(char|short|int|long)|float)\d+|clk_event_t|"
    r"queue_t|ndrange_t|sampler_t|image\w+_t|memory_order|memory_scope"
)


def is_unsupported_type(words: str) -> bool:
    """Whether the words name a type of OpenCL C or C that is not supported.

    >>> is_unsupported_type("float4"), is_unsupported_type("flaot")
    (True, False)
    """
    return re.fullmatch(_UNSUPPORTED_TYPE, words) is not None


def written_name(name: str) -> str:
    """A function as its author calls it: one of several of a name, or for one use, has a number behind that.

    >>> written_name("add#1"), written_name("add"), written_name("#operator")
    ('add', 'add', '#operator')
    """
    written, _, number = name.partition("#")
    return written if written and number[:1].isdigit() else name


# The functions for pipes; those that commit reservations have no value.
PIPE_COMMITS: Final = frozenset(
    f"{level}commit_{end}_pipe" for level in ("", "work_group_", "sub_group_") for end in ("read", "write")
)
PIPE_FUNCTIONS: Final = frozenset(
    {
        *PIPE_COMMITS,
        *(name.replace("commit", "reserve") for name in PIPE_COMMITS),
        *("read_pipe", "write_pipe", "is_valid_reserve_id", "get_pipe_num_packets", "get_pipe_max_packets"),
    }
)

COPY_FUNCTIONS: Final = frozenset(
    {"async_work_group_copy", "async_work_group_strided_copy", "wait_group_events", "prefetch"}
)
PRINTF: Final = "printf"
VECTOR_STEP: Final = "vec_step"
# How the names end of definitions that mcm makes of functions of OpenCL C with two results.
MADE: Final = "#made"
# How the names begin that members without a name are given.
ANONYMOUS: Final = "anonymous_"
# The rounding modes, as names of functions end with them.
ROUNDING: Final = ("", "_rte", "_rtz", "_rtp", "_rtn")
LOAD_HALF: Final = "vload_half"
STORE_HALF: Final = frozenset(f"vstore_half{mode}" for mode in ROUNDING)
# Functions of sub-groups that give vectors; how that is called of which one word is meant.
BALLOT: Final = "sub_group_ballot"
MASKS: Final = frozenset(f"get_sub_group_{one}_mask" for one in ("eq", "ge", "gt", "le", "lt"))
WORD: Final = "#word"
BALLOT_WORD: Final = BALLOT + WORD
# Those that compute something of them. What compares a ballot between work-items is a group function.
ABOUT_BALLOTS: Final = frozenset(
    {
        *(f"sub_group_ballot_{one}" for one in ("bit_count", "inclusive_scan", "exclusive_scan")),
        *("sub_group_ballot_find_lsb", "sub_group_ballot_find_msb"),
        *("sub_group_ballot_bit_extract", *(mask + WORD for mask in MASKS)),
    }
)
POINTER_FUNCTIONS: Final = frozenset({"to_global", "to_local", "to_private", "get_fence"})
_LESS_EXACT: Final = (
    *("cos", "divide", "exp", "exp2", "exp10", "log", "log2", "log10", "powr", "recip", "rsqrt", "sin", "sqrt", "tan"),
)
INTEGER_FUNCTIONS: Final = frozenset(
    {
        *("min", "max", "clamp", "abs", "popcount", "clz", "ctz", "rotate", "mul24", "mad24", "add_sat", "sub_sat"),
        *("mul_hi", "mad_hi", "mad_sat", "hadd", "rhadd", "abs_diff", "bitselect", "upsample"),
    }
)
# Functions of floating types that say yes or no: as 1 and 0, for vectors -1 and 0 in each component.
RELATIONAL: Final = frozenset(
    {
        *("isequal", "isnotequal", "isgreater", "isgreaterequal", "isless", "islessequal", "islessgreater"),
        *("isnan", "isinf", "isfinite", "isnormal", "isordered", "isunordered", "signbit"),
    }
)
# Functions of floating types: those of one number and of two, the less exact ones, and what is made of them.
FLOAT_FUNCTIONS: Final = frozenset(
    {
        *(ONE.keys() - DIRECTED.values()),
        *(TWO.keys() - {EXACT_PRODUCT, ROUNDED_SUM, *NEXT.values()}),
        *(f"{less}_{name}" for less in ("native", "half") for name in _LESS_EXACT),
        *("mad", "fma", "mix", "step", "pown", "powr", "smoothstep", "nan", "nextafter", "ilogb"),
        *RELATIONAL,
    }
)
# The types of numbers that conversions name.
_NUMBERS: Final = ("char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "half", "float", "double")
# Not of OpenCL C: whether the highest bit of an integer is set, by which components of vectors choose.
HIGHEST_BIT: Final = "#highest_bit"
# Nor this: the value of an operator of vectors, in the type of its operands, which C would widen.
ALIGNED: Final = "#aligned"
AS_OPERANDS: Final = "#as_operands"
# Nor this: a member of a structure that is copied, which may have no value.
COPIED: Final = "#copied"
# Nor this: where a member is, `#member head path`, of the structure whose head an address is that of (ADR 124).
MEMBER: Final = "#member "
NUMBER_FUNCTIONS: Final = frozenset(
    {
        *INTEGER_FUNCTIONS,
        *FLOAT_FUNCTIONS,
        *("select", "any", "all", HIGHEST_BIT, AS_OPERANDS, COPIED),
        *(f"as_{one}" for one in _NUMBERS),
        *(f"convert_{one}{limits}{mode}" for one in _NUMBERS for limits in ("", "_sat") for mode in ROUNDING),
    }
)

# Functions that only compute a number of numbers.
ON_NUMBERS: Final = NUMBER_FUNCTIONS | ABOUT_BALLOTS

# Calls that have no value, beside those that store.
WITHOUT_VALUE: Final = frozenset({"wait_group_events", "prefetch", *PIPE_COMMITS, *STORE_HALF})


@lru_cache
def scalar_name(qualifiers: tuple[str, ...], base: str) -> str:
    """The scalar or atomic type that the words of a type name, as one word."""
    return canonical_scalar(type_words(qualifiers, base))


def type_words(qualifiers: tuple[str, ...], base: str) -> list[str]:
    """The words that make up the type itself, without address space and other qualifiers."""
    kept = [word for word in qualifiers if word not in _IGNORED_QUALIFIERS and word not in REGIONS]
    return [word for word in (*kept, base) if word != "_Atomic"]


def canonical_scalar(words: list[str]) -> str:
    """C's many spellings of one integer type, as one word.

    >>> canonical_scalar(["unsigned", "long", "int"]), canonical_scalar(["signed"]), canonical_scalar(["float"])
    ('ulong', 'int', 'float')
    """
    unsigned = "unsigned" in words
    rest = [word for word in words if word not in {"unsigned", "signed"}]
    if len(rest) < len(words) and not rest:
        rest = ["int"]
    if len(rest) > 1 and rest[-1] == "int":
        rest = rest[:-1]
    if rest == ["long", "long"]:
        rest = ["long"]
    return ("u" if unsigned else "") + " ".join(rest)


def base_of(type_: TypeName) -> str:
    """The word, or words, of a type itself, `int` or `struct node`, whatever stands between them."""
    return " ".join(type_.base.split())
