"""From grammar rules to nodes: a whole file and the parts around statements and conditions (see `builder`)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.base.source import Span
from mcm.base.suggest import did_you_mean
from mcm.lalr.token import Token
from mcm.syntax.ast import (
    Callback,
    Declaration,
    FileVariables,
    Function,
    InitialRegister,
    InitialValue,
    Kernel,
    KeyLine,
    Launch,
    LaunchPart,
    Name,
    NumberLiteral,
    Parameter,
    PlacementPart,
    QueueObject,
    Structure,
    Thread,
    TypeName,
    UserEventObject,
)
from mcm.syntax.attribute import GROUP_SIZES, Attribute
from mcm.syntax.build_expressions import NAME, counted, pointed
from mcm.syntax.build_numbers import thread_number, whole_number
from mcm.syntax.parts import (
    DocString,
    FunctionHead,
    Header,
    InitialState,
    KernelHead,
    Regions,
    ScopeTree,
    ThreadHead,
    Title,
)
from mcm.syntax.places import RegionEntry, ScopeNode

if TYPE_CHECKING:
    from mcm.syntax.ast import InitialItem
    from mcm.syntax.builder import Builder, Children
    from mcm.syntax.parts import FilePart

_PLACEMENT_KEYS: Final = ("sg", "wg", "ki", "dev", "host")
_LAUNCH_KEYS: Final = ("global", "local", "sub", "dev", "ki")
# What they are in the words of the specification.
_SHORT: Final = {"subgroup": "sg", "workgroup": "wg", "kernelinstance": "ki", "device": "dev"}
_WITH_NUMBER: Final = re.compile(r"([a-z]+)(\d+)")
_SIZES: Final = ("global", "local")
_MOST_DIMENSIONS: Final = 3
_SCOPE_KINDS: Final = ("device", "work_group", "sub_group", "work_item")
_TITLE: Final = re.compile(r"(?P<word>[^\s{}()\[\];,=\"]+)(?P<name>[^\n]*)")
_KEY: Final = re.compile(r"(?P<key>[^\s=]+)[ \t]*=[ \t]*")

# --- whole file and header ---


def litmus(_: Builder, children: Children) -> tuple[Header, tuple[FilePart, ...]]:
    """The header and the other parts, in the order in which they are written."""
    header, *parts = children
    return header, tuple(parts)


def TITLE(builder: Builder, word: str, end: int) -> Title:  # noqa: N802 - named as in the grammar
    """The first line: the word of the dialect and the name."""
    found = _TITLE.match(word)
    assert found is not None
    name = found["name"].strip()
    start = end - len(word)
    begin = start + word.index(name, found.end("word"))
    return Title(found["word"], name, span=Span(builder.source, begin, begin + len(name)))


def STRING(builder: Builder, word: str, end: int) -> DocString:  # noqa: N802
    """A doc string."""
    return DocString(word[1:-1], span=Span(builder.source, end - len(word), end))


def KEY(builder: Builder, word: str, end: int) -> KeyLine:  # noqa: N802
    """`Key=Value`, the value without the white space around it."""
    found = _KEY.match(word)
    assert found is not None
    start = end - len(word)
    span = Span(builder.source, start, start + len(word.rstrip()))
    return KeyLine(found["key"], word[found.end() :].strip(), span=span)


def header(builder: Builder, children: Children) -> Header:
    """Title, doc strings and key lines."""
    title, *lines = children
    return Header(
        title,
        tuple([line for line in lines if type(line) is DocString]),
        tuple([line for line in lines if type(line) is KeyLine]),
        span=builder.span(title, children[-1]),
    )


# --- initial state ---


def initial_state(builder: Builder, children: Children) -> InitialState:
    """The items; a declaration of several names counts as several items."""
    items: list[InitialItem] = []
    for child in children:
        if isinstance(child, list):
            items += child
        elif type(child) is not Token:
            items.append(child)
    return InitialState(tuple(items), span=builder.span(children[0], children[-1]))


def initial_bracketed(builder: Builder, children: Children) -> InitialValue:
    """`fine_svm [x] = 0`."""
    allocation, type_name, bracket, name, closing, _, value = children
    return InitialValue(
        name,
        bracketed=True,
        allocation=allocation.text if allocation else None,
        type=type_name,
        value=value,
        span=builder.span(allocation or type_name or bracket, value or closing),
    )


def initial_declared(builder: Builder, children: Children) -> list[InitialValue]:
    """`fine_svm int *x = 0, y`."""
    allocation, type_name, *declarators = children
    first = allocation or type_name
    if first is None and isinstance(declarators[0].length, Name):
        _require_no_kind(builder, declarators[0].name)
    return [
        InitialValue(
            declarator.name,
            allocation=allocation.text if allocation else None,
            type=type_name,
            pointers=len(declarator.pointers),
            length=declarator.length,
            value=declarator.initializer,
            inner=declarator.inner,
            is_counted=declarator.is_counted,
            span=builder.span(first if first and i == 0 else declarator, declarator),
        )
        for i, declarator in enumerate(declarators[::2])
    ]


def _require_no_kind(builder: Builder, name: Name) -> None:
    """Refuse `finesvm [x] = 0`, which is an array with a length that has a name, but not what was meant."""
    # Imported here: lengths that are names are those of macros, which are replaced before.
    from mcm.syntax.expected import ALLOCATIONS  # noqa: PLC0415

    if hint := did_you_mean(name.text, ALLOCATIONS):
        builder.refuse("E047", f"expected a kind of memory before '[', found '{name.text}'{hint}", name.span)


def initial_member(builder: Builder, children: Children) -> InitialValue:
    """`fine_svm p.a[2] = {1, 2}`."""
    allocation, name, brackets, _, value = children
    length, is_counted = counted(builder, [brackets] if brackets else [], value)
    return InitialValue(
        name,
        allocation=allocation.text if allocation else None,
        length=length,
        value=value,
        is_counted=is_counted,
        span=builder.span(allocation or name, value),
    )


def initial_register(builder: Builder, children: Children) -> InitialRegister:
    """`0:r1 = value`."""
    thread, _, name, _, value = children
    return InitialRegister(thread_number(builder, thread), name, value, span=builder.span(thread, value))


def queue_object(builder: Builder, children: Children) -> QueueObject:
    """`queue q = in_order dev 0`."""
    keyword, name, _, order, _, device = children
    span = builder.span(keyword, device or order)
    return QueueObject(name, order.text, whole_number(builder, device) if device else 0, span=span)


def user_event_object(builder: Builder, children: Children) -> UserEventObject:
    """`user_event u`."""
    return UserEventObject(children[1], span=builder.span(children[0], children[1]))


# --- heads of threads and kernels, launches ---


def placement(_: Builder, children: Children) -> tuple[PlacementPart, ...]:
    """The parts behind `@`."""
    return tuple(child for child in children if isinstance(child, PlacementPart))


def placement_part(builder: Builder, children: Children) -> PlacementPart:
    """`wg 0`, or `host`."""
    key, span = children[0], builder.span(children[0], children[-1])
    value = whole_number(builder, children[1]) if len(children) > 1 else None
    if key.text not in _PLACEMENT_KEYS:
        _unknown_key(builder, "part of a placement", key, _PLACEMENT_KEYS)
    elif key.text == "host" and value is not None:
        builder.refuse("E040", f"expected no number after 'host', found '{value}'", span)
    elif key.text != "host" and value is None:
        builder.refuse("E040", f"expected a number after '{key.text}'", key.span)
    return PlacementPart(key.text, value, span=span)


def parameters(_: Builder, children: Children) -> tuple[Parameter, ...]:
    """What stands between the parentheses; `(void)` says that there is nothing."""
    return tuple(child for child in children[1:-1:2] if not isinstance(child, Token))


def thread_head(builder: Builder, children: Children) -> ThreadHead:
    """Number, placement and parameters of a thread."""
    placement = children[1] if len(children) > 2 else ()
    span = Span(builder.source, children[0].start, children[0].end)
    return ThreadHead(thread_number(builder, children[0]), placement, children[-1], span=span)


def kernel_head(builder: Builder, children: Children) -> KernelHead:
    """Name and parameters of a kernel or a callback."""
    attributes = tuple(child for child in children if isinstance(child, Attribute))
    span = Span(builder.source, children[0].start, children[0].end)
    return KernelHead(children[-2], children[-1], attributes, span=span)


callback_head = kernel_head


def kernel_attribute(builder: Builder, children: Children) -> Attribute:
    """`__attribute__((reqd_work_group_size(4, 1, 1)))`, with or without `__` around the name."""
    name = children[3]
    word = name.text.removeprefix("__").removesuffix("__")
    if word not in GROUP_SIZES:
        known = " and ".join(f"'{one}'" for one in GROUP_SIZES)
        builder.refuse("E050", f"the attribute '{name.text}' is not supported, but {known} are", name.span)
    span = builder.span(children[0], children[-1])
    return Attribute(replace(name, text=word), tuple(children[5:-3:2]), span=span)


def thread(builder: Builder, children: Children) -> Thread:
    """A head and a body."""
    head, body = children
    return Thread(head.number, head.placement, head.parameters, body, span=builder.span(head, body))


def kernel(builder: Builder, children: Children) -> Kernel:
    """A head and a body."""
    head, body = children
    span = builder.span(head, body)
    return Kernel(head.name, head.parameters, body, attributes=head.attributes, span=span)


def structure(builder: Builder, children: Children) -> Structure:
    """`struct NAME { members };`, `union NAME { members };`."""
    members = tuple(child for child in children if isinstance(child, Declaration))
    is_union = children[0].text == "union"
    return Structure(children[1], members, is_union, span=builder.span(children[0], children[-1]))


def file_variables(builder: Builder, children: Children) -> FileVariables:
    """`static const int n = 4;` outside kernels and functions."""
    words = [child.text for child in children[:-1] if isinstance(child, Token) and child.type == "FUNCTION_WORD"]
    type_name, *declarators = children[len(words) : -1]
    span = builder.span(type_name, children[-1])
    declaration = Declaration(type_name, tuple(declarators[::2]), span=span)
    return FileVariables(tuple(words), declaration, span=builder.span(children[0], children[-1]))


def function_parameters(_: Builder, children: Children) -> tuple[Parameter, ...]:
    """What stands between the parentheses; `(void)` says that there is nothing."""
    found: tuple[Parameter, ...] = tuple(children[1:-1:2])
    match found:
        case (Parameter(TypeName((), "void", ()), Name("")),):
            return ()
        case _:
            return found


def function_head(builder: Builder, children: Children) -> FunctionHead:
    """Everything before the body of a function."""
    words = [child.text for child in children if isinstance(child, Token)]
    type_name, *pointers, name, parameters = (child for child in children if not isinstance(child, Token))
    first = children[0]
    span = Span(builder.source, first.start, first.end) if isinstance(first, Token) else first.span
    return FunctionHead(name, tuple(words), pointed(builder, type_name, pointers), parameters, span=span)


def function(builder: Builder, children: Children) -> Function:
    """A head and a body."""
    head, body = children
    return Function(head.name, head.words, head.type, head.parameters, body, span=builder.span(head, body))


def prototype(builder: Builder, children: Children) -> Function:
    """A head and a semicolon."""
    head, semicolon = children
    return Function(head.name, head.words, head.type, head.parameters, None, span=builder.span(head, semicolon))


def callback(builder: Builder, children: Children) -> Callback:
    """A head and a body."""
    head, body = children
    return Callback(head.name, head.parameters, body, span=builder.span(head, body))


def launch(builder: Builder, children: Children) -> Launch:
    """`launch K global 4, local 2;`."""
    parts = tuple(child for child in children if isinstance(child, LaunchPart))
    return Launch(children[1], parts, span=builder.span(children[0], children[-1]))


def launch_part(builder: Builder, children: Children) -> LaunchPart:
    """`global 4`."""
    word, *numbers = children
    key = word if isinstance(word, Name) else NAME(builder, word.text, word.end)
    span = builder.span(word, numbers[-1])
    if key.text not in _LAUNCH_KEYS:
        _unknown_key(builder, "part of a launch", key, _LAUNCH_KEYS)
    elif len(numbers) > (_MOST_DIMENSIONS if key.text in _SIZES else 1):
        most = f"at most {_MOST_DIMENSIONS} numbers" if key.text in _SIZES else "one number"
        builder.refuse("E152", f"expected {most} after '{key.text}', found {len(numbers)}", span)
    return LaunchPart(key.text, tuple(whole_number(builder, number) for number in numbers), span=span)


# --- old form ---


def scope_tree(builder: Builder, children: Children) -> ScopeTree:
    """The roots."""
    roots = tuple(child for child in children if isinstance(child, ScopeNode))
    return ScopeTree(roots, span=builder.span(children[0], children[-1]))


def scope_node(builder: Builder, children: Children) -> ScopeNode:
    """`(work_group P0 P1)`."""
    kind = children[1]
    if kind.text not in _SCOPE_KINDS:
        _unknown_key(builder, "node of a scope tree", kind, _SCOPE_KINDS, code="E046")
    members = [thread_number(builder, child) for child in children[2:-1] if isinstance(child, Name | NumberLiteral)]
    nodes = tuple(child for child in children if isinstance(child, ScopeNode))
    return ScopeNode(kind.text, nodes, tuple(members), span=builder.span(children[0], children[-1]))


def regions(builder: Builder, children: Children) -> Regions:
    """All entries of region lines."""
    entries = tuple(child for child in children if isinstance(child, RegionEntry))
    return Regions(entries, span=builder.span(children[0], children[-1]))


def region(builder: Builder, children: Children) -> RegionEntry:
    """`x:global`."""
    name, _, region = children
    return RegionEntry(name, region.text, span=builder.span(name, region))


def _unknown_key(builder: Builder, what: str, key: Name, known: tuple[str, ...], code: str = "E045") -> None:
    meant = _SHORT.get(key.text.replace("_", ""))
    hint = f"; did you mean '{meant}'?" if meant in known else did_you_mean(key.text, known)
    if (joined := _WITH_NUMBER.fullmatch(key.text)) and joined[1] in known:
        hint = f"; did you mean '{joined[1]} {joined[2]}'?"
    message = f"unknown {what} '{key.text}'; expected one of {', '.join(known)}{hint}"
    builder.refuse(code, message, key.span)
