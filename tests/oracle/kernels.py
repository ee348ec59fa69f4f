"""Random kernels of a few work-items that go wrong in many ways: indices that are read, loops, branches, barriers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from random import Random

# Work-items in all, and in a group.
_SIZES: Final = ((2, 2), (2, 1), (3, 3), (4, 2), (4, 4))
_ORDERS: Final = ("relaxed", "relaxed", "acquire", "release", "seq_cst")
_SCOPES: Final = ("work_group", "device")


def kernel(random: Random) -> str:
    """A litmus test with one kernel over an array of plain and one of atomic elements."""
    size, group = random.choice(_SIZES)
    body = _Body(random, size)
    lines = body.block("  ", random.choice((2, 2, 3)))
    space = "local" if random.random() < 0.15 else "global"
    declared = [f"atomic_int y[{size}] = {{{', '.join(['0'] * size)}}};"]
    # Local memory begins without values.
    values = "" if space == "local" else f" = {{{', '.join(['0'] * size)}}}"
    declared.append(f"{'local ' if space == 'local' else ''}int x[{size}]{values};")
    observed = "y[0]=1" if space == "local" else random.choice(("x[0]=1", "y[0]=2", "x[1]=1 /\\ y[0]=1"))
    return "\n".join(
        [
            "OPENCL kernels",
            f"{{ {' '.join(declared)} }}",
            f"kernel k ({space} int* x, global atomic_int* y) {{",
            "  int i = get_global_id(0);",
            "  int r = 0;",
            *lines,
            "}",
            f"launch k global {size} local {group};",
            f"exists ({observed})",
            "",
        ]
    )


class _Body:
    """Statements of one kernel."""

    def __init__(self, random: Random, size: int) -> None:
        self._random = random
        self._size = size
        self._loops = 0

    def block(self, indent: str, length: int) -> list[str]:
        """Some statements."""
        return [line for _ in range(length) for line in self._statement(indent)]

    def _statement(self, indent: str) -> list[str]:
        random = self._random
        kind = random.choice(("write", "write", "read", "store", "load", "add", "if", "for", "barrier"))
        if len(indent) > 4 and kind in {"if", "for", "barrier"}:
            kind = "write"
        match kind:
            case "write":
                return [f"{indent}x[{self._index()}] = {random.choice(('1', 'i', 'r', '2'))};"]
            case "read":
                return [f"{indent}r = x[{self._index()}];"]
            case "store":
                return [f"{indent}atomic_store_explicit(&y[{self._index()}], 1, {self._how(store=True)});"]
            case "load":
                return [f"{indent}r = atomic_load_explicit(&y[{self._index()}], {self._how(load=True)});"]
            case "add":
                return [f"{indent}r = atomic_fetch_add_explicit(&y[{self._index()}], 1, {self._how()});"]
            case "if":
                condition = random.choice(("i == 0", "r == 1", "r != 0", "i < 2"))
                return [f"{indent}if ({condition}) {{", *self.block(indent + "  ", 1), f"{indent}}}"]
            case "for":
                self._loops += 1
                name = f"n{self._loops}"
                head = f"{indent}for (int {name} = 0; {name} < {random.choice((2, 2, 3))}; {name}++) {{"
                return [head, *self.block(indent + "  ", random.choice((1, 2))), f"{indent}}}"]
            case _:
                return [f"{indent}work_group_barrier(CLK_{random.choice(('GLOBAL', 'LOCAL'))}_MEM_FENCE);"]

    def _index(self) -> str:
        last = self._size - 1
        return self._random.choice(("0", "i", "i", f"{last} - i", "r & 1", "r & 1", "(i + 1) & 1"))

    def _how(self, *, load: bool = False, store: bool = False) -> str:
        orders = [o for o in _ORDERS if not (load and o == "release") and not (store and o == "acquire")]
        return f"memory_order_{self._random.choice(orders)}, memory_scope_{self._random.choice(_SCOPES)}"
