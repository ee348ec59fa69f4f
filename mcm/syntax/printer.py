"""Syntax tree to canonical litmus text: `parse(print_litmus(tree)) == tree`, comments included."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, assert_never

from msgspec.structs import replace

from mcm.base.source import Span
from mcm.syntax.ast import (
    Callback,
    FileVariables,
    Function,
    InitialRegister,
    InitialValue,
    Kernel,
    Launch,
    QueueObject,
    Structure,
    Thread,
    UserEventObject,
)
from mcm.syntax.lines import Line, weave
from mcm.syntax.print_expressions import (
    outside_bodies,
    show_declaration,
    show_expression,
    show_initializer,
    show_lengths,
    show_parameters,
    show_proposition,
    show_term,
    show_type,
)
from mcm.syntax.print_statements import block_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcm.syntax.ast import InitialItem, Litmus, Node, PlacementPart, Unit
    from mcm.syntax.attribute import Attribute
    from mcm.syntax.places import ScopeNode
    from mcm.syntax.print_statements import Writer

_WIDEST_INITIAL_STATE: Final = 100


def print_litmus(tree: Litmus) -> str:
    """The canonical text of a tree."""
    lines = [*header_lines(tree), *initial_state_lines(tree)]
    for unit in tree.units:
        lines += unit_lines(unit)
    lines += tail_lines(tree)
    return weave(lines, tree.comments, tree.span.source)


def header_lines(tree: Litmus) -> Iterator[Line]:
    """The first line, documentation and key lines."""
    yield _line(f"{tree.word} {tree.name}", tree.name_span or Span(tree.span.source, 0, 0))
    spans = tree.documentation_spans or (Span(tree.span.source, 0, 0),) * len(tree.documentation)
    for text, span in zip(tree.documentation, spans, strict=True):
        yield _line(f'"{text}"', span)
    for key in tree.keys:
        yield _line(f"{key.key}={key.value}", key.span)


def _line(text: str, span: Span, *, begins_paragraph: bool = False) -> Line:
    return Line(text, span.start, span.end, begins_paragraph=begins_paragraph)


# --- initial state ---------------------------------------------------------------------------------------------------


def initial_state_lines(tree: Litmus) -> list[Line]:
    """The initial state."""
    span = tree.initial_span or Span(tree.span.source, 0, 0)
    items = [outside_bodies(f"{_initial_item(item)};") for item in tree.initial]
    together = f"{{ {' '.join(items)} }}" if items else "{}"
    if not items or ("\n" not in span.text and len(together) <= _WIDEST_INITIAL_STATE):
        return [_line(together, span, begins_paragraph=True)]
    return [
        Line("{", span.start, min(span.start + 1, span.end), begins_paragraph=True),
        *(Line(text, item.span.start, item.span.end, 1) for text, item in zip(items, tree.initial, strict=True)),
        Line("}", max(span.start, span.end - 1), span.end),
    ]


def _initial_item(item: InitialItem) -> str:
    match item:
        case InitialValue():
            return _initial_value(item)
        case InitialRegister(thread, name, value):
            return f"{thread}:{name.text}={show_expression(value)}"
        case QueueObject(name, order, device):
            return f"queue {name.text} = {order} dev {device}"
        case UserEventObject(name):
            return f"user_event {name.text}"
        case _:
            assert_never(item)


def _initial_value(item: InitialValue) -> str:
    allocation = "" if item.allocation is None else f"{item.allocation} "
    type_name = "" if item.type is None else f"{show_type(item.type)} "
    name = f"[{item.name.text}]" if item.bracketed else f"{'*' * item.pointers}{item.name.text}"
    value = "" if item.value is None else f"={show_initializer(item.value)}"
    return f"{allocation}{type_name}{name}{show_lengths(item)}{value}"


# --- units -----------------------------------------------------------------------------------------------------------


def unit_lines(unit: Unit, writer: Writer | None = None) -> list[Line]:
    """A thread, a kernel, a function and so on; `writer` writes the body."""
    match unit:
        case Thread(number, placement, parameters, body):
            head = f"P{number}{_placement(placement)} {show_parameters(parameters)}"
        case Kernel(name, parameters, body, attributes=attributes):
            shown = "".join(f"{_attribute(one)} " for one in attributes)
            head = f"kernel {shown}{name.text} {show_parameters(parameters)}"
        case Function(name, words, type_name, parameters, block):
            head = f"{' '.join((*words, show_type(type_name)))} {name.text}{show_parameters(parameters)}"
            if block is None:
                return [_line(f"{head};", unit.span, begins_paragraph=True)]
            body = block
        case Structure(name, members, is_union):
            inner = [Line(show_declaration(one), one.span.start, one.span.end, 1) for one in members]
            first = _line(f"{'union' if is_union else 'struct'} {name.text} {{", unit.span, begins_paragraph=True)
            return [replace(first, end=unit.span.start + 1), *inner, Line("};", unit.span.end - 1, unit.span.end)]
        case FileVariables(words, declaration):
            shown = " ".join((*words, show_declaration(declaration)))
            return [_line(shown, unit.span, begins_paragraph=True)]
        case Callback(name, parameters, body):
            head = f"callback {name.text} {show_parameters(parameters)}"
        case Launch(kernel, parts):
            shown = ", ".join(" ".join((part.key, *map(str, part.values))) for part in parts)
            return [_line(f"launch {kernel.text} {shown};", unit.span, begins_paragraph=True)]
        case _:
            assert_never(unit)
    return block_lines(head, unit.span.start, body, writer)


def _attribute(attribute: Attribute) -> str:
    arguments = ", ".join(map(show_expression, attribute.arguments))
    return f"__attribute__(({attribute.name.text}({arguments})))"


def _placement(parts: tuple[PlacementPart, ...]) -> str:
    shown = ", ".join(part.key if part.value is None else f"{part.key} {part.value}" for part in parts)
    return f"@{shown}" if parts else ""


# --- after the threads -----------------------------------------------------------------------------------------------


def tail_lines(tree: Litmus) -> list[Line]:
    """What stands behind the threads."""
    parts: list[tuple[str, Sequence[Node]]] = [
        (f"scopeTree {' '.join(_scope_node(node) for node in tree.scope_tree)}", tree.scope_tree),
        (", ".join(f"{entry.name.text}:{entry.region}" for entry in tree.regions), tree.regions),
        (f"locations [{' '.join(f'{show_term(term)};' for term in tree.locations)}]", tree.locations),
    ]
    if tree.filter is not None:
        parts.append((f"filter ({show_proposition(tree.filter)})", (tree.filter,)))
    if tree.condition is not None:
        shown = f"{tree.condition.quantifier} ({show_proposition(tree.condition.proposition)})"
        parts.append((shown, (tree.condition,)))
    written = [(text, nodes) for text, nodes in parts if nodes]
    return [
        _line(text, nodes[0].span.to(nodes[-1].span), begins_paragraph=i == 0)
        for i, (text, nodes) in enumerate(written)
    ]


def _scope_node(node: ScopeNode) -> str:
    members = [f"P{thread}" for thread in node.threads]
    return f"({' '.join((node.kind, *map(_scope_node, node.children), *members))})"
