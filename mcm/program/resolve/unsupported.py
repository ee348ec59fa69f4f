"""Parts of the language that are laid out but not yet supported: said in those words, at their place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.syntax import ast

if TYPE_CHECKING:
    from mcm.base.source import Span
    from mcm.program.resolve.complaints import Complaints


def refuse_unsupported(tree: ast.Litmus, complaints: Complaints) -> None:
    """Report every callback, queue and user event, and kernels where there are no devices."""
    for unit in tree.units:
        match unit:
            case ast.Kernel(name) if not tree.dialect.has_devices:
                _refuse(name.span, f"kernels ('{name.text}') in {tree.dialect.standard}", complaints)
            case ast.Callback(name):
                _refuse(name.span, f"callbacks ('{name.text}')", complaints)
            case ast.Thread() | ast.Kernel() | ast.Launch():
                pass
    for item in tree.initial:
        match item:
            case ast.QueueObject(name):
                _refuse(item.span, f"command queues ('{name.text}')", complaints)
            case ast.UserEventObject(name):
                _refuse(item.span, f"user events ('{name.text}')", complaints)
            case ast.InitialValue() | ast.InitialRegister():
                pass


def _refuse(span: Span, what: str, complaints: Complaints) -> None:
    complaints.error("E100", span, f"not yet supported: {what}")
