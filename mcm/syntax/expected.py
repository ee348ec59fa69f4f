"""The diagnostics of syntax errors: what was found and what was expected, without names of the grammar."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.base.diagnostic import Diagnostic, Note
from mcm.base.source import Span
from mcm.base.suggest import did_you_mean
from mcm.syntax.unsupported import unsupported

if TYPE_CHECKING:
    from mcm.base.source import Source

_FOUND: Final = re.compile(
    r"0[xX]\w*|\d[\w.]*|[A-Za-z_]\w*|->|\.\.\.|/\\|\\/|&&|\|\||=>|<<=?|>>=?|[-+*/%&|^=!<>]=|\+\+|--|\S"
)
_WORD: Final = re.compile(r"[A-Za-z_]\w*")
_STRUCTURE: Final = re.compile(r"\s*(?:struct|union)\b\s*\w*\s*\{(?P<members>[^{}]*)\}")
# What may stand behind the definition of a structure: variables of that type.
_BEHIND_STRUCTURE: Final = frozenset({";", "*"})
_DECLARED: Final = re.compile(r"\w+\s*[;,=\[]")
_DOTTED_REGISTER: Final = re.compile(r"(\d+)\.([A-Za-z_]\w*)")
_HEAD_OF_KERNEL: Final = re.compile(r"\b(?:__)?kernel\s+(\w+)\Z")
# Quotes of word processors, and of programmers in a hurry.
_QUOTES: Final = frozenset("“”„«»\N{LEFT SINGLE QUOTATION MARK}\N{RIGHT SINGLE QUOTATION MARK}'`")
_KEY_WITH_COLON: Final = re.compile(r"([A-Za-z][\w.+-]*)\s*:\s*(\S.*)")
# `P0 host (…)`.
_PLACED_WITHOUT_SIGN: Final = re.compile(r"(P\d+)\s+(host|sg|wg|ki|dev)\b")
_LAST: Final = re.compile(r"(?<!\w)\w+\Z|\+\+\Z|--\Z|\S\Z")

# In the order in which a message lists them: first what ends the current construct.
_PHRASES: Final[dict[str, str]] = {
    "SEMICOLON": "';'",
    "RPAR": "')'",
    "RSQB": "']'",
    "RBRACE": "'}'",
    "COMMA": "','",
    "ASSIGN_INITIAL": "'='",
    "COLON": "':'",
    "AT": "'@'",
    "LPAR": "'('",
    "LSQB": "'['",
    "LBRACE": "'{'",
    "WHILE": "'while'",
    "DEVICE": "'dev'",
    "QUEUE_ORDER": "'in_order' or 'out_of_order'",
    "COMPARISON": "a comparison such as '='",
    "CONNECTIVE": "a connective such as '/\\'",
    "GROUP": "a work-group such as 'wg0'",
    "INSTANCE": "a kernel instance such as 'ki1'",
    "EXISTS": "'exists'",
    "THREAD": "a thread such as 'P0'",
    "FUNCTION_WORD": "'static' or 'inline'",
    "LANGLE": "'<'",
    "RANGLE": "'>'",
    "HOST": "'host'",
    "ELLIPSIS": "'...' and the last value of a range",
    "TYPE_OF": "'typeof'",
    "CARET": "'^' and the name of a block",
    "SIZEOF": "'sizeof'",
    "TEXT": "a string literal",
    "CLASS_KEY": "'class'",
    "LAMBDA": "a lambda such as '[=](nd_item<1> it) {…}'",
    "TEMPLATE": "a class such as 'atomic_ref<…>'",
    "CLASS": "a class such as 'queue'",
    "BRACED": "a range such as 'range{4}'",
    "MEMBER_TEMPLATE": "a member such as 'get_access<…>'",
    "TYPE": "a type",
    "ATOMIC_OF": "a type",
    "QUALIFIER": "a qualifier",
    "NUMBER": "a number",
    "NAME": "a name",
}
_OPERATORS: Final = frozenset({"OPERATOR", "ASSIGN", "QUESTION", "POSTFIX", "MEMBER"})
_OPERAND: Final = frozenset({"NAME", "NUMBER", "PREFIX", "LPAR"})
_EXPRESSION: Final = _OPERAND | {"SIZEOF"}
_STATEMENT: Final = frozenset(
    {
        "IF",
        "SWITCH",
        "CASE",
        "DEFAULT",
        "WHILE",
        "FOR",
        "RETURN",
        "TYPE",
        "DO",
        "BREAK",
        "CONTINUE",
        "GOTO",
        "QUALIFIER",
    }
)
_PROPOSITION: Final = frozenset(
    {"NAME", "DOTTED", "NUMBER", "NOT", "TRUTH", "LPAR", "LSQB", "AMPERSAND", "MINUS", "THREAD"}
)
_TERM: Final = frozenset({"NAME", "DOTTED", "NUMBER", "LSQB", "AMPERSAND", "MINUS", "THREAD"})
_ITEM: Final = frozenset(
    {"ALLOCATION", "QUEUE", "USER_EVENT", "LSQB", "TYPE", "QUALIFIER", "NAME", "DOTTED", "STAR", "NUMBER", "THREAD"}
)
_SYCL_EXPRESSION: Final = _EXPRESSION | {"TEMPLATE", "BRACED", "LAMBDA"}
_GROUPS: Final = (
    (_STATEMENT | _SYCL_EXPRESSION | {"CLASS"}, "a statement"),
    (_SYCL_EXPRESSION, "an expression"),
    (_STATEMENT | _EXPRESSION, "a statement"),
    (_ITEM, "an item of the initial state"),
    (_PROPOSITION, "a proposition"),
    (_TERM, "a register, a location or a number"),
    (_EXPRESSION, "an expression"),
    (_OPERAND, "an expression"),
    # What is declared may be a block, too, in brackets.
    (frozenset({"TYPE", "QUALIFIER", "STAR", "NAME", "LPAR"}), "a name"),
    (frozenset({"QUALIFIER", "STAR", "NAME", "LPAR"}), "a name"),
    (frozenset({"NAME", "STAR", "LPAR"}), "a name"),
    (frozenset({"TYPE", "QUALIFIER", "STAR", "NAME"}), "a name"),
    (frozenset({"QUALIFIER", "STAR", "NAME"}), "a name"),
    (frozenset({"QUALIFIER", "NAME"}), "a part of the launch such as 'global 4'"),
    (frozenset({"TYPE", "QUALIFIER"}), "a type"),
    (frozenset({"NAME", "STAR"}), "a name"),
    (frozenset({"NAME", "DOTTED"}), "a name"),
    (frozenset({"NUMBER", "THREAD"}), "a number"),
)
# Where one of the words on the left is expected, those on the right are not listed.
_DISTRACTIONS: Final = (
    (_OPERATORS, {"LPAR", "LSQB"}),
    (_EXPRESSION, {"TEXT", "MEMBER"}),
    (_EXPRESSION | {"LBRACE"}, {"LSQB"}),
    ({"COLON"}, {"COMMA", "ELLIPSIS"}),
    ({"IF"}, {"SEMICOLON", "LBRACE", "RBRACE"}),
    ({"QUEUE"}, {"SEMICOLON", "RBRACE"}),
    ({"ASSIGN_INITIAL"}, {"LSQB"}),
    ({"COMPARISON"}, {"LSQB", "AT"}),
    ({"CONNECTIVE"}, {"LSQB", "COLON", "AT"}),
    ({"TYPE"}, {"ATOMIC_OF", "TYPE_OF"}),
)
ALLOCATIONS: Final = (
    *("buffer", "coarse_svm", "fine_svm", "fine_svm_atomics", "system_svm", "system_svm_atomics", "program_scope"),
)
_TYPE_WORDS: Final = (
    *("int", "uint", "long", "ulong", "char", "short", "float", "bool", "size_t", "unsigned", "event"),
    *("atomic_int", "atomic_uint", "atomic_long", "atomic_ulong", "atomic_flag", "atomic_float"),
    *("global", "local", "constant", "generic", "private", "volatile", "const"),
    *("kernel", "callback", "struct", "static"),
    *ALLOCATIONS,
)
_SIZES: Final = re.compile(r"\(\s*(\d+)\s*,\s*(\d+)\s*\)")
_BIT_FIELD: Final = re.compile(r"\s*:\s*\d+\s*[;,]")
_WITH_TYPE: Final = re.compile(r"\w\s+\w+\s*$")
_MATCHING: Final = {")": "(", "]": "[", "}": "{"}


class Failure(Struct, frozen=True):
    """Where the parser stopped in a section: `text` has no comments, `expected` are names of the grammar.

    `end` is the end of the section and `before` that of the last thing understood. The statement or item at hand began
    at `opening`; the brackets around the failure began at `scope` or later.
    """

    text: str
    end: int
    offset: int
    before: int
    opening: int
    scope: int
    expected: frozenset[str]


def _is_declared(failure: Failure) -> bool:
    """Whether a name stands behind its type, unlike `x` in the initial state `{ x:0; }`."""
    begin = failure.text.rfind("\n", 0, failure.offset) + 1
    return "ASSIGN_INITIAL" not in failure.expected or bool(_WITH_TYPE.search(failure.text[begin : failure.offset]))


def explain_failure(source: Source, failure: Failure) -> Diagnostic:
    """The diagnostic for a syntax error."""
    found = _FOUND.search(failure.text, failure.offset)
    word = found.group() if found else ""
    is_inside = found is not None and failure.offset < failure.end
    here = Span(source, *found.span()) if found and is_inside else Span(source, failure.before, failure.before)
    if (diagnostic := structure_without_semicolon(source, failure.text, failure.offset)) is not None:
        return diagnostic
    sentence = unsupported(word)
    if sentence is not None:
        return Diagnostic("E050", sentence, here)
    if word[:1].isdigit() and not failure.expected & {"SEMICOLON", "RPAR"} and "NUMBER" in failure.expected:
        register = _DOTTED_REGISTER.fullmatch(word)
        hint = f"; did you mean '{register[1]}:{register[2]}'?" if register and "THREAD" in failure.expected else ""
        return Diagnostic("E023", f"'{word}' is not a number{hint}", here)
    if word == "(" and failure.expected == {"LSQB"} and last_word(failure.text, failure.before) == ")":
        # Behind `(*f)` there are but the lengths of what a pointer to arrays points to.
        return Diagnostic("E050", "a pointer to a function is not supported", here)
    if word == ":" and _BIT_FIELD.match(failure.text, failure.offset) and _is_declared(failure):
        return Diagnostic("E050", "a bit field is not supported; OpenCL C has none", here)
    if word == "\\":
        return Diagnostic("E022", "unexpected character '\\'", here)
    for explain in (_result_of_kernel, _not_a_type, _unmatched, _unclosed, _missing_semicolon):
        diagnostic = explain(source, failure, word, here)
        if diagnostic is not None:
            return diagnostic
    expected = phrases(failure.expected)
    hint = _connective(word) if failure.expected & {"CONNECTIVE", "NOT"} else _comparison(failure, word)
    hint = hint or _instead(failure, word, expected)
    return Diagnostic("E040", f"expected {expected}, found {_shown(word)}{hint}", here)


def explain_header_line(source: Source, failure: Failure) -> Diagnostic:
    """The diagnostic for a line of the header that is neither a doc string nor a key line."""
    line = failure.text[failure.offset : line_end(failure.text, failure.offset)].rstrip()
    shown = line if len(line) <= 40 else line[:40] + "…"
    span = Span(source, failure.offset, failure.offset + len(line))
    message = f"expected a \"doc string\", a Key=Value line or '{{' of the initial state, found '{shown}'"
    return Diagnostic("E013", message + _meant_by_header_line(line), span)


def _meant_by_header_line(line: str) -> str:
    """What is meant by quotes of a word processor, and by a key with a colon."""
    if line[0] in _QUOTES:
        return '; did you mean quotes of the form "…"?'
    key = _KEY_WITH_COLON.match(line)
    return "" if key is None else f"; did you mean '{key[1]}={key[2]}'?"


def structure_without_semicolon(source: Source, text: str, offset: int) -> Diagnostic | None:
    """A structure that begins here and lacks the semicolon of its last member, or the one behind it."""
    found = _STRUCTURE.match(text, offset)
    if found is None:
        return None
    end = len(text[: found.end("members")].rstrip())
    following = "}"
    if text[end - 1] in ";{":
        end, behind = found.end(), _FOUND.search(text, found.end())
        following = behind.group() if behind else ""
        if following in _BEHIND_STRUCTURE or (behind and _DECLARED.match(text, behind.start())):
            return None
    message = f"expected ';' after '{last_word(text, end)}', found {_shown(following)}"
    return Diagnostic("E041", message, Span(source, end, end))


def without_sign(source: Source, text: str, offset: int) -> Diagnostic | None:
    """A thread whose placement lacks its `@`."""
    found = _PLACED_WITHOUT_SIGN.match(text, offset)
    if found is None:
        return None
    thread, unit = found.groups()
    message = f"expected '@' or '(' after '{thread}', found '{unit}'; did you mean '{thread}@{unit}'?"
    return Diagnostic("E042", message, Span(source, *found.span(2)))


def line_end(text: str, offset: int) -> int:
    """The end of the line that `offset` is on."""
    end = text.find("\n", offset)
    return len(text) if end < 0 else end


def phrases(names: frozenset[str]) -> str:
    """Names of the grammar as a phrase for people: `';' or ')'`.

    >>> phrases(frozenset({"RPAR", "COMMA", "OPERATOR"}))
    "')' or ','"
    """
    rest = names - {"ERROR"}
    for helpful, distracting in _DISTRACTIONS:
        if rest >= helpful:
            rest -= distracting
    listed: list[str] = []
    for group, phrase in _GROUPS:
        if group <= rest:
            listed.append(phrase)
            rest -= group
    closers = [phrase for name, phrase in _PHRASES.items() if name in rest]
    choices = closers[:4] + listed
    if not choices and rest & _OPERATORS:
        choices = ["an operator"]
    if not choices:
        choices = ["the end of this part"]
    return choices[0] if len(choices) == 1 else f"{', '.join(choices[:-1])} or {choices[-1]}"


def last_word(text: str, end: int) -> str:
    """The word or the mark that ends at `end`.

    >>> last_word("x = load(y)  ", 11), last_word("x = r0 ", 6)
    (')', 'r0')
    """
    last = _LAST.search(text, max(0, end - 40), end)
    return "" if last is None else last.group()


def _connective(word: str) -> str:
    """What a condition has for an operator of another language."""
    meant = {"&": "/\\", "and": "/\\", ",": "/\\", "|": "\\/", "or": "\\/", "!": "~"}.get(word.lower())
    return "" if meant is None else f"; did you mean '{meant}'?"


def _comparison(failure: Failure, word: str) -> str:
    """What is meant by two signs of which the second is no sign here: `<>`, `=<`."""
    meant = {"<>": "!=", "=<": "<="}.get(last_word(failure.text, failure.before) + word)
    return "" if meant is None or failure.before != failure.offset else f"; did you mean '{meant}'?"


def _instead(failure: Failure, word: str, expected: str) -> str:
    """What is written for a sign of another language, or for one that is not needed here."""
    if word == "&" and expected == "a name":
        return "; a reference is C++, here it is a pointer, '*'"
    if word == ";" and "CONNECTIVE" in failure.expected:
        return "; no ';' ends a condition"
    if word == ":" and "COMPARISON" in failure.expected:
        return "; a work-item has a number, as in 'K[0]:r0'"
    if expected.startswith("a part of the launch") and (sizes := _SIZES.match(failure.text, failure.offset)):
        return f"; did you mean 'global {sizes[1]}, local {sizes[2]}'?"
    if "QUEUE_ORDER" in failure.expected:
        return did_you_mean(word, ("in_order", "out_of_order"))
    return ""


def _shown(word: str) -> str:
    return f"'{word}'" if word else "the end of the file"


def _result_of_kernel(source: Source, failure: Failure, word: str, _: Span) -> Diagnostic | None:
    """`kernel int k(…)`."""
    head = _HEAD_OF_KERNEL.search(failure.text, failure.scope, failure.before)
    if head is None or failure.expected != {"LPAR"} or not _WORD.fullmatch(word):
        return None
    message = f"a kernel returns nothing: expected 'void' before '{word}', found '{head[1]}'"
    return Diagnostic("E040", message, Span(source, *head.span(1)))


def _not_a_type(source: Source, failure: Failure, word: str, here: Span) -> Diagnostic | None:
    """`integer r0 = 1;`, `globl int* x`: a name where only a type makes sense of what follows."""
    if {"TYPE", "QUALIFIER"} <= failure.expected and "NAME" not in failure.expected and _WORD.fullmatch(word):
        if placed := without_sign(source, failure.text, failure.offset):
            return placed
        if last_word(failure.text, failure.before) == "auto":
            message = f"expected a type before '{word}': 'auto' deduces none in this language"
            return Diagnostic("E047", message, here)
        return Diagnostic("E047", f"expected a type, found '{word}'{did_you_mean(word, _TYPE_WORDS)}", here)
    first = _WORD.match(failure.text, failure.opening)
    is_second_word = (
        first is not None
        and first.end() <= failure.offset
        and not failure.text[first.end() : failure.offset].strip(" \t*")
    )
    if not is_second_word or first is None or not _WORD.fullmatch(word) or "SEMICOLON" not in failure.expected:
        return None
    if "\n" in failure.text[first.end() : failure.offset]:
        return None
    span = Span(source, first.start(), first.end())
    hint = did_you_mean(first.group(), _TYPE_WORDS)
    return Diagnostic("E047", f"expected a type before '{word}', found '{first.group()}'{hint}", span)


def _unmatched(_: Source, failure: Failure, word: str, here: Span) -> Diagnostic | None:
    if word not in {")", "]"} or _open_bracket(failure, _MATCHING[word]) is not None:
        return None
    return Diagnostic("E031", f"unmatched '{word}': there is no '{_MATCHING[word]}' that it could close", here)


def _unclosed(source: Source, failure: Failure, word: str, here: Span) -> Diagnostic | None:
    closer = next((closer for closer, name in ((")", "RPAR"), ("]", "RSQB")) if name in failure.expected), None)
    if closer is None or (word and word not in ";{}"):
        return None
    opening = _open_bracket(failure, _MATCHING[closer])
    if opening is None:
        return None
    note = Note(f"this '{_MATCHING[closer]}' is never closed", Span(source, opening, opening + 1))
    return Diagnostic("E030", f"expected '{closer}' before {_shown(word)}", here, notes=(note,))


_WITH_CONDITION: Final = ("if", "for", "while", "switch")


def _missing_semicolon(source: Source, failure: Failure, word: str, here: Span) -> Diagnostic | None:
    # Where a statement or an item may begin, an empty one (`;`) may stand too, but is not what was meant.
    if "SEMICOLON" not in failure.expected or failure.expected & {"IF", "QUEUE"} or word in {")", "]"}:
        return None
    is_next_line = "\n" in failure.text[failure.before : failure.offset]
    if "ASSIGN_INITIAL" in failure.expected and not is_next_line:
        return None
    first = _WORD.match(failure.text, failure.opening)
    if word == "{" and first is not None and first.group() in {"elif", "elsif", "elseif"}:
        return Diagnostic(
            "E040", f"'{first.group()}' is not part of the language; write 'else if'", Span(source, *first.span())
        )
    last = last_word(failure.text, failure.before)
    after = f" after '{last}'" if last else ""
    place = Span(source, failure.before, failure.before) if is_next_line or not word else here
    is_unknown = word == "{" and first is not None and first.group() not in _WITH_CONDITION
    if first is not None and is_unknown and (meant := did_you_mean(first.group(), _WITH_CONDITION)):
        message = f"expected ';'{after}, found {_shown(word)}: '{first.group()}' begins no statement with a body{meant}"
        return Diagnostic("E041", message, place)
    return Diagnostic("E041", f"expected ';'{after}, found {_shown(word)}", place)


def _open_bracket(failure: Failure, bracket: str) -> int | None:
    """The innermost bracket of this kind that is open where the failure is."""
    closer = next(closer for closer, opener in _MATCHING.items() if opener == bracket)
    closed = 0
    for offset in range(failure.offset - 1, failure.scope - 1, -1):
        character = failure.text[offset]
        if character == closer:
            closed += 1
        elif character == bracket:
            if not closed:
                return offset
            closed -= 1
    return None
