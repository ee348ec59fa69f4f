"""From the text of a cat file to a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar, assert_never

from mcm.base.diagnostic import Diagnostic, InputError
from mcm.base.source import Span
from mcm.base.suggest import did_you_mean
from mcm.cat import tree
from mcm.cat.expand import Expander, ExpansionError, TooManyApplicationsError
from mcm.cat.model import Check, Definition, Flag, Linearisation, Model, Shape
from mcm.cat.names import nests_deeper, unknown_names
from mcm.cat.parse import parse, parse_expression
from mcm.cat.rules import read_draw, read_phrase, read_rule
from mcm.cat.scope import Broken, Function, Scope, Zero, named
from mcm.relation.occurrence import depth, free_variables, variables_in_sets
from mcm.relation.polarity import Polarity, polarity
from mcm.relation.show import show
from mcm.relation.term import Base, Empty, Nothing, RecursionVariable, Recursive, RelationTerm, SetTerm

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcm.base.source import Source
    from mcm.base.style import Style
    from mcm.cat.expand import Value
    from mcm.cat.model import Rule
    from mcm.cat.scope import Entry, Vocabulary
    from mcm.relation.term import Term

Read = TypeVar("Read")

# Files of herd7 and Dat3M that define what mcm has built in: coherence orders, derived relations, locks.
BUILT_IN_FILES: Final = frozenset({"stdlib.cat", "basic.cat", "cos.cat", "cos-opt.cat", "c11_cos.cat", "c11_los.cat"})

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
) -> Model:
    """The model that a cat file states; raises InputError with everything that is wrong with it.

    `read_include` finds the text of an included file. `prelude` defines standard names in terms of `vocabulary`;
    the file may define them anew.
    """
    loader = _Loader(vocabulary, read_include, frozenset({*vocabulary.sets, *vocabulary.relations}))
    loader.read_prelude(prelude)
    file = parse(source)
    if not file.statements:
        message = "the file holds no definition and no check"
        raise InputError(Diagnostic("E315", message, Span(source, 0, min(1, len(source.text)))))
    loader.read(file, (source.name,))
    if loader.diagnostics:
        raise InputError(*loader.diagnostics)
    return Model(
        name,
        file.title,
        tuple(loader.definitions),
        tuple(loader.linearisations),
        tuple(loader.checks),
        tuple(loader.flags),
    )


class _Loader:
    """What has been read so far."""

    def __init__(
        self, vocabulary: Vocabulary, read_include: Callable[[str], Source | None], base_names: frozenset[str]
    ) -> None:
        self.diagnostics: list[Diagnostic] = []
        self.definitions: list[Definition] = []
        self.linearisations: list[Linearisation] = []
        self.checks: list[Check] = []
        self.flags: list[Flag] = []
        self._scope = vocabulary.scope()
        self._read_include = read_include
        self._base_names = base_names
        self._depths: dict[Term, int] = {}
        self._expander = Expander(self._add_rule_instance)
        self._in_prelude = False
        self._included = 0

    def read_prelude(self, source: Source) -> None:
        """Read the definitions that every model begins with."""
        self._in_prelude = True
        self.read(parse(source), (source.name,))
        self._in_prelude = False

    def read(self, file: tree.CatFile, including: tuple[str, ...]) -> None:
        """Read the statements of a file; `including` are the files that led to it, itself last."""
        for statement in file.statements:
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
                self._add_linearisation(statement)
            case tree.Include():
                self._include(statement, including)
            case _:
                assert_never(statement)

    # --- definitions --------------------------------------------------------------------------------------------------

    def _define(self, let: tree.Let) -> None:
        before = self._scope
        for binding in let.bindings:
            entry: Entry = Broken.BROKEN
            try:
                entry = self._bound(binding, let, before)
            except ExpansionError as error:
                self._complain(error)
            self._scope = self._scope.defining([(binding.name.text, entry)])

    def _bound(self, binding: tree.Binding, let: tree.Let, scope: Scope) -> Entry:
        if binding.parameters is None:
            self._require_sense(binding.body, scope)
            return self._defined(binding, self._expander.value(binding.body, scope), let)
        self._require_sense(binding.body, scope, frozenset(p.text for p in binding.parameters))
        return Function(
            binding.name, binding.parameters, binding.body, scope, let.comment, let.span, silent=self._in_prelude
        )

    def _defined(self, binding: tree.Binding, value: Value, let: tree.Let) -> Entry:
        if self._in_prelude:
            # Plain synonyms stay what they are synonyms of.
            return value if value is Zero.ZERO or " " not in show(value) else named(binding.name.text, value)
        rule = self._rule(let.comment)
        if value is Zero.ZERO and rule is None:
            return value
        term = Empty() if value is Zero.ZERO else value
        self._check_depth(term, binding.body.span)
        without = None if rule is None else self._without(let.comment, term, self._scope)
        phrase, draw = self._phrase(let.comment), self._draw(let.comment)
        self.definitions.append(Definition(binding.name.text, term, rule, let.span, without, phrase, draw))
        return named(binding.name.text, term)

    def _add_rule_instance(self, function: Function, text: str, body: Value, scope: Scope) -> None:
        rule, phrase = self._rule(function.comment), self._phrase(function.comment)
        if body is Zero.ZERO or any(d.name == text and d.term is body for d in self.definitions):
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
        scope = self._scope.binding((name, RecursionVariable(name)) for name in names)
        self._scope = self._scope.defining((name, Broken.BROKEN) for name in names)
        self._expander.names_applications = False
        try:
            equations = tuple((b.name.text, self._equation(b, scope)) for b in let.bindings)
        finally:
            self._expander.names_applications = True
        for binding in let.bindings:
            term = Recursive(binding.name.text, equations)
            self._scope = self._scope.defining([(binding.name.text, self._defined(binding, term, let))])

    def _equation(self, binding: tree.Binding, scope: Scope) -> RelationTerm:
        if binding.parameters is not None:
            raise ExpansionError(Diagnostic("E303", "recursive functions are not supported", binding.name.span))
        self._require_sense(binding.body, scope)
        term = self._expander.relation(binding.body, scope, "'let rec'")
        if variables_in_sets(term):
            message = "recursion through a set, such as domain(…) of what is being defined, is not supported"
            raise ExpansionError(Diagnostic("E303", message, binding.body.span))
        if polarity(term, free_variables(term)) in {Polarity.DECREASING, Polarity.MIXED}:
            message = (
                f"'{binding.name.text}' is defined by recursion right of '\\' or under '~': more of it could "
                "mean less, so there may be no least solution"
            )
            raise ExpansionError(Diagnostic("E307", message, binding.body.span))
        self._check_depth(term, binding.body.span)
        return term

    # --- checks -------------------------------------------------------------------------------------------------------

    def _add_test(self, test: tree.Test) -> None:
        self._require_sense(test.body, self._scope)
        term: Term
        if test.shape is Shape.EMPTY:
            value = self._expander.value(test.body, self._scope)
            term = Empty() if value is Zero.ZERO else value
        else:
            term = self._expander.relation(test.body, self._scope, f"'{test.shape.value}'")
        self._check_depth(term, test.body.span)
        taken = {c.name for c in self.checks} | {f.name for f in self.flags}
        name = _unused_name(test.name.text if test.name is not None else test.shape.value, taken)
        rule, phrase = self._rule(test.comment), self._phrase(test.comment)
        match test.role:
            case tree.Role.CHECK:
                self.checks.append(Check(name, test.shape, test.negated, term, rule, test.span, phrase))
            case tree.Role.FLAG:
                self.flags.append(Flag(name, test.shape, test.negated, term, rule, test.span, phrase))
            case tree.Role.UNDEFINED_UNLESS:
                self.flags.append(Flag(name, test.shape, not test.negated, term, rule, test.span, phrase))
            case _:
                assert_never(test.role)

    def _add_linearisation(self, statement: tree.With) -> None:
        name, generator = statement.name, statement.generator
        entry: Entry = Broken.BROKEN
        try:
            if generator.text != "linearisations":
                message = f"'with … from' knows 'linearisations' only{did_you_mean(generator.text, ['linearisations'])}"
                raise ExpansionError(Diagnostic("E303", message, generator.span))
            if len(statement.arguments) != 2:
                message = "'linearisations' takes a set of events and the relation to be contained"
                raise ExpansionError(Diagnostic("E306", message, statement.span))
            if name.text in self._base_names or any(other.name == name.text for other in self.linearisations):
                message = f"'{name.text}' is taken: the order needs a name of its own"
                raise ExpansionError(Diagnostic("E311", message, name.span))
            for argument in statement.arguments:
                self._require_sense(argument, self._scope)
            events = self._expander.set(statement.arguments[0], self._scope, "'linearisations'")
            order = self._expander.relation(statement.arguments[1], self._scope, "'linearisations'")
            self.linearisations.append(Linearisation(name.text, events, order))
            entry = Base(name.text)
        finally:
            self._scope = self._scope.defining([(name.text, entry)])

    # --- includes -----------------------------------------------------------------------------------------------------

    def _include(self, statement: tree.Include, including: tuple[str, ...]) -> None:
        path = statement.path
        if path.text in BUILT_IN_FILES:
            return
        source = self._read_include(path.text)
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
        self.read(parse(source), (*including, source.name))

    # --- complaints ---------------------------------------------------------------------------------------------------

    def _complain(self, error: ExpansionError) -> None:
        if error.diagnostic is not None and error.diagnostic not in self.diagnostics:
            self.diagnostics.append(error.diagnostic)

    def _require_sense(self, expression: tree.Expression, scope: Scope, known: frozenset[str] = frozenset()) -> None:
        if nests_deeper(expression, DEEPEST_EXPRESSION):
            message = f"this nests deeper than {DEEPEST_EXPRESSION} operators; give parts of it names"
            raise ExpansionError(Diagnostic("E312", message, expression.span))
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


def _unused_name(wanted: str, taken: set[str]) -> str:
    """The wanted name, numbered from the second use on."""
    name, number = wanted, 1
    while name in taken:
        number += 1
        name = f"{wanted}-{number}"
    return name
