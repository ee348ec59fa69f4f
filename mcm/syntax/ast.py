"""The syntax tree of a litmus file: what was written, nothing resolved.

Every node keeps its span. Spans are left out of comparison, so that `parse(print(tree)) == tree` can be stated.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from mcm.base.dialect import BY_WORD
from mcm.base.record import record

if TYPE_CHECKING:
    from mcm.base.dialect import Dialect
    from mcm.base.source import Span


@record(frozen=True, slots=True, kw_only=True)
class Node:
    """Anything that was written somewhere."""

    span: Span = field(compare=False, repr=False)


@record(frozen=True, slots=True)
class Name(Node):
    """An identifier: a variable, a parameter, a constant such as `memory_order_relaxed`."""

    text: str


# --- expressions -----------------------------------------------------------------------------------------------------


@record(frozen=True, slots=True)
class NumberLiteral(Node):
    """An integer or floating literal as written (`0x10u`, `1.5f`)."""

    text: str


@record(frozen=True, slots=True)
class Prefix(Node):
    """`operator operand`, operator one of `- + ! ~ * & ++ --`."""

    operator: str
    operand: Expression


@record(frozen=True, slots=True)
class Postfix(Node):
    """`operand++` or `operand--`."""

    operator: str
    operand: Expression


@record(frozen=True, slots=True)
class Infix(Node):
    """`left operator right` for arithmetic, shifts, comparison, `& ^ |`, `&& ||` and `,`."""

    operator: str
    left: Expression
    right: Expression


@record(frozen=True, slots=True)
class Assignment(Node):
    """`target operator value`, operator `=` or a compound one such as `+=`."""

    operator: str
    target: Expression
    value: Expression


@record(frozen=True, slots=True)
class Conditional(Node):
    """`condition ? then : otherwise`."""

    condition: Expression
    then: Expression
    otherwise: Expression


@record(frozen=True, slots=True)
class Call(Node):
    """`function(arguments)`; every operation of OpenCL C is a call at this level."""

    function: Name
    arguments: tuple[Expression, ...]


@record(frozen=True, slots=True)
class Index(Node):
    """`base[index]`."""

    base: Expression
    index: Expression


@record(frozen=True, slots=True)
class Cast(Node):
    """`(type) operand`."""

    type: TypeName
    operand: Expression


Expression = NumberLiteral | Name | Prefix | Postfix | Infix | Assignment | Conditional | Call | Index | Cast


# --- types and declarations ------------------------------------------------------------------------------------------


@record(frozen=True, slots=True)
class TypeName(Node):
    """`qualifiers base *…*`: qualifiers in written order (`global`, `__local`, `volatile`, `const`, `unsigned` …).

    `base` is the last word of the type itself (`unsigned int`: qualifier `unsigned`, base `int`; `unsigned` alone is
    the base); it is empty where the initial state names a qualifier only (`local t[4]`).
    `pointers` holds, for each `*`, the qualifiers written after it; its length is the depth of the pointer.
    """

    qualifiers: tuple[str, ...]
    base: str
    pointers: tuple[tuple[str, ...], ...] = ()


@record(frozen=True, slots=True)
class InitializerList(Node):
    """`{a, b, c}`."""

    items: tuple[Expression, ...]


@record(frozen=True, slots=True)
class Declarator(Node):
    """One declared name: `*p = …`, `a[4] = {…}`, `x`."""

    name: Name
    pointers: tuple[tuple[str, ...], ...] = ()
    length: Expression | None = None
    initializer: Expression | InitializerList | None = None


@record(frozen=True, slots=True)
class Parameter(Node):
    """A parameter of a thread, kernel or callback: `global atomic_int* x`, `local int t[4]`."""

    type: TypeName
    name: Name
    length: Expression | None = None


# --- statements ------------------------------------------------------------------------------------------------------


@record(frozen=True, slots=True)
class Declaration(Node):
    """`type declarator, declarator;`; `type.pointers` is empty, stars belong to the declarators."""

    type: TypeName
    declarators: tuple[Declarator, ...]


@record(frozen=True, slots=True)
class ExpressionStatement(Node):
    """`expression;`."""

    expression: Expression


@record(frozen=True, slots=True)
class Empty(Node):
    """A lone `;`."""


@record(frozen=True, slots=True)
class Block(Node):
    """`{ … }`."""

    statements: tuple[Statement, ...]


@record(frozen=True, slots=True)
class If(Node):
    """`if (condition) then else otherwise`."""

    condition: Expression
    then: Statement
    otherwise: Statement | None = None


@record(frozen=True, slots=True)
class While(Node):
    """`while (condition) body`."""

    condition: Expression
    body: Statement


@record(frozen=True, slots=True)
class DoWhile(Node):
    """`do body while (condition);`."""

    body: Statement
    condition: Expression


@record(frozen=True, slots=True)
class For(Node):
    """`for (initial; condition; step) body`."""

    initial: Declaration | ExpressionStatement | None
    condition: Expression | None
    step: Expression | None
    body: Statement


@record(frozen=True, slots=True)
class Return(Node):
    """`return;` or `return value;`."""

    value: Expression | None = None


@record(frozen=True, slots=True)
class Break(Node):
    """`break;`."""


@record(frozen=True, slots=True)
class Continue(Node):
    """`continue;`."""


@record(frozen=True, slots=True)
class Labelled(Node):
    """`label: statement`; on a barrier call the label names the call site."""

    label: Name
    statement: Statement


Loop = While | DoWhile | For
Jump = Return | Break | Continue
Statement = Declaration | ExpressionStatement | Empty | Block | If | Loop | Jump | Labelled


# --- the file --------------------------------------------------------------------------------------------------------


@record(frozen=True, slots=True)
class PlacementPart(Node):
    """One part of `Pn@wg 1, dev 0`: `key` is `sg`, `wg`, `ki`, `dev` or `host` (then `value` is None)."""

    key: str
    value: int | None = None


@record(frozen=True, slots=True)
class Thread(Node):
    """`Pn@placement (parameters) { body }`; `placement` is empty when there is no `@`."""

    number: int
    placement: tuple[PlacementPart, ...]
    parameters: tuple[Parameter, ...]
    body: Block


@record(frozen=True, slots=True)
class Kernel(Node):
    """`kernel NAME (parameters) { body }`."""

    name: Name
    parameters: tuple[Parameter, ...]
    body: Block


@record(frozen=True, slots=True)
class Callback(Node):
    """`callback NAME (parameters) { body }`."""

    name: Name
    parameters: tuple[Parameter, ...]
    body: Block


@record(frozen=True, slots=True)
class LaunchPart(Node):
    """One part of a launch: `global 4`, `local 2`, `sub 2`, `dev 0`, `ki 1`."""

    key: str
    value: int


@record(frozen=True, slots=True)
class Launch(Node):
    """`launch KERNEL global 4, local 2, sub 2, dev 0;`."""

    kernel: Name
    parts: tuple[LaunchPart, ...]


Unit = Thread | Kernel | Callback | Launch


@record(frozen=True, slots=True)
class InitialValue(Node):
    """`[x]=0`, `fine_svm [x]=0`, `int x=0`, `int *p = &x`, `int a[2]={0,1}`, `local t[4]`.

    `bracketed` tells `[x]` from `x`; `allocation` is the written allocation kind; `type` the written type with
    its qualifiers (or None); `pointers` counts the stars of the declarator.
    """

    name: Name
    bracketed: bool = False
    allocation: str | None = None
    type: TypeName | None = None
    pointers: int = 0
    length: Expression | None = None
    value: Expression | InitializerList | None = None


@record(frozen=True, slots=True)
class InitialRegister(Node):
    """`0:r1=x`, `0:r1=&x`, `0:r1=5`."""

    thread: int
    name: Name
    value: Expression


@record(frozen=True, slots=True)
class QueueObject(Node):
    """`queue q = in_order dev 0;`; `order` is `in_order` or `out_of_order`."""

    name: Name
    order: str
    device: int = 0


@record(frozen=True, slots=True)
class UserEventObject(Node):
    """`user_event u;`."""

    name: Name


InitialItem = InitialValue | InitialRegister | QueueObject | UserEventObject


@record(frozen=True, slots=True)
class ScopeNode(Node):
    """A node of the old `scopeTree`: `kind` is `device`, `work_group` or `sub_group`; `threads` are numbers."""

    kind: str
    children: tuple[ScopeNode, ...] = ()
    threads: tuple[int, ...] = ()


@record(frozen=True, slots=True)
class RegionEntry(Node):
    """`x:global` in a region line of the old form."""

    name: Name
    region: str


@record(frozen=True, slots=True)
class KeyLine(Node):
    """`Key=Value` of the header, both as written."""

    key: str
    value: str


# --- conditions ------------------------------------------------------------------------------------------------------


@record(frozen=True, slots=True)
class RegisterReference(Node):
    """`1:r0`, `P1:r0`, `K[1]:r0`; `unit` is a thread number, or a kernel name and a global id.

    `index` is the element of `1:a[2]`.
    """

    unit: int | tuple[str, int]
    name: Name
    index: int | None = None


@record(frozen=True, slots=True)
class LocationReference(Node):
    """`x`, `[x]`, `a[1]`, `[a[1]]`, `t@wg0`, `t@wg0[2]`: `group` is the number after `@wg`, or None."""

    name: Name
    index: int | None = None
    group: int | None = None
    bracketed: bool = False


@record(frozen=True, slots=True)
class NumberTerm(Node):
    """A number in a condition, sign included."""

    value: int


@record(frozen=True, slots=True)
class AddressTerm(Node):
    """`&x` in a condition."""

    name: Name
    index: int | None = None


ConditionTerm = RegisterReference | LocationReference | NumberTerm | AddressTerm


@record(frozen=True, slots=True)
class Comparison(Node):
    """`left operator right`; operator one of `= == != < > <= >=` as written."""

    operator: str
    left: ConditionTerm
    right: ConditionTerm


@record(frozen=True, slots=True)
class Truth(Node):
    """`true` or `false`."""

    value: bool


@record(frozen=True, slots=True)
class Negation(Node):
    """`~ body` or `not body`."""

    body: Proposition


@record(frozen=True, slots=True)
class Connective(Node):
    r"""`left operator right`; operator normalised to `/\`, `\/` or `=>`."""

    operator: str
    left: Proposition
    right: Proposition


Proposition = Comparison | Truth | Negation | Connective


@record(frozen=True, slots=True)
class Condition(Node):
    """`exists`, `~exists` or `forall` with its proposition."""

    quantifier: str
    proposition: Proposition


@record(frozen=True, slots=True)
class Comment(Node):
    """A comment with its delimiters, as written."""

    text: str


@record(frozen=True, slots=True)
class Litmus(Node):
    """A whole file; `word` is its first one, which names the dialect."""

    word: str
    name: str
    documentation: tuple[str, ...] = ()
    keys: tuple[KeyLine, ...] = ()
    initial: tuple[InitialItem, ...] = ()
    units: tuple[Unit, ...] = ()
    scope_tree: tuple[ScopeNode, ...] = ()
    regions: tuple[RegionEntry, ...] = ()
    locations: tuple[RegisterReference | LocationReference, ...] = ()
    filter: Proposition | None = None
    condition: Condition | None = None
    comments: tuple[Comment, ...] = ()
    name_span: Span | None = field(default=None, compare=False, repr=False)
    documentation_spans: tuple[Span, ...] = field(default=(), compare=False, repr=False)
    initial_span: Span | None = field(default=None, compare=False, repr=False)

    @property
    def dialect(self) -> Dialect:
        """The dialect."""
        return BY_WORD[self.word]
