"""Ballots and masks of sub-groups, as numbers: the words of the vectors that OpenCL C gives and takes.

Sub-groups have up to 32 work-items, so that the first word of a ballot says all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.program.collectives import BITWISE, LOGICAL
from mcm.program.instruction import (
    Binary,
    Collective,
    Conditional,
    Convert,
    Declare,
    Literal,
    Read,
    RegisterPlace,
    Sequence,
)
from mcm.program.operators import RELATIVE_SHUFFLES, CollectiveOperator, Level
from mcm.program.resolve.bit_functions import bit_function
from mcm.program.resolve.checks import check_available, check_count
from mcm.program.resolve.conversions import converted
from mcm.program.resolve.functions import held, hoist, temporary
from mcm.program.resolve.operations import at_distance, check_integer
from mcm.program.resolve.signatures import GroupFunction, Where
from mcm.program.resolve.spelling import WORD
from mcm.program.resolve.type_names import show_type
from mcm.program.topology import WorkItem
from mcm.program.types import Scalar

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcm.base.source import Span
    from mcm.program.instruction import Expression, Statement
    from mcm.program.resolve.context import ThreadContext
    from mcm.syntax import ast

# How many work-items the sub-groups have of which there are ballots.
MOST_IN_BALLOTS: Final = 32
_ALL_BITS: Final = (1 << MOST_IN_BALLOTS) - 1
_WORDS: Final = 4

# Of a work-item, by its number in the sub-group and the size of the largest one: the first word of each mask.
_MASKS: Final[dict[str, Callable[[int, int], int]]] = {
    "get_sub_group_eq_mask": lambda rank, _: 1 << rank,
    "get_sub_group_ge_mask": lambda rank, size: (1 << size) - (1 << rank),
    "get_sub_group_gt_mask": lambda rank, size: (1 << size) - (2 << rank),
    "get_sub_group_le_mask": lambda rank, _: (2 << rank) - 1,
    "get_sub_group_lt_mask": lambda rank, _: (1 << rank) - 1,
}
# Those of the bits of a ballot that functions look at.
_LOOKED_AT: Final[dict[str, Callable[[int, int], int]]] = {
    "sub_group_ballot_bit_count": lambda _, size: (1 << size) - 1,
    "sub_group_ballot_inclusive_scan": _MASKS["get_sub_group_le_mask"],
    "sub_group_ballot_exclusive_scan": _MASKS["get_sub_group_lt_mask"],
    "sub_group_ballot_find_lsb": lambda _, size: (1 << size) - 1,
    "sub_group_ballot_find_msb": lambda _, size: (1 << size) - 1,
}
_QUESTIONS: Final = frozenset(
    {CollectiveOperator.ALL, CollectiveOperator.ANY, CollectiveOperator.BALLOT, CollectiveOperator.ELECT}
)
_EXTRACT: Final = "sub_group_ballot_bit_extract"


def ballot_function(
    node: ast.Call, value: Callable[[ast.Expression, ThreadContext], Expression], context: ThreadContext
) -> Expression:
    """A call of one of ABOUT_BALLOTS: what takes a vector is given its words, of what gives one the first is meant."""
    name, span = node.function.text, node.span
    check_available(name, Where.DEVICE, node, context)
    check_size_of_ballots(span, context)
    if name.endswith(WORD):
        return _bits(_MASKS[name.removesuffix(WORD)], span, context)
    words = _WORDS + (name == _EXTRACT)
    takes = "a ballot" if name != _EXTRACT else "a ballot and the number of a work-item"
    check_count(node, words, f"{takes} (uint4)", context)
    given = [value(one, context) for one in node.arguments]
    ballot = first_word(given[:_WORDS], context)
    if name == _EXTRACT:
        return _extracted(ballot, given[-1], span, context)
    looked_at = Binary("&", ballot, _bits(_LOOKED_AT[name], span, context), Scalar.UINT, Scalar.UINT, span=span)
    if not name.startswith("sub_group_ballot_find"):
        return bit_function("popcount", [looked_at], Scalar.UINT, context)
    bits = held(looked_at, "ballot", context)
    if name.endswith("lsb"):
        return _where(bits, bit_function("ctz", [bits], Scalar.UINT, context), span, context)
    highest = Literal(MOST_IN_BALLOTS - 1, Scalar.UINT, span=span)
    above = bit_function("clz", [bits], Scalar.UINT, context)
    return _where(bits, Binary("-", highest, above, Scalar.UINT, Scalar.UINT, span=span), span, context)


def of_active(function: GroupFunction, arguments: list[Expression], span: Span, context: ThreadContext) -> Expression:
    """A call of a function that takes together the work-items of a sub-group that come to it."""
    if function.of_pairs:
        return _of_pairs(function, arguments, span, context)
    operator, context.has_fences = function.operator, True
    if operator is CollectiveOperator.BALLOT:
        check_size_of_ballots(span, context)
    if operator is CollectiveOperator.INVERSE_BALLOT:
        check_size_of_ballots(span, context)
        ballot = held(first_word(arguments, context), "ballot", context)
        arguments = [_own_bit(ballot, span, context), ballot]
    value, *rest = arguments or [Literal(1, Scalar.INT, span=span)]
    if not isinstance(value.type, Scalar):
        message = f"'{value.span.text}' has type '{show_type(value.type)}', expected a number"
        context.complaints.fail("E119", value.span, message)
    if operator in BITWISE:
        check_integer(value, context)
    cluster = _cluster(rest.pop(), context) if function.has_clusters else 0
    if operator is CollectiveOperator.ROTATE and not cluster:
        cluster = largest_sub_group(context)
    lane = rest[0] if rest else None
    if lane is not None:
        check_integer(lane, context)
        is_signed = operator is CollectiveOperator.ROTATE
        lane = converted(converted(lane, Scalar.INT), Scalar.LONG) if is_signed else converted(lane, Scalar.ULONG)
        if operator in RELATIVE_SHUFFLES:
            lane = at_distance(RELATIVE_SHUFFLES[operator], lane, context)
    is_question = operator in _QUESTIONS or operator in LOGICAL
    if is_question:
        # A predicate is an int. The span is not that of the value, which may be one that is another for each work-item.
        value = converted(value, Scalar.INT)
        zero = converted(Literal(0, Scalar.INT, span=span), value.type)
        value = Binary("!=", value, zero, value.type, Scalar.INT, span=value.span)
    elif value.type is Scalar.BOOL:
        value = converted(value, Scalar.INT)
    site = context.site(operator.value, Level.SUB_GROUP)
    found = Collective(
        operator, Level.SUB_GROUP, value, lane, site, value.type, of_active=True, cluster=cluster, span=span
    )
    match operator:
        case CollectiveOperator.BALLOT:
            return converted(found, Scalar.UINT)
        case CollectiveOperator.ALL_EQUAL:
            return converted(found, Scalar.INT)
        case _:
            return found


def _of_pairs(function: GroupFunction, arguments: list[Expression], span: Span, context: ThreadContext) -> Expression:
    """A shuffle up or down of two values of each work-item, which stand one behind the other (cl_intel_subgroups)."""
    *values, distance = arguments
    check_integer(distance, context)
    size = largest_sub_group(context)
    up = function.operator is CollectiveOperator.SHUFFLE_UP
    distance = converted(converted(distance, Scalar.UINT), Scalar.ULONG)
    lane = at_distance(RELATIVE_SHUFFLES[function.operator], distance, context)
    if up:
        # From the second values back into the first ones.
        lane = _with("+", lane, size)
    steps: list[Statement] = []

    def kept(value: Expression, name: str) -> RegisterPlace:
        place = temporary(name, value.type, span, context)
        steps.append(Declare(place.register, value.type, None, (value,), span=span))
        return place

    lane = _read(kept(lane, "lane"))
    shuffle = GroupFunction(CollectiveOperator.SHUFFLE, Level.SUB_GROUP, of_active=True)
    within = _with("%", lane, size)
    first, second = (_read(kept(of_active(shuffle, [one, within], span, context), "value")) for one in values)
    is_first = Binary("<", lane, Literal(size, Scalar.ULONG, span=span), Scalar.ULONG, Scalar.INT, span=span)
    chosen = Conditional(is_first, first, converted(second, first.type), first.type, span=span)
    return hoist(steps, kept(chosen, "shuffled"), span, context)


def _read(place: RegisterPlace) -> Read:
    return Read(place, place.type, span=place.span)


def _with(operator: str, lane: Expression, number: int) -> Expression:
    return Binary(operator, lane, Literal(number, lane.type, span=lane.span), lane.type, lane.type, span=lane.span)


def _cluster(size: Expression, context: ThreadContext) -> int:
    """The number of work-items in a cluster, which the text says."""
    folded = size
    while isinstance(folded, Convert):
        folded = folded.operand
    most = largest_sub_group(context)
    if not isinstance(folded, Literal) or not isinstance(folded.value, int):
        message = f"'{size.span.text}' is no constant expression, which the size of clusters has to be"
        context.complaints.fail("E171", size.span, message)
    if folded.value not in {1 << step for step in range(most.bit_length())}:
        message = f"a power of two was expected, no larger than the sub-group of {most}; found {folded.value}"
        context.complaints.fail("E171", size.span, message)
    return folded.value


def check_size_of_ballots(span: Span, context: ThreadContext) -> None:
    """Refuse ballots of sub-groups that are larger than a word."""
    size = largest_sub_group(context)
    if size > MOST_IN_BALLOTS:
        message = f"not yet supported: ballots of sub-groups of more than {MOST_IN_BALLOTS} work-items; this has {size}"
        context.complaints.fail("E100", span, message)


def largest_sub_group(context: ThreadContext) -> int:
    """How many work-items a sub-group of this kernel has at most."""
    item = context.placement
    assert isinstance(item, WorkItem)
    return context.work_items.most_in_sub_group(item)


def _own_bit(ballot: Expression, span: Span, context: ThreadContext) -> Expression:
    """Whether the bit of this work-item is set, as 0 or 1."""
    own = Binary(
        "&", ballot, _bits(_MASKS["get_sub_group_eq_mask"], span, context), Scalar.UINT, Scalar.UINT, span=span
    )
    return Binary("!=", own, Literal(0, Scalar.UINT, span=span), Scalar.UINT, Scalar.INT, span=span)


def first_word(words: list[Expression], context: ThreadContext) -> Expression:
    """The word that says all; the others are evaluated before it, where that does anything."""
    for one in words:
        check_integer(one, context)
    found = converted(words[0], Scalar.UINT)
    for other in words[1:]:
        if not isinstance(other, Literal) and not (isinstance(other, Read) and isinstance(other.place, RegisterPlace)):
            found = Sequence(other, found, Scalar.UINT, span=found.span)
    return found


def _bits(of: Callable[[int, int], int], span: Span, context: ThreadContext) -> Expression:
    """A word for each work-item."""
    item, items = context.placement, context.work_items
    assert isinstance(item, WorkItem)

    def word(one: WorkItem) -> int:
        size = min(items.most_in_sub_group(one), MOST_IN_BALLOTS)
        return of(one.sub_group_local_id, size) & _ALL_BITS

    return context.asked.literal(item, word, Scalar.UINT, span)


def _extracted(ballot: Expression, index: Expression, span: Span, context: ThreadContext) -> Expression:
    """The bit of a work-item, which there has to be."""
    check_integer(index, context)
    index = held(converted(index, Scalar.UINT), "index", context)
    item, items = context.placement, context.work_items
    assert isinstance(item, WorkItem)
    size = context.asked.literal(item, lambda one: items.in_sub_group[one.sub_group], Scalar.UINT, span)
    inside = Binary("<", index, size, Scalar.UINT, Scalar.INT, span=span)
    low = Binary("&", index, Literal(MOST_IN_BALLOTS - 1, Scalar.UINT, span=span), Scalar.UINT, Scalar.UINT, span=span)
    moved = Binary(">>", ballot, low, Scalar.UINT, Scalar.UINT, span=span)
    bit = Binary("&", moved, Literal(1, Scalar.UINT, span=span), Scalar.UINT, Scalar.UINT, span=span)
    return _where(inside, converted(bit, Scalar.INT), span, context)


def _where(condition: Expression, value: Expression, span: Span, context: ThreadContext) -> Expression:
    """A value that nothing determines where a condition does not hold."""
    site = context.site(CollectiveOperator.DETERMINED.value, Level.SUB_GROUP)
    return Collective(CollectiveOperator.DETERMINED, Level.SUB_GROUP, value, condition, site, value.type, span=span)
