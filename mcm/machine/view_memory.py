"""Weak memory by views: what a thread may read depends on the events that happen before, not on when it reads.

Each location has a history of messages in modification order, into which a write may be inserted wherever the view of
its thread allows. There are separate views of global and of local memory. Messages carry releases, which an acquire
adds to the view of its thread if the scopes are inclusive. SC operations take effect in the order of execution.

Reads see only writes that have been executed, so that there is no load buffering, and no value out of thin air.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, assert_never

from mcm.machine.access_records import Accesses, AccessRecord
from mcm.machine.conflicts import found_races, record_of
from mcm.machine.copies import CopyViews
from mcm.machine.fact import Fact, FactKind
from mcm.machine.footprint import NO_FOOTPRINT, Footprint
from mcm.machine.history import (
    add_release,
    carried_releases,
    insertion_points,
    latest_writes,
    newest_known,
    visible,
    with_message,
    with_reader,
    with_release,
)
from mcm.machine.memory import Choice, CompareRequest, Effect, ReadRequest, UpdateRequest, WriteRequest
from mcm.machine.memory_layout import BOTH, GLOBAL, IMAGES, LOCAL
from mcm.machine.repetition import may_fail, read_adds_nothing, repeated_update
from mcm.machine.row import replaced, row
from mcm.machine.view import Message, PendingAcquire, Release, ThreadView, ViewState
from mcm.machine.view_changes import handed_by, merged, met
from mcm.program.types import Flag, Order
from mcm.program.value_arithmetic import are_same

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcm.machine.buffer_use import BufferUse
    from mcm.machine.event_bits import EventBits
    from mcm.machine.memory import Misuse, Race, Request
    from mcm.machine.memory_layout import LocationInfo, MemoryLayout
    from mcm.machine.view import Views
    from mcm.program.types import Scope, Value

_ONLY: Final = (Choice(0),)


class ViewMemory(CopyViews):
    """Memory with views. `remembers_reads`: some fence or barrier may acquire what was read before it.

    `boxes` is how many boxes commands need, `bits` are those of events and facts. `uses` finds misuses of buffers.
    """

    name = "views"
    is_one_store = False

    def __init__(
        self,
        layout: MemoryLayout,
        bits: EventBits,
        uses: BufferUse | None = None,
        *,
        remembers_reads: bool = True,
        boxes: int = 0,
    ) -> None:
        self._layout = layout
        self._boxes = (0,) * boxes
        self._bits = bits
        self._uses = uses
        self._threads = len(layout.placements)
        self._remembers_reads = remembers_reads
        self._fences = 1 << len(layout.locations)

    def start(self) -> ViewState:
        """One initial message for each location, which every thread has seen."""
        histories = tuple(
            (Message(0, p.begins_with, -1, 0, 0, 0, frozenset(), False, False, False, p.is_indeterminate),)  # noqa: FBT003
            for p in self._layout.locations
        )
        accesses = row((Accesses(),) * len(histories))
        return ViewState(row((ThreadView(),) * self._threads), row(histories), accesses, 0, self._boxes)

    # --- what may happen ----------------------------------------------------------------------------------------------

    def choices(self, state: ViewState, thread: int, request: Request) -> Sequence[Choice]:
        """The messages that may be read, or after which may be written."""
        view, history = state.threads[thread], state.histories[request.location]
        info = self._layout.locations[request.location]
        if info.is_pipe:
            return [Choice(len(history) - 1)]
        if not info.atomic:
            return self._plain_choices(view, history, info, request)
        seen = 0 if info.region is None else view.seen[info.region]
        match request:
            case ReadRequest(_, _, order):
                if order is not None:
                    return [Choice(i) for i in self._readable(state, thread, request.location, order)]
                # VIS-2 is about objects that are not atomic; this read races or reads what an atomic one would.
                return [Choice(i) for i in range(newest_known(history, seen), len(history))]
            case WriteRequest(_, _, _, order):
                first = newest_known(history, seen, view.write_floor)
                return [Choice(i) for i in insertion_points(history, first, is_sc=order is Order.SEQ_CST)]
            case UpdateRequest(_, _, _, order):
                assert order is not None, "it is none of a pipe"
                return [Choice(i) for i in self._updatable(state, thread, request.location, order)]
            case CompareRequest():
                return list(self._comparable(state, thread, request))
            case _:
                assert_never(request)

    def _plain_choices(
        self, view: ThreadView, history: tuple[Message, ...], info: LocationInfo, request: Request
    ) -> Sequence[Choice]:
        """The choices for a location without atomic accesses, which has no modification order."""
        if isinstance(request, WriteRequest):
            return _ONLY
        seen = 0 if info.region is None else view.seen[info.region]
        return [Choice(i) for i in visible(history, seen, view.unfenced, is_ordered=info.region is not None)]

    def _readable(self, state: ViewState, thread: int, location: int, order: Order) -> Iterator[int]:
        """The messages that an atomic read may read."""
        view, history = state.threads[thread], state.histories[location]
        region = self._layout.locations[location].region
        is_sc = order is Order.SEQ_CST
        limit = view.read_floor | (state.published if is_sc else 0)
        first = newest_known(history, 0 if region is None else view.seen[region], limit)
        last_sc = next((i for i in reversed(range(len(history))) if history[i].is_sc), None)
        for i in range(first, len(history)):
            if is_sc and last_sc is not None and i != last_sc:
                # SC-3, SC-4: the last SC write, or one that is not SC and does not happen before it.
                hidden = region is not None and (i == 0 or history[i].event & history[last_sc].before)
                if history[i].is_sc or hidden:
                    continue
            yield i

    def _updatable(self, state: ViewState, thread: int, location: int, order: Order) -> Iterator[int]:
        """The messages that a read-modify-write may read, and directly after which it may write."""
        view, history = state.threads[thread], state.histories[location]
        region = self._layout.locations[location].region
        first = newest_known(history, 0 if region is None else view.seen[region], view.write_floor)
        for i in self._readable(state, thread, location, order):
            taken = i + 1 < len(history) and history[i + 1].attached
            late = order is not Order.SEQ_CST or not any(message.is_sc for message in history[i + 1 :])
            if i >= first and not taken and late:
                yield i

    def _comparable(self, state: ViewState, thread: int, request: CompareRequest) -> Iterator[Choice]:
        history, accesses = state.histories[request.location], state.accesses[request.location]
        for i in self._updatable(state, thread, request.location, request.success):
            if are_same(history[i].value, request.expected):
                yield Choice(i)
        for i in self._readable(state, thread, request.location, request.failure):
            is_expected = are_same(history[i].value, request.expected)
            if not is_expected or may_fail(request, thread, history[i], accesses):
                yield Choice(i, succeeds=False)

    def footprint(self, location: int, order: Order | None, *, writes: bool) -> Footprint:
        """The location if it is atomic; none for a plain object, where a read depends only on what happens before it.

        A race of two accesses is found by whichever comes second. SC accesses of any location conflict with SC fences.
        """
        info = self._layout.locations[location]
        if not info.atomic and info.region is not None:
            return NO_FOOTPRINT
        fences = self._fences if order is Order.SEQ_CST else 0
        return Footprint(fences, 1 << location) if writes else Footprint(fences | 1 << location)

    def fence_footprint(self, order: Order) -> Footprint:
        """SC fences affect SC accesses of other threads; other fences only their own thread."""
        return Footprint(writes=self._fences) if order is Order.SEQ_CST else NO_FOOTPRINT

    # --- accesses -----------------------------------------------------------------------------------------------------

    def perform(self, state: ViewState, thread: int, request: Request, choice: Choice) -> Effect[ViewState]:
        """Perform a request."""
        source = state.histories[request.location][choice.message]
        match request:
            case ReadRequest(_, _, order, scope):
                return self._read(state, thread, request, choice, order, scope)
            case CompareRequest(_, _, _, _, _, failure, scope) if not choice.succeeds:
                return self._read(state, thread, request, choice, failure, scope)
            case WriteRequest(_, _, new, order, scope):
                return self._write(state, thread, request, choice, new, order, scope, is_update=False)
            case UpdateRequest(_, _, combine, order, scope):
                new = combine(source.value)
                is_same = are_same(new, source.value)
                repeated = self._repeated(state, thread, request, choice, order, scope) if is_same else None
                return repeated or self._write(state, thread, request, choice, new, order, scope, is_update=True)
            case CompareRequest(_, _, _, new, order, _, scope):
                return self._write(state, thread, request, choice, new, order, scope, is_update=True)
            case _:
                assert_never(request)

    def _read(
        self,
        state: ViewState,
        thread: int,
        request: Request,
        choice: Choice,
        order: Order | None,
        scope: Scope | None,
    ) -> Effect[ViewState]:
        location, view = request.location, state.threads[thread]
        info, event = self._layout.locations[location], self._event(state, thread)
        message = state.histories[location][choice.message]
        gained = self._acquired_views(thread, message, info, order, scope)
        after, before = self._after_access(view, event, info, gained, view.latest_reads | event)
        if order is not None:
            after = self._with_pending(after, thread, message, info)
        own = self._of_location(event, info)
        access = record_of(self._layout, info, own, thread, request.site, scope, writes=False)
        races, misuses = self._wrong(state, access, info, location, before)
        gains = info.region is not None and gained[info.region] & ~view.seen[info.region]
        if gains or not read_adds_nothing(view, message, access, state.accesses[location], after):
            state = state._replace(
                threads=replaced(state.threads, thread, after),
                histories=replaced(
                    state.histories, location, with_reader(state.histories[location], choice.message, own)
                ),
                accesses=replaced(state.accesses, location, state.accesses[location].and_also(access)),
            )
            if self._uses is not None:
                state = self._uses.after(state, access, location, before)
        return Effect(state, message.value, choice.succeeds, races, message.indeterminate, misuses)

    def _write(  # noqa: PLR0913
        self,
        state: ViewState,
        thread: int,
        request: Request,
        choice: Choice,
        value: Value,
        order: Order | None,
        scope: Scope | None,
        *,
        is_update: bool,
    ) -> Effect[ViewState]:
        location, view = request.location, state.threads[thread]
        info, event = self._layout.locations[location], self._event(state, thread)
        history, gained = state.histories[location], (0, 0)
        source = history[choice.message]
        own = self._of_location(event, info)
        if is_update:
            gained = self._acquired_views(thread, source, info, order, scope)
            history = with_reader(history, choice.message, own)
        seen = view.seen
        view, before = self._after_access(view, event, info, gained, latest_reads=0)
        if info.is_image:
            view = view._replace(unfenced=view.unfenced | own)
        if is_update:
            view = self._with_pending(view, thread, source, info)
        releases, inherits = carried_releases(source, thread, is_update=is_update)
        if order is not None:
            view = view._replace(writes=view.writes | event)
            for release in self._released(thread, view, event, info, order, scope, merged(seen, gained, info)):
                releases = with_release(releases, release)
        message = Message(
            own,
            value,
            thread,
            view.number,
            before,
            0,
            releases,
            is_update,
            inherits,
            order is Order.SEQ_CST,
            False,  # noqa: FBT003
        )
        access = record_of(self._layout, info, own, thread, request.site, scope, writes=True)
        changed = state._replace(
            threads=replaced(state.threads, thread, view),
            histories=replaced(
                state.histories, location, with_message(history, choice.message, message, is_ordered=info.atomic)
            ),
            accesses=replaced(state.accesses, location, state.accesses[location].and_also(access)),
        )
        if self._uses is not None:
            changed = self._uses.after(changed, access, location, before)
        races, misuses = self._wrong(state, access, info, location, before)
        return Effect(changed, source.value, True, races, is_update and source.indeterminate, misuses)  # noqa: FBT003

    def _repeated(
        self, state: ViewState, thread: int, request: Request, choice: Choice, order: Order | None, scope: Scope | None
    ) -> Effect[ViewState] | None:
        """The effect of an update that writes back what it reads, if it adds nothing to an earlier one."""
        location, view = request.location, state.threads[thread]
        info, history, accesses = self._layout.locations[location], state.histories[location], state.accesses[location]
        source = history[choice.message]
        gained = self._acquired_views(thread, source, info, order, scope)
        if info.region is None or gained[info.region] & ~view.seen[info.region]:
            return None
        earlier = repeated_update(view, thread, request.site, history, choice.message, accesses)
        if earlier is None:
            return None
        if earlier is not source and not source.readers & earlier.event:
            history = with_reader(history, choice.message, earlier.event)
            state = state._replace(histories=replaced(state.histories, location, history))
        access = record_of(self._layout, info, earlier.event, thread, request.site, scope, writes=True)
        races, misuses = self._wrong(state, access, info, location, merged(view.seen, gained, info)[info.region])
        return Effect(state, source.value, True, races, misuses=misuses)  # noqa: FBT003

    def _event(self, state: ViewState, thread: int) -> int:
        """The bits of the next event of a thread."""
        return self._bits.of((thread, state.threads[thread].number))

    def _of_location(self, event: int, info: LocationInfo) -> int:
        """The bit of an event that says what happens before in memory of the kind of a location."""
        return self._bits.of_fine_grain(event) if info.is_fine_grain else self._bits.of_other(event)

    def _acquired_views(
        self, thread: int, message: Message, info: LocationInfo, order: Order | None, scope: Scope | None
    ) -> Views:
        """The views that an operation gains when it reads a message: empty unless it acquires."""
        if order is None or scope is None or info.region is None or not order.acquires:
            return (0, 0)
        gained = [0, 0]
        for release in message.releases:
            includes = self._layout.includes(release.unit, release.scope, thread, scope, info.reach)
            if release.unit != thread and includes:
                add_release(gained, release, info.region, crosses=release.is_sc and order is Order.SEQ_CST)
        return gained[0], gained[1]

    def _after_access(
        self, view: ThreadView, event: int, info: LocationInfo, gained: Views, latest_reads: int
    ) -> tuple[ThreadView, int]:
        """The view after an access, and what happens before the access in the region of its location."""
        if info.region is None:
            return view._replace(number=view.number + 1, latest_reads=latest_reads), 0
        known = merged(view.seen, gained, info)
        before = known[info.region]
        seen = (before | event, view.seen[1]) if info.region == GLOBAL else (view.seen[0], before | event)
        return view._replace(number=view.number + 1, seen=seen, latest_reads=latest_reads), before

    def _with_pending(self, view: ThreadView, thread: int, message: Message, info: LocationInfo) -> ThreadView:
        """The view after an atomic read, with the releases that a later acquire fence may acquire."""
        if not self._remembers_reads or info.region is None or not message.releases:
            return view
        region, reach = info.region, info.reach
        more = {PendingAcquire(release, region, reach) for release in message.releases if release.unit != thread}
        return view._replace(pending=view.pending | more)

    def _released(
        self,
        thread: int,
        view: ThreadView,
        event: int,
        info: LocationInfo,
        order: Order,
        scope: Scope | None,
        before: Views,
    ) -> frozenset[Release]:
        """The releases of an atomic write: those of fences before it, and its own."""
        if info.region is None:
            return frozenset()
        mask = 1 << info.region
        found = frozenset(release for release in view.released if release.regions & mask)
        if scope is not None and order.releases:
            own = Release(event, thread, scope, mask, False, order is Order.SEQ_CST, before)  # noqa: FBT003
            found |= {own}
        return found

    def _wrong(
        self, state: ViewState, access: AccessRecord, info: LocationInfo, location: int, before: int
    ) -> tuple[tuple[Race, ...], tuple[Misuse, ...]]:
        """What an access makes wrong, where `before` is what happens before it."""
        races = found_races(self._layout, state.accesses[location], access, info, before)
        return tuple(races), () if self._uses is None else self._uses.found(state, access, location, before)

    # --- fences and barriers ------------------------------------------------------------------------------------------

    def fence(self, state: ViewState, thread: int, flags: frozenset[Flag], order: Order, scope: Scope) -> ViewState:
        """The state after a fence of any order."""
        view = self._fenced(state, thread, self._layout.regions(flags), order, scope).with_image_fence(flags, order)
        published = state.published
        if order is Order.SEQ_CST:
            # SC-F1 to SC-F4.
            sc_writes = sum(message.event for history in state.histories for message in history if message.is_sc)
            view = view._replace(
                read_floor=view.read_floor | sc_writes | published, write_floor=view.write_floor | published
            )
            published |= view.writes
        return state._replace(threads=replaced(state.threads, thread, view), published=published)

    def arrive(self, state: ViewState, thread: int, flags: frozenset[Flag], scope: Scope) -> ViewState:
        """BAR-1: the entry is a release fence, which the exits of the group acquire."""
        regions, event = self._layout.regions(flags), self._event(state, thread)
        before = tuple(state.threads[thread].seen[r] if regions >> r & 1 else 0 for r in (GLOBAL, LOCAL))
        handing = regions | (IMAGES if Flag.IMAGE in flags else 0)
        entry = Release(event, thread, scope, handing, True, False, (before[0], before[1]))  # noqa: FBT003
        view = self._fenced(state, thread, regions, Order.RELEASE, scope).with_image_fence(flags, Order.RELEASE)
        return state._replace(threads=replaced(state.threads, thread, view._replace(entry=entry)))

    def leave(self, state: ViewState, group: Sequence[int]) -> ViewState:
        """BAR-2, BAR-3, IMG-2: each exit acquires the entries of the group, and is an acquire fence.

        The own entry of a thread happens before its exit in any case.
        """
        entries = {member: entry for member in group if (entry := state.threads[member].entry) is not None}
        handed = handed_by(entries, state, self._layout)
        threads = list(state.threads)
        for member, entry in entries.items():
            gained = (handed[0] if entry.regions & 1 else 0, handed[1] if entry.regions & 2 else 0)
            view = self._fenced(state, member, entry.regions & BOTH, Order.ACQUIRE, entry.scope, gained)
            of_images = handed[2] if entry.regions & IMAGES else 0
            threads[member] = view._replace(entry=None, seen=(view.seen[GLOBAL] | of_images, view.seen[LOCAL]))
        return state._replace(threads=row(threads))

    def meet(self, state: ViewState, group: Sequence[int]) -> ViewState:
        """SYCL-COLL-1: what each member of a group has seen happens before the next action of all of them."""
        return state._replace(threads=row(met(state.threads, group)))

    def _fenced(
        self, state: ViewState, thread: int, regions: int, order: Order, scope: Scope, given: Views = (0, 0)
    ) -> ThreadView:
        """The view of a thread after a fence, without the effects that only SC fences have."""
        view, event = state.threads[thread], self._event(state, thread)
        gained = list(given)
        if order.acquires:
            self._take_pending(gained, view, thread, regions, scope, is_sc=order is Order.SEQ_CST)
        before = [gained[r] | (view.seen[r] if regions >> r & 1 else 0) for r in (GLOBAL, LOCAL)]
        seen = [before[r] | event if regions >> r & 1 else view.seen[r] for r in (GLOBAL, LOCAL)]
        released = view.released
        if order.releases:
            fence = Release(event, thread, scope, regions, True, order is Order.SEQ_CST, (before[0], before[1]))  # noqa: FBT003
            released = with_release(released, fence)
        return view._replace(number=view.number + 1, seen=(seen[0], seen[1]), released=released, latest_reads=0)

    def _take_pending(
        self, gained: list[int], view: ThreadView, thread: int, regions: int, scope: Scope, *, is_sc: bool
    ) -> None:
        """SW-2, SW-4: add to `gained` the releases that an acquire fence acquires because of reads before it."""
        for release, region, reach in view.pending:
            includes = self._layout.includes(release.unit, release.scope, thread, scope, reach)
            if regions >> region & 1 and includes:
                dual = release.is_fence and release.regions == BOTH and regions == BOTH
                add_release(gained, release, region, crosses=dual or (is_sc and release.is_sc))

    # --- commands -----------------------------------------------------------------------------------------------------

    def give(self, state: ViewState, thread: int, box: int, *, to_child: bool = False) -> ViewState:
        """Put what a thread has seen of global memory into a box."""
        view = state.threads[thread]
        given = self._bits.of_fine_grain(view.seen[GLOBAL]) if to_child else view.seen[GLOBAL]
        threads = replaced(state.threads, thread, view._replace(latest_reads=0))
        return state._replace(threads=threads, boxes=replaced(state.boxes, box, state.boxes[box] | given))

    def pass_on(self, state: ViewState, sources: Sequence[int], box: int) -> ViewState:
        """Put what is in some boxes into another one."""
        whole = state.boxes[box]
        for source in sources:
            whole |= state.boxes[source]
        return state._replace(boxes=replaced(state.boxes, box, whole))

    def take(self, state: ViewState, thread: int, box: int) -> ViewState:
        """What is in a box happens before the next action of a thread in global memory."""
        view = state.threads[thread]
        seen = (view.seen[GLOBAL] | state.boxes[box], view.seen[LOCAL])
        return state._replace(threads=replaced(state.threads, thread, view._replace(seen=seen, latest_reads=0)))

    def learn(self, state: ViewState, thread: int, fact: Fact) -> ViewState:
        """A fact happens before the next action of a thread; the same state if the thread knows it."""
        view, bits = state.threads[thread], self._bits.of(fact)
        if view.seen[GLOBAL] & bits == bits:
            return state
        view = view._replace(seen=(view.seen[GLOBAL] | bits, view.seen[LOCAL]), latest_reads=0)
        return state._replace(threads=replaced(state.threads, thread, view))

    def unmap(self, state: ViewState, thread: int, command: int) -> tuple[ViewState, tuple[Misuse, ...]]:
        """The state after a thread has called an unmap, and the accesses that the map should not have ended for."""
        state = self.learn(state, thread, Fact(FactKind.CALLED, command))
        if self._uses is None:
            return state, ()
        return self._uses.unmapped(state, command, state.threads[thread].seen[GLOBAL])

    def put(self, state: ViewState, box: int, fact: Fact) -> ViewState:
        """Put a fact into a box."""
        return state._replace(boxes=replaced(state.boxes, box, state.boxes[box] | self._bits.of(fact)))

    def knows(self, state: ViewState, thread: int, fact: Fact) -> bool:
        """Whether a fact happens before the next action of a thread."""
        return bool(state.threads[thread].seen[GLOBAL] & self._bits.of(fact))

    # --- the end ------------------------------------------------------------------------------------------------------

    def finals(self, state: ViewState, locations: Sequence[int]) -> Sequence[tuple[Value, ...]]:
        """The last message of an atomic location; of others any write that happens before no other write (MO-2)."""
        found: list[tuple[Value, ...]] = [()]
        for location in locations:
            history, info = state.histories[location], self._layout.locations[location]
            values = [history[-1].value]
            if not info.atomic:
                values = [history[i].value for i in latest_writes(history)]
            found = [(*done, value) for done in found for value in dict.fromkeys(values)]
        return found
