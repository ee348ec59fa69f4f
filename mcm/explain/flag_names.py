"""Which flags of models have a meaning for the verdict, by their names (`cat.model.Flag`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from mcm.cat.model import Model

UNDEFINED_FLAGS: Final = frozenset(
    {
        *("data_race", "unsequenced_race", "uninitialised_read", "map_misuse", "unmapped_access"),
        *("overlapping_use", "scopes_not_inclusive", "work_item_scope", "pipe_misuse"),
    }
)
IMPL_DEFINED_FLAGS: Final = frozenset({"implementation_defined", "abnormal_event"})


def undefined_flags(model: Model) -> frozenset[str]:
    """The flags of a model that make a program undefined: by their names, or because the model says so."""
    return UNDEFINED_FLAGS | {flag.name for flag in model.flags if flag.undefined}
