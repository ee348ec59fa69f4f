"""The variants of section 5, each as the choices that it makes."""

from dataclasses import dataclass, replace
from enum import Enum
from types import MappingProxyType
from typing import Final


class Inclusion(Enum):
    EQUAL = "equal effective scopes (before 3.1)"
    WIDER = "effective scopes may differ (3.1)"
    SCOPED = "POPL'16: equal scopes of three kinds, blind to allocation and kernel-instance"
    EVERYTHING = "no scopes at all"


class Sequence(Enum):
    C11 = "the same unit's writes and every read-modify-write"
    RC11 = "a chain of read-modify-writes behind a later write of the same unit to the same location"
    RMW = "a chain of read-modify-writes (C++20)"


class Consistency(Enum):
    TOTAL = "one total order S, SC-1..5 and SC-F1..4"
    CONDITIONAL = "the same, but only under a condition of SC-0"
    SCOPED = "POPL'16: no cycle among inclusive pairs"
    SIMPLE = "POPL'16: no cycle"
    PARTIAL = "RC11: psc is acyclic"
    NONE = "no rule for seq_cst"


@dataclass(frozen=True, slots=True)
class Model:
    name: str
    inclusion: Inclusion = Inclusion.EQUAL
    two_regions: bool = True
    sequence: Sequence = Sequence.C11
    consistency: Consistency = Consistency.TOTAL
    visible_side_effects: bool = True
    no_load_buffering: bool = False
    interleaving: bool = False
    sc_regions_both: bool = False
    one_space_barriers: bool = False
    """What orders anything orders all memory; but barriers of one address space that alone (SYCL-BAR-2, SYCL-BAR-3)."""
    without: frozenset[str] = frozenset()
    """Rules that are left out, by ID."""

    def has(self, rule: str) -> bool:
        return rule not in self.without

    def minus(self, *rules: str) -> "Model":
        return replace(self, without=self.without | set(rules))

    @property
    def orders_every_location(self) -> bool:
        """Tell whether even objects that are not atomic have a modification order.

        In the OpenCL models and in c11 they have none (MO-2). RC11 and plain interleaving speak of every object, and so
        does POPL'16's simplified C11 in its `mo|fr`; there the difference shows only in the states of racy programs.
        """
        return self.interleaving or self.consistency in (Consistency.PARTIAL, Consistency.SIMPLE)


OPENCL_3_0: Final = Model("opencl-3.0")
OPENCL_2_0: Final = Model("opencl-2.0")
OPENCL_3_1: Final = Model("opencl-3.1", Inclusion.WIDER)
OPENCL_2_0_COND: Final = Model("opencl-2.0-cond", consistency=Consistency.CONDITIONAL)
OPENCL_3_0_SC_BOTH: Final = Model("opencl-3.0+sc-both", sc_regions_both=True)
"""The liberal reading of section 7.2: an SC atomic is an action of both regions."""
POPL_ORIGINAL: Final = Model("popl-original", Inclusion.SCOPED, consistency=Consistency.CONDITIONAL)
"""The column `cond` of the separators: the conditional S, with the three-scope inclusion of POPL'16."""
OPENCL_SCOPED: Final = Model("opencl-scoped", Inclusion.SCOPED, consistency=Consistency.SCOPED)
SYCL_2020: Final = Model("sycl-2020", Inclusion.EQUAL, two_regions=False, one_space_barriers=True)
SYCL_NEXT: Final = Model("sycl-next", Inclusion.WIDER, two_regions=False, one_space_barriers=True)
C11: Final = Model("c11", Inclusion.EVERYTHING, two_regions=False)
C11_SIMP: Final = Model("c11-simp", Inclusion.EVERYTHING, two_regions=False, consistency=Consistency.SIMPLE)
RC11: Final = Model(
    "rc11",
    Inclusion.EVERYTHING,
    two_regions=False,
    sequence=Sequence.RC11,
    consistency=Consistency.PARTIAL,
    visible_side_effects=False,
    no_load_buffering=True,
)
CPP20: Final = Model(
    "c20", Inclusion.EVERYTHING, two_regions=False, sequence=Sequence.RMW, consistency=Consistency.PARTIAL
)
SC: Final = Model("sc", Inclusion.EVERYTHING, two_regions=False, consistency=Consistency.NONE, interleaving=True)

MODELS: Final = MappingProxyType(
    {
        model.name: model
        for model in (
            OPENCL_3_0,
            OPENCL_3_1,
            OPENCL_2_0,
            OPENCL_2_0_COND,
            OPENCL_3_0_SC_BOTH,
            POPL_ORIGINAL,
            OPENCL_SCOPED,
            SYCL_2020,
            SYCL_NEXT,
            C11,
            C11_SIMP,
            RC11,
            CPP20,
            SC,
        )
    }
)
