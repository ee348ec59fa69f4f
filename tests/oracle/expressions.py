"""Random expressions with side effects on private variables and memory, nearly half of them undefined."""

from random import Random
from typing import Final

_INFIX: Final = ("+", "-", "*", "==", "<", "&", "|", "^")
_DEEPEST: Final = 3
_MOST_CALLS: Final = 3


class _Writer:
    """Writes one expression; calls are counted, because all their orders are looked at."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._calls = 0

    def expression(self, depth: int = 0) -> str:
        kinds = ("number", "place", "place")
        if depth < _DEEPEST:
            kinds += ("infix", "infix", "assign", "add", "step", "comma", "logical", "choice", "call")
        match self._random.choice(kinds):
            case "number":
                return str(self._random.randrange(3))
            case "place":
                return self._place(depth)
            case "infix":
                return self._joined(self._random.choice(_INFIX), depth)
            case "assign":
                return f"({self._place(depth + 1)} = {self.expression(depth + 1)})"
            case "add":
                return f"({self._place(depth + 1)} += {self.expression(depth + 1)})"
            case "step":
                place = self._place(depth + 1)
                return self._random.choice((f"({place})++", f"--({place})"))
            case "comma":
                return self._joined(",", depth)
            case "logical":
                return self._joined(self._random.choice(("&&", "||")), depth)
            case "choice":
                return f"({self.expression(depth + 1)} ? {self.expression(depth + 1)} : {self.expression(depth + 1)})"
            case _:
                return self._call(depth)

    def _joined(self, operator: str, depth: int) -> str:
        return f"({self.expression(depth + 1)} {operator} {self.expression(depth + 1)})"

    def _place(self, depth: int) -> str:
        match self._random.randrange(8):
            case 0 | 1 | 2:
                return self._random.choice("ij")
            case 3:
                return f"p[{self._index(depth)}]"
            case 4:
                return f"m[{self._index(depth)}]"
            case 5:
                return "*m"
            case _:
                return "*q"

    def _index(self, depth: int) -> str:
        return f"{self.expression(depth + 2)} & 1" if depth + 2 <= _DEEPEST else str(self._random.randrange(2))

    def _call(self, depth: int) -> str:
        self._calls += 1
        if self._calls > _MOST_CALLS:
            return str(self._random.randrange(3))
        match self._random.randrange(4):
            case 0:
                return "atomic_load(a)"
            case 1:
                return f"atomic_exchange(a, {self.expression(depth + 1)})"
            case 2:
                return f"atomic_fetch_add(a + ({self._index(depth)}), {self.expression(depth + 1)})"
            case _:
                return f"atomic_compare_exchange_strong(a, &p[{self._index(depth)}], {self.expression(depth + 1)})"


def expression_program(seed: str, number: int) -> str:
    """A test of a thread that evaluates two expressions while another one stores."""
    random = Random(f"{seed}/expressions/{number}")  # noqa: S311 (nothing secret)
    pointee = random.choice(("&i", "&j", "&p[0]", "&p[1]", "(atomic_load(a) ? &i : &p[1])"))
    lines = "\n".join(f"  int r{n} = {_Writer(random).expression()};" for n in range(2))
    return f"""OPENCL expressions-{number}
{{ int m[2] = {{0, 1}}; int a[2] = {{0, 0}}; }}
P0 (global int* m, global atomic_int* a) {{
  int i = 0; int j = 1; int p[2] = {{0, 1}}; int* q = {pointee};
{lines}
}}
P1 (global atomic_int* a) {{ atomic_store(a, 1); }}
exists (true)
"""
