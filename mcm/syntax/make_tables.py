"""From `grammar/litmus.lark` to the tables of its parser; the one place that imports lark for litmus files.

Lark reads the grammar, computes the LALR tables and puts the words in the order in which they are tried. What is taken
from it is plain data, which `mcm.syntax.tables` keeps and `mcm.syntax.driver` follows.
"""

from __future__ import annotations

from sys import intern
from typing import TYPE_CHECKING, Any, Final

from lark import Lark

from mcm.base.patterns import write_down
from mcm.syntax.sections import Part
from mcm.syntax.tables import END, PlainTables

if TYPE_CHECKING:
    from lark.grammar import Rule
    from lark.lexer import BasicLexer

    from mcm.syntax.tables import PlainRule

STARTS: Final = (*map(str, Part), "block")


def lark_parser(grammar: str, builder: Any = None) -> Lark:
    """Lark's own parser, which calls `builder` for each rule."""
    return Lark(
        grammar,
        parser="lalr",
        lexer="contextual",
        start=list(STARTS),
        transformer=builder,
        keep_all_tokens=True,
        maybe_placeholders=True,
    )


def make_tables(grammar: str) -> PlainTables:
    """The tables of a grammar."""
    lark = lark_parser(grammar)
    parsers = {start: lark.parse_interactive("", start=start) for start in STARTS}
    configurations = {start: parser.parser_state.parse_conf for start, parser in parsers.items()}
    by_state: dict[int, dict[str, tuple[Any, Any]]] = configurations[STARTS[0]].states
    rules: dict[Rule, int] = {}
    actions = [_actions(by_state[state], rules) for state in range(len(by_state))]
    for configuration in configurations.values():
        # Lark stops in this state; here the end of the text is shifted in it.
        actions[configuration.end_state][END] = configuration.end_state

    lexer: Any = parsers[STARTS[0]].lexer_thread.lexer
    everything: BasicLexer = lexer.root_lexer
    lexers = [_in_one(lexer.lexers[state]) for state in range(len(by_state))]
    lexers += (_in_one(everything), _blanks(everything))
    numbers = {expression: number for number, expression in enumerate(dict.fromkeys(lexers))}
    return PlainTables(
        actions,
        [_plain(rule) for rule in rules],
        {start: configuration.start_state for start, configuration in configurations.items()},
        frozenset(terminal.name for terminal in lark.terminals),
        [numbers[expression] for expression in lexers],
        [write_down(expression) for expression in numbers],
    )


def _actions(by_symbol: dict[str, tuple[Any, Any]], rules: dict[Rule, int]) -> dict[str, int]:
    """What to do in one state; `rules` grows by those that are met for the first time."""
    assert END not in by_symbol or not isinstance(by_symbol[END][1], int)
    return {
        intern(str(symbol)): target if isinstance(target, int) else ~rules.setdefault(target, len(rules))
        for symbol, (_, target) in by_symbol.items()
    }


def _in_one(lexer: BasicLexer) -> str:
    """One expression for all words that a lexer knows, in its order, and the blanks before them.

    Nothing but blanks begins with a blank, so these can be read first.
    """
    words = [terminal for terminal in lexer.terminals if terminal.name not in lexer.ignore_types]
    alternatives = "|".join(f"(?P<{word.name}>{word.pattern.to_regexp()})" for word in words)
    return f"{_blanks(lexer)}(?:{alternatives or '(?!)'})"


def _blanks(lexer: BasicLexer) -> str:
    ignored = [terminal for terminal in lexer.terminals if terminal.name in lexer.ignore_types]
    return f"(?:{'|'.join(terminal.pattern.to_regexp() for terminal in ignored)})*+"


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
    method = None if is_passed_on else "repetition" if origin.startswith("_") else str(rule.alias or origin)
    in_order = steps == tuple(range(len(symbols)))
    return len(symbols), origin, method, None if in_order else steps
