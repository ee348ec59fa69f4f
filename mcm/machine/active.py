"""Functions of sub-groups that take together the work-items that come to a call (COLL-3).

Whoever comes waits until each other member of the sub-group has come to the same call, or can come no more: it has
finished, or nothing that it may go on to leads there in these iterations.
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any, Final

from mcm.machine.code import Branch, ChooseOrder, Collective, Compute, GroupFunction, Jump, Stop
from mcm.machine.group_functions import dynamic_instance
from mcm.program.collectives import EXCLUSIVE_SCANS, INCLUSIVE_SCANS, REDUCTIONS, identity
from mcm.program.operators import CollectiveOperator, Level
from mcm.program.value_arithmetic import apply_binary, is_true

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcm.machine.compiled import CompiledProgram
    from mcm.machine.configuration import Configuration
    from mcm.program.types import Type, Value

    # The numbers of the iterations of the loops around a call, outermost first.
    _Iterations = tuple[Value, ...]


class ActiveCalls:
    """Which members of sub-groups go on together from such calls, and with what."""

    def __init__(self, compiled: CompiledProgram) -> None:
        self._compiled: Final = compiled
        # Where the calls are in the code of each thread, by their sites.
        self._places: Final[list[dict[str, list[int]]]] = []
        for code in compiled.threads:
            places: dict[str, list[int]] = {}
            for place, node in enumerate(code.instructions):
                if isinstance(node, Collective) and node.of_active:
                    places.setdefault(node.site, []).append(place)
            self._places.append(places)
        self.are_any: Final = any(self._places)
        self._ways: Final[dict[tuple[int, int, int, _Iterations, _Iterations], bool]] = {}

    def complete(self, now: Configuration[Any], thread: int) -> tuple[int, ...]:
        """Members of the sub-group of a thread who have come to one call, to which no other may come; or none."""
        group = self._compiled.group(thread, Level.SUB_GROUP)[0]
        for member in group:
            if self.is_there(now, member) and not any(self.may_come(now, other, member) for other in group):
                return self.together(now, member)
        return ()

    def is_there(self, now: Configuration[Any], thread: int) -> bool:
        """Whether a thread waits at such a call."""
        node = self._compiled.instruction(now, thread)
        return now.is_waiting(thread) and isinstance(node, Collective) and node.of_active

    def together(self, now: Configuration[Any], thread: int) -> tuple[int, ...]:
        """The members of a sub-group who wait at the same call in the same iterations as a thread."""
        here = dynamic_instance(self._compiled, now, thread)
        group = self._compiled.group(thread, Level.SUB_GROUP)[0]
        return tuple(
            one for one in group if self.is_there(now, one) and dynamic_instance(self._compiled, now, one) == here
        )

    def may_come(self, now: Configuration[Any], thread: int, waiting: int) -> bool:
        """Whether a thread that is not there may still come to the call at which another one waits."""
        if now.is_finished(thread):
            return False
        node = self._compiled.instruction(now, waiting)
        assert isinstance(node, Collective)
        wanted = tuple(now.slots[waiting][slot] for slot in node.iterations)
        start = now.counters[thread]
        if now.is_waiting(thread) and isinstance(self._compiled.instruction(now, thread), GroupFunction):
            if dynamic_instance(self._compiled, now, thread) == dynamic_instance(self._compiled, now, waiting):
                return False
            start += 1
        return any(
            self._leads_to(thread, place, start, now.slots[thread], wanted)
            for place in self._places[thread].get(node.site, ())
        )

    def _leads_to(self, thread: int, place: int, start: int, slots: Sequence[Value], wanted: _Iterations) -> bool:
        """Whether some way through the code leads to a place in some iterations, whatever conditions are."""
        node = self._compiled.threads[thread].instructions[place]
        assert isinstance(node, Collective)
        passed = _nearest(tuple(slots[slot] for slot in node.iterations), wanted)
        key = thread, place, start, passed, wanted
        if key not in self._ways:
            self._ways[key] = self._search(thread, place, start, passed, wanted)
        return self._ways[key]

    def _search(self, thread: int, place: int, start: int, passed: _Iterations, wanted: _Iterations) -> bool:
        code = self._compiled.threads[thread].instructions
        node = code[place]
        assert isinstance(node, Collective)
        positions = {slot: position for position, slot in enumerate(node.iterations)}
        ways = [(start, passed)]
        seen: set[tuple[int, _Iterations]] = set()
        while ways:
            way = ways.pop()
            if way in seen:
                continue
            seen.add(way)
            counter, passed = way
            if counter == place and passed == wanted:
                return True
            match code[counter]:
                case Stop():
                    continue
                case Jump(to):
                    ways.append((to, passed))
                case Branch(_, otherwise):
                    ways += [(counter + 1, passed), (otherwise, passed)]
                case ChooseOrder(first, second):
                    ways += [(first, passed), (second, passed)]
                case Compute(target, value) if target in positions:
                    after = _counted(dict(zip(node.iterations, passed, strict=True)), positions[target], value, node)
                    # Earlier iterations do not come again.
                    if after[: positions[target] + 1] <= wanted[: positions[target] + 1]:
                        ways.append((counter + 1, _nearest(after, wanted)))
                case _:
                    ways.append((counter + 1, passed))
        return False

    def results(self, now: Configuration[Any], members: Sequence[int]) -> list[Value]:
        """What a call returns to each of the members that have come to it; 0 where nothing determines it."""
        ranks = {one: n for n, one in enumerate(self._compiled.group(members[0], Level.SUB_GROUP)[0])}
        operands: dict[int, Value] = {}
        for member in members:
            node = self._compiled.instruction(now, member)
            assert isinstance(node, Collective)
            operands[ranks[member]] = node.operand(now.slots[member])
        return [self._result(now, member, ranks[member], operands) for member in members]

    def _result(self, now: Configuration[Any], member: int, rank: int, operands: Mapping[int, Value]) -> Value:
        node = self._compiled.instruction(now, member)
        assert isinstance(node, Collective)
        first = operands[min(operands)]
        match node.operator:
            case CollectiveOperator.ALL:
                return int(all(map(is_true, operands.values())))
            case CollectiveOperator.ANY:
                return int(any(map(is_true, operands.values())))
            case CollectiveOperator.ELECT:
                return int(rank == min(operands))
            case CollectiveOperator.BROADCAST_FIRST:
                return first
            case CollectiveOperator.ALL_EQUAL:
                same = all(is_true(apply_binary("==", one, first, node.type)) for one in operands.values())
                return float(same) if node.type.is_floating else int(same)
            case CollectiveOperator.BALLOT:
                return sum(1 << other for other, operand in operands.items() if is_true(operand))
            case CollectiveOperator.INVERSE_BALLOT:
                return operands[rank]
        if node.operator in REDUCTIONS:
            mine = [
                v for other, v in operands.items() if not node.cluster or other // node.cluster == rank // node.cluster
            ]
            return _combined(REDUCTIONS[node.operator], mine, node.type)
        if node.operator in INCLUSIVE_SCANS:
            upto = [value for other, value in operands.items() if other <= rank]
            return _combined(INCLUSIVE_SCANS[node.operator], upto, node.type)
        if node.operator in EXCLUSIVE_SCANS:
            symbol = EXCLUSIVE_SCANS[node.operator]
            before = [value for other, value in operands.items() if other < rank]
            return _combined(symbol, before, node.type) if before else identity(symbol, node.type)
        assert node.lane is not None
        lane = node.lane(now.slots[member])
        assert isinstance(lane, int)
        if node.operator is CollectiveOperator.ROTATE:
            start = rank - rank % node.cluster
            lane = start + (rank - start + lane) % node.cluster
        return operands.get(lane, 0)


def _combined(symbol: str, operands: Sequence[Value], type_: Type) -> Value:
    return reduce(lambda found, operand: apply_binary(symbol, found, operand, type_), operands)


def _counted(slots: dict[int, Any], position: int, value: Any, node: Collective) -> _Iterations:
    """The numbers of iterations after one of them is computed."""
    slots[node.iterations[position]] = value(slots)
    return tuple(slots[slot] for slot in node.iterations)


def _nearest(passed: _Iterations, wanted: _Iterations) -> _Iterations:
    """Numbers of iterations, where those of loops inside iterations that are not the wanted ones mean nothing."""
    found = list(passed)
    for position in range(len(passed)):
        if found[:position] != list(wanted[:position]):
            found[position] = 0
    return tuple(found)
