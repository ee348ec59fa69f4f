"""From grammar rules to nodes: the parts of a file around the statements, and conditions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from mcm.base.diagnostic import Diagnostic
from mcm.base.suggest import did_you_mean
from mcm.syntax.ast import (
    AddressTerm,
    Comparison,
    Condition,
    Connective,
    InitialRegister,
    InitialValue,
    LaunchPart,
    LocationReference,
    Name,
    Negation,
    Node,
    NumberLiteral,
    NumberTerm,
    PlacementPart,
    QueueObject,
    RegionEntry,
    RegisterReference,
    ScopeNode,
    Truth,
    UserEventObject,
)
from mcm.syntax.build_statements import StatementBuilder
from mcm.syntax.number import integer_value
from mcm.syntax.precedence import CONNECTIVES, fold

if TYPE_CHECKING:
    from mcm.lalr.token import Token
    from mcm.syntax.ast import InitialItem, Parameter, Proposition
    from mcm.syntax.build_expressions import Children

_PLACEMENT_KEYS: Final = ("sg", "wg", "ki", "dev", "host")
_LAUNCH_KEYS: Final = ("global", "local", "sub", "dev", "ki")
_SCOPE_KINDS: Final = ("device", "work_group", "sub_group", "work_item")
_CONNECTIVES: Final = {"&&": "/\\", "||": "\\/"}
_THREAD: Final = re.compile(r"P(\d{1,9})")


class TreeBuilder(StatementBuilder):
    """Builds every part of a file."""

    # --- initial state ---

    def initial_state(self, children: Children) -> tuple[InitialItem, ...]:
        """The items; a declaration of several names counts as several items."""
        items: list[InitialItem] = []
        for child in children:
            if isinstance(child, list):
                items += child
            elif isinstance(child, Node):
                items.append(child)  # type: ignore[arg-type]  # the grammar lets only items stand here
        return tuple(items)

    def initial_bracketed(self, children: Children) -> InitialValue:
        """`fine_svm [x] = 0`."""
        allocation, type_name, bracket, name, closing, _, value = children
        return InitialValue(
            name,
            bracketed=True,
            allocation=allocation.text if allocation else None,
            type=type_name,
            value=value,
            span=self.span(allocation or type_name or bracket, value or closing),
        )

    def initial_declared(self, children: Children) -> list[InitialValue]:
        """`fine_svm int *x = 0, y`."""
        allocation, type_name, *declarators = children
        first = allocation or type_name
        return [
            InitialValue(
                declarator.name,
                allocation=allocation.text if allocation else None,
                type=type_name,
                pointers=len(declarator.pointers),
                length=declarator.length,
                value=declarator.initializer,
                span=self.span(first if first and i == 0 else declarator, declarator),
            )
            for i, declarator in enumerate(declarators[::2])
        ]

    def initial_register(self, children: Children) -> InitialRegister:
        """`0:r1 = value`."""
        thread, _, name, _, value = children
        return InitialRegister(self._thread_number(thread), name, value, span=self.span(thread, value))

    def queue_object(self, children: Children) -> QueueObject:
        """`queue q = in_order dev 0`."""
        keyword, name, _, order, _, device = children
        span = self.span(keyword, device or order)
        return QueueObject(name, order.text, self._whole(device) if device else 0, span=span)

    def user_event_object(self, children: Children) -> UserEventObject:
        """`user_event u`."""
        return UserEventObject(children[1], span=self.span(children[0], children[1]))

    # --- heads of threads and kernels, launches ---

    def placement(self, children: Children) -> tuple[PlacementPart, ...]:
        """The parts behind `@`."""
        return tuple(child for child in children if isinstance(child, PlacementPart))

    def placement_part(self, children: Children) -> PlacementPart:
        """`wg 0`, or `host`."""
        key, span = children[0], self.span(children[0], children[-1])
        value = self._whole(children[1]) if len(children) > 1 else None
        if key.text not in _PLACEMENT_KEYS:
            self._unknown_key("part of a placement", key, _PLACEMENT_KEYS)
        elif key.text == "host" and value is not None:
            self.problems.append(Diagnostic("E040", f"expected no number after 'host', found '{value}'", span))
        elif key.text != "host" and value is None:
            self.problems.append(Diagnostic("E040", f"expected a number after '{key.text}'", key.span))
        return PlacementPart(key.text, value, span=span)

    def parameters(self, children: Children) -> tuple[Parameter, ...]:
        """What stands between the parentheses."""
        return tuple(children[1:-1:2])

    def thread_head(self, children: Children) -> tuple[int, tuple[PlacementPart, ...], tuple[Parameter, ...]]:
        """Number, placement and parameters of a thread."""
        placement = children[1] if len(children) > 2 else ()
        return self._thread_number(children[0]), placement, children[-1]

    def kernel_head(self, children: Children) -> tuple[Name, tuple[Parameter, ...]]:
        """Name and parameters of a kernel."""
        return children[-2], children[-1]

    def callback_head(self, children: Children) -> tuple[Name, tuple[Parameter, ...]]:
        """Name and parameters of a callback."""
        return children[-2], children[-1]

    def launch(self, children: Children) -> tuple[Name, tuple[LaunchPart, ...]]:
        """Kernel and parts of a launch."""
        return children[1], tuple(child for child in children if isinstance(child, LaunchPart))

    def launch_part(self, children: Children) -> LaunchPart:
        """`global 4`."""
        word, number = children
        key = word if isinstance(word, Name) else self.NAME(word.text, word.end)
        if key.text not in _LAUNCH_KEYS:
            self._unknown_key("part of a launch", key, _LAUNCH_KEYS)
        return LaunchPart(key.text, self._whole(number), span=self.span(word, number))

    # --- old form ---

    def scope_tree(self, children: Children) -> tuple[ScopeNode, ...]:
        """The roots."""
        return tuple(child for child in children if isinstance(child, ScopeNode))

    def scope_node(self, children: Children) -> ScopeNode:
        """`(work_group P0 P1)`."""
        kind = children[1]
        if kind.text not in _SCOPE_KINDS:
            self._unknown_key("node of a scope tree", kind, _SCOPE_KINDS, code="E046")
        members = [self._thread_number(child) for child in children[2:-1] if isinstance(child, Name | NumberLiteral)]
        nodes = tuple(child for child in children if isinstance(child, ScopeNode))
        return ScopeNode(kind.text, nodes, tuple(members), span=self.span(children[0], children[-1]))

    def regions(self, children: Children) -> tuple[RegionEntry, ...]:
        """All entries of region lines."""
        return tuple(child for child in children if isinstance(child, RegionEntry))

    def region(self, children: Children) -> RegionEntry:
        """`x:global`."""
        name, _, region = children
        return RegionEntry(name, region.text, span=self.span(name, region))

    # --- conditions ---

    def locations(self, children: Children) -> tuple[RegisterReference | LocationReference, ...]:
        """What is listed."""
        return tuple(child for child in children if isinstance(child, RegisterReference | LocationReference))

    def filter(self, children: Children) -> Proposition:
        """The proposition."""
        proposition: Proposition = children[1]
        return proposition

    def condition(self, children: Children) -> Condition:
        """Quantifier and proposition."""
        quantifier = "".join([child.text for child in children[:-1]])
        if quantifier in {"notexists", "!exists"}:
            quantifier = "~exists"
        return Condition(quantifier, children[-1], span=self.span(children[0], children[-1]))

    def connective_chain(self, children: Children) -> Proposition:
        """A flat chain of connectives, folded by their precedence."""
        operators = [_CONNECTIVES.get(operator.text, operator.text) for operator in children[1::2]]
        operands: list[Proposition] = children[::2]
        return fold(operands, operators, CONNECTIVES, self._connective)

    def _connective(self, operator: str, left: Proposition, right: Proposition) -> Proposition:
        return Connective(operator, left, right, span=self.span(left, right))

    def comparison(self, children: Children) -> Comparison:
        """`left = right`."""
        left, operator, right = children
        return Comparison(operator.text, left, right, span=self.span(left, right))

    def truth(self, children: Children) -> Truth:
        """`true` or `false`."""
        return Truth(children[0].text == "true", span=self.span(children[0], children[0]))

    def negation(self, children: Children) -> Negation:
        """`~ body`."""
        return Negation(children[1], span=self.span(children[0], children[1]))

    def number_term(self, children: Children) -> NumberTerm:
        """A number with its sign."""
        literal = children[-1]
        value = integer_value(literal.text) if len(literal.text) < 100 else 0
        if value is None:
            message = f"expected an integer in a condition, found '{literal.text}'"
            self.problems.append(Diagnostic("E040", message, literal.span))
            value = 0
        return NumberTerm(-value if len(children) > 1 else value, span=self.span(children[0], literal))

    def address_term(self, children: Children) -> AddressTerm:
        """`&x` or `&x[1]`."""
        index, last = self._element(children[2:], children[1])
        return AddressTerm(children[1], index, span=self.span(children[0], last))

    def element(self, children: Children) -> Children:
        """`[1]`, brackets included."""
        return children

    def register(self, children: Children) -> RegisterReference:
        """`1:r0`, `P1:a[2]`."""
        thread, _, name, *rest = children
        index, last = self._element(rest, name)
        return RegisterReference(self._thread_number(thread), name, index, span=self.span(thread, last))

    def kernel_register(self, children: Children) -> RegisterReference:
        """`K[1]:r0`."""
        kernel, item, _, name, *rest = children
        index, last = self._element(rest, name)
        return RegisterReference((kernel.text, self._whole(item[1])), name, index, span=self.span(kernel, last))

    def location(self, children: Children) -> LocationReference:
        """`x`, `a[1]`."""
        index, last = self._element(children[1:], children[0])
        return LocationReference(children[0], index, span=self.span(children[0], last))

    def group_location(self, children: Children) -> LocationReference:
        """`t@wg0[2]`."""
        name, _, group, *rest = children
        index, last = self._element(rest, group)
        number = self._bounded(group.text[2:], group)
        return LocationReference(name, index, number, span=self.span(name, last))

    def bracketed_location(self, children: Children) -> LocationReference:
        """`[x]`, `[a[1]]`."""
        index, _ = self._element(children[2:-1], children[1])
        return LocationReference(children[1], index, bracketed=True, span=self.span(children[0], children[-1]))

    # --- numbers ---

    def _element(self, brackets: list[Children], otherwise: Node | Token) -> tuple[int | None, Node | Token]:
        """The index in optional brackets, and the last thing written."""
        if not brackets:
            return None, otherwise
        _, number, closing = brackets[0]
        return self._whole(number), closing

    def _thread_number(self, written: Name | NumberLiteral | Token) -> int:
        text = written.text
        found = _THREAD.fullmatch(text)
        if found is not None:
            return int(found.group(1))
        if isinstance(written, Name):
            self.problems.append(Diagnostic("E040", f"expected a thread such as 'P0', found '{text}'", written.span))
            return 0
        return self._bounded(text, written)

    def _whole(self, literal: NumberLiteral) -> int:
        return self._bounded(literal.text, literal)

    def _bounded(self, text: str, written: Node | Token) -> int:
        """The value of a decimal number that counts threads, groups or elements."""
        if text.isdigit() and len(text) < 10:
            return int(text)
        message = f"expected a decimal number below 1000000000, found '{text[:40]}'"
        self.problems.append(Diagnostic("E023", message, self.span(written, written)))
        return 0

    def _unknown_key(self, what: str, key: Name, known: tuple[str, ...], code: str = "E045") -> None:
        names = ", ".join(known)
        message = f"unknown {what} '{key.text}'; expected one of {names}{did_you_mean(key.text, known)}"
        self.problems.append(Diagnostic(code, message, key.span))
