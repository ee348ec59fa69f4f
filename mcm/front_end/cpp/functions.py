"""Functions of the host in place of their calls, instances of templates, and nothing that `main` does not reach."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.base.diagnostic import Diagnostic, InputError
from mcm.base.source import Span
from mcm.front_end.cpp.bound_references import declared_reference, is_bound_at_once
from mcm.front_end.cpp.called_operators import type_of_operator
from mcm.front_end.cpp.definitions import (
    NUMBERS,
    Definition,
    assigns,
    bare_type,
    bound,
    calls,
    declared_type,
    definitions,
    evident_type,
)
from mcm.front_end.cpp.host_functions_in_variables import next_held
from mcm.front_end.cpp.lifted_calls import (
    changes_meanwhile,
    is_address,
    is_lambda,
    lifted,
    may_change,
    passes_lambda,
    with_condition_inside,
)
from mcm.front_end.cpp.mentioned_classes import mentioned
from mcm.front_end.cpp.numbers import no_names, with_chosen
from mcm.front_end.cpp.own_names import OwnNames, declared_names, with_blocks_apart
from mcm.front_end.cpp.prototypes import with_prototypes
from mcm.front_end.cpp.quiet_functions import is_quiet
from mcm.front_end.cpp.returns import with_ends
from mcm.front_end.cpp.template_numbers import with_number
from mcm.front_end.cpp.values_of_calls import ValueOfCall, may_leave_variables, result_of, value_around
from mcm.front_end.cpp.words import is_name, listed, made, replaced, substituted, texts

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_MAIN: Final = "main"
# Stands for the variable that has the value of a call.
_VALUE: Final = "<value>"
# How often a call in a function that stands for a call is followed.
_DEEPEST: Final = 20
# How many instances of templates a program may have: one may need others.
_MOST_INSTANCES: Final = 200
_BY_REFERENCE: Final = frozenset({"queue", "buffer", "handler", "event", "accessor", "local_accessor"})
_BY_VALUE: Final = frozenset({"vector", "array"})


def reached(words: Sequence[Piece], whole: Span) -> Words:
    """The words of a program that `main` reaches, with the functions of the host in its own body."""
    functions, rest, several = definitions(words)
    functions, rest = with_prototypes(functions, rest)
    main = functions.pop(_MAIN, None)
    if main is None:
        message = "this program has no function 'main': what the host does stands there"
        raise InputError(Diagnostic("E181", message, Span(whole.source, 0, 0)))
    classes = {rest[n].text for n in range(1, len(rest)) if rest[n - 1].text in {"class", "struct"}}
    inlining = _Inlining(functions, several, OwnNames([*rest, *main.body], words), classes)
    body = with_blocks_apart(inlining.expanded(main.body, 0))
    rest = mentioned(rest, [*body, *(word for one in functions.values() for word in one.words)])
    rest = inlining.expanded(rest, 1)
    kept = _kept([*rest, *body], functions, inlining)
    instances = [word for one in inlining.instances.values() for word in one.words]
    others = [word for name in functions if name in kept for word in kept[name].words]
    return [
        *mentioned(rest, [*instances, *others, *body]),
        *instances,
        *others,
        *main.head,
        main.name,
        *main.signature,
        *body,
    ]


def _kept(words: Words, functions: Mapping[str, Definition], inlining: _Inlining) -> dict[str, Definition]:
    """The functions that some words mention, with the names of instances of templates; what they mention, too."""
    kept: dict[str, Definition] = {}
    read = 0
    waiting = words
    while waiting or read < len(inlining.instances):
        waiting = [*waiting, *(word for one in [*inlining.instances.values()][read:] for word in one.words)]
        read = len(inlining.instances)
        names = sorted({word.text for word in waiting} & set(functions) - set(kept))
        fresh = [functions[name] for name in names if not functions[name].templates]
        kept |= {one.name.text: replace(one, body=inlining.inside(one)) for one in fresh}
        waiting = [word for one in fresh for word in kept[one.name.text].body]
    return kept


class _Inlining:
    """Puts functions of the host in place of their calls; `instances` are templates with their arguments."""

    def __init__(
        self,
        functions: Mapping[str, Definition],
        several: Mapping[str, Piece],
        names: OwnNames,
        classes: Collection[str],
    ) -> None:
        self._functions: Final = functions
        self._of_host: Final = _of_host(functions)
        self._several: Final = several
        self._names: Final = names
        self._classes: Final = classes
        self._quiet: Final[dict[str, bool]] = {}
        self._lifts = 0
        self.instances: dict[tuple[str, ...], Definition] = {}

    def expanded(self, words: Sequence[Piece], depth: int) -> Words:
        """The words with what functions of the host do, and with the names of instances of templates."""
        return self.instantiated(self._without_held(words, depth), depth)

    def inside(self, definition: Definition) -> Words:
        """The body of a function that kernels call, with the names of instances of templates."""
        known = _known(definition)
        return self.instantiated([*known, *definition.body], 1)[len(known) :]

    def instantiated(self, words: Words, depth: int) -> Words:
        """The same of words without lambdas that only the host calls."""
        found = words
        for name, definition in self._functions.items():
            if name in self._of_host or any(passes_lambda(found, definition, one) for one in calls(found, name)):
                found = self._lifted(found, definition)
            places = calls(found, name)
            if places and name in self._several:
                # Which of them a call means is a question of types.
                message = f"there are several functions '{name}': give each a name of its own"
                raise InputError(_at(self._several[name], "E207", message))
            # What is passed a lambda stands in place of its call, which knows the lambda by a name.
            here = [name in self._of_host or passes_lambda(found, definition, one) for one in places]
            # The first of several calls has the names as they are.
            bodies = [self._apart(definition) if is_here else definition.body for is_here in here]
            for place, body, is_here in reversed(list(zip(places, bodies, here, strict=True))):
                if is_here:
                    found = self._inlined(found, replace(definition, body=body), place, depth)
                elif definition.templates:
                    found = self._instantiated(found, definition, place)
        return found

    def _apart(self, definition: Definition) -> Words:
        """The body of a function with names of its own, by which functions of objects that it declares know these."""
        called = [one for name, one in self._functions.items() if one.is_of_object and calls(definition.body, name)]
        if not called or not self._names.are_known(definition.body):
            return self._names.apart(definition.body)
        known = _known(definition)
        found = [*known, *definition.body]
        for one in called:
            found = self._lifted(found, one)
            for place in reversed(calls(found, one.name.text)):
                found = self._inlined(found, replace(one, body=self._apart(one)), place, 1)
        return self._names.apart(found[len(known) :])

    def _without_held(self, words: Sequence[Piece], depth: int) -> Words:
        """The words with lambdas that only the host calls in place of their calls."""
        found = list(words)
        start = 0
        while (held := next_held(found, start)) is not None:
            start = held.start
            # With the semicolon before them, statements begin.
            # What the lambda names is not what has the name in a block behind it.
            inside = self._names.without(found[held.end - 1 : held.last], held.named)
            inside = self._lifted(inside, held.definition)
            places = calls(inside, held.definition.name.text)
            bodies = [self._apart(held.definition) for _ in places]
            for place, body in reversed(list(zip(places, bodies, strict=True))):
                inside = self._inlined(inside, replace(held.definition, body=body), place, depth)
            found = [*found[: held.start], *inside[1:], *found[held.last :]]
        return found

    def _lifted(self, words: Sequence[Piece], definition: Definition) -> Words:
        """The words with calls of a function of the host in statements of their own."""
        found, name = list(words), definition.name.text
        while True:
            for number, opening, last in calls(found, name):
                value = value_around(found, number, last)
                if value is not None and not (value.behind and value.name is None and may_leave_variables(definition)):
                    continue
                changes = partial(may_change, found, definition, (number, opening, last))
                changed = with_condition_inside(found, number) if value is None else None
                variable = f"{name}_value_{self._lifts + 1}"
                changed = changed or lifted(found, number, last, variable, changes, self._is_quiet)
                if changed is not None:
                    self._lifts += 1
                    found = changed
                    break
            else:
                return found

    def _is_quiet(self, name: str) -> bool:
        """Whether a name is that of one function, which changes nothing but its own variables."""
        one = self._functions.get(name)
        if one is None or name in self._several:
            return False
        if name not in self._quiet:
            # One that calls itself is none.
            self._quiet[name] = False
            self._quiet[name] = is_quiet(one, self._is_quiet)
        return self._quiet[name]

    # --- templates ---

    def _arguments(
        self, words: Sequence[Piece], definition: Definition, place: tuple[int, int, int]
    ) -> dict[str, Words]:
        """What the parameters of the template of a call stand for."""
        number, opening, last = place
        names = definition.templates
        written = list(words[number + 2 : opening - 1])
        if texts(words, opening - 1, 1) == (">>",):
            # It closes the arguments of the last argument, too.
            written.append(made(">", words[opening - 1]))
        given = dict(zip(names, listed(written, 0, len(written)), strict=False)) if opening > number + 1 else {}
        for parameter, argument in zip(definition.parameters, listed(words, opening + 1, last), strict=False):
            found = bound(parameter.type, evident_type(words[:number], argument, self._classes), names)
            given = {**(found or {}), **given}
            types = [one.text for one in parameter.type if one.text in names]
            if len(types) == 1 and is_lambda(words[:number], argument):
                given.setdefault(types[0], [made("auto", argument[0])])
            if len(types) == 1 and (type_ := type_of_operator(argument)):
                given.setdefault(types[0], type_)
        for name, default in definition.defaults.items():
            given.setdefault(name, substituted(default, given))
        missing = [name for name in names if name not in given]
        if missing:
            message = (
                f"what '{missing[0]}' stands for in this call of '{definition.name.text}' is not evident: "
                f"write it, '{definition.name.text}<…>(…)'"
            )
            raise InputError(_at(words[number], "E207", message))
        return given

    def _instantiated(self, words: Words, definition: Definition, place: tuple[int, int, int]) -> Words:
        """A call of an instance of a template, which is a function of its own."""
        number, opening, _ = place
        given = {name: with_number(part, no_names) for name, part in self._arguments(words, definition, place).items()}
        key = (definition.name.text, *(word.text for name in definition.templates for word in given[name]))
        if key not in self.instances:
            if len(self.instances) >= _MOST_INSTANCES:
                message = f"'{definition.name.text}' has more than {_MOST_INSTANCES} instances of its template"
                raise InputError(_at(words[number], "E207", message))
            name = made(f"{definition.name.text}_{len(self.instances) + 1}", definition.name)
            self.instances[key] = replace(
                definition,
                name=name,
                templates=(),
                head=substituted(definition.head, given),
                signature=substituted(definition.signature, given),
                body=[],
            )
            # A function of a template may call others.
            parameters = tuple(replace(one, type=substituted(one.type, given)) for one in definition.parameters)
            whole = replace(definition, parameters=parameters, body=with_chosen(substituted(definition.body, given)))
            self.instances[key] = replace(self.instances[key], body=self.inside(whole))
        return [*words[:number], made(self.instances[key].name.text, words[number]), *words[opening:]]

    # --- functions of the host ---

    def _inlined(self, words: Words, definition: Definition, place: tuple[int, int, int], depth: int) -> Words:
        number, _, last = place
        name = definition.name.text
        value = value_around(words, number, last)
        if depth > _DEEPEST or value is None:
            message = (
                f"'{name}', a function of the host, is called as a statement, '{name}(…);', or for the value of a "
                f"variable, 'event e = {name}(…);', and not by itself"
            )
            raise InputError(_at(words[number], "E207", message))
        given = self._arguments(words, definition, place) if definition.templates else {}
        arguments = _passed(words, definition, place, given)
        is_used = value.name is not None or bool(value.behind)
        result = substituted(result_of(definition), given)

        def ends(returned: Words) -> Words:
            if is_used and not returned:
                raise InputError(_at(words[number], "E207", f"'{name}' returns nothing, and its value is used here"))
            target = [] if value.name is None else [made(_VALUE, value.name), made("=", value.name)]
            if returned and value.name is not None and not _isresult_of(value, result, words[:number]):
                at = returned[0]
                returned = [made("(", at), *result, made(")", at), made("(", at), *returned, made(")", at)]
            return [*target, *returned, *value.behind, made(";", words[number])] if returned else []

        body = with_ends(definition.body, name, ends)
        if is_used and not any(word.text == "return" for word in definition.body):
            ends([])
        same = [
            _is_of_type(argument, substituted(parameter.type, given), words[:number])
            and not changes_meanwhile(argument, words, definition, place)
            for parameter, argument in zip(definition.parameters, arguments, strict=True)
        ]
        body, declared = self._bound(definition, arguments, same, substituted(body, given), given, value.name)
        if value.name is not None:
            body = [value.name if word.text == _VALUE else word for word in body]
        before = list(words[: value.start])
        if value.is_declared and value.name is not None:
            type_ = value.type if texts(value.type, 0, 1) != ("auto",) else result
            before += [*type_, value.name, made(";", value.name)]
        return [*before, body[0], *self._within(before, [*declared, *body[1:]], depth), *words[value.end + 1 :]]

    def _within(self, before: Words, words: Words, depth: int) -> Words:
        """The expanded words of a function in place of its call, which know variables that are declared before it."""
        names = dict.fromkeys(word.text for word in words if is_name(word))
        types = {name: type_ for name in names if (type_ := declared_type(before, name))}
        known = [word for name, type_ in types.items() for word in (*type_, made(name, type_[0]), made(";", type_[0]))]
        return self.expanded([*known, *words], depth + 1)[len(known) :]

    def _bound(
        self,
        definition: Definition,
        arguments: list[Words],
        same: list[bool],
        body: Words,
        given: Mapping[str, Words],
        value: Piece | None,
    ) -> tuple[Words, Words]:
        """The body with what is passed in place of the parameters, and declarations of those that are variables.

        `same` says which arguments are no numbers of another type than the parameter has, which converts them.
        """
        passed = {word.text for argument in arguments for word in argument if is_name(word)}
        passed |= set() if value is None else {value.text}
        own = passed - {one.name for one in definition.parameters}
        # Names of the function that the caller has, too, are others.
        apart = {name: [made(self._names.other(name), definition.name)] for name in own if _declares(body, name)}
        meant: dict[str, Words] = dict(apart)
        declared: Words = []
        several = _in_several(arguments)
        for parameter, argument, is_same in zip(definition.parameters, arguments, same, strict=True):
            type_ = substituted(parameter.type, given)
            classes = {word.text for word in type_}
            # What is passed twice may change by the one name, and not by the other.
            is_alone = not (classes & _BY_REFERENCE) and any(word.text in several for word in argument)
            changes = not parameter.is_reference and (assigns(body, parameter.name) or is_alone)
            if type_of_operator(argument):
                meant[parameter.name] = argument
                continue
            if texts(argument, 0, 1) == ("[",):
                variable = made(self._names.other(parameter.name), argument[0])
                meant[parameter.name] = [variable]
                declared += [made("auto", variable), variable, made("=", variable), *argument, made(";", variable)]
                continue
            if classes & _BY_VALUE and not parameter.is_reference and not any(one.text == "*" for one in type_):
                message = f"'{parameter.name}' is a copy of a container: a reference to it, '&{parameter.name}', is"
                raise InputError(_at(argument[0], "E207", message))
            if not changes and texts(argument, 0, 1) == ("&",) and len(argument) == 2:
                meant[parameter.name] = [made("(", argument[0]), *argument, made(")", argument[0])]
                continue
            if parameter.is_reference and is_bound_at_once(argument, type_, body, parameter.name, several):
                variable = made(self._names.other(parameter.name), argument[0])
                meant[parameter.name] = [variable]
                declared += declared_reference(argument, type_, variable)
                continue
            is_plain = (len(argument) == 1 and is_same) or is_address(argument)
            if not changes and (is_plain or parameter.is_reference or classes & _BY_REFERENCE):
                meant[parameter.name] = argument
                if "const" in classes and len(argument) == 1:
                    body = _without_writing_back(body, parameter.name)
                continue
            variable = made(self._names.other(parameter.name), argument[0])
            meant[parameter.name] = [variable]
            declared += [*type_, variable, made("=", variable), *argument, made(";", variable)]
        # What is done with an argument is done where the function names its parameter.
        return _without_addresses(substituted(body, meant, in_place=True)), declared


def _of_host(functions: Mapping[str, Definition]) -> frozenset[str]:
    """The names of the functions that only host code can call: those of the host, and what calls one of these."""
    found = {name for name, one in functions.items() if one.is_of_host}
    calling = {name: {word.text for word in one.body} for name, one in functions.items()}
    while fresh := {name for name, named in calling.items() if not named.isdisjoint(found)} - found:
        found |= {name for name in fresh if any(calls(functions[name].body, one) for one in found & calling[name])}
        calling = {name: named for name, named in calling.items() if name not in fresh}
    return frozenset(found)


def _passed(
    words: Sequence[Piece], definition: Definition, place: tuple[int, int, int], given: Mapping[str, Words]
) -> list[Words]:
    """What a call passes for each parameter, those with values of their own too, by what the template is `given`."""
    number, opening, last = place
    arguments = listed(words, opening + 1, last)
    missing = [substituted(one.default, given) for one in definition.parameters[len(arguments) :]]
    if len(arguments) > len(definition.parameters) or not all(arguments) or not all(missing):
        name, wanted = definition.name.text, len(definition.parameters)
        raise InputError(_at(words[number], "E104", f"'{name}' takes {wanted} arguments, found {len(arguments)}"))
    return [*arguments, *missing]


def _known(definition: Definition) -> Words:
    """The parameters of a function as declarations of variables, which say their types."""
    at = definition.name
    return [word for one in definition.parameters for word in (*one.type, made(one.name, at), made(";", at))]


def _without_writing_back(words: Sequence[Piece], name: str) -> Words:
    """The words with buffers made of what is const by this name, whatever it is by others: `buffer b(as_const(v))`."""
    found: Words = []
    number = 0
    while number < len(words):
        found.append(words[number])
        number += 1
        if found[-1].text != "buffer":
            continue
        opening = next((n for n in range(number, len(words)) if words[n].text in {"(", "{", ";"}), len(words))
        if texts(words, opening + 1, 1) == (name,):
            of = words[opening + 1]
            found += words[number : opening + 1]
            found += [made("as_const", of), made("(", of), of, made(")", of)]
            number = opening + 2
    return found


def _without_addresses(words: Sequence[Piece]) -> Words:
    """The words with `x.` in place of `(&x)->`."""

    def member(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
        following = texts(words, number, 5)
        if following[:2] != ("(", "&") or following[3:] != (")", "->"):
            return None
        return [words[number + 2], made(".", words[number + 4])], number + 5

    return replaced(words, member)


def _is_of_type(argument: Words, type_: Words, before: Sequence[Piece]) -> bool:
    """Whether an argument is of the type of a parameter, as far as that one is a number."""
    wanted = [word.text for word in bare_type(type_) if word.text not in {"std", "sycl", "::"}]
    if len(argument) != 1 or not wanted or not set(wanted) <= NUMBERS:
        return True
    text = argument[0].text
    if not is_name(argument[0]):
        return wanted == ["int"] and text.isdecimal()
    if text in {"true", "false"}:
        return wanted == ["bool"]
    return wanted == [word.text for word in declared_type(before, text) if word.text not in {"std", "sycl", "::"}]


def _in_several(arguments: list[Words]) -> set[str]:
    """The names that stand in several arguments of a call."""
    named = [{word.text for word in argument if is_name(word)} for argument in arguments]
    return {name for number, names in enumerate(named) for name in names if any(name in o for o in named[:number])}


def _at(word: Piece, code: str, message: str) -> Diagnostic:
    assert word.span is not None
    return Diagnostic(code, message, word.span)


def _isresult_of(value: ValueOfCall, result: Words, before: Sequence[Piece]) -> bool:
    """Whether a variable is of the type that a function returns, as far as that is a number."""
    returned = {word.text for word in result}
    if not returned or not returned <= NUMBERS or texts(value.type, 0, 1) == ("auto",) or value.name is None:
        return True
    type_ = value.type if value.is_declared else declared_type(before, value.name.text)
    return [word.text for word in bare_type(type_)] == [word.text for word in bare_type(result)]


def _declares(words: Sequence[Piece], name: str) -> bool:
    """Whether a name is declared: a type stands before it, and perhaps a star or a reference."""
    return name in declared_names(words) or any(
        word.text == name and (_ends_type(words[number - 1]) or _is_pointer_to(words, number))
        for number, word in enumerate(words)
        if number and not _begins_type(words, number)
    )


def _begins_type(words: Sequence[Piece], number: int) -> bool:
    """Whether a word is that of a type, `const int n`, `const sycl::range<1> r`."""
    behind = texts(words, number + 1, 1)
    return words[number].text in NUMBERS or behind == ("::",) or (behind != () and is_name(words[number + 1]))


def _ends_type(word: Piece) -> bool:
    return word.text == ">" or (is_name(word) and word.text not in {"return", "else", "case", "do"})


def _is_pointer_to(words: Sequence[Piece], number: int) -> bool:
    """Whether the sign before a name stands behind a type: `*x` and `&x` behind anything else name what there is."""
    return number > 1 and words[number - 1].text in {"*", "&"} and _ends_type(words[number - 2])
