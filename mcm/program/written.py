"""What every part of a program has: the place in the text that it comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.base.compared import PartlyCompared

if TYPE_CHECKING:
    from mcm.base.source import Span


class Written(PartlyCompared, frozen=True, kw_only=True):
    """Anything that has a span in the source."""

    span: Span
