"""From the text of a cat file to a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar, assert_never

from mcm.base.diagnostic import Diagnostic, InputError
from mcm.base.source import Source, Span
from mcm.base.suggest import did_you_mean
from mcm.cat import recursion, tree
from mcm.cat.built_in import as_relation
from mcm.cat.conventions import exact_orders, splits_updates
from mcm.cat.errors import DEEPEST_APPLICATION, ExpansionError, RefusedError, TooManyApplicationsError
from mcm.cat.expand import Expander, unpacked
from mcm.cat.included import BUILT_IN_FILES
from mcm.cat.known_functions import known_function
from mcm.cat.model import Check, Definition, Flag, Linearisation, Model, Shape
from mcm.cat.names import nests_deeper, unknown_names
from mcm.cat.orders import OrderOfWrites, TotalOrder, of_each_location
from mcm.cat.parse import parse, parse_expression
from mcm.cat.rules import read_draw, read_phrase, read_rule
from mcm.cat.scope import Broken, Function, Orders, Other, Scope, UnitedOrders, Zero, named
from mcm.relation.occurrence import depth
from mcm.relation.show import show
from mcm.relation.term import Base, BaseSet, Empty, Intersection, Nothing, Recursive, RelationTerm, SetTerm

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from mcm.base.style import Style
    from mcm.cat.model import Rule
    from mcm.cat.scope import Entry, Value, Vocabulary
    from mcm.relation.term import Term

Read = TypeVar("Read")

# Readers of terms recurse; deeper terms than this would end in an error of Python's. The built-in models need 49.
DEEPEST: Final = 200
# A file that is no model has something wrong in every statement: reading ends at so many problems.
MOST_COMPLAINTS: Final = 100

# A file that includes another twice, which does the same, and so on. The built-in models include 10.
MOST_INCLUDED: Final = 500
DEEPEST_EXPRESSION: Final = 100


def load(
    source: Source,
    name: str,
    read_include: Callable[[str], Source | None],
    vocabulary: Vocabulary,
    prelude: Source,
    is_built_in: Callable[[Source], bool] = lambda _: False,
) -> Model:
    """The model that a cat file states; raises InputError with everything that is wrong with it.

    `read_include` finds the text of an included file. `prelude` defines standard names in terms of `vocabulary`;
    the file may define them anew. `is_built_in`: the text is one of the built-in models.
    """
    loader = _Loader(vocabulary, read_include, is_built_in)
    loader.read_prelude(prelude)
    file = parse(source)
    if not (file.statements or file.shows):
        message = "the file holds no definition and no check"
        raise InputError(Diagnostic("E315", message, Span(source, 0, min(1, len(source.text)))))
    loader.read_model(file, source)
    if loader.diagnostics:
        raise InputError(*loader.diagnostics)
    return Model(
        name,
        file.title,
        tuple(loader.definitions),
        tuple(loader.linearisations),
        tuple(loader.checks),
        tuple(loader.flags),
        splits_updates=splits_updates(loader.terms()),
    )


class _Loader:
    """What has been read so far."""

    def __init__(
        self,
        vocabulary: Vocabulary,
        read_include: Callable[[str], Source | None],
        is_built_in: Callable[[Source], bool],
    ) -> None:
        self.diagnostics: list[Diagnostic] = []
        self.definitions: list[Definition] = []
        self.linearisations: list[Linearisation] = []
        self.checks: list[Check] = []
        self.flags: list[Flag] = []
        self._scope = vocabulary.scope()
        self._read_include = read_include
        self._is_built_in = is_built_in
        self._base_names = frozenset({*vocabulary.sets, *vocabulary.relations})
        self._exact: dict[str, Entry] = {}
        self._procedures: dict[str, tuple[tree.Procedure, Scope]] = {}
        self._calling: tuple[tree.Call, ...] = ()
        self._depths: dict[Term, int] = {}
        self._expander = Expander(self._add_rule_instance)
        self._in_prelude = False
        self._included = 0
        self._variants = 0

    def terms(self) -> Iterator[Term]:
        """All terms that say which executions are consistent, and which flags they raise."""
        yield from (check.term for check in self.checks)
        yield from (flag.term for flag in self.flags)
        for order in self.linearisations:
            yield from (order.events, order.order)

    def read_prelude(self, source: Source) -> None:
        """Read the definitions that every model begins with."""
        self._in_prelude = True
        self.read(parse(source), (source.name,))
        self._in_prelude = False

    def read_model(self, file: tree.CatFile, source: Source) -> None:
        """Read the file of the model."""
        if not self._is_built_in(source):
            self._exact = exact_orders(source, self._read_own, self._scope)
            self._scope = self._scope.defining(self._exact.items())
        self.read(file, (source.name,))

    def _read_own(self, path: str) -> Source | None:
        source = self._read_include(path)
        return None if source is None or self._is_built_in(source) else source

    def read(self, file: tree.CatFile, including: tuple[str, ...]) -> None:
        """Read a file; `including` are the files that led to it, itself last."""
        for option in file.options:
            self._take(option)
        self._read_statements(file.statements, including)

    def _take(self, option: tree.Name) -> None:
        """An option behind the title: modification orders and initial writes are always there."""
        if option.text == "withoutinit":
            message = "'withoutinit' asks for executions without initial writes, which mcm does not support"
            self._complain(RefusedError(message, option.span))
        elif option.text == "withsc" and not any(order.name == "S" for order in self.linearisations):
            self.linearisations.append(Linearisation("S", BaseSet("SC"), Empty()))
            self._introduce([("S", Base("S"))])

    def _read_statements(self, statements: tuple[tree.Statement, ...], including: tuple[str, ...]) -> None:
        for statement in statements:
            try:
                self._read_statement(statement, including)
            except TooManyApplicationsError as error:
                # What comes after would be expanded just as often.
                self._complain(error)
                raise InputError(*self.diagnostics) from None
            except ExpansionError as error:
                self._complain(error)
            if len(self.diagnostics) >= MOST_COMPLAINTS:
                raise InputError(*self.diagnostics[:MOST_COMPLAINTS])

    def _read_statement(self, statement: tree.Statement, including: tuple[str, ...]) -> None:
        match statement:
            case tree.Let(True):
                self._define_recursively(statement)
            case tree.Let():
                self._define(statement)
            case tree.Test():
                self._add_test(statement)
            case tree.With():
                self._choose(statement)
            case tree.Include():
                self._include(statement, including)
            case tree.Procedure(name):
                self._procedures[name.text] = statement, self._scope
            case tree.Call():
                self._call(statement, including)
            case tree.Variant():
                # NOTE(variants): no variant of herd7 is on.
                self._variants += 1
                if self._variants > DEEPEST_APPLICATION:
                    message = f"'if' stands inside 'if' more than {DEEPEST_APPLICATION} times"
                    raise ExpansionError(Diagnostic("E312", message, statement.variant.span))
                self._read_statements(statement.otherwise, including)
                self._variants -= 1
            case _:
                assert_never(statement)

    # --- definitions --------------------------------------------------------------------------------------------------

    def _introduce(self, entries: Iterable[tuple[str, Entry]]) -> None:
        """Define names from here on; those of a procedure are known in it alone."""
        self._scope = self._scope.binding(entries) if self._calling else self._scope.defining(entries)

    def _define(self, let: tree.Let) -> None:
        before = self._scope
        for binding in let.bindings:
            names = [name.text for name in binding.unpacked or (binding.name,)]
            entries: list[tuple[str, Entry]] = [(name, Broken.BROKEN) for name in names]
            try:
                entries = list(self._bound(binding, let, before))
            except ExpansionError as error:
                self._complain(error)
            self._introduce(entries)

    def _bound(self, binding: tree.Binding, let: tree.Let, scope: Scope) -> list[tuple[str, Value]]:
        name = binding.name.text
        _require_flat(binding.body)
        known = known_function(binding)
        if known is not None:
            return [(name, known)]
        if binding.parameters is not None:
            self._require_sense(binding.body, scope, frozenset(p.text for p in binding.parameters))
            return [(name, self._function(binding, let, scope))]
        self._require_sense(binding.body, scope)
        value = self._expander.value(binding.body, scope)
        if binding.unpacked is not None:
            return unpacked(binding.unpacked, value, binding.body)
        return [(name, self._defined(binding, value, let))]

    def _function(self, binding: tree.Binding, let: tree.Let, scope: Scope) -> Function:
        assert binding.parameters is not None
        return Function(
            binding.name, binding.parameters, binding.body, scope, let.comment, let.span, silent=self._in_prelude
        )

    def _defined(self, binding: tree.Binding, value: Value, let: tree.Let) -> Value:
        if isinstance(value, Other):
            return value
        if self._in_prelude:
            # Plain synonyms stay what they are synonyms of.
            return value if isinstance(value, Zero) or " " not in show(value) else named(binding.name.text, value)
        rule = self._rule(let.comment)
        if value is Zero.ZERO and rule is None:
            return value
        term = Empty() if isinstance(value, Zero) else value
        self._check_depth(term, binding.body.span)
        without = None if rule is None else self._without(let.comment, term, self._scope)
        phrase, draw = self._phrase(let.comment), self._draw(let.comment)
        self.definitions.append(Definition(binding.name.text, term, rule, let.span, without, phrase, draw))
        return named(binding.name.text, term)

    def _add_rule_instance(self, function: Function, text: str, body: Term, scope: Scope) -> None:
        rule, phrase = self._rule(function.comment), self._phrase(function.comment)
        if any(d.name == text and d.term is body for d in self.definitions):
            return
        without = None if rule is None else self._without(function.comment, body, scope)
        draw = self._draw(function.comment)
        self.definitions.append(Definition(text, body, rule, function.span, without, phrase, draw))

    def _without(self, comment: tree.RuleComment | None, term: Term, scope: Scope) -> Term:
        """What a definition becomes when its rule is removed."""
        tags = {} if comment is None else comment.tags
        if "fixed" in tags:
            return term
        if "without" not in tags:
            return Nothing() if isinstance(term, SetTerm) else Empty()
        expression = parse_expression(tags["without"])
        self._require_sense(expression, scope)
        if isinstance(term, SetTerm):
            return self._expander.set(expression, scope, "'@without' of a set")
        return self._expander.relation(expression, scope, "'@without' of a relation")

    def _define_recursively(self, let: tree.Let) -> None:
        names = [binding.name.text for binding in let.bindings]
        before = self._scope
        self._introduce((name, Broken.BROKEN) for name in names)
        for binding in let.bindings:
            known = frozenset((*names, *(p.text for p in binding.parameters or ())))
            self._require_sense(binding.body, before, known)
        if any(binding.parameters is not None for binding in let.bindings):
            inner = recursion.bind(self._expander, let.bindings, before)
            self._introduce([(name, entry) for name in names if (entry := inner.get(name)) is not None])
            return
        equations = tuple(recursion.solved(self._expander, let.bindings, before))
        for binding, (name, term) in zip(let.bindings, equations, strict=True):
            self._check_depth(term, binding.body.span)
            self._introduce([(name, self._defined(binding, Recursive(name, equations), let))])

    # --- checks -------------------------------------------------------------------------------------------------------

    def _add_test(self, test: tree.Test) -> None:
        self._require_sense(test.body, self._scope)
        term: Term
        if test.shape is Shape.EMPTY:
            value = self._expander.operand(test.body, self._scope)
            term = value if isinstance(value, SetTerm) else as_relation(value, test.body.span, "'empty'")
        else:
            term = self._expander.relation(test.body, self._scope, f"'{test.shape.value}'")
        self._check_depth(term, test.body.span)
        taken = {c.name for c in self.checks} | {f.name for f in self.flags}
        named_by = test.name or next((call.name for call in reversed(self._calling) if call.name is not None), None)
        name = _unused_name(test.shape.value if named_by is None else named_by.text, taken)
        rule, phrase = self._rule(test.comment), self._phrase(test.comment)
        match test.role:
            case tree.Role.CHECK:
                self.checks.append(Check(name, test.shape, test.negated, term, rule, test.span, phrase))
            case tree.Role.FLAG:
                self.flags.append(Flag(name, test.shape, test.negated, term, rule, test.span, phrase))
            case tree.Role.UNDEFINED_UNLESS:
                negated = not test.negated
                self.flags.append(Flag(name, test.shape, negated, term, rule, test.span, phrase, undefined=True))
            case _:
                assert_never(test.role)

    def _choose(self, statement: tree.With) -> None:
        name = statement.name
        entry: Entry = Broken.BROKEN
        try:
            self._require_sense(statement.orders, self._scope)
            value = self._expander.value(statement.orders, self._scope)
            if isinstance(value, Orders):
                entry = self._linearised(name, TotalOrder(value.events, value.order, None))
            elif isinstance(value, UnitedOrders):
                entry = self._ordered(name, of_each_location(value, self._scope), statement)
            else:
                message = "'with … from' knows 'linearisations' and the orders of 'cross.cat' only"
                raise RefusedError(message, statement.orders.span)
        finally:
            self._introduce([(name.text, entry)])

    def _ordered(self, name: tree.Name, order: RelationTerm | OrderOfWrites | TotalOrder, where: tree.With) -> Entry:
        """What is chosen for each location, under the name that the model gives it."""
        if isinstance(order, TotalOrder):
            return named(name.text, self._linearised(name, order))
        if not isinstance(order, OrderOfWrites):
            return order
        if order.demanded is not None:
            taken = {check.name for check in self.checks}
            check = _unused_name(f"{name.text}-order", taken)
            self.checks.append(
                Check(check, Shape.EMPTY, negated=False, term=order.demanded, rule=None, span=where.span)
            )
        return order.term

    def _linearised(self, name: tree.Name, total: TotalOrder) -> RelationTerm:
        others = {*self._base_names, *(order.name for order in self.linearisations)}
        if total.restriction is None:
            if name.text in others:
                message = f"'{name.text}' is taken: the order needs a name of its own"
                raise ExpansionError(Diagnostic("E311", message, name.span))
            self.linearisations.append(Linearisation(name.text, total.events, total.order))
            return Base(name.text)
        own = _unused_name(f"{name.text}-total", others)
        self.linearisations.append(Linearisation(own, total.events, total.order))
        return Intersection(Base(own), total.restriction)

    def _call(self, call: tree.Call, including: tuple[str, ...]) -> None:
        if call.procedure.text not in self._procedures:
            message = f"unknown procedure '{call.procedure.text}'{did_you_mean(call.procedure.text, self._procedures)}"
            raise ExpansionError(Diagnostic("E304", message, call.procedure.span))
        if len(self._calling) >= DEEPEST_APPLICATION:
            raise TooManyApplicationsError(call.span, DEEPEST_APPLICATION)
        procedure, scope = self._procedures[call.procedure.text]
        for argument in call.arguments:
            self._require_sense(argument, self._scope)
        values = [self._expander.value(argument, self._scope) for argument in call.arguments]
        if len(values) != len(procedure.parameters):
            wanted = len(procedure.parameters)
            plural = "s" if wanted > 1 else ""
            message = f"'{procedure.name.text}' takes {wanted} argument{plural}, but {len(values)} given"
            raise ExpansionError(Diagnostic("E306", message, call.span))
        before, calling = self._scope, self._calling
        self._scope = scope.binding(zip((p.text for p in procedure.parameters), values, strict=True))
        self._calling = (*calling, call)
        try:
            self._read_statements(procedure.body, including)
        finally:
            self._scope, self._calling = before, calling

    # --- includes -----------------------------------------------------------------------------------------------------

    def _include(self, statement: tree.Include, including: tuple[str, ...]) -> None:
        path = statement.path
        source = self._read_include(path.text)
        if source is None and path.text in BUILT_IN_FILES:
            if BUILT_IN_FILES[path.text]:
                self.read(parse(Source(path.text, BUILT_IN_FILES[path.text])), (*including, path.text))
            return
        if source is None:
            raise ExpansionError(Diagnostic("E308", f"there is no file '{path.text}' to include", path.span))
        if source.name in including:
            chain = " → ".join((*including, source.name))
            raise ExpansionError(Diagnostic("E309", f"this file includes itself: {chain}", path.span))
        self._included += 1
        if self._included > MOST_INCLUDED:
            message = f"more than {MOST_INCLUDED} files are included, those that included files include counted"
            self._complain(ExpansionError(Diagnostic("E314", message, path.span)))
            raise InputError(*self.diagnostics)
        if not (self._exact and self._is_built_in(source)):
            self.read(parse(source), (*including, source.name))
            return
        own = {name: self._scope.get(name) or Broken.BROKEN for name in self._exact}
        self._scope = self._scope.defining((name, BaseSet(name)) for name in own)
        self.read(parse(source), (*including, source.name))
        self._scope = self._scope.defining(own.items())

    # --- complaints ---------------------------------------------------------------------------------------------------

    def _complain(self, error: ExpansionError) -> None:
        if error.diagnostic is not None and error.diagnostic not in self.diagnostics:
            self.diagnostics.append(error.diagnostic)

    def _require_sense(self, expression: tree.Expression, scope: Scope, known: frozenset[str] = frozenset()) -> None:
        _require_flat(expression)
        unknown = unknown_names(expression, scope, known)
        if unknown:
            self.diagnostics += unknown
            raise ExpansionError(None)

    def _check_depth(self, term: Term, span: Span) -> None:
        if depth(term, self._depths) > DEEPEST:
            message = f"this nests deeper than {DEEPEST} operators, definitions counted"
            raise ExpansionError(Diagnostic("E312", message, span))

    def _rule(self, comment: tree.RuleComment | None) -> Rule | None:
        return None if comment is None or "rule" not in comment.tags else self._right(read_rule(comment))

    def _phrase(self, comment: tree.RuleComment | None) -> str | None:
        return None if comment is None else self._right(read_phrase(comment))

    def _draw(self, comment: tree.RuleComment | None) -> Style | None:
        return None if comment is None else self._right(read_draw(comment))

    def _right(self, read: Read | Diagnostic) -> Read | None:
        """What was read of a comment; None where it is wrong, which is noted once."""
        if not isinstance(read, Diagnostic):
            return read
        if read not in self.diagnostics:
            self.diagnostics.append(read)
        return None


def _require_flat(expression: tree.Expression) -> None:
    if nests_deeper(expression, DEEPEST_EXPRESSION):
        message = f"this nests deeper than {DEEPEST_EXPRESSION} operators; give parts of it names"
        raise ExpansionError(Diagnostic("E312", message, expression.span))


def _unused_name(wanted: str, taken: set[str]) -> str:
    """The wanted name, numbered from the second use on."""
    name, number = wanted, 1
    while name in taken:
        number += 1
        name = f"{wanted}-{number}"
    return name
