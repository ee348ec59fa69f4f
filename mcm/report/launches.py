"""What kernels of a file that are launched together, and race, are told to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.front_end.kernel_source import is_kernel_file, is_program_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.answer.result import Found, Problem

# Rules about atomic operations of several kernel instances on one buffer.
_OF_BUFFERS: Final = frozenset({"SCOPE-3", "CC-1"})


def notes_on_launches(result: Found) -> Iterator[str]:
    """How to say that one launch comes behind another, and that atomic operations may be on one object."""
    problems = [problem for problem in (*result.undefined, *result.impl_defined) if _is_of_two(problem)]
    if not problems:
        return
    plain = [problem for problem in problems if _OF_BUFFERS.isdisjoint(problem.rules)]
    shared = [problem.location for problem in problems if problem.location and problem not in plain]
    if shared:
        name = min(location.partition("[")[0] for location in shared)
        yield (
            f"atomic operations of kernels that run at the same time need memory for it:"
            f" --init 'fine_svm_atomics {name} = …' (or {name}[N])"
        )
    if plain:
        yield (
            "kernels of several --launch run at the same time; to have one behind the other, let a host thread enqueue"
            " them in a litmus test (mcm fmt prints the one that this is)"
        )


def _is_of_two(problem: Problem) -> bool:
    """Whether a problem is between kernels of a file that were launched apart."""
    threads = {(site.thread or "").partition("[")[0] for site in problem.sites}
    files = {site.span.source.name for site in problem.sites}
    return len(threads) > 1 and all(is_kernel_file(name) and not is_program_file(name) for name in files)
