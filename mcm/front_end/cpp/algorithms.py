"""Algorithms of the standard library that change memory of a host program, and loops over ranges: as loops."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.front_end.cpp.elements import Elements, applied, code, element, elements, place
from mcm.front_end.cpp.words import (
    behind_statement,
    closing,
    closing_angle,
    end_of_statement,
    is_name,
    listed,
    made,
    texts,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_BEFORE: Final = frozenset({";", "{", "}", ")", "else"})
_LOOP: Final = "for ( size_t {i} = 0 ; {i} < {count} ; {i} ++ )"
_CONTAINERS: Final = frozenset({"vector", "array"})


def with_loops(words: Sequence[Piece]) -> Words:
    """The words with loops in place of `std::fill`, `std::iota` and so on, and of loops over containers."""
    containers, buffers = (frozenset(_named(words, one)) for one in (_CONTAINERS, {"buffer"}))
    return _Loops(containers, buffers).rewritten(words)


class _Loops:
    """Counts the loops, whose variables have names of their own."""

    def __init__(self, containers: frozenset[str], buffers: frozenset[str]) -> None:
        self._containers: Final = containers
        self._buffers: Final = buffers
        self._count = 0

    def rewritten(self, words: Sequence[Piece]) -> Words:
        found: Words = []
        number = 0
        while number < len(words):
            is_first = not found or found[-1].text in _BEFORE
            changed = self._algorithm(words, number) if is_first else None
            ranged = _ranged(words, number) if words[number].text == "for" else None
            if changed is not None:
                found += changed
                number = end_of_statement(words, number) + 1
            elif ranged is not None:
                declared, container, number = ranged
                found += self._range(declared, container, words, number)
                number = behind_statement(words, number)
            else:
                found.append(words[number])
                number += 1
        return found

    def _algorithm(self, words: Sequence[Piece], number: int) -> Words | None:
        """What an algorithm does that is a statement; None where something else stands."""
        start = number + 2 if texts(words, number, 2) == ("std", "::") else number
        follows = texts(words, start, 2)
        if follows == ("swap", "(") and {*texts(words, start + 2, 3)} & self._buffers:
            # What a name means from there on, the host program says.
            return None
        if (exchanged := self._exchanged_contents(words, number, start)) is not None:
            self._count += 1
            return exchanged
        if follows[1:] != ("(",) or follows[0] not in (_ALGORITHMS if start > number else _UNQUALIFIED):
            return None
        last = closing(words, start + 1)
        parts = listed(words, start + 2, last)
        if not all(parts) or texts(words, last + 1, 1) != (";",):
            return None
        made_of = _ALGORITHMS[follows[0]](parts, self._counter(words[number]))
        self._count += made_of is not None
        return made_of

    def _exchanged_contents(self, words: Sequence[Piece], number: int, start: int) -> Words | None:
        """`std::swap(v, w);` and `v.swap(w);` of containers: their elements change places."""
        match texts(words, start, 6):
            case ("swap", "(", one, ",", other, ")") if one in self._containers and other in self._containers:
                pair = words[start + 2 : start + 3], words[start + 4 : start + 5]
            case (one, ".", "swap", "(", other, ")") if one in self._containers and other in self._containers:
                pair = words[start : start + 1], words[start + 4 : start + 5]
            case _:
                return None
        at, counter = words[number], self._counter(words[number])
        parts = [[*name, made("[", at), *counter, made("]", at)] for name in pair]
        count = code(at, "std :: size ( {one} )", one=list(pair[0]))
        return code(at, f"{_LOOP} {{body}}", i=counter, count=count, body=_exchange(parts[0], parts[1], counter))

    def _counter(self, at: Piece) -> Words:
        return [made(f"element_{self._count + 1}", at)]

    def _range(self, declared: Words, container: Words, words: Sequence[Piece], number: int) -> Words:
        """`for (auto& x : v) …`."""
        at, counter = container[0], self._counter(container[0])
        self._count += 1
        first = 2 * (texts(container, 0, 2) == ("sycl", "::"))
        if texts(container, first, 1) == ("host_accessor",) and len(container) > first + 1:
            # It lives as long as the loop.
            made_of = next(n for n in range(len(container)) if container[n].text in {"(", "{"})
            name = [made(f"accessor_{self._count}", at)]
            declared_ = [*container[:made_of], *name, *container[made_of:]]
            loop = self._range(declared, name, words, number)
            return code(at, "{ {declared} ; {loop} }", declared=declared_, loop=loop)
        body = self.rewritten(words[number : behind_statement(words, number)])
        pattern = f"{_LOOP} {{ {{declared}} = {{container}} [ {{i}} ] ; {{body}} }}"
        count = code(at, "std :: size ( {container} )", container=container)
        return code(at, pattern, i=counter, count=count, declared=declared, container=container, body=body)


def _named(words: Sequence[Piece], classes: Collection[str]) -> Iterator[str]:
    """The names of the objects of some classes that a program declares."""
    for number, word in enumerate(words):
        if word.text not in classes:
            continue
        has_arguments = texts(words, number + 1, 1) == ("<",)
        last = closing_angle(words, number + 1) if has_arguments else number
        if last is not None and (has_arguments or (texts(words, number + 1, 1) and is_name(words[number + 1]))):
            for part in listed(words, last + 1, end_of_statement(words, last + 1)):
                name = next((one for one in part if is_name(one) and one.text != "const"), None)
                if name is not None:
                    yield name.text


def _exchanged(parts: list[Words], counter: Words) -> Words | None:
    """`std::swap(a, b);`: `{ auto x = a; a = b; b = x; }`."""
    is_plain = not any(word.text in {"++", "--"} for part in parts for word in part)
    if len(parts) != 2 or not is_plain:
        return None
    return _exchange(parts[0], parts[1], counter)


def _exchange(one: Words, other: Words, name: Words) -> Words:
    held = [made(f"exchanged_{name[0].text}", name[0])]
    return code(name[0], "{ auto {x} = {a} ; {a} = {b} ; {b} = {x} ; }", x=held, a=one, b=other)


def _each(of: Elements, counter: Words, pattern: str, **parts: Words) -> Words:
    """A loop over elements."""
    return code(of.base[0], f"{_LOOP} {pattern}", i=counter, count=of.count, one=of.at(counter), **parts)


def _between(parts: list[Words], count: int) -> Elements | None:
    """The elements between the first two of so many arguments."""
    return elements(parts[0], parts[1]) if len(parts) == count else None


def _some(parts: list[Words], count: int) -> Elements | None:
    """So many elements, the second argument, from the first on."""
    begin = place(parts[0]) if len(parts) == count else None
    if begin is None:
        return None
    return Elements(*begin, code(parts[1][0], "( {count} )", count=parts[1]))


def _filled(of: Elements | None, parts: list[Words], counter: Words) -> Words | None:
    return None if of is None else _each(of, counter, "{one} = {value} ;", value=parts[2])


def _fill(parts: list[Words], counter: Words) -> Words | None:
    """`std::fill(v.begin(), v.end(), 1);`."""
    return _filled(_between(parts, 3), parts, counter)


def _fill_n(parts: list[Words], counter: Words) -> Words | None:
    """`std::fill_n(p, 4, 1);`."""
    return _filled(_some(parts, 3), parts, counter)


def _iota(parts: list[Words], counter: Words) -> Words | None:
    """`std::iota(v.begin(), v.end(), 1);`."""
    of = _between(parts, 3)
    return None if of is None else _each(of, counter, "{one} = ( {value} ) + {i} ;", value=parts[2])


def _copied(of: Elements | None, parts: list[Words], counter: Words) -> Words | None:
    to = place(parts[2]) if of is not None else None
    if of is None or to is None:
        return None
    return _each(of, counter, "{to} = {one} ;", to=element(*to, counter))


def _copy(parts: list[Words], counter: Words) -> Words | None:
    """`std::copy(v.begin(), v.end(), w.begin());`."""
    return _copied(_between(parts, 3), parts, counter)


def _copy_n(parts: list[Words], counter: Words) -> Words | None:
    """`std::copy_n(p, 4, v.begin());`."""
    return _copied(_some(parts, 3), parts, counter)


def _transform(parts: list[Words], counter: Words) -> Words | None:
    """`std::transform(v.begin(), v.end(), w.begin(), [](int a) { return 2 * a; });`, and that of two ranges."""
    of = elements(parts[0], parts[1]) if len(parts) in {4, 5} else None
    others = [place(part) for part in parts[2:-1]]
    function = applied(parts[-1], len(others)) if of is not None else None
    if of is None or function is None or not (function.returned or function.operator):
        return None
    known = [other for other in others if other is not None]
    if len(known) < len(others):
        return None
    values = [of.at(counter), *(element(*one, counter) for one in known[:-1])]
    declared = [] if function.operator else function.declared(values)
    to = element(*known[-1], counter)
    new = function.value(values)
    return _each(of, counter, "{ {declared} {to} = {new} ; }", declared=declared, to=to, new=new)


def _for_each(parts: list[Words], counter: Words) -> Words | None:
    """`std::for_each(v.begin(), v.end(), [](int& a) { a++; });`."""
    of = _between(parts, 3)
    function = applied(parts[2], 1) if of is not None else None
    if of is None or function is None or any(word.text == "return" for word in function.body):
        return None
    declared = function.declared([of.at(counter)])
    return _each(of, counter, "{ {declared} {body} }", declared=declared, body=function.body)


def _generate(parts: list[Words], counter: Words) -> Words | None:
    """`std::generate(v.begin(), v.end(), [&] { return n++; });`."""
    return _generated(_between(parts, 3), parts, counter)


def _generate_n(parts: list[Words], counter: Words) -> Words | None:
    """`std::generate_n(v.begin(), 4, [&] { return n++; });`."""
    return _generated(_some(parts, 3), parts, counter)


def _generated(of: Elements | None, parts: list[Words], counter: Words) -> Words | None:
    if of is None:
        return None
    if len(parts[2]) == 1 and is_name(parts[2][0]):
        value = code(parts[2][0], "{function} ( )", function=parts[2])
        return _each(of, counter, "{one} = {value} ;", value=value)
    function = applied(parts[2], 0)
    if function is None or not function.last:
        return None
    pattern = "{ {before} {one} = {value} ; }"
    return _each(of, counter, pattern, before=function.before, value=function.last)


def _reverse(parts: list[Words], counter: Words) -> Words | None:
    """`std::reverse(v.begin(), v.end());`."""
    of = _between(parts, 2)
    if of is None:
        return None
    other = of.at(code(of.base[0], "{count} - 1 - {i}", count=of.count, i=counter))
    half = Elements(of.base, of.first, code(of.base[0], "{count} / 2", count=of.count))
    return _each(half, counter, "{exchange}", exchange=_exchange(of.at(counter), other, counter))


def _sort(parts: list[Words], counter: Words) -> Words | None:
    """`std::sort(v.begin(), v.end());`, perhaps with `std::greater<>()`: of two neighbours, the later one moves on."""
    of = _between(parts[:2], 2)
    asked = applied(parts[2], 2) if len(parts) == 3 else None
    sign = "<" if asked is None else asked.operator
    if of is None or len(parts) > 3 or (len(parts) == 3 and sign not in {"<", ">"}):
        return None
    at, inner = of.base[0], [made(f"{counter[0].text}_inner", counter[0])]
    next_ = of.at(code(at, "{i} + 1", i=inner))
    exchange = _exchange(of.at(inner), next_, inner)
    pattern = (
        f"for ( size_t {{k}} = 0 ; {{k}} + 1 < {{count}} ; {{k}} ++ ) if ( {{next}} {sign} {{here}} ) {{exchange}}"
    )
    body = code(at, pattern, k=inner, count=of.count, next=next_, here=of.at(inner), exchange=exchange)
    return _each(of, counter, "{body}", body=body)


def _partial_sum(parts: list[Words], counter: Words) -> Words | None:
    """`std::partial_sum(v.begin(), v.end(), w.begin());`, which `std::inclusive_scan` is too."""
    of = _between(parts, 3)
    to = place(parts[2]) if of is not None else None
    if of is None or to is None:
        return None
    at, total = of.base[0], [made(f"total_{counter[0].text}", counter[0])]
    first = code(at, "auto {total} = {one} - {one} ;", total=total, one=of.at(code(at, "0")))
    loop = _each(of, counter, "{ {total} += {one} ; {to} = {total} ; }", total=total, to=element(*to, counter))
    return code(at, "{ {first} {loop} }", first=first, loop=loop)


_ALGORITHMS: Final[dict[str, Callable[[list[Words], Words], Words | None]]] = {
    "swap": _exchanged,
    "fill": _fill,
    "fill_n": _fill_n,
    "iota": _iota,
    "copy": _copy,
    "copy_n": _copy_n,
    "transform": _transform,
    "for_each": _for_each,
    "generate": _generate,
    "generate_n": _generate_n,
    "reverse": _reverse,
    "sort": _sort,
    "partial_sum": _partial_sum,
    "inclusive_scan": _partial_sum,
}
# Those that are known without their namespace: others may be functions of the program.
_UNQUALIFIED: Final = frozenset({"fill", "iota"})


def _ranged(words: Sequence[Piece], number: int) -> tuple[Words, Words, int] | None:
    """The declaration and the container of a loop over a range, and the position of its statement."""
    if texts(words, number + 1, 1) != ("(",):
        return None
    last = closing(words, number + 1)
    colon = next((n for n in range(number + 2, last) if words[n].text in {":", ";", "?"}), last)
    # The names of a structured binding stand in brackets.
    is_declared = is_name(words[colon - 1]) or words[colon - 1].text == "]"
    if texts(words, colon, 1) != (":",) or not is_declared or colon + 1 >= last:
        return None
    return list(words[number + 2 : colon]), list(words[colon + 1 : last]), last + 1
