"""The calls that launch kernels that stand there, `q.parallel_for(r, e, [=](nd_item<1> it) { … })`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.front_end.cpp.words import behind_arguments, closing, is_member, is_name, listed, made, texts, with_commas

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_LAUNCHES: Final = frozenset({"parallel_for", "single_task"})
_HANDLER: Final = "handler"


class LaunchCall(Struct, frozen=True):
    """A launch whose kernel is a lambda that stands there: positions of its name, its brackets, and of the lambda.

    `brackets` are those of the lambda's parameters, `body` those of its body; `handler` is the command group, None
    where a queue is asked.
    """

    name: int
    opening: int
    last: int
    capture: int
    brackets: tuple[int, int] | None
    body: tuple[int, int]
    handler: Piece | None


def launch_calls(words: Sequence[Piece]) -> list[LaunchCall]:
    """The launches of a program, in the order of the text."""
    return [one for number in range(len(words)) if (one := _launch_at(words, number)) is not None]


def _launch_at(words: Sequence[Piece], number: int) -> LaunchCall | None:
    if words[number].text not in _LAUNCHES or not is_member(words, number):
        return None
    opening = behind_arguments(words, number + 1)
    if texts(words, opening, 1) != ("(",):
        return None
    last = closing(words, opening)
    arguments = listed(words, opening + 1, last)
    if last >= len(words) or not arguments or arguments[-1][0].text != "[":
        return None
    capture = last - len(arguments[-1])
    behind = closing(words, capture) + 1
    brackets = (behind, closing(words, behind)) if texts(words, behind, 1) == ("(",) else None
    brace = next((n for n in range(brackets[1] if brackets else behind, last) if words[n].text == "{"), last)
    body = (brace, closing(words, brace)) if brace < last else None
    if body is None or body[1] != last - 1:
        return None
    return LaunchCall(number, opening, last, capture, brackets, body, _handler(words, number))


def _handler(words: Sequence[Piece], number: int) -> Piece | None:
    """The command group that a launch is a part of: a name that is declared as one before it."""
    name = words[number - 2]
    if not is_name(name):
        return None
    for place in range(number - 3, 1, -1):
        if words[place].text == name.text and words[place - 1].text == "&":
            return name if words[place - 2].text in {_HANDLER, "auto"} else None
    return None


def in_command_group(words: Sequence[Piece], launch: LaunchCall, name: str, declared: Words) -> Words:
    """The words of a launch by a queue as a command group, with some declarations before the kernel.

    `submit([&](handler& h) { h.depends_on(e); …; h.parallel_for(r, f); })` for `parallel_for(r, e, f)`.
    """
    at = words[launch.name]
    handler = made(name, at)
    first, *others = listed(words, launch.opening + 1, launch.last)
    kept = [first]
    waits: Words = []
    for one in others[:-1]:
        if _is_reduction(words[: launch.name], one):
            kept.append(one)
        else:
            waits += [handler, made(".", at), made("depends_on", at), made("(", at), *one, made(")", at), made(";", at)]
    kept += others[-1:]
    inner = with_commas(kept, at)
    head = [made(text, at) for text in ("submit", "(", "[", "&", "]", "(", "sycl", "::", "handler", "&")]
    called = [handler, made(".", at), *words[launch.name : launch.opening + 1], *inner, words[launch.last]]
    return [
        *head,
        handler,
        made(")", at),
        made("{", at),
        *waits,
        *declared,
        *called,
        made(";", at),
        made("}", at),
        made(")", at),
    ]


def _is_reduction(before: Sequence[Piece], argument: Words) -> bool:
    """Whether an argument is a reduction, or the name of one."""
    if any(word.text == "reduction" for word in argument):
        return True
    if len(argument) != 1:
        return False
    place = next((n for n in reversed(range(len(before) - 1)) if _declares(before, n, argument[0].text)), None)
    return place is not None and "reduction" in texts(before, place + 2, 3)


def _declares(before: Sequence[Piece], number: int, name: str) -> bool:
    return before[number].text == name and before[number + 1].text in {"=", "{", "("} and number > 0
