"""The syntax tree of a litmus file, with spans, which are not compared: `parse(print(tree)) == tree` can be stated."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.base.compared import PartlyCompared
from mcm.base.dialect import BY_WORD

if TYPE_CHECKING:
    from mcm.base.dialect import Dialect
    from mcm.base.source import Span
    from mcm.syntax.attribute import Attribute
    from mcm.syntax.places import RegionEntry, ScopeNode
    from mcm.syntax.question import Condition, LocationReference, Proposition, RegisterReference


class Node(PartlyCompared, frozen=True, kw_only=True):
    """Anything that was written somewhere."""

    span: Span


class Name(Node, frozen=True):
    """An identifier: a variable, a parameter, a constant such as `memory_order_relaxed`."""

    text: str


# --- expressions -----------------------------------------------------------------------------------------------------


class NumberLiteral(Node, frozen=True):
    """An integer or floating literal as written (`0x10u`, `1.5f`)."""

    text: str


class Prefix(Node, frozen=True):
    """`operator operand`, operator one of `- + ! ~ * & ++ --`."""

    operator: str
    operand: Expression


class Postfix(Node, frozen=True):
    """`operand++` or `operand--`."""

    operator: str
    operand: Expression


class Infix(Node, frozen=True):
    """`left operator right` for arithmetic, shifts, comparison, `& ^ |`, `&& ||` and `,`."""

    operator: str
    left: Expression
    right: Expression


class Assignment(Node, frozen=True):
    """`target operator value`, operator `=` or a compound one such as `+=`."""

    operator: str
    target: Expression
    value: Expression


class Conditional(Node, frozen=True):
    """`condition ? then : otherwise`."""

    condition: Expression
    then: Expression
    otherwise: Expression


class Call(Node, frozen=True):
    """`function(arguments)`; every operation of OpenCL C is a call at this level."""

    function: Name
    arguments: tuple[Expression, ...]


class Index(Node, frozen=True):
    """`base[index]`."""

    base: Expression
    index: Expression


class Member(Node, frozen=True):
    """`base.name` or `base->name`."""

    base: Expression
    operator: str
    name: Name


class Cast(Node, frozen=True):
    """`(type) operand`."""

    type: TypeName
    operand: Expression


class SizeOf(Node, frozen=True):
    """`sizeof operand`; of a type it may be an array, `sizeof(int[2][3])`."""

    operand: Expression | TypeName
    lengths: tuple[Expression, ...] = ()


class CompoundLiteral(Node, frozen=True):
    """`(type){…}`, `(int[]){…}`: an object without a name. The length of one `is_counted` as that of a declarator."""

    type: TypeName
    initializer: InitializerList
    length: Expression | None = None
    is_counted: bool = False


class Text(Node, frozen=True):
    """A string literal as written, quotes included; several that stand behind each other are one."""

    text: str


class BlockLiteral(Node, frozen=True):
    """`^{ body }` or `^(parameters){ body }`: code for `enqueue_kernel`; `({ body })` if it `is_run` at once."""

    parameters: tuple[Parameter, ...]
    body: Block
    is_run: bool = False


Simple = NumberLiteral | Name | Prefix | Postfix | Infix
Expression = (
    Simple | Assignment | Conditional | Call | Index | Member | Cast | SizeOf | CompoundLiteral | Text | BlockLiteral
)


# --- types and declarations ------------------------------------------------------------------------------------------


class TypeName(Node, frozen=True):
    """`qualifiers base *…*`: qualifiers in written order (`global`, `__local`, `volatile`, `const`, `unsigned` …).

    `base` is the last word of the type itself (`unsigned int`: qualifier `unsigned`, base `int`; `unsigned` alone is
    the base); it is empty where the initial state names a qualifier only (`local t[4]`).
    `pointers` holds, for each `*`, the qualifiers written after it; its length is the depth of the pointer. `of`: it is
    `typeof(of)`, with these qualifiers.
    """

    qualifiers: tuple[str, ...]
    base: str
    pointers: tuple[tuple[str, ...], ...] = ()
    of: Expression | None = None


class InitializerList(Node, frozen=True):
    """`{a, b, c}`, or `{{a, b}, {c, d}}`, which has `rows` and no `items`.

    `designators` is empty, or says what each is for: a member (`.a = 1`), an element (`[2] = 1`), or None for what
    follows the one before. A row that `is_bare` is a value among lists, `1` in `{1, {2, 3}}`. `widths` is empty, or
    says how many members each item is for, once the list is in order.
    """

    items: tuple[Expression, ...]
    rows: tuple[InitializerList, ...] = ()
    designators: tuple[Expression | None, ...] = ()
    is_bare: bool = False
    widths: tuple[int, ...] = ()


class Declarator(Node, frozen=True):
    """One declared name: `*p = …`, `a[4] = {…}`, `t[2][3]`, `x`.

    `inner` are the lengths behind the first. Where an array is flat, `length` counts all elements, and `shape` has the
    lengths behind the first that were written. `is_counted`: the first was left to the initial values, `a[]`.
    """

    name: Name
    pointers: tuple[tuple[str, ...], ...] = ()
    length: Expression | None = None
    initializer: Expression | InitializerList | None = None
    inner: tuple[Expression, ...] = ()
    shape: tuple[int, ...] = ()
    is_counted: bool = False


class Parameter(Node, frozen=True):
    """A parameter: `global atomic_int* x`, `local int t[4]`; in the declaration of a function the name may be empty.

    `inner` and `shape` are those of a declarator; `step` is the length of a member that is an array, where the
    parameter is that member of structures, or how many numbers a vector has, where it points to the numbers of some.
    """

    type: TypeName
    name: Name
    length: Expression | None = None
    inner: tuple[Expression, ...] = ()
    shape: tuple[int, ...] = ()
    step: int = 1


# --- statements ------------------------------------------------------------------------------------------------------


class Declaration(Node, frozen=True):
    """`type declarator, declarator;`; `type.pointers` is empty, stars belong to the declarators."""

    type: TypeName
    declarators: tuple[Declarator, ...]


class ExpressionStatement(Node, frozen=True):
    """`expression;`."""

    expression: Expression


class Empty(Node, frozen=True):
    """A lone `;`."""


class Block(Node, frozen=True):
    """`{ … }`; `iteration` is the number, from 0, of what is written out of a loop that stood here."""

    statements: tuple[Statement, ...]
    iteration: int | None = None


class If(Node, frozen=True):
    """`if (condition) then else otherwise`."""

    condition: Expression
    then: Statement
    otherwise: Statement | None = None


class While(Node, frozen=True):
    """`while (condition) body`."""

    condition: Expression
    body: Statement


class DoWhile(Node, frozen=True):
    """`do body while (condition);`."""

    body: Statement
    condition: Expression


class For(Node, frozen=True):
    """`for (initial; condition; step) body`."""

    initial: Declaration | ExpressionStatement | None
    condition: Expression | None
    step: Expression | None
    body: Statement


class Case(Node, frozen=True):
    """`case value: statement`, or `default: statement` where `value` is None; `case value ... last: statement`."""

    value: Expression | None
    statement: Statement
    last: Expression | None = None


class Switch(Node, frozen=True):
    """`switch (condition) { … }`."""

    condition: Expression
    body: Block


class Return(Node, frozen=True):
    """`return;` or `return value;`."""

    value: Expression | None = None


class Break(Node, frozen=True):
    """`break;`."""


class Continue(Node, frozen=True):
    """`continue;`."""


class Goto(Node, frozen=True):
    """`goto label;`."""

    label: Name


class Labelled(Node, frozen=True):
    """`label: statement`; on a barrier call the label names the call site."""

    label: Name
    statement: Statement


class BlockVariable(Node, frozen=True):
    """`void (^name)(void) = value;`: a name for a block; `type` is that of what it returns."""

    name: Name
    value: Expression
    type: TypeName


Loop = While | DoWhile | For
Jump = Return | Break | Continue
Plain = Declaration | ExpressionStatement | Empty | Block | If | Switch | Case


# --- the file --------------------------------------------------------------------------------------------------------


class PlacementPart(Node, frozen=True):
    """One part of `Pn@wg 1, dev 0`: `key` is `sg`, `wg`, `ki`, `dev` or `host` (then `value` is None)."""

    key: str
    value: int | None = None


class Thread(Node, frozen=True):
    """`Pn@placement (parameters) { body }`; `placement` is empty when there is no `@`."""

    number: int
    placement: tuple[PlacementPart, ...]
    parameters: tuple[Parameter, ...]
    body: Block

    @property
    def is_host(self) -> bool:
        """Whether it is a thread of the host: `P0@host`."""
        return any(part.key == "host" for part in self.placement)


class Kernel(Node, frozen=True):
    """`kernel attributes NAME (parameters) { body }`. One that was a block is passed the `captured` ones by value."""

    name: Name
    parameters: tuple[Parameter, ...]
    body: Block
    captured: tuple[Parameter, ...] = ()
    attributes: tuple[Attribute, ...] = ()


class Function(Node, frozen=True):
    """`words type NAME (parameters) { body }`: `words` are `static` and their like. A declaration of it has no body.

    As a statement it is what a lambda of SYCL means: it knows the variables around it.
    """

    name: Name
    words: tuple[str, ...]
    type: TypeName
    parameters: tuple[Parameter, ...]
    body: Block | None


Statement = Plain | Loop | Jump | Goto | Labelled | BlockVariable | Function


class Structure(Node, frozen=True):
    """`struct NAME { members };`, or a union."""

    name: Name
    members: tuple[Declaration, ...]
    is_union: bool = False


class FileVariables(Node, frozen=True):
    """`words type declarator, declarator;` outside kernels and functions: `words` are `static` and their like."""

    words: tuple[str, ...]
    declaration: Declaration


class Callback(Node, frozen=True):
    """`callback NAME (parameters) { body }`."""

    name: Name
    parameters: tuple[Parameter, ...]
    body: Block


class LaunchPart(Node, frozen=True):
    """One part of a launch: `global 4`, `local 2 2`, `sub 2`, `dev 0`, `ki 1`; sizes have up to three dimensions."""

    key: str
    values: tuple[int, ...]


class Launch(Node, frozen=True):
    """`launch KERNEL global 4, local 2, sub 2, dev 0;`."""

    kernel: Name
    parts: tuple[LaunchPart, ...]


Unit = Thread | Kernel | Function | Structure | FileVariables | Callback | Launch


class InitialValue(Node, frozen=True):
    """`[x]=0`, `fine_svm [x]=0`, `int x=0`, `int *p = &x`, `int a[2]={0,1}`, `local t[4]`.

    `bracketed` tells `[x]` from `x`; `allocation` is the written allocation kind; `type` the written type with
    its qualifiers (or None); `pointers` counts the stars. `is_made`: by the program; it has no value at first. `inner`,
    `shape` and `is_counted` are those of a declarator. `is_guessed`: nothing states it, and its length is a guess.
    """

    name: Name
    bracketed: bool = False
    allocation: str | None = None
    type: TypeName | None = None
    pointers: int = 0
    length: Expression | None = None
    value: Expression | InitializerList | None = None
    is_made: bool = False
    inner: tuple[Expression, ...] = ()
    shape: tuple[int, ...] = ()
    is_counted: bool = False
    is_guessed: bool = False


class InitialRegister(Node, frozen=True):
    """`0:r1=x`, `0:r1=&x`, `0:r1=5`."""

    thread: int
    name: Name
    value: Expression


class QueueObject(Node, frozen=True):
    """`queue q = in_order dev 0;`; `order` is `in_order` or `out_of_order`."""

    name: Name
    order: str
    device: int = 0


class UserEventObject(Node, frozen=True):
    """`user_event u;`."""

    name: Name


InitialItem = InitialValue | InitialRegister | QueueObject | UserEventObject


class KeyLine(Node, frozen=True):
    """`Key=Value` of the header, both as written."""

    key: str
    value: str


class Comment(Node, frozen=True):
    """A comment with its delimiters, as written."""

    text: str


class Litmus(Node, frozen=True):
    """A whole file; `word` is its first one, which names the dialect. `parsed`: see `text_of`."""

    not_compared = frozenset({"span", "name_span", "documentation_spans", "initial_span", "parsed"})

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
    name_span: Span | None = None
    documentation_spans: tuple[Span, ...] = ()
    initial_span: Span | None = None
    parsed: str | None = None

    @property
    def dialect(self) -> Dialect:
        """The dialect."""
        return BY_WORD[self.word]
