"""Calls of OpenCL C as SYCL writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.program.resolve import signatures as op
from mcm.program.resolve.signatures import SIGNATURES, Argument
from mcm.syntax import ast
from mcm.syntax.print_expressions import show_expression

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mcm.program.operators import Level
    from mcm.program.resolve.signatures import Signature
    from mcm.syntax.ast import Expression

_IDS: Final = {
    "get_global_id": "get_global_id",
    "get_local_id": "get_local_id",
    "get_group_id": "get_group",
    "get_global_size": "get_global_range",
    "get_local_size": "get_local_range",
    "get_num_groups": "get_group_range",
    "get_global_linear_id": "get_global_linear_id",
    "get_local_linear_id": "get_local_linear_id",
    "get_sub_group_id": "get_sub_group().get_group_linear_id",
    "get_sub_group_local_id": "get_sub_group().get_local_linear_id",
}
_GROUPS: Final = {"work_group": "get_group()", "sub_group": "get_sub_group()"}
_COLLECTIVES: Final = {
    "all": "all_of_group({group}, {value})",
    "any": "any_of_group({group}, {value})",
    "broadcast": "group_broadcast({group}, {value})",
    "shuffle": "select_from_group({group}, {value})",
    "shuffle_up": "shift_group_right({group}, {value})",
    "shuffle_down": "shift_group_left({group}, {value})",
    "shuffle_xor": "permute_group_by_xor({group}, {value})",
    **{
        f"{ours}_{word}": f"{theirs}({{group}}, {{value}}, {function}<>())"
        for ours, theirs in (
            ("reduce", "reduce_over_group"),
            ("scan_inclusive", "inclusive_scan_over_group"),
            ("scan_exclusive", "exclusive_scan_over_group"),
        )
        for word, function in (
            *(("add", "plus"), ("min", "minimum"), ("max", "maximum"), ("mul", "multiplies")),
            *(("and", "bit_and"), ("or", "bit_or"), ("xor", "bit_xor")),
            *(("logical_and", "logical_and"), ("logical_or", "logical_or")),
        )
    },
}
_MEMBERS: Final = {
    "EXCHANGE": "exchange",
    **{word.upper(): f"fetch_{word}" for word in ("add", "sub", "and", "or", "xor", "min", "max")},
}


class Calls:
    """Converts the calls of one unit; `shown` prints an operand, `types` says what pointers point at.

    `item` is the name of the work-item, whose range has so many `dimensions`.
    """

    def __init__(
        self,
        shown: Callable[[Expression], str],
        types: Mapping[str, str],
        *,
        is_host: bool,
        dimensions: int = 1,
        item: str = "it",
    ) -> None:
        self._shown: Final = shown
        self._types: Final = types
        self._is_host: Final = is_host
        self._dimensions: Final = dimensions
        self._item: Final = item

    def convert(self, call: ast.Call) -> str | None:
        """The text of a call in SYCL; None where it stays as it is."""
        name = call.function.text
        if name in _IDS:
            return f"{self._item}.{_IDS[name]}({', '.join(map(self._dimension, call.arguments))})"
        signature = SIGNATURES.get(name)
        if signature is None:
            return None
        found = _by_kind(signature, call)
        match signature.operation:
            case op.MemoryFence():
                return self._fence(signature, found)
            case op.GroupBarrier(level):
                scope = found.get(Argument.SCOPE)
                scopes = "" if scope is None else f", {_scope(scope[0])}"
                return f"group_barrier({self._group(level)}{scopes})"
            case op.GroupFunction(of_active=True):
                # SYCL has none that take together those who come.
                return None
            case op.GroupFunction(operator, level):
                values = ", ".join(map(self._shown, call.arguments))
                form = _COLLECTIVES.get(operator.value)
                return None if form is None else form.format(group=self._group(level), value=values)
            case op.LegacyExchange():
                return None
            case _:
                return self._atomic(signature, found)

    def _dimension(self, node: Expression) -> str:
        """A dimension: the last one of SYCL is the first one of OpenCL."""
        last, text = self._dimensions - 1, self._shown(node)
        return f"{last} - ({text})" if last and not text.isdecimal() else str(last - int(text)) if last else text

    def _group(self, level: Level) -> str:
        return f"{self._item}.{_GROUPS[level.value]}"

    def _fence(self, signature: Signature, found: Mapping[Argument, list[Expression]]) -> str:
        order = _order(found, signature)[0]
        if self._is_host:
            return f"std::atomic_thread_fence(std::memory_order_{order})"
        scope = "work_group" if signature.is_legacy else "device"
        written = _scope(found[Argument.SCOPE][0]) if Argument.SCOPE in found else f"memory_scope::{scope}"
        return f"atomic_fence(memory_order::{order}, {written})"

    def _atomic(self, signature: Signature, found: Mapping[Argument, list[Expression]]) -> str:
        target = found[Argument.OBJECT][0]
        values = [self._shown(value) for value in found.get(Argument.VALUE, ())]
        orders = _order(found, signature)
        match signature.operation:
            case op.Init():
                return f"{self._object(target)} = {values[0]}"
            case op.Load():
                member = "load"
            case op.Store(fixed):
                member, values = "store", values or [str(fixed)]
            case op.Update(operator, fixed):
                member, values = _MEMBERS[operator.name], values or [str(fixed)]
            case _:
                member = signature.name.removeprefix("atomic_").removesuffix("_explicit")
                values = [self._object(found[Argument.EXPECTED][0]), *values]
                orders = orders * 2 if len(orders) == 1 else orders
        return self._member(target, member, values, orders, found)

    def _member(
        self,
        target: Expression,
        member: str,
        values: list[str],
        orders: list[str],
        found: Mapping[Argument, list[Expression]],
    ) -> str:
        kind = self._types.get(_root(target), "int")
        if self._is_host:
            written = [*values, *(f"std::memory_order_{order}" for order in orders)]
            return f"std::atomic_ref<{kind}>({self._object(target)}).{member}({', '.join(written)})"
        scope = _scope(found[Argument.SCOPE][0]) if Argument.SCOPE in found else "memory_scope::device"
        default = orders[0] if orders[0] in {"relaxed", "seq_cst"} else "relaxed"
        if any(order != default for order in orders):
            values = [*values, *(f"memory_order::{order}" for order in orders)]
        class_ = f"atomic_ref<{kind}, memory_order::{default}, {scope}>"
        return f"{class_}({self._object(target)}).{member}({', '.join(values)})"

    def _object(self, pointer: Expression) -> str:
        """What a pointer points at."""
        if isinstance(pointer, ast.Prefix) and pointer.operator == "&":
            return self._shown(pointer.operand)
        simple = isinstance(pointer, ast.Name)
        return f"*{self._shown(pointer)}" if simple else f"*({self._shown(pointer)})"


def _by_kind(signature: Signature, call: ast.Call) -> dict[Argument, list[Expression]]:
    found: dict[Argument, list[Expression]] = {}
    for kind, argument in zip(signature.parameters, call.arguments, strict=False):
        found.setdefault(kind, []).append(argument)
    return found


def _order(found: Mapping[Argument, list[Expression]], signature: Signature) -> list[str]:
    written = [show_expression(one) for one in found.get(Argument.ORDER, ())] or [signature.order.value]
    return [word.removeprefix("memory_order_") for word in written]


def _scope(node: Expression) -> str:
    word = show_expression(node).removeprefix("memory_scope_")
    return f"memory_scope::{'system' if word in {'all_svm_devices', 'all_devices'} else word}"


def _root(pointer: Expression) -> str:
    """The name that a pointer is made from."""
    match pointer:
        case ast.Name(text):
            return text
        case ast.Prefix(_, operand):
            return _root(operand)
        case ast.Index(base) | ast.Infix(_, base):
            return _root(base)
        case ast.Cast(_, operand):
            return _root(operand)
        case _:
            return ""
