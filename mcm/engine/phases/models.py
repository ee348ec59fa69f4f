"""The models of which it was shown that executions fall apart where everything is ordered: see `docs/search.md`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.catalogue.registry import get_for

if TYPE_CHECKING:
    from mcm.cat.model import Model
    from mcm.program.program import Extent

_MODELS: Final = frozenset({"opencl-2.0", "opencl-3.0", "opencl-3.0+sc-both", "opencl-3.1", "sycl-2020", "sycl-next"})
_EXTENTS: Final[tuple[Extent, ...]] = ("accesses", "memory", "whole")


def falls_apart(model: Model) -> bool:
    """Whether a model is one of them as it is shipped: with a rule less it is another one."""
    return model.name in _MODELS and any(model is get_for(model.name, extent) for extent in _EXTENTS)
