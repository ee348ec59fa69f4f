"""Small kernels of one work-group with asynchronous copies and images: what their work-items do, as text, at random."""

from dataclasses import dataclass
from enum import Enum
from random import Random
from typing import TypeAlias


class Kind(Enum):
    GLOBAL = "a"
    LOCAL = "t"
    IMAGE = "img"


Place: TypeAlias = tuple[Kind, int]
"""An element of the one array of a kind; each has two elements, which are 0 in the beginning."""


@dataclass(frozen=True, slots=True)
class Write:
    item: int
    place: Place
    value: int


@dataclass(frozen=True, slots=True)
class Read:
    item: int
    place: Place
    register: str


@dataclass(frozen=True, slots=True)
class Fence:
    """A fence of one work-item, which orders nothing here but its own accesses of images."""

    item: int
    is_image: bool


@dataclass(frozen=True, slots=True)
class Barrier:
    flags: frozenset[Kind]


@dataclass(frozen=True, slots=True)
class Copy:
    """One element from one place to another; all work-items call it."""

    event: str
    target: Place
    source: Place


@dataclass(frozen=True, slots=True)
class Wait:
    event: str


Step: TypeAlias = Write | Read | Fence | Barrier | Copy | Wait


@dataclass(frozen=True, slots=True)
class GroupProgram:
    """`items` is the number of work-items; every copy is waited for in the end."""

    items: int
    steps: tuple[Step, ...]


_FLAGS = {Kind.GLOBAL: "CLK_GLOBAL_MEM_FENCE", Kind.LOCAL: "CLK_LOCAL_MEM_FENCE", Kind.IMAGE: "CLK_IMAGE_MEM_FENCE"}


def to_litmus(program: GroupProgram) -> str:
    """Print the program; its condition names the registers."""
    reads = [step for step in program.steps if isinstance(step, Read)]
    lines = [
        "OPENCL copies",
        "{ int a[2]={0,0}; local int t[2]={0,0}; image int img[2]={0,0}; }",
        "kernel K (global int* a, local int* t, read_write image1d_t img) {",
        "  int i = get_local_id(0);",
        *(f"  int {read.register} = -1;" for read in reads),
        *(f"  {_statement(step)}" for step in program.steps),
        "}",
        f"launch K global {program.items}, local {program.items};",
    ]
    named = " /\\ ".join(f"K[{read.item}]:{read.register}=0" for read in reads)
    return "\n".join((*lines, f"exists ({named or 'true'})", ""))


def _statement(step: Step) -> str:
    match step:
        case Write(item, (Kind.IMAGE, index), value):
            return f"if (i == {item}) {{ write_imagei(img, {index}, (int4)({value}, 0, 0, 0)); }}"
        case Write(item, (kind, index), value):
            return f"if (i == {item}) {{ {kind.value}[{index}] = {value}; }}"
        case Read(item, (Kind.IMAGE, index), register):
            return f"if (i == {item}) {{ {register} = read_imagei(img, {index}).x; }}"
        case Read(item, (kind, index), register):
            return f"if (i == {item}) {{ {register} = {kind.value}[{index}]; }}"
        case Fence(item, is_image):
            flag, scope = _FLAGS[Kind.IMAGE if is_image else Kind.GLOBAL], "work_item" if is_image else "work_group"
            how = f"{flag}, memory_order_acq_rel, memory_scope_{scope}"
            return f"if (i == {item}) {{ atomic_work_item_fence({how}); }}"
        case Barrier(flags):
            return f"work_group_barrier({' | '.join(sorted(_FLAGS[flag] for flag in flags)) or '0'});"
        case Copy(event, (one, first), (other, second)):
            call = f"async_work_group_copy({one.value} + {first}, {other.value} + {second}, 1, 0)"
            return f"event_t {event} = {call};"
        case Wait(event):
            return f"wait_group_events(1, &{event});"


def program_from_seed(seed: str, number: int) -> GroupProgram:
    """The program of this number in the sequence that the seed names."""
    random = Random(f"{seed}/copies/{number}")  # noqa: S311 (nothing secret)
    items = random.choice((1, 2, 2, 2))
    about_images = random.random() < 0.4
    steps: list[Step] = []
    waiting: list[str] = []
    for count in range(random.randint(3, 8)):
        step = _step(random, items, waiting, count, about_images=about_images)
        if isinstance(step, Copy):
            waiting.append(step.event)
        if isinstance(step, Wait):
            waiting.remove(step.event)
        steps.append(step)
    last = Read(0, (random.choice(tuple(Kind)), random.randrange(2)), "last")
    return GroupProgram(items, (*steps, *(Wait(event) for event in waiting), last))


def _step(random: Random, items: int, waiting: list[str], count: int, *, about_images: bool) -> Step:
    item = random.randrange(items)
    kinds = (Kind.IMAGE,) * 3 * about_images + (Kind.GLOBAL, Kind.LOCAL)
    place = (random.choice(kinds), random.randrange(2))
    match random.choice(("write", "write", "read", "read", "barrier", "wait", "fence" if about_images else "copy")):
        case "write":
            return Write(item, place, random.choice((1, 2)))
        case "barrier":
            chosen = random.choice(((Kind.GLOBAL,), (Kind.LOCAL,), (Kind.GLOBAL, Kind.LOCAL), kinds[:1], ()))
            return Barrier(frozenset(chosen))
        case "copy":
            ends = (Kind.LOCAL, random.randrange(2)), (Kind.GLOBAL, random.randrange(2))
            target, source = random.sample(ends, 2)
            return Copy(f"e{count}", target, source)
        case "wait" if waiting:
            return Wait(random.choice(waiting))
        case "fence":
            return Fence(item, is_image=random.random() < 0.7)
        case _:
            return Read(item, place, f"r{count}")
