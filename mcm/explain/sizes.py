"""From which sizes on programs are explained otherwise (ADR 48), as numbers of events of all skeletons together."""

from __future__ import annotations

from typing import Final

# All executions that end as asked can hardly be listed.
LARGE: Final = 300
# Engines would take minutes to tell what other rules allow.
VERY_LARGE: Final = 800
