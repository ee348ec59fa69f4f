"""The runs that are made of a program besides what `mcm run` does, by number: see `confirm.runs_of`."""

from __future__ import annotations

from typing import Final

# That in which the first work-group takes what it can before another one begins.
AHEAD: Final = -1
# Those in which loads may return older values, as far as memory shows them.
OLDER: Final = (-2, -3)
# A race is mostly met by the first runs that look for it, or by none. In the first one each thread in turn goes on for
# long, the others mix them.
RUNS: Final = (0, 1, OLDER[0], 2, OLDER[1])
