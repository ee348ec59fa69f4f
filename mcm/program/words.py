"""Memory orders and scopes in the words of a dialect."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.program.types import Scope

if TYPE_CHECKING:
    from mcm.base.dialect import Dialect
    from mcm.program.types import Order

_PREFIX: Final = "memory_order_"


def show_order(order: Order, dialect: Dialect) -> str:
    """An order as a program of the dialect names it.

    >>> from mcm.base.dialect import OPENCL, SYCL
    >>> from mcm.program.types import Order
    >>> show_order(Order.ACQ_REL, OPENCL), show_order(Order.ACQ_REL, SYCL)
    ('memory_order_acq_rel', 'memory_order::acq_rel')
    """
    return f"{dialect.order_prefix}{order.value.removeprefix(_PREFIX)}"


def show_scope(scope: Scope, dialect: Dialect) -> str:
    """A scope by its last word.

    >>> from mcm.base.dialect import OPENCL, SYCL
    >>> show_scope(Scope.ALL_SVM_DEVICES, OPENCL), show_scope(Scope.ALL_SVM_DEVICES, SYCL)
    ('all_svm_devices', 'system')
    """
    return dialect.widest_scope if scope is Scope.ALL_SVM_DEVICES else scope.name.lower()
