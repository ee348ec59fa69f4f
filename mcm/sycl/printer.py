"""SYCL tests in the standard layout.

What the C family does not have is printed in the words of its own: an expression becomes a name that is printed so,
and a statement with a lambda is written as a head and a block.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from mcm.sycl import tree
from mcm.sycl.build_classes import REFERENCE
from mcm.sycl.print_classes import class_lines, result
from mcm.sycl.print_classes import parameters as shown_parameters
from mcm.syntax import ast
from mcm.syntax.lines import Line, weave
from mcm.syntax.mapped import with_parts
from mcm.syntax.print_expressions import show_declaration, show_expression, show_type
from mcm.syntax.print_statements import Begun, Writer, block_lines
from mcm.syntax.printer import header_lines, initial_state_lines, tail_lines, unit_lines

if TYPE_CHECKING:
    from mcm.syntax.ast import Node, Statement


def print_sycl(test: ast.Litmus) -> str:
    """The canonical text of a tree."""
    lines = [*header_lines(test), *initial_state_lines(test)]
    for unit in test.units:
        lines += _unit(unit)
    lines += tail_lines(test)
    return weave(lines, test.comments, test.span.source)


def _unit(unit: Node) -> list[Line]:
    writer = _Writer()
    match unit:
        case tree.Host(body):
            return block_lines("host", unit.span.start, body, writer)
        case tree.Command(expression):
            writer.write_command(expression, "", ";", unit, 0)
            first, *rest = writer.lines
            return [replace(first, begins_paragraph=True), *rest]
        case tree.ObjectDeclaration():
            writer.statement(unit, 0)
            return [replace(writer.lines[0], begins_paragraph=True), *writer.lines[1:]]
        case tree.ClassDefinition():
            return class_lines(unit, _text, _shown, _Writer)
        case ast.Function(name, words, type_, parameters, body) if _is_of_cpp(unit):
            words_before = "".join(f"{word} " for word in words)
            text = f"{words_before}{result(type_)}{name.text}{shown_parameters(parameters, _text)}"
            if body is None:
                return [Line(f"{text};", unit.span.start, unit.span.end, begins_paragraph=True)]
            return block_lines(text, unit.span.start, body, writer)
        case ast.Thread(parameters=parameters) | ast.Function(parameters=parameters):
            return unit_lines(replace(unit, parameters=tuple(map(_parameter, parameters))), writer)
        case _:
            assert isinstance(unit, ast.Structure | ast.FileVariables)
            return unit_lines(unit, writer)


def _is_of_cpp(unit: ast.Function) -> bool:
    """Whether the head of a function has what the C family does not know."""
    parameters: tuple[Node, ...] = unit.parameters
    cpp = (tree.ReferenceParameter, tree.DefaultedParameter)
    return unit.type.pointers[-1:] == (REFERENCE,) or any(isinstance(one, cpp) for one in parameters)


def _parameter(node: Node) -> ast.Parameter:
    if isinstance(node, tree.ObjectParameter):
        type_ = ast.TypeName((), f"{_class(node.type)}{'&' * node.is_reference}", span=node.type.span)
        return ast.Parameter(type_, node.name, span=node.span)
    assert isinstance(node, ast.Parameter)
    return node


class _Writer(Writer):
    """Writes statements with lambdas, too."""

    def word_of(self, statement: ast.If) -> str:
        """The words that a statement with a condition begins with."""
        return "if constexpr" if isinstance(statement, tree.ConstantIf) else super().word_of(statement)

    def statement(self, statement: Any, indent: int, begun: Begun | None = None) -> None:
        """Write a statement."""
        lead = "" if begun is None else f"{begun.text} "
        command = _command_of(statement)
        if command is not None:
            before, expression = command
            self.write_command(expression, lead + before, ";", statement, indent)
        else:
            super().statement(_shown(statement), indent, begun)

    def body(self, statement: Any, indent: int, begun: Begun) -> Begun | None:
        """Write a body."""
        if isinstance(statement, ast.Block) or _command_of(statement) is not None:
            return super().body(statement, indent, begun)
        return super().body(_shown(statement), indent, begun)

    def write_command(self, node: Node, before: str, behind: str, whole: Node, indent: int) -> None:
        """Write a call whose last argument is a lambda, `behind` it what ends the statement."""
        match node:
            case tree.MemberCall(arguments=(*arguments, tree.Lambda() as function)):
                opening = f"{before}{_callee(node)}({''.join(f'{_text(argument)}, ' for argument in arguments)}"
                head = Begun(f"{opening}{_head(function)}", whole.span.start, function.body.span.start)
                closing = super().body(function.body, indent, head)
                assert closing is not None
                end = Begun(f"{closing.text}){behind}", closing.start, whole.span.end)
                self.finish(end, indent)
            case tree.MemberCall(tree.MemberCall() as base, operator, name, _, arguments):
                shown = f"{operator}{name.text}({', '.join(map(_text, arguments))}){behind}"
                self.write_command(base, before, shown, whole, indent)
            case _:
                text = f"{before}{_text(node)}{behind}"
                self.lines.append(Line(text, whole.span.start, whole.span.end, indent))


def _command_of(node: Node) -> tuple[str, Node] | None:
    """What stands before the call, and the call, of a statement that ends with a lambda; None for others."""
    match node:
        case ast.ExpressionStatement(expression) if _has_lambda(expression):
            return "", expression
        case tree.ObjectDeclaration(words, class_, (tree.ObjectDeclarator(name, "=", (value,)),)) if _has_lambda(value):
            return f"{' '.join((*words, _class(class_), name.text))} = ", value
        case ast.Declaration(type_, (ast.Declarator(name, (), None, ast.Node() as value),)) if _has_lambda(value):
            return f"{show_type(type_)} {name.text} = ", value
        case _:
            return None


def _has_lambda(node: Node) -> bool:
    match node:
        case tree.MemberCall(arguments=(*_, tree.Lambda())):
            return True
        case tree.MemberCall(base):
            return _has_lambda(base)
        case _:
            return False


# --- in the words of the C family -------------------------------------------------------------------------------------


def _shown(node: Any) -> Any:
    """A node as one that prints as it; bodies of blocks are left to the writer."""
    match node:
        case ast.Block():
            return node
        case tree.ObjectDeclaration():
            return _declaration(node)
        case tree.ReferenceDeclaration(type_, name, value):
            declared = ast.Declarator(name, (), None, _shown(value), span=node.span)
            reference = ast.TypeName((), f"{show_type(type_)}&", span=type_.span)
            return ast.Declaration(reference, (declared,), span=node.span)
        case tree.BindingDeclaration(type_, is_reference, names, value):
            shown = ast.Name(f"[{', '.join(name.text for name in names)}]", span=node.span)
            declared = ast.Declarator(shown, (), None, _shown(value), span=node.span)
            auto = ast.TypeName((), f"{show_type(type_)}{'&' * is_reference}", span=type_.span)
            return ast.Declaration(auto, (declared,), span=node.span)
        case tree.InitialisedDeclarator(initializer=value, form=form) if value is not None:
            inner = tuple(map(_shown, node.inner))
            bare = ast.Declarator(node.name, node.pointers, _shown(node.length), None, inner, span=node.span)
            name = ast.Name(_initialised(bare, value, form), span=node.span)
            return replace(bare, name=name, pointers=(), length=None, inner=())
        case tree.MemberCall() | tree.Construction() | tree.Lambda() | tree.ClassType():
            return ast.Name(_text(node), span=node.span)
        case ast.Call(function, arguments):
            return ast.Name(f"{function.text}({', '.join(map(_text, arguments))})", span=node.span)
        case ast.Assignment(_, target, value) if isinstance(made := value, ast.InitializerList):
            return replace(node, target=_shown(target), value=ast.Name(_text(made), span=made.span))
        case ast.Return(value):
            listed: Node | None = value
            if not isinstance(listed, ast.InitializerList):
                return with_parts(node, _shown)
            return replace(node, value=ast.Name(_text(listed), span=listed.span))
        case ast.If() | ast.While() | ast.DoWhile() | ast.Switch():
            return replace(node, condition=_shown(node.condition))
        case ast.For(initial, condition, step):
            return replace(node, initial=_shown(initial), condition=_shown(condition), step=_shown(step))
        case ast.Labelled() | ast.Case():
            return node
        case ast.Node():
            return with_parts(node, _shown)
        case _:
            return node


def _declaration(node: tree.ObjectDeclaration) -> Statement:
    words = " ".join((*node.qualifiers, _class(node.type)))
    declared = [ast.Declarator(ast.Name(_declarator(one), span=one.span), span=one.span) for one in node.declarators]
    return ast.Declaration(ast.TypeName((), words, span=node.type.span), tuple(declared), span=node.span)


def _initialised(node: ast.Declarator, value: Node, form: str) -> str:
    """`*p{x}`, `a[2]{1, 2}`, `r(0)`."""
    bare = ast.Declaration(ast.TypeName((), "", span=node.span), (node,), span=node.span)
    values = (value.rows or value.items) if isinstance(value, ast.InitializerList) else (value,)
    closing = {"(": ")", "{": "}"}.get(form, "")
    shown = ", ".join(map(_text, values)) if closing else ""
    return f"{show_declaration(bare).strip().rstrip(';')}{form}{shown}{closing}"


def _declarator(node: tree.ObjectDeclarator) -> str:
    arguments = ", ".join(map(_text, node.arguments))
    closing = {"(": ")", "{": "}"}.get(node.form, "")
    opening = " = " if node.form == "=" else node.form
    return f"{node.name.text}{opening}{arguments}{closing}"


def _text(node: Node) -> str:
    """The text of an expression, or of an argument of a template."""
    match node:
        case tree.MemberCall(arguments=arguments):
            return f"{_callee(node)}({', '.join(map(_text, arguments))})"
        case tree.Construction(class_, form, arguments):
            return f"{_class(class_)}{form}{', '.join(map(_text, arguments))}{')' if form == '(' else '}'}"
        case tree.ClassType():
            return _class(node)
        case tree.NamedClass(key, name):
            return f"{key} {name.text}"
        case ast.TypeName():
            return show_type(node)
        case ast.InitializerList((item,), is_bare=True):
            return _text(item)
        case ast.InitializerList(items, rows):
            return f"{{{', '.join(map(_text, (*rows, *items)))}}}"
        case tree.Lambda():
            return f"{_head(node)} {node.body.span.text}"
        case _:
            shown: ast.Expression = _shown(node)
            return show_expression(shown, 1)


def _callee(node: tree.MemberCall) -> str:
    templates = "" if node.templates is None else f"<{', '.join(map(_text, node.templates))}>"
    base: ast.Expression = _shown(node.base)
    shown = show_expression(base)
    shown = shown if isinstance(base, ast.Name | ast.Index | ast.Call | ast.Postfix) else f"({shown})"
    if node.name.text == "operator()":
        return shown
    return f"{shown}{node.operator}{node.name.text}{templates}"


def _class(node: tree.ClassType) -> str:
    return node.name if node.arguments is None else f"{node.name}<{', '.join(map(_text, node.arguments))}>"


def _head(node: tree.Lambda) -> str:
    """A lambda before its body."""
    parameters = ", ".join(_lambda_parameter(one) for one in node.parameters)
    attributes = "".join(f" [[{_text(one)}]]" for one in node.attributes)
    result = "" if node.result is None else f" -> {show_type(node.result)}"
    return f"[{node.capture[1:-1].strip()}]({parameters}){attributes}{result}"


def _lambda_parameter(node: tree.LambdaParameter) -> str:
    written = _class(node.type) if isinstance(node.type, tree.ClassType) else show_type(node.type)
    return f"{' '.join((*node.qualifiers, written))}{'&' * node.is_reference} {_shown_name(node.name)}".rstrip()


def _shown_name(name: ast.Name) -> str:
    """The name of a parameter, which may have none."""
    return "" if name.text.startswith("#") else name.text
