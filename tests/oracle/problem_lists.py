"""The problems that are listed of a test, which do not depend on the engine."""

from __future__ import annotations

from mcm import Judged, Result


def problems_of(result: Result) -> list[tuple[object, ...]] | None:
    """What is listed, in order: kinds, places, reasons and rules. None where not everything was looked at."""
    if not isinstance(result, Judged) or result.reason is not None:
        return None
    return [
        (p.kind, tuple((s.thread, s.span.start, s.iteration) for s in p.sites), p.location, p.why, p.rules)
        for p in (*result.undefined, *result.impl_defined, *result.flags)
    ]
