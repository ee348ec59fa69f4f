"""Local memory that a kernel makes itself: it is that of a local accessor of its command group.

`auto& t = *ext::oneapi::group_local_memory_for_overwrite<int[4]>(g);`, `group_local_memory<int>(g, 0)`,
`work_group_static<int[4]> t;`
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from mcm.front_end.cpp.elements import code
from mcm.front_end.cpp.launch_calls import in_command_group, launch_calls
from mcm.front_end.cpp.words import (
    closing,
    closing_angle,
    end_of_block,
    has_owner,
    is_name,
    listed,
    made,
    replaced,
    start_of_statement,
    substituted,
    texts,
    with_commas,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.cpp.launch_calls import LaunchCall
    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_FOR_OVERWRITE: Final = "group_local_memory_for_overwrite"
_WITH_VALUE: Final = "group_local_memory"
STATIC: Final = "work_group_static"
_ASKS: Final = frozenset({_FOR_OVERWRITE, _WITH_VALUE, STATIC})


class Made(Struct, frozen=True):
    """Local memory that a kernel makes: its name, the type of an element, and the numbers of these in each dimension.

    `start` and `end` are where the statement that makes it begins, and the position behind it. `is_pointer`: the name
    is that of a pointer to it. `group` is who shares it where something is said of its `values`.
    """

    name: Piece
    element: Words
    lengths: list[Words]
    start: int
    end: int
    is_pointer: bool
    group: Words
    values: list[Words] | None


def with_group_memory(words: Sequence[Piece]) -> Words:
    """The words with local accessors in place of local memory that kernels make."""
    found = list(words)
    if not asks_for_memory(found):
        return found
    count = 0
    for launch in reversed(launch_calls(found)):
        made_here = all_made(found, *launch.body)
        if made_here:
            count += 1
            found = _with_accessors(found, launch, made_here, f"group_memory_{count}")
    return found


def asks_for_memory(words: Sequence[Piece]) -> bool:
    """Whether local memory may be asked for somewhere."""
    return any(word.text in _ASKS for word in words)


def all_made(words: Sequence[Piece], start: int, end: int) -> list[Made]:
    """The local memory that is asked for between two positions."""
    return [one for number in range(start, end) if (one := _made_at(words, number)) is not None]


def _made_at(words: Sequence[Piece], number: int) -> Made | None:
    """The local memory that is asked for at a position, where that is all of a declaration."""
    text = words[number].text
    angle = closing_angle(words, number + 1) if texts(words, number + 1, 1) == ("<",) else None
    if text not in _ASKS or angle is None:
        return None
    element, lengths = _type(words[number + 2 : angle])
    start = start_of_statement(words, number)
    if text == STATIC:
        is_one = is_name(words[angle + 1]) and texts(words, angle + 2, 1) == (";",)
        return (
            Made(words[angle + 1], element, lengths, start, angle + 3, is_pointer=False, group=[], values=None)
            if is_one
            else None
        )
    if texts(words, angle + 1, 1) != ("(",):
        return None
    last = closing(words, angle + 1)
    group, *values = listed(words, angle + 2, last) or [[]]
    before = number
    while texts(words, before - 1, 1) == ("::",):
        before -= 2
    # `*(… )` and `*…`
    in_brackets = words[before - 1].text == "(" and texts(words, last + 1, 1) == (")",)
    before, last = (before - 1, last + 1) if in_brackets else (before, last)
    is_pointer = words[before - 1].text != "*"
    sign = before - 1 if is_pointer else before - 2
    name = _name(words, start, sign, is_pointer=is_pointer)
    if name is None or texts(words, last + 1, 1) != (";",):
        return None
    given = values if text == _WITH_VALUE else None
    return Made(name, element, lengths, start, last + 2, is_pointer, group, given)


def _type(written: Sequence[Piece]) -> tuple[Words, list[Words]]:
    """The type of an element, and the numbers of elements: `int[2][3]`."""
    first = next((n for n, word in enumerate(written) if word.text == "["), len(written))
    lengths: list[Words] = []
    number = first
    while number < len(written):
        last = closing(written, number)
        lengths.append(list(written[number + 1 : last]))
        number = last + 1
    return list(written[:first]), lengths


def _name(words: Sequence[Piece], start: int, sign: int, *, is_pointer: bool) -> Piece | None:
    """The name that a declaration gives to the memory, or to a pointer to it; None where it is no such declaration."""
    if sign - 1 <= start or words[sign].text != "=":
        return None
    if is_pointer:
        # A pointer to an array is one that `auto` says, or a `multi_ptr`.
        return words[sign - 1] if is_name(words[sign - 1]) and words[sign - 2].text in {"auto", ">"} else None
    name = sign - 1
    while words[name].text == "]":
        name = next(n for n in range(name, start, -1) if words[n].text == "[") - 1
    name -= words[name].text == ")"
    return words[name] if is_name(words[name]) and words[name - 1].text == "&" else None


# --- in place of it ---------------------------------------------------------------------------------------------------


def _with_accessors(words: Words, launch: LaunchCall, made_here: list[Made], handler: str) -> Words:
    """The words with accessors of the command group of a launch in place of what its kernel makes."""
    at = words[launch.name]
    group = launch.handler or made(handler, at)
    declared = [word for one in made_here for word in _accessor(one, group)]
    start, end = launch.body
    body = words[start : end + 1]
    for one in reversed(made_here):
        behind = one.end - start
        last = min(end_of_block(body, behind), len(body))
        body = [*body[: one.start - start], *begun(one), *_named(body[behind:last], one), *body[last:]]
    found = [*words[:start], *body, *words[end + 1 :]]
    last = launch.last + len(found) - len(words)
    if launch.handler is not None:
        begin = start_of_statement(found, launch.name)
        return [*found[:begin], *declared, *found[begin:]]
    moved = replace(launch, last=last)
    return [*found[: launch.name], *in_command_group(found, moved, handler, declared), *found[last + 1 :]]


def _accessor(one: Made, handler: Piece) -> Words:
    """The declaration of its accessor, `local_accessor<int, 1> t(range<1>(4), h);`."""
    at = one.name
    lengths = one.lengths or [[made("1", at)]]
    count = [made(str(len(lengths)), at)]
    sizes = with_commas(lengths, at)
    return code(
        at,
        "sycl :: local_accessor < {element} , {count} > {name} ( sycl :: range < {count} > ( {sizes} ) , {handler} ) ;",
        element=one.element,
        count=count,
        name=[at],
        sizes=sizes,
        handler=[handler],
    )


def begun(one: Made) -> Words:
    """What the memory begins with: the first work-item gives it values, and the group waits for that."""
    if one.values is None:
        return []
    at = one.name
    assigned = _assigned(one, one.values)
    return code(
        at,
        "if ( ( {group} ) . leader ( ) ) { {assigned} } sycl :: group_barrier ( {group} ) ;",
        group=one.group,
        assigned=assigned,
    )


def _assigned(one: Made, values: list[Words]) -> Words:
    at = one.name
    if not one.lengths:
        value = with_commas(values, at)
        return code(at, "{name} [ 0 ] = {element} { {value} } ;", name=[at], element=one.element, value=value)
    found: Words = []
    target = [at]
    for place, length in enumerate(one.lengths):
        counter = [made(f"{at.text}_{place}", at)]
        found += code(at, "for ( int {c} = 0 ; {c} < {n} ; {c} ++ )", c=counter, n=length)
        target += code(at, "[ {c} ]", c=counter)
    found += code(at, "{target} = 0 ;", target=target)
    for place, value in enumerate(values):
        found += code(at, "{name} [ {place} ] = {value} ;", name=[at], place=[made(str(place), at)], value=value)
    return found


def _named(words: Sequence[Piece], one: Made) -> Words:
    """What follows, with elements of the accessor in place of the memory, and of what its pointer leads to."""

    def at(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
        if one.is_pointer:
            return _through_pointer(words, number, one)
        is_it = words[number].text == one.name.text and not has_owner(words, number)
        return (_whole(words[number], words, number + 1, one), number + 1) if is_it else None

    return replaced(_without_references(words, one), at)


def _without_references(words: Sequence[Piece], one: Made) -> Words:
    """The words with `(*p)` in place of references to it, `auto& t = *p;`."""
    found = list(words)
    for number in reversed(range(len(found) - 6)):
        if one.is_pointer and _refers(texts(found, number, 7), one.name.text):
            at = found[number + 2]
            rest = substituted(found[number + 7 :], {at.text: code(at, "( * {name} )", name=[made(one.name.text, at)])})
            found[number:] = rest
    return found


def _refers(written: tuple[str, ...], name: str) -> bool:
    return written[:2] == ("auto", "&") and written[3:] == ("=", "*", name, ";")


def _through_pointer(words: Sequence[Piece], number: int, one: Made) -> tuple[Words, int] | None:
    """What stands for `*p`, `(*p)`, `p->` and `p` at a position."""
    name = one.name.text
    follows = texts(words, number, 4)
    is_argument = bool(number) and (is_name(words[number - 1]) or words[number - 1].text in {">", ")", "]"})
    if follows == ("(", "*", name, ")") and not is_argument:
        return _whole(words[number + 2], words, number + 4, one), number + 4
    is_factor = bool(number) and (is_name(words[number - 1]) or words[number - 1].text in {")", "]"})
    if follows[:2] == ("*", name) and (not is_factor or words[number - 1].text == "return"):
        return _whole(words[number + 1], words, number + 2, one), number + 2
    if words[number].text != name or has_owner(words, number):
        return None
    at = words[number]
    if follows[1:2] == ("->",):
        return code(at, "{name} [ 0 ] .", name=[at]), number + 2
    if follows[1:2] == ("[",) and one.lengths:
        # `p[0]` is the array.
        return [at], closing(words, number + 1) + 1
    if follows[1:2] == ("[",):
        return [at], number + 1
    return _address(at, one), number + 1


def _whole(at: Piece, words: Sequence[Piece], behind: int, one: Made) -> Words:
    """What stands for the object that the memory is: an array is a pointer where no index follows."""
    if not one.lengths:
        return code(at, "{name} [ 0 ]", name=[made(one.name.text, at)])
    return [made(one.name.text, at)] if texts(words, behind, 1) == ("[",) else _address(at, one)


def _address(at: Piece, one: Made) -> Words:
    first = " ".join(["[ 0 ]"] * max(len(one.lengths), 1))
    return code(at, f"& {{name}} {first}", name=[made(one.name.text, at)])
