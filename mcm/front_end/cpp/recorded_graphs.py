"""Graphs of commands, `command_graph g(q); … q.ext_oneapi_graph(exec);`, as their commands where they are submitted.

The commands are those of a queue that nothing else has. They wait for an empty command of the queue that the graph is
submitted to, and for the graph itself where it was submitted before; another empty command waits for all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.front_end.cpp.definitions import assigns
from mcm.front_end.cpp.elements import code
from mcm.front_end.cpp.own_names import declared_names
from mcm.front_end.cpp.words import (
    begins_statement,
    closing,
    end_of_block,
    end_of_statement,
    is_name,
    listed,
    made,
    outer,
    start_of_statement,
    substituted,
    texts,
    with_commas,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_CLASS: Final = "command_graph"
_SUBMITS: Final = "ext_oneapi_graph"
_SILENT: Final = frozenset({"event", "auto", "sycl", "::", "="})
# What decides whether, and how often, something is done.
_CONTROLS: Final = frozenset({"(", "?", "else", "do"})
_WAITS: Final = frozenset({"wait", "wait_and_throw"})
_FIRST: Final = "event {begun} = {queue} . single_task ( {last} , [ = ] ( ) { } ) ;"
_FIRST_OF_GROUP: Final = (
    "event {begun} = {queue} . submit ( [ & ] ( handler & {handler} ) { {handler} . depends_on ( {last} ) ; {said} "
    "{handler} . single_task ( [ = ] ( ) { } ) ; } ) ;"
)
_COMMANDS: Final = (
    "{ {first} {own} . ext_oneapi_submit_barrier ( { {begun} } ) ; {commands} event {all} = {own} . "
    "ext_oneapi_submit_barrier ( ) ; {last} = {queue} . single_task ( {all} , [ = ] ( ) { } ) ; }"
)
_QUEUE: Final = "queue {own} ( {arguments} ) ; event {last} ;"


class _Graph(Struct):
    """A graph: its name, the queue that its commands are those of, the statements that make them, and those to leave.

    `ready` are the names of what can be submitted, `behind` says how many of the other words stand before the first
    command.
    """

    name: Piece
    own: Words
    last: Words
    commands: Words
    ready: set[str]
    behind: int | None = None


class _UnknownError(Exception):
    """Something is done with a graph that has no place in a program of commands."""


def with_commands_of_graphs(words: Sequence[Piece]) -> Words:
    """The words with commands in place of graphs; a graph of which that is not evident stays."""
    found = list(words)
    for number in reversed([n for n, word in enumerate(found) if word.text == _CLASS]):
        start = start_of_statement(found, number)
        last = end_of_block(found, number)
        if start and texts(found, start, 1) not in {("using",), ("namespace",)}:
            try:
                found[start:last] = _expanded(found[:start], found[start:last])
            except _UnknownError:
                continue
    return found


def _expanded(before: Words, block: Words) -> Words:
    """A block from the declaration of a graph on, with the commands of the graph."""
    end = end_of_statement(block, 0)
    opening = next((n for n in range(end) if block[n].text in {"(", "{"}), end)
    name = block[opening - 1]
    if opening == end or not is_name(name) or name.text == _CLASS or not begins_statement(block, 0):
        raise _UnknownError
    given = listed(block, opening + 1, closing(block, opening))
    of_queue = code(name, "{q} . get_context ( ) , {q} . get_device ( )", q=given[0]) if len(given) == 1 else []
    arguments = of_queue or with_commas(given[:2], name)
    own, last = (made(f"{name.text}_{what}", name) for what in ("queue", "event"))
    if {own.text, last.text} & {word.text for word in (*before, *block)}:
        raise _UnknownError
    graph = _Graph(name, [own], [last], [], set())
    rest = _without_making(block[end + 1 :], graph, before, arguments)
    _check_kept(graph, block, rest[graph.behind or 0 :])
    return [*code(name, _QUEUE, own=[own], arguments=arguments, last=[last]), *_submitted(rest, graph)]


def _without_making(block: Words, graph: _Graph, before: Words, arguments: Words) -> Words:
    """The statements of a block without those that make the graph, which is told of them."""
    found: Words = []
    number = 0
    while number < len(block):
        end = end_of_statement(block, number)
        place = next((n for n in range(number, end) if texts(block, n, 2) == (graph.name.text, ".")), None)
        if place is None or place not in outer(block, number, end) or number not in outer(block, 0, end):
            found.append(block[number])
            number += 1
            continue
        if any(word.text in _CONTROLS for word in block[number:place]):
            raise _UnknownError
        called, opening = block[place + 2].text, place + 3
        inner = listed(block, opening + 1, closing(block, opening))
        graph.behind = len(found) if graph.behind is None else graph.behind
        is_first = block[number : place + 1] == block[place : place + 1]
        if called == "add" and inner:
            graph.commands += _node(block[number:place], inner, graph)
        elif called == "make_edge" and is_first and len(inner) == 2:
            _add_edge(graph, inner[1][0].text, inner[0])
        elif called == "begin_recording" and is_first and len(inner) == 1 and len(inner[0]) == 1:
            begun, end = end, _end_of_recording(block, end, graph)
            _record(block[begun + 1 : start_of_statement(block, end)], inner[0][0], graph, [*before, *found], arguments)
        elif called == "finalize":
            graph.ready.add(block[place - 2].text)
        else:
            raise _UnknownError
        number = end + 1
    return found


def _node(declared: Words, inner: list[Words], graph: _Graph) -> Words:
    """The command that a node is, by the lambda of its command group and the nodes that it depends on."""
    function, *properties = inner
    at = function[0]
    opening = next((n for n, word in enumerate(function) if word.text == "{"), None)
    head = texts(function, 0, len(function))
    if opening is None or head[0] != "[" or function[opening - 1].text != ")":
        raise _UnknownError
    name = declared[-2:-1] if declared[-1:] and declared[-1].text == "=" else [made(f"{at.text}", at)]
    handler = function[opening - 2 : opening - 1]
    depends = [word for part in properties for word in part]
    places = [n for n, word in enumerate(depends) if word.text == "depends_on"]
    if (properties and not places) or len(places) > 1 or not is_name(handler[0]):
        raise _UnknownError
    events = depends[places[0] + 2 : closing(depends, places[0] + 1)] if places else []
    waits = code(at, "{handler} . depends_on ( { {events} } ) ;", handler=handler, events=events) if events else []
    command = "{own} . submit ( [ & ] ( handler & {handler} ) { {waits} {body} } ) ;"
    made_ = code(at, command, own=graph.own, handler=handler, waits=waits, body=function[opening + 1 : -1])
    return [*(code(at, "event {name} =", name=name) if declared else []), *made_]


def _add_edge(graph: _Graph, to: str, node: Words) -> None:
    """A command waits for another one, too, that was made before it."""
    place = next((n for n in range(len(graph.commands)) if texts(graph.commands, n, 3) == ("event", to, "=")), None)
    earlier = {word.text for word in graph.commands[: place or 0]}
    if place is None or node[0].text not in earlier:
        raise _UnknownError
    brace = next(n for n in range(place, len(graph.commands)) if graph.commands[n].text == "{")
    handler = graph.commands[brace - 2 : brace - 1]
    graph.commands[brace + 1 : brace + 1] = code(
        node[0], "{handler} . depends_on ( {node} ) ;", handler=handler, node=node
    )


def _end_of_recording(block: Words, number: int, graph: _Graph) -> int:
    """The position of the semicolon behind the call that ends a recording."""
    ends = (graph.name.text, ".", "end_recording", "(")
    place = next((n for n in range(number, len(block)) if texts(block, n, 4) == ends), None)
    if place is None or place not in outer(block, number, place + 1) or not begins_statement(block, place):
        raise _UnknownError
    return end_of_statement(block, place)


def _record(statements: Words, queue: Piece, graph: _Graph, before: Words, arguments: Words) -> None:
    """The commands of a queue, as those of the queue of the graph, which is in order where that one is."""
    declared = next(
        (n for n in reversed(range(1, len(before))) if texts(before, n - 1, 2) == ("queue", queue.text)), None
    )
    if declared is None or graph.commands or any(word.text in _WAITS for word in statements):
        raise _UnknownError
    queues = {before[n].text for n in range(1, len(before)) if before[n - 1].text == "queue" and is_name(before[n])}
    if (queues & {word.text for word in statements}) - {queue.text}:
        raise _UnknownError
    is_in_order = "in_order" in texts(before, declared, end_of_statement(before, declared) - declared)
    if not is_in_order and any(word.text == "in_order" for word in before):
        # The properties of the queue may have a name.
        raise _UnknownError
    if is_in_order:
        arguments += code(queue, ", sycl :: property :: queue :: in_order ( )")
    graph.commands += substituted(statements, {queue.text: graph.own})


def _check_kept(graph: _Graph, block: Words, rest: Words) -> None:
    """What the commands name is the same where the graph is submitted as where they were added to it."""
    named = {word.text for word in graph.commands if is_name(word)}
    declared = {*declared_names([made(";", graph.name), *graph.commands]), graph.name.text}
    own = declared | set(_parameters(graph.commands))
    is_used = any(word.text in declared for word in rest)
    is_hidden = (named - own) & set(declared_names(rest))
    changes = any(assigns(rest, name) or _is_exchanged(rest, name) for name in named - own)
    if not graph.commands or is_used or is_hidden or changes or any(one.text == "static" for one in block):
        raise _UnknownError


def _parameters(words: Words) -> Iterator[str]:
    """What the parameters of lambdas are called."""
    for number in range(len(words)):
        if texts(words, number, 2) == ("]", "("):
            last = closing(words, number + 1)
            yield from (part[-1].text for part in listed(words, number + 2, last) if part)


def _is_exchanged(words: Words, name: str) -> bool:
    """Whether a name is passed to a function that exchanges what two names stand for."""
    return any(
        word.text == "swap" and name in texts(words, n, end_of_statement(words, n) - n) for n, word in enumerate(words)
    )


def _submitted(words: Words, graph: _Graph) -> Words:
    """The words with the commands of the graph in place of what submits it."""
    found: Words = []
    number = count = 0
    while number < len(words):
        place = _submission(words, number, graph)
        if place is None:
            found.append(words[number])
            number += 1
            continue
        count += 1
        end, opening = end_of_statement(words, number), place + 1
        queue = words[place - 2 : place - 1]
        at = words[place]
        names = {what: [made(f"{graph.name.text}_{what}_{count}", at)] for what in ("begun", "all")}
        if at.text == "submit":
            handler, said = _of_group(words[opening + 1 : closing(words, opening)])
            first = code(at, _FIRST_OF_GROUP, queue=queue, handler=handler, said=said, last=graph.last, **names)
        else:
            first = code(at, _FIRST, queue=queue, last=graph.last, **names)
        commands = graph.commands
        found += code(
            at, _COMMANDS, first=first, own=graph.own, commands=commands, last=graph.last, queue=queue, **names
        )
        before, behind = words[number : place - 2], words[closing(words, opening) + 1 : end]
        if before and not begins_statement(words, number):
            raise _UnknownError
        # It is one statement, which may be that of a loop or a branch.
        waits = [*graph.last, *behind, words[end]] if behind and not before else []
        found[-1:] = [*waits, *found[-1:]]
        found += [*before, *graph.last, *behind, words[end]] if before else []
        number = end + 1
    if any(word.text in graph.ready for word in found):
        raise _UnknownError
    return found


def _submission(words: Words, number: int, graph: _Graph) -> int | None:
    """Where the statement at a position calls what submits the graph, by itself or in a command group."""
    if not begins_statement(words, number) and words[number - 1].text not in {")", "else"}:
        return None
    place = number
    while place < len(words) and (words[place].text in _SILENT or is_name(words[place])):
        place += 1
    if texts(words, place, 1) != (".",) or place == number or texts(words, place + 2, 1) != ("(",):
        return None
    inner = {word.text for word in words[place + 3 : closing(words, place + 2)]}
    calls = words[place + 1].text == _SUBMITS or (words[place + 1].text == "submit" and _SUBMITS in inner)
    return place + 1 if calls and inner & graph.ready else None


def _of_group(function: Words) -> tuple[Words, Words]:
    """What the handler of a command group is called that submits the graph, and what the group says before that."""
    opening = next((n for n, word in enumerate(function) if word.text == "{"), None)
    place = next((n for n, word in enumerate(function) if word.text == _SUBMITS), None)
    if opening is None or place is None or function[opening - 1].text != ")":
        raise _UnknownError
    handler = function[opening - 2 : opening - 1]
    if texts(function, place - 2, 1) != (handler[0].text,) or not begins_statement(function, place - 2):
        raise _UnknownError
    return handler, function[opening + 1 : place - 2]
