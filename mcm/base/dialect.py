"""The dialects of the litmus language: everything that tells them apart, as data."""

from __future__ import annotations

from typing import Final

from msgspec import Struct


class Dialect(Struct, frozen=True, kw_only=True):
    """A dialect: `words` are what a file may begin with, `name` is the first of them.

    `language` and `standard` name the programming language in messages (`OpenCL`, `OpenCL C`), `default_model` is the
    model that tests are judged by when none is asked for. The facts: whether threads stand on devices, in work-groups
    and kernels (otherwise each stands alone), and whether the language has address spaces, memory scopes, and
    `memory_order_consume`. `plain_access_to_atomic` says what the language makes of one; where it has no atomic types,
    any object may be accessed in both ways, at any scope. `has_maps`: the host maps buffers. `has_doubles`: all devices
    have doubles, so that they are what literals without a suffix are. `order_prefix` begins the names of memory
    orders, `widest_scope` is the last word of the widest scope. `one_happens_before`: it orders all memory alike.
    `private_atomic_rule` is the rule that atomics of private memory break. `orders_lists`: the values of a list are
    evaluated one after the other. `orders_assignments`: what is assigned is evaluated before the lvalue that it is
    assigned to (C++17, expr.ass). `orders_shifts`: what is shifted is evaluated before the number of places (C++17,
    expr.shift). `told_is_waited`: who is told that a command is complete has waited for it. `group_functions_meet`:
    what each work-item of a group has done before a group function comes before what the others do after it.
    `has_unspecified_quotients`: a division of integers that has no result leaves its value open, and nothing else
    (C-DIV). `has_unsigned_distances`: `abs` and `abs_diff` of kernels are of the unsigned type.
    `hosts_have_functions`: host code calls the functions of numbers that kernels do.
    """

    words: tuple[str, ...]
    language: str
    standard: str
    default_model: str
    has_devices: bool
    has_address_spaces: bool
    has_scopes: bool
    has_consume: bool
    plain_access_to_atomic: str
    has_atomic_types: bool = True
    has_maps: bool = True
    has_doubles: bool = True
    order_prefix: str = "memory_order_"
    widest_scope: str = "all_svm_devices"
    one_happens_before: bool = False
    orders_lists: bool = False
    orders_assignments: bool = False
    orders_shifts: bool = False
    told_is_waited: bool = False
    group_functions_meet: bool = False
    has_unspecified_quotients: bool = False
    has_unsigned_distances: bool = False
    hosts_have_functions: bool = False
    private_atomic_rule: str = "AS-5"

    @property
    def name(self) -> str:
        """The dialect in one word."""
        return self.words[0]


OPENCL: Final = Dialect(
    words=("OPENCL", "OpenCL"),
    language="OpenCL",
    standard="OpenCL C",
    default_model="opencl-3.0",
    has_devices=True,
    has_address_spaces=True,
    has_scopes=True,
    has_consume=False,
    has_doubles=False,
    has_unspecified_quotients=True,
    has_unsigned_distances=True,
    plain_access_to_atomic="OpenCL C refuses it",
)
C: Final = Dialect(
    words=("C",),
    language="C",
    standard="C11",
    default_model="c11",
    has_devices=False,
    has_address_spaces=False,
    has_scopes=False,
    has_consume=True,
    plain_access_to_atomic="C11 makes it seq_cst",
    one_happens_before=True,
)

SYCL: Final = Dialect(
    words=("SYCL",),
    orders_lists=True,
    orders_assignments=True,
    orders_shifts=True,
    told_is_waited=True,
    group_functions_meet=True,
    hosts_have_functions=True,
    language="SYCL",
    standard="SYCL",
    default_model="sycl-2020",
    has_devices=True,
    has_address_spaces=True,
    has_scopes=True,
    has_consume=False,
    plain_access_to_atomic="",
    has_atomic_types=False,
    has_maps=False,
    order_prefix="memory_order::",
    widest_scope="system",
    one_happens_before=True,
    private_atomic_rule="SYCL-UB-3",
)

DIALECTS: Final = (OPENCL, C, SYCL)
BY_WORD: Final[dict[str, Dialect]] = {word: dialect for dialect in DIALECTS for word in dialect.words}
