"""Words and forms of other languages (CUDA, C++, Rust, shaders) in tests of the C family, with what they are here."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from mcm.base.diagnostic import Diagnostic
from mcm.base.source import Span

if TYPE_CHECKING:
    from mcm.base.source import Source

_CUDA: Final = "CUDA"
_CPP: Final = "C++"
_RUST: Final = "Rust"
_SHADERS: Final = "a word of shaders"
_BOTH: Final = "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE"
_FENCE: Final = "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_{})"

# Each with its language, and what OpenCL C (or C, where no unit has a place) writes instead; empty: nothing.
_WORDS: Final[dict[str, tuple[str, str]]] = {
    "__syncthreads": (_CUDA, f"barrier({_BOTH})"),
    "__syncwarp": (_CUDA, f"sub_group_barrier({_BOTH})"),
    "__threadfence": (_CUDA, _FENCE.format("device")),
    "__threadfence_block": (_CUDA, _FENCE.format("work_group")),
    "__threadfence_system": (_CUDA, _FENCE.format("all_svm_devices")),
    "atomicAdd": (_CUDA, "atomic_add(p, v)"),
    "atomicSub": (_CUDA, "atomic_sub(p, v)"),
    "atomicExch": (_CUDA, "atomic_xchg(p, v)"),
    "atomicCAS": (_CUDA, "atomic_cmpxchg(p, old, new)"),
    "atomicMin": (_CUDA, "atomic_min(p, v)"),
    "atomicMax": (_CUDA, "atomic_max(p, v)"),
    "atomicAnd": (_CUDA, "atomic_and(p, v)"),
    "atomicOr": (_CUDA, "atomic_or(p, v)"),
    "atomicXor": (_CUDA, "atomic_xor(p, v)"),
    "atomicInc": (_CUDA, "atomic_inc(p)"),
    "atomicDec": (_CUDA, "atomic_dec(p)"),
    "__shfl_sync": (_CUDA, "sub_group_shuffle(v, lane)"),
    "__ballot_sync": (_CUDA, "sub_group_ballot(v)"),
    "__any_sync": (_CUDA, "sub_group_any(v)"),
    "__all_sync": (_CUDA, "sub_group_all(v)"),
    "__ldg": (_CUDA, "*p"),
    "threadIdx": (_CUDA, "get_local_id(0)"),
    "blockIdx": (_CUDA, "get_group_id(0)"),
    "blockDim": (_CUDA, "get_local_size(0)"),
    "gridDim": (_CUDA, "get_num_groups(0)"),
    "warpSize": (_CUDA, "get_sub_group_size()"),
    "__global__": (_CUDA, "kernel"),
    "__device__": (_CUDA, "no word before a function"),
    "__host__": (_CUDA, "a thread P0@host"),
    "__shared__": (_CUDA, "local"),
    "__constant__": (_CUDA, "constant"),
    "constexpr": (_CPP, "const"),
    "nullptr": (_CPP, "0"),
    "template": (_CPP, ""),
    "namespace": (_CPP, ""),
    "using": (_CPP, "typedef"),
    "class": (_CPP, "struct"),
    "static_cast": (_CPP, "(type)value"),
    "reinterpret_cast": (_CPP, "(type)value"),
    "const_cast": (_CPP, "(type)value"),
    "new": (_CPP, ""),
    "delete": (_CPP, ""),
    "try": (_CPP, ""),
    "catch": (_CPP, ""),
    "throw": (_CPP, ""),
    "let": (_RUST, "int"),
    "mut": (_RUST, "int"),
    "fn": (_RUST, "a type before the name of a function"),
    "i32": (_RUST, "int"),
    "u32": (_RUST, "uint"),
    "i64": (_RUST, "long"),
    "u64": (_RUST, "ulong"),
    "f32": (_RUST, "float"),
    "groupshared": (_SHADERS, "local"),
    "threadgroup": (_SHADERS, "local"),
    "shared": (_SHADERS, "local"),
    "threadgroup_barrier": (_SHADERS, f"barrier({_BOTH})"),
    "workgroupBarrier": (_SHADERS, f"barrier({_BOTH})"),
    "GroupMemoryBarrierWithGroupSync": (_SHADERS, f"barrier({_BOTH})"),
    "InterlockedAdd": (_SHADERS, "atomic_add(p, v)"),
}
_WORD: Final = re.compile(r"[A-Za-z_]\w*")
_VECTOR: Final = re.compile(r"make_((?:u?(?:char|short|int|long)|float|double)[234])")
_HAS_PLACES: Final = re.compile(r"^[ \t]*(?:OPENCL|OpenCL|SYCL)\b", re.MULTILINE)

# --- forms of C++ and Rust --------------------------------------------------------------------------------------------

_QUALIFIED: Final = re.compile(r"\w+(?:\s*::\s*\w+)+")
_RUST_ORDERS: Final = {
    "Relaxed": "relaxed",
    "Acquire": "acquire",
    "Release": "release",
    "AcqRel": "acq_rel",
    "SeqCst": "seq_cst",
}
_ENUMERATIONS: Final = ("memory_order", "memory_scope")
_CALL_OF_MEMBER: Final = re.compile(r"(?P<object>\w+)\s*(?:\.|->)\s*(?P<member>[A-Za-z_]\w*)\s*\Z")
_NEW: Final = re.compile(r"[=(,]\s*(new)\s+\Z")
_MEMBERS: Final = re.compile(r"load|store|exchange|fetch_\w+|compare_exchange_(?:weak|strong)")
_LEAST_BEFORE: Final = 200


def about_foreign(name: str, *, has_places: bool = True) -> str:
    """The end of a message about a word of another language; nothing for any other.

    `has_places`: units stand in work-groups on devices.

    >>> about_foreign("threadIdx"), about_foreign("make_int4")
    (": this is CUDA, here it is 'get_local_id(0)'", ": this is CUDA, here it is '(int4)(…)'")
    >>> about_foreign("threadIdx", has_places=False), about_foreign("get_local_id")
    (': this is CUDA', '')
    """
    vector = _VECTOR.fullmatch(name)
    language, here = (_CUDA, f"({vector[1]})(…)") if vector else _WORDS.get(name, ("", ""))
    if not language:
        return ""
    if not here or (language in {_CUDA, _SHADERS} and not has_places):
        return f": this is {language}"
    is_code = " " not in here or not here.startswith(("a ", "no "))
    return f": this is {language}, here it is " + (f"'{here}'" if is_code else here)


def foreign(source: Source, text: str, *offsets: int) -> Diagnostic | None:
    """A diagnostic for the word or form of another language at one of some offsets; None where there is none.

    The last of several offsets is what the parser did not expect: the form may begin before it.
    """
    offset = offsets[-1]
    forms = (_qualified(source, text, offset), _member(source, text, offset), _allocation(source, text, offset))
    return next((one for one in forms if one is not None), None) or _word(source, text, *offsets)


def _word(source: Source, text: str, *offsets: int) -> Diagnostic | None:
    has_places = _HAS_PLACES.search(source.text) is not None
    for offset in offsets:
        found = _WORD.match(text, offset)
        # What is read up to another mistake begins with a word that may be a name here.
        if found is None or text[found.end() : offsets[-1]].strip():
            continue
        if told := about_foreign(found.group(), has_places=has_places):
            message = f"'{found.group()}' is not part of the language{told}"
            return Diagnostic("E050", message, Span(source, *found.span()))
    return None


def _qualified(source: Source, text: str, offset: int) -> Diagnostic | None:
    """`std::memory_order_release`, `memory_order::release`, `Ordering::Release`."""
    if not text.startswith(":", offset):
        return None
    begin = max(text.rfind("\n", 0, offset) + 1, offset - _LEAST_BEFORE)
    found = next((one for one in _QUALIFIED.finditer(text, begin) if one.start() < offset < one.end()), None)
    if found is None:
        return None
    *around, last = re.split(r"\s*::\s*", found.group())
    prefix = next((one for one in _ENUMERATIONS if one in around), "")
    if around[-1] == "Ordering" and last in _RUST_ORDERS:
        prefix, last = "memory_order", _RUST_ORDERS[last]
    here = f"{prefix}_{last}" if prefix else last if last.startswith(_ENUMERATIONS) else ""
    hint = f"; write '{here}'" if here else ""
    return Diagnostic("E050", f"a name with '::' is not part of the language{hint}", Span(source, *found.span()))


def _allocation(source: Source, text: str, offset: int) -> Diagnostic | None:
    """`p = new int`."""
    found = _NEW.search(text, max(0, offset - _LEAST_BEFORE), offset)
    if found is None or not _WORD.match(text, offset):
        return None
    return Diagnostic("E050", f"'new' is not part of the language{about_foreign('new')}", Span(source, *found.span(1)))


def _member(source: Source, text: str, offset: int) -> Diagnostic | None:
    """`x.store(1)`, `p->size()`: a call of a function of a class."""
    if not text.startswith("(", offset):
        return None
    begin = max(text.rfind("\n", 0, offset) + 1, offset - _LEAST_BEFORE)
    found = _CALL_OF_MEMBER.search(text[begin:offset])
    if found is None:
        return None
    shown, member = found["object"], found["member"]
    hint = f"; write 'atomic_{member}({shown}, …)'" if _MEMBERS.fullmatch(member) else ""
    if member == "load":
        hint = f"; write 'atomic_load({shown})'"
    message = f"a call of a function of a class is not part of the language{hint}"
    return Diagnostic("E050", message, Span(source, begin + found.start(), offset))
