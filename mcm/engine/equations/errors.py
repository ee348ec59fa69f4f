"""Why the equations of an execution are not decided."""

from __future__ import annotations


class UndecidedEquationsError(Exception):
    """The equations are not decided; `reason` goes into the answer."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
