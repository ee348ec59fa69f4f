"""The nodes of SYCL tests that the trees of the C family do not have.

They stand among the nodes of `mcm.syntax.ast`, in places of statements, expressions, parameters and units, until
`mcm.sycl.lower` says what they mean.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.syntax.ast import Declarator, If, Node, Parameter, Structure

if TYPE_CHECKING:
    from mcm.base.source import Span
    from mcm.syntax.ast import Block, Expression, Function, Name, TypeName


class ClassType(Node, frozen=True):
    """`atomic_ref<int, memory_order::relaxed>`, `queue`: `arguments` is None where no list of them is written."""

    name: str
    arguments: tuple[Node, ...] | None = None


class NamedClass(Node, frozen=True):
    """`class add` as an argument of a template: the name of a kernel."""

    key: str
    name: Name


class ObjectDeclarator(Node, frozen=True):
    """`a(*x)`, `q{…}`, `e = q.memcpy(…)`, `q`: `form` is what stands behind the name, `(`, `{`, `=` or nothing."""

    name: Name
    form: str = ""
    arguments: tuple[Node, ...] = ()


class ObjectDeclaration(Node, frozen=True):
    """`qualifiers class declarator, declarator;`."""

    qualifiers: tuple[str, ...]
    type: ClassType
    declarators: tuple[ObjectDeclarator, ...]


class ConstantIf(If, frozen=True):
    """`if constexpr (condition) then else otherwise`."""


class InitialisedDeclarator(Declarator, frozen=True):
    """`r{0}`, `r(0)`, `r{}`: `form` is the bracket, with its partner where nothing stands between them."""

    form: str = "{"


class ReferenceDeclaration(Node, frozen=True):
    """`int& y = a[0];`, `const auto& y = …;`: another name for an object."""

    type: TypeName
    name: Name
    initializer: Expression


class BindingDeclaration(Node, frozen=True):
    """`auto [a, b] = value;`, `const auto& [a, b] = object;`: names for the members of an object, or for elements."""

    type: TypeName
    is_reference: bool
    names: tuple[Name, ...]
    initializer: Expression


class ObjectParameter(Node, frozen=True):
    """A parameter of a thread or a function whose type is a class: `local_accessor<int, 1> t`."""

    type: ClassType
    is_reference: bool
    name: Name


class ReferenceParameter(Node, frozen=True):
    """A parameter of a function that is another name for what is passed: `int& x`."""

    type: TypeName
    name: Name
    default: Node | None = None


class DefaultedParameter(Parameter, frozen=True):
    """A parameter with a value for calls that pass none, `int n = 1`."""

    default: Node | None = None


class Construction(Node, frozen=True):
    """`atomic_ref<int>(*x)`, `range<1>{4}`, `static_cast<int>(r)`: `form` is the bracket, `(` or `{`."""

    type: ClassType
    form: str
    arguments: tuple[Node, ...]


class MemberCall(Node, frozen=True):
    """`base.name(arguments)`, `base->name<templates>(arguments)`."""

    base: Expression
    operator: str
    name: Name
    templates: tuple[Node, ...] | None
    arguments: tuple[Node, ...]


class LambdaParameter(Node, frozen=True):
    """`nd_item<1> it`, `handler& h`, `auto i`."""

    qualifiers: tuple[str, ...]
    type: ClassType | TypeName
    is_reference: bool
    name: Name


class Lambda(Node, frozen=True):
    """`[=](parameters) [[attributes]] -> result { body }`.

    `capture` is what stands between the first brackets, with them; `result` is None where the body tells it.
    """

    capture: str
    parameters: tuple[LambdaParameter, ...]
    attributes: tuple[Expression, ...]
    body: Block
    result: TypeName | None = None


class HostHead(Node, frozen=True):
    """The word `host`."""


class Host(Node, frozen=True):
    """`host { body }`: the host program."""

    body: Block


class Command(Node, frozen=True):
    """`q.parallel_for(…);` outside a host program: a kernel that runs from the beginning."""

    expression: Expression


class ReferenceMember(Node, frozen=True):
    """A member of a class that is another name for an object, `int& x;`."""

    type: ClassType | TypeName
    name: Name


class MemberInitial(Node, frozen=True):
    """What a constructor makes a member of, `x(1)`, `x{1}`; with the name of the class, which constructor it calls."""

    name: Name
    form: str
    arguments: tuple[Node, ...]


class MemberFunction(Node, frozen=True):
    """A function of a class: `kind` is `function`, `constructor`, `destructor` or `friend`.

    The name of an operator is `operator+`, that of a destructor `~NAME`. The type of one that returns a reference has
    `&` among its pointers (`mcm.sycl.build_classes`). A body may be missing; `is_default` is said of `= default`.
    """

    name: Name
    kind: str
    words: tuple[str, ...]
    type: ClassType | TypeName | None
    parameters: tuple[Node, ...]
    is_const: bool
    initials: tuple[MemberInitial, ...]
    body: Block | None
    is_default: bool = False
    attributes: tuple[Node, ...] = ()


def as_member(unit: Function, span: Span) -> MemberFunction:
    """A function of the file as one that is made when it is called, as a friend of a class is."""
    return MemberFunction(
        unit.name,
        "friend",
        unit.words,
        unit.type,
        unit.parameters,
        is_const=False,
        initials=(),
        body=unit.body,
        span=span,
    )


class ClassDefinition(Structure, frozen=True):
    """A class with more than members that are numbers: `parts` are all of its members, in the order written."""

    parts: tuple[Node, ...] = ()
