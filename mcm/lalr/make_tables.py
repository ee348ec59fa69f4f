"""From `grammar/` to the tables of the parsers: `python -m mcm.lalr.make_tables` writes them into the package.

The one place that imports lark, which reads a grammar, computes the LALR tables and puts the words in the order in
which they are tried. What is taken from it is plain data, which `mcm.lalr.tables` reads and `mcm.lalr.driver` follows.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from lark import Lark

from mcm.base.plain_data import text_of
from mcm.lalr.tables import END, REPETITION, PlainTables, path_of
from mcm.lalr.word_lists import listed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lark.grammar import Rule
    from lark.lexer import BasicLexer

    from mcm.lalr.tables import PlainRule

# Tables that are made of grammars of other names: of several, the later ones add to the earlier ones.
_MADE_OF: Final = {
    "litmus_parts": ("litmus",),
    "sycl": ("litmus", "sycl"),
    "sycl_parts": ("litmus", "sycl"),
}

# Words of headers: anywhere else, nearly any text would be one of them.
_IN_HEADERS: Final = frozenset({"TITLE", "STRING", "KEY"})
_HEADER_WORDS: Final = {"litmus_parts": _IN_HEADERS, "sycl_parts": _IN_HEADERS}

# The expression of a word that is one sign, and perhaps what must not follow.
_SIGN: Final = re.compile(r"(\\\W|[^\w\\.^$*+?|()[\]{}])(?:\(\?[=!][^|]*\))?")

# What an expression asks of what follows: that is no part of the word. Then the escaped signs, the classes of
# characters and the signs of an expression, those that match nearly anything, and those that match nothing themselves.
_AHEAD: Final = re.compile(r"\(\?[=!](?:[^()]|\([^()]*\))*\)")
_PART: Final = re.compile(r"\(\?:|\\.|\[(?:\\.|[^\]])*\]|.", re.DOTALL)
_ANY: Final = frozenset({".", r"\S", r"\W", r"\D"})
_SYNTAX: Final = frozenset({"(?:", *"()|?*+"})

# White space, and the end of a text; what is asked of what follows; the sign that an expression begins with.
_BLANK: Final = re.compile(r"\\[snrtfvZ]| ")
_AHEAD_BEGINS: Final = re.compile(r"\(\?[=!]")
_BEGINS_WITH_SIGN: Final = re.compile(r"\\[^\w\s]|\"")

# A piece of a text in the C family: letters and digits, signs of operators, or one other sign. It does not go on in
# what follows: as a member, a number with an exponent, or a name behind `::`. Texts in cat have none.
_PIECE: Final = r"\w++(?![\w.]|::|(?<=[eEpP])[-+])|[-+*/%&|^<>=!~?\\]++|[;,(){}\[\]@]|:(?!:)"
_NO_PIECE: Final = "(?!)"

GRAMMARS: Final = Path(__file__).resolve().parents[2] / "grammar"

# The symbols that a text may be parsed as, by the name of the tables.
STARTS: Final = {
    "litmus": ("litmus",),
    "litmus_parts": (
        "header",
        "initial_state",
        "thread_head",
        "kernel_head",
        "function_head",
        "prototype",
        "structure",
        "file_variables",
        "callback_head",
        "launch",
        "scope_tree",
        "regions",
        "locations",
        "execution_filter",
        "condition",
        "block",
    ),
    "sycl": ("litmus",),
    "sycl_parts": (
        "header",
        "initial_state",
        "thread_head",
        "host_head",
        "function_head",
        "prototype",
        "structure",
        "object_declaration",
        "file_variables",
        "command",
        "locations",
        "execution_filter",
        "condition",
        "block",
    ),
    "cat": ("start", "expression"),
}

# Whether the words that are tried are those that can stand in a state; otherwise all, so that some are reserved.
CONTEXTUAL: Final = {"litmus": True, "litmus_parts": True, "sycl": True, "sycl_parts": True, "cat": False}


def grammars_of(name: str) -> tuple[Path, ...]:
    """The files that the tables of this name are made of."""
    return tuple(GRAMMARS / f"{part}.lark" for part in _MADE_OF.get(name, (name,)))


def lark_parser(name: str, builder: Any = None) -> Lark:
    """Lark's own parser of a language, which calls `builder` for each rule."""
    return Lark(
        "\n".join(path.read_text(encoding="utf-8") for path in grammars_of(name)),
        parser="lalr",
        lexer="contextual" if CONTEXTUAL[name] else "basic",
        start=list(STARTS[name]),
        transformer=builder,
        keep_all_tokens=True,
        maybe_placeholders=True,
    )


def make_tables(name: str) -> PlainTables:
    """The tables of a language."""
    lark = lark_parser(name)
    parsers = {start: lark.parse_interactive("", start=start) for start in STARTS[name]}
    configurations = {start: parser.parser_state.parse_conf for start, parser in parsers.items()}
    some = next(iter(parsers))
    by_state: dict[int, dict[str, tuple[Any, Any]]] = configurations[some].states
    order = _in_order([configuration.start_state for configuration in configurations.values()], by_state)
    number_of = {state: number for number, state in enumerate(order)}
    rules: dict[Rule, int] = {}
    actions = [_actions(by_state[state], number_of, rules) for state in order]
    for configuration in configurations.values():
        # Lark stops in this state; here the end of the text is shifted in it.
        end = number_of[configuration.end_state]
        actions[end][END] = end

    lexer: Any = parsers[some].lexer_thread.lexer
    everything: BasicLexer = lexer.root_lexer if CONTEXTUAL[name] else lexer
    lexers = [_words(lexer.lexers[state] if CONTEXTUAL[name] else everything) for state in order]
    lexers.append(_words(everything, _HEADER_WORDS.get(name, frozenset())))
    expressions = {terminal.name: terminal.pattern.to_regexp() for terminal in everything.terminals}
    lexers = [signs_first(words, expressions) for words in lexers]
    numbers = {words: number for number, words in enumerate(dict.fromkeys(lexers))}
    return PlainTables(
        {start: number_of[configuration.start_state] for start, configuration in configurations.items()},
        sorted(terminal.name for terminal in lark.terminals),
        [_plain(rule) for rule in rules],
        actions,
        f"(?:{'|'.join(expressions.pop(name) for name in sorted(everything.ignore_types))})*+",
        dict(sorted(expressions.items())),
        {name: words for name, text in sorted(expressions.items()) if (words := listed(text))},
        {name: sign[1][-1] for name, text in sorted(expressions.items()) if (sign := _SIGN.fullmatch(text))},
        _PIECE if CONTEXTUAL[name] else _NO_PIECE,
        {name: begun for name, text in sorted(expressions.items()) if (begun := further(text)) is not None},
        [numbers[words] for words in lexers],
        list(map(list, numbers)),
    )


def main() -> None:
    """Write the tables of all languages."""
    for name in STARTS:
        Path(path_of(name)).write_text(text_of(make_tables(name)), encoding="utf-8")


def _in_order(starts: list[int], by_state: dict[int, dict[str, tuple[Any, Any]]]) -> list[int]:
    """All states, by their distance from the start: lark numbers them differently each time."""
    order = dict.fromkeys(starts)
    waiting = list(order)
    for state in waiting:
        following = [
            target
            for _, (_, target) in sorted(by_state[state].items(), key=lambda item: item[0])
            if isinstance(target, int)
        ]
        waiting += [target for target in dict.fromkeys(following) if target not in order]
        order |= dict.fromkeys(following)
    return list(order)


def _actions(
    by_symbol: dict[str, tuple[Any, Any]], number_of: dict[int, int], rules: dict[Rule, int]
) -> dict[str, int]:
    """What to do in one state; `rules` grows by those that are met for the first time."""
    assert END not in by_symbol or not isinstance(by_symbol[END][1], int)
    return {
        str(symbol): number_of[target] if isinstance(target, int) else ~rules.setdefault(target, len(rules))
        for symbol, (_, target) in sorted(by_symbol.items(), key=lambda item: item[0])
    }


def _words(lexer: BasicLexer, left_out: frozenset[str] = frozenset()) -> tuple[str, ...]:
    """The names of all words that a lexer knows, less some, in its order."""
    others = {*lexer.ignore_types, *left_out}
    return tuple(terminal.name for terminal in lexer.terminals if terminal.name not in others)


def signs_first(words: tuple[str, ...], expressions: Mapping[str, str]) -> tuple[str, ...]:
    """Words in the order in which they are tried: those at the front that are one sign, which no other begins with.

    These are read most often, and in which order they are tried makes no difference.
    """
    mentioned = {word: _mentioned(expressions[word]) for word in words}
    signs = []
    for word in words:
        sign = expressions[word].removeprefix("\\")
        others = [mentioned[other] for other in words if other != word]
        if re.fullmatch(r"\W", sign) and not any(chars is None or sign in chars for chars in others):
            signs.append(word)
    return (*signs, *(word for word in words if word not in signs))


def _mentioned(expression: str) -> set[str] | None:
    """The signs that an expression may match, and perhaps more; None where these may be any."""
    found = set[str]()
    for part in _PART.findall(_AHEAD.sub("", expression)):
        if part.startswith("[^") or part in _ANY:
            return None
        if part.startswith("["):
            found.update(part[1:-1])
        elif part not in _SYNTAX:
            found.update(part.removeprefix("\\"))
    return found


def further(expression: str) -> str | None:
    """An expression of the pieces of a text that a word may begin with which depends on more than that piece.

    None if the word depends on no more: an expression that looks behind white space says so.
    """
    words = listed(expression)
    if words is not None:
        return "|".join(sorted(words.begun)) or None
    if not _may_match_blanks(expression):
        return None
    before = _AHEAD_BEGINS.split(expression)[0]
    if not _may_match_blanks(before) and before.count("(") == before.count(")"):
        return before
    sign = _BEGINS_WITH_SIGN.match(expression)
    return "" if sign is None else sign[0]


def _may_match_blanks(expression: str) -> bool:
    """Whether an expression may match white space or the end of a text, or ask for it."""
    parts = _PART.findall(expression)
    return any(part in _ANY or part.startswith("[^") or _BLANK.search(part) is not None for part in parts)


def _plain(rule: Rule) -> PlainRule:
    """What to do when a rule is complete."""
    origin, symbols = str(rule.origin.name), rule.expansion
    assert rule.options.keep_all_tokens
    # Lark's own rules, for repetitions, begin with an underscore.
    numbers = (~i if not symbol.is_term and symbol.name.startswith("_") else i for i, symbol in enumerate(symbols))
    is_empty = rule.options.empty_indices or (False,) * len(symbols)
    steps = tuple(None if empty else next(numbers) for empty in is_empty)
    is_transparent = rule.options.expand1 and not rule.alias
    is_passed_on = is_transparent and steps == (0,)
    least = sum(step is None or step >= 0 for step in steps)
    assert is_passed_on or not is_transparent or least > 1, "one child or more, depending on the text"
    method = None if is_passed_on else REPETITION if origin.startswith("_") else str(rule.alias or origin)
    in_order = steps == tuple(range(len(symbols)))
    return len(symbols), origin, method, None if in_order else steps


if __name__ == "__main__":
    main()
