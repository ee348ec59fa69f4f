"""Calls of functions of classes, and of operators: which function is meant, of which object, and what it returns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from mcm.base.suggest import did_you_mean
from mcm.sycl import closures, methods, overloads, tree
from mcm.sycl.atomics import is_atomic_class
from mcm.sycl.build_classes import REFERENCE
from mcm.sycl.entities import Group, Ids, Instance, Item, Members, Overloads, Reference, Variable
from mcm.sycl.methods import Receiver
from mcm.sycl.references import is_place
from mcm.sycl.types import region_of, show, target_of, type_of, written_type
from mcm.sycl.words import plain
from mcm.syntax import ast
from mcm.syntax.walk import walk

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcm.sycl.context import Context
    from mcm.sycl.entities import Entity
    from mcm.sycl.tree import MemberFunction
    from mcm.syntax.ast import Expression, Node, TypeName

FoundT = TypeVar("FoundT")

CALL: Final = "operator()"
_ZERO: Final = "0"


class Meant(Struct, frozen=True):
    """A call of a function of a class, or of an operator: the object, if any, and all arguments."""

    function: MemberFunction
    receiver: Receiver | None
    arguments: tuple[Node, ...]

    @property
    def is_self(self) -> bool:
        """Whether it returns the object that it is called of."""
        return methods.is_self_returning(self.function)

    @property
    def target(self) -> TypeName | None:
        """What a reference that it returns is one to; None where it returns none."""
        type_ = self.function.type
        if not isinstance(type_, ast.TypeName) or type_.pointers[-1:] != (REFERENCE,):
            return None
        return replace(written_type(type_), pointers=type_.pointers[:-1])

    @property
    def is_inlined(self) -> bool:
        """Whether what it returns stands in place of its call: a reference to a structure, or a name of an object."""
        if self.is_self or methods.only_value(self.function) is None:
            return False
        target = self.target
        is_structure = target is not None and not target.pointers and target.base.startswith("struct ")
        return is_structure or self.is_named

    @property
    def is_named(self) -> bool:
        """Whether it returns what has no value, such as an `atomic_ref`."""
        if isinstance(self.function.type, tree.ClassType):
            return True
        value = methods.only_value(self.function)
        return isinstance(value, tree.Construction) and is_atomic_class(value.type)


# --- objects ----------------------------------------------------------------------------------------------------------


def class_of(type_: TypeName | None, context: Context) -> Members | None:
    """The class of the file that a type is."""
    if type_ is None or type_.pointers:
        return None
    found = context.scopes.find(type_.base)
    return found if isinstance(found, Members) else None


def receiver_of(base: Node, operator: str, context: Context) -> Receiver | None:
    """The object that `.` or `->` behind an expression is about; None where that is of no class of the file."""
    entity = context.entity(base)
    if isinstance(entity, Instance):
        return Receiver(entity.class_, entity.path, base, entity.is_const or is_in_const(base, context))
    type_ = type_of(base, context)
    around = target_of(type_) if operator == "->" else type_
    class_ = class_of(around, context)
    if class_ is None or around is None:
        return None
    node = ast.Prefix("*", base, span=base.span) if operator == "->" else base  # type: ignore[arg-type]  # see `tree`
    is_const = "const" in around.qualifiers or (operator == "." and is_in_const(base, context))
    return Receiver(class_, None, node, is_const)


def is_in_const(node: Node, context: Context) -> bool:
    """Whether an expression names a part of an object that does not change."""
    match node:
        case ast.Member(base, operator):
            instance = context.entity(base)
            if isinstance(instance, Instance):
                return instance.is_const
            type_ = target_of(type_of(base, context)) if operator == "->" else type_of(base, context)
            is_const = type_ is not None and "const" in type_.qualifiers
            return is_const or (operator == "." and is_in_const(base, context))
        case ast.Index(ast.Name() | ast.Member() as base):
            match context.entity(base):
                case Variable(type_, is_array=True) | Reference(_, type_, is_array=True):
                    return (type_ is not None and "const" in type_.qualifiers) or is_in_const(base, context)
                case None if isinstance(base, ast.Member):
                    return is_in_const(base, context)
                case _:
                    return False
        case _:
            return False


def _address(receiver: Receiver, context: Context) -> Expression:
    match receiver.node:
        case ast.Prefix("*", operand):
            return context.value(operand)
        case node if is_place(node, context):
            return address_of(context.place(node))
        case node:
            made = closures.temporary(node, context)
            if made is None:
                message = f"'{node.span.text}' is no object that a function could be called of: give it a variable"
                context.complaints.fail("E207", node.span, message)
            return made


def address(node: Node, context: Context) -> Expression:
    """The address of an object that an expression names."""
    if isinstance(node, ast.Conditional):
        then, otherwise = address(node.then, context), address(node.otherwise, context)
        return replace(node, condition=context.value(node.condition), then=then, otherwise=otherwise)
    return address_of(context.place(node))


def address_of(place: Expression) -> Expression:
    """The address of an object, in the shortest words."""
    if isinstance(place, ast.Prefix) and place.operator == "*":
        return place.operand
    return ast.Prefix("&", place, span=place.span)


# --- which function ---------------------------------------------------------------------------------------------------


def meant(node: Node, context: Context) -> Meant | None:
    """The function of a class, or the operator of the file, that an expression calls; None where it calls none."""
    if not context.functions.has_classes:
        return None
    match node:
        case tree.MemberCall(base, operator, ast.Name(name), None, arguments):
            receiver = receiver_of(base, operator, context)
            return None if receiver is None else _member(receiver, name, arguments, node, context)
        case ast.Call(ast.Name(text) as name, arguments):
            return _called(name, text, arguments, node, context)
        case ast.Infix(operator, left, right) if operator != ",":
            return _operator(operator, (left, right), node, context)
        case ast.Assignment(operator, target, value):
            return _operator(operator, (target, value), node, context)
        case ast.Prefix(operator, operand) if operator != "&":
            return _operator(operator, (operand,), node, context)
        case ast.Postfix(operator, operand):
            return _operator(operator, (operand, ast.NumberLiteral(_ZERO, span=node.span)), node, context)
        case ast.Index(base, index):
            return _operator("[]", (base, index), node, context)
        case _:
            return None


def _member(
    receiver: Receiver, name: str, arguments: tuple[Node, ...], node: tree.MemberCall, context: Context
) -> Meant | None:
    functions = receiver.class_.functions.get(name)
    if functions is None:
        if any(one.name == name for one in receiver.class_.data):
            # A member that is called is an object itself.
            member = ast.Member(node.base, node.operator, node.name, span=node.span)
            inner = receiver_of(member, ".", context)
            functions = None if inner is None else inner.class_.functions.get(CALL)
            if inner is not None and functions is not None:
                return _chosen(functions, inner, arguments, node, context)
        hint = did_you_mean(name, receiver.class_.functions)
        message = f"'{receiver.class_.name}' has no function '{name}'{hint}"
        context.complaints.fail("E203", node.name.span, message)
    return _chosen(functions, receiver, arguments, node, context)


def _called(name: ast.Name, text: str, arguments: tuple[Node, ...], node: Node, context: Context) -> Meant | None:
    match context.scopes.find(text):
        case Overloads(class_, own, receiver):
            functions = class_.functions[own]
            found = None if receiver is None else receiver_of(receiver, "->", context)
            return _chosen(functions, found or Receiver(class_, None, name), arguments, node, context)
        case Instance() | Variable() | Reference():
            object_ = receiver_of(name, ".", context)
            if object_ is None or (of_class := object_.class_.functions.get(CALL)) is None:
                return None
            return _chosen(of_class, object_, arguments, node, context)
        case None if "::" in text:
            class_name, _, own = text.rpartition("::")
            static = context.scopes.find(f"struct {plain(class_name)}")
            if isinstance(static, Members) and own in static.functions:
                return _chosen(static.functions[own], Receiver(static, None, name), arguments, node, context)
            return None
        case None if (free := context.functions.specialised.get(text)) is not None:
            return Meant(free, None, methods.with_defaults(free, arguments, node, context))
        case _:
            return None


def _chosen(
    functions: tuple[MemberFunction, ...],
    receiver: Receiver,
    arguments: tuple[Node, ...],
    node: Node,
    context: Context,
) -> Meant:
    found = overloads.chosen(functions, arguments, node, context, is_const=receiver.is_const)
    if found is None:
        if len(functions) > 1:
            message = f"no function '{functions[0].name.text}' of '{receiver.class_.name}' takes these arguments"
            context.complaints.fail("E104", node.span, message)
        found = functions[0]
        if len(arguments) > len(found.parameters):
            arguments = (*arguments, *arguments)
    if len(arguments) > len(found.parameters):
        message = f"'{found.name.text}' takes {len(found.parameters)} arguments, found {len(arguments)}"
        context.complaints.fail("E104", node.span, message)
    return Meant(found, receiver, methods.with_defaults(found, arguments, node, context, receiver.class_))


def _operator(sign: str, operands: tuple[Node, ...], node: Node, context: Context) -> Meant | None:
    """An operator of a class, or a function `operator+` of the file."""
    name = f"operator{sign}"
    free = context.functions.operators.get(name, ())
    if not free and name not in context.functions.of_classes:
        return None
    first, *others = operands
    receiver = receiver_of(first, ".", context)
    functions = receiver.class_.functions.get(name, ()) if receiver is not None else ()
    fitting = tuple(one for one in functions if overloads.fits(one, others, context))
    if receiver is not None and fitting:
        return _chosen(fitting, receiver, tuple(others), node, context)
    fitting = tuple(one for one in free if overloads.fits(one, operands, context))
    if not fitting or all(class_of(type_of(one, context), context) is None for one in operands):
        return None
    found = overloads.chosen(fitting, operands, node, context)
    assert found is not None
    return Meant(found, None, operands)


# --- its value --------------------------------------------------------------------------------------------------------


def type_of_call(found: Meant, context: Context) -> TypeName | None:
    """The type of what a function returns."""
    type_ = found.function.type
    if isinstance(type_, tree.ClassType) or found.is_named:
        return None
    if type_ is not None and type_.base != "auto":
        return found.target or written_type(type_)
    return methods.made(found.function, found.receiver, found.arguments, context).result


def called(found: Meant, node: Node, context: Context) -> Expression:
    """The call in terms of the C family; one that returns a reference is the object that this is one to."""
    if found.is_inlined:
        return inlined(found, node, context, context.place)
    if found.is_self:
        message = f"'{node.span.text}' returns the object itself: call it in a statement of its own"
        context.complaints.fail("E207", node.span, message)
    call = only_called(found, node, context)
    function = methods.made(found.function, found.receiver, found.arguments, context)
    return ast.Prefix("*", call, span=node.span) if function.is_reference else call


def only_called(found: Meant, node: Node, context: Context) -> ast.Call:
    """The call alone."""
    closure = methods.made(found.function, found.receiver, found.arguments, context)
    name = ast.Name(closure.function, span=node.span)
    written = ast.Call(found.function.name, found.arguments, span=node.span)  # type: ignore[arg-type]  # see `tree`
    arguments = closures.passed(written, closure.passed, context, closure.types)
    receiver = found.receiver
    has_object = receiver is not None and receiver.path is None and "static" not in found.function.words
    if receiver is not None and has_object:
        arguments = (_address(receiver, context), *arguments)
    return ast.Call(name, arguments, span=node.span)


def without_self(node: Node, context: Context) -> tuple[list[Expression], Node]:
    """Calls that return their object, which are made first, and what is left: the object in place of each.

    They are the first that an expression evaluates: `a` in `a.f()`, `b` in `a = b`.
    """
    found = meant(node, context)
    if found is not None and found.is_self and found.receiver is not None:
        before, base = without_self(found.receiver.node, context)
        if found.receiver.path is None and not is_fixed(base):
            base = _pinned(base, found.receiver, context)
        receiver = replace(found.receiver, node=base)
        call = only_called(replace(found, receiver=receiver), node, context)
        return [*before, call], base
    match node:
        case tree.MemberCall(base) | ast.Member(base):
            before, base = without_self(base, context)
            return before, replace(node, base=base) if before else node
        case ast.Assignment(_, _, value) if found is None:
            before, rest = without_self(value, context)
            return before, replace(node, value=rest) if before else node
        case ast.Cast(_, operand):
            before, rest = without_self(operand, context)
            return before, replace(node, operand=rest) if before else node
        case _:
            return [], node


def is_fixed(node: Node) -> bool:
    """Whether an expression names one object, whatever happens to variables."""
    match node:
        case ast.Name() | ast.Prefix("*", ast.Name(methods.THIS)):
            return True
        case ast.Member(base, ".") | ast.Index(base, ast.NumberLiteral()):
            return is_fixed(base)
        case _:
            return False


def _pinned(node: Node, receiver: Receiver, context: Context) -> ast.Name:
    """A name for an object that an expression names now, which is evaluated once."""
    if not is_place(node, context):
        message = f"'{node.span.text}' is no object that a function could be called of: give it a variable"
        context.complaints.fail("E207", node.span, message)
    context.closures += 1
    name = ast.Name(f"#self{context.closures}", span=node.span)
    type_ = ast.TypeName((), f"struct {receiver.class_.name}", span=node.span)
    declarator = ast.Declarator(name, ((),), None, address(node, context), span=node.span)
    context.pending.append(ast.Declaration(type_, (declarator,), span=node.span))
    context.scopes.declare(name.text, Reference(ast.Prefix("*", name, span=node.span), type_))
    return name


# --- what stands in place of a call -----------------------------------------------------------------------------------


def inlined(found: Meant, node: Node, context: Context, then: Callable[[Node], FoundT]) -> FoundT:
    """What is said of the value that a function returns which does nothing else, in place of its call."""
    value = methods.only_value(found.function)
    assert value is not None
    receiver = found.receiver
    bound: dict[str, Entity] = {}
    names = methods.bound_names(found.function, found.arguments, context)
    for parameter, argument in zip(found.function.parameters, found.arguments, strict=True):
        if isinstance(parameter, ast.Parameter | tree.ReferenceParameter) and parameter.name.text not in names:
            bound[parameter.name.text] = _as_written(parameter, argument, value, node, context)
    target = None
    if receiver is not None and receiver.path is None:
        if not is_simple(receiver.node, context):
            _refuse(node, receiver.node, context)
        target = context.place(receiver.node)
    around = context.scopes.apart(context.functions.outside)
    memory, context.memory = context.memory, {}
    try:
        context.scopes.open()
        if receiver is not None and receiver.path is not None:
            methods.declare_apart(receiver.class_, receiver.path, context.scopes)
            this = Instance(receiver.class_, receiver.path, found.function.is_const)
            context.scopes.declare(methods.THIS, this)
        elif receiver is not None and target is not None:
            methods.declare_members(receiver.class_, context.scopes, target, ".", is_const=found.function.is_const)
            object_ = ast.TypeName((), f"struct {receiver.class_.name}", ((),), span=node.span)
            context.scopes.declare(methods.THIS, Reference(address_of(target), object_))
        if receiver is not None:
            methods.declare_class(receiver.class_, context.scopes, is_static=False)
        context.scopes.open()
        for name, entity in {**bound, **names}.items():
            context.scopes.declare(name, entity)
        return then(value)
    finally:
        context.memory = memory
        context.scopes.back(around)


def _as_written(
    parameter: ast.Parameter | tree.ReferenceParameter, argument: Node, value: Node, node: Node, context: Context
) -> Reference:
    """A parameter as another name for what is passed."""
    type_ = written_type(parameter.type)
    uses = sum(1 for one in walk([value]) if isinstance(one, ast.Name) and one.text == parameter.name.text)
    is_object = isinstance(parameter, tree.ReferenceParameter) and is_place(argument, context)
    # What is evaluated once is evaluated once more in place of the parameter, if it is there just once, for sure.
    is_once = uses == 1 and not any(_may_skip(one) for one in walk([value]))
    if not (is_once or (is_simple if is_object else _is_private)(argument, context)):
        _refuse(node, argument, context)
    if is_object:
        return Reference(context.place(argument), type_, region_of(argument, context))
    passed = context.value(argument)
    known = type_of(argument, context)
    if known is None or show(known) != show(type_):
        passed = ast.Cast(type_, passed, span=argument.span)
    return Reference(passed, type_)


def _may_skip(node: Node) -> bool:
    """Whether a part of an expression may not be evaluated."""
    return isinstance(node, ast.Conditional) or (isinstance(node, ast.Infix) and node.operator in {"&&", "||"})


def _refuse(node: Node, part: Node, context: Context) -> None:
    message = f"'{part.span.text}' may change while '{node.span.text}' is evaluated: give it a variable of its own"
    context.complaints.fail("E207", part.span, message)


def is_simple(node: Node, context: Context) -> bool:
    """Whether an expression reads no memory, calls nothing and changes nothing."""
    match node:
        case ast.NumberLiteral():
            return True
        case ast.Name():
            return not isinstance(context.entity(node), Overloads)
        case ast.Member(base, "."):
            return is_simple(base, context)
        case ast.Member(ast.Name(), "->") | ast.Prefix("*", ast.Name()):
            return True
        case ast.Prefix("-" | "~" | "!" | "&", operand) | ast.Cast(_, operand):
            return _is_private(operand, context)
        case ast.Infix(_, left, right):
            return _is_private(left, context) and _is_private(right, context)
        case ast.Index(base, index):
            return isinstance(base, ast.Name | ast.Member) and is_simple(base, context) and _is_private(index, context)
        case tree.MemberCall(base):
            return isinstance(context.entity(base), Item | Group | Ids)
        case _:
            return False


def _is_private(node: Node, context: Context) -> bool:
    """Whether a value is made of variables of the work-item."""
    match node:
        case ast.NumberLiteral():
            return True
        case ast.Name():
            entity = context.entity(node)
            if isinstance(entity, Reference):
                return isinstance(entity.target, ast.Name | ast.NumberLiteral)
            return isinstance(entity, Variable | Ids | Item)
        case ast.Prefix("-" | "~" | "!", operand) | ast.Cast(_, operand):
            return _is_private(operand, context)
        case ast.Infix(_, left, right):
            return _is_private(left, context) and _is_private(right, context)
        case ast.Index(base, index):
            return isinstance(context.entity(base), Ids | Item) and _is_private(index, context)
        case tree.MemberCall(base):
            return isinstance(context.entity(base), Item | Group | Ids)
        case _:
            return False
