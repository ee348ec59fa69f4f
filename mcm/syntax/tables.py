"""The parser made from `grammar/litmus.lark`; the one place that imports lark for litmus files."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final

from mcm.base.grammar_file import grammar_text, table_path
from mcm.syntax.build import TreeBuilder

if TYPE_CHECKING:
    from lark import Lark

STARTS: Final = (
    "initial_state",
    "thread_head",
    "kernel_head",
    "callback_head",
    "block",
    "launch",
    "scope_tree",
    "regions",
    "locations",
    "filter",
    "condition",
)

# The builder keeps the source of the parse at hand, so every thread of the process has a parser of its own.
_own = threading.local()


def parser() -> tuple[Lark, TreeBuilder]:
    """The parser and the builder that it calls, made once and then kept."""
    if not hasattr(_own, "parser"):
        _own.parser = _build()
    made: tuple[Lark, TreeBuilder] = _own.parser
    return made


def _build() -> tuple[Lark, TreeBuilder]:
    # Imported here: 40 ms that `mcm --help` need not pay.
    from lark import Lark  # noqa: PLC0415

    builder = TreeBuilder()
    grammar = grammar_text("litmus")
    cache = table_path("litmus")

    def make(cache: str | None) -> Lark:
        return Lark(
            grammar,
            parser="lalr",
            lexer="contextual",
            start=list(STARTS),
            transformer=builder,
            keep_all_tokens=True,
            maybe_placeholders=True,
            cache=cache or False,
        )

    try:
        return make(cache), builder
    except Exception:
        # Whatever goes wrong with the cache, a parser can be built without it. A fault of the grammar shows again.
        if cache is None:
            raise
        return make(None), builder
