"""A structured program as text in the litmus language, and the line on which each of its sites stands."""

from oracle.litmus_text import FLAGS, SCOPES
from oracle.loops import (
    Access,
    Assign,
    Body,
    Break,
    DoWhile,
    Fence,
    If,
    Increment,
    Kind,
    LoopProgram,
    Meet,
    Repeat,
    Return,
    Run,
    Statement,
    Test,
    While,
)
from oracle.program import UNASSIGNED, Region


def print_loops(program: LoopProgram) -> tuple[str, dict[int, int]]:
    """Return the text, with every final value observed, and the lines of the sites, counted from 1."""
    return _Printer().program(program)


class _Printer:
    def __init__(self) -> None:
        self._lines: list[str] = []
        self._sites: dict[int, int] = {}
        self._counters = 0

    def program(self, program: LoopProgram) -> tuple[str, dict[int, int]]:
        initial = " ".join(f"[{location.name}]={location.initial};" for location in program.locations)
        self._lines += [f"OPENCL {program.name}", f"{{ {initial} }}"]
        parameters = ", ".join(
            f"{location.region.value} {'atomic_int' if location.atomic else 'int'}* {location.name}"
            for location in program.locations
        )
        for number, unit in enumerate(program.units):
            self._lines.append(f"P{number}@wg {unit.wg}, dev 0 ({parameters}) {{")
            self._lines += [f"  int {register} = {UNASSIGNED};" for register in unit.registers]
            self._body(unit.body, 1)
            self._lines.append("}")
        observed = [location.name for location in program.locations]
        observed += [f"{number}:{name}" for number, unit in enumerate(program.units) for name in unit.observed]
        self._lines += [f"locations [{' '.join(f'{name};' for name in observed)}]", "exists (x=0)"]
        return "\n".join(self._lines) + "\n", self._sites

    def _say(self, depth: int, text: str) -> None:
        self._lines.append("  " * depth + text)

    def _body(self, body: Body, depth: int) -> None:
        for statement in body:
            self._statement(statement, depth)

    def _statement(self, statement: Statement, depth: int) -> None:
        match statement:
            case Run(access, None):
                self._say(depth, f"{self._access(access)};")
            case Run(access, register):
                self._say(depth, f"{register} = {self._access(access)};")
            case Assign(register, value):
                self._say(depth, f"{register} = {value};")
            case Increment(register):
                self._say(depth, f"{register} = {register} + 1;")
            case If(test, then, otherwise):
                self._block(f"if ({self._test(test)})", then, depth)
                if otherwise:
                    self._block("else", otherwise, depth)
            case Repeat(times, body):
                counter = f"i{self._counters}"
                self._counters += 1
                self._block(f"for (int {counter} = 0; {counter} < {times}; {counter}++)", body, depth)
            case While(site, test, body):
                self._here(site)
                self._block(f"while ({'1' if test is None else self._test(test)})", body, depth)
            case DoWhile(site, body, test):
                self._here(site)
                self._say(depth, "do {")
                self._body(body, depth + 1)
                self._say(depth, f"}} while ({self._test(test)});")
            case Break():
                self._say(depth, "break;")
            case Return():
                self._say(depth, "return;")
            case Fence(site, order, scope):
                self._here(site)
                arguments = f"CLK_GLOBAL_MEM_FENCE, memory_order_{order.value}, {SCOPES[scope]}"
                self._say(depth, f"atomic_work_item_fence({arguments});")
            case Meet(site, label, flags):
                self._here(site)
                shown = " | ".join(FLAGS[region] for region in Region if region in flags)
                self._say(depth, f"{label}: work_group_barrier({shown});")

    def _block(self, head: str, body: Body, depth: int) -> None:
        self._say(depth, f"{head} {{")
        self._body(body, depth + 1)
        self._say(depth, "}")

    def _here(self, site: int) -> None:
        """Note that a site stands on the line that is written next."""
        self._sites[site] = len(self._lines) + 1

    def _test(self, test: Test) -> str:
        shown = test.of if isinstance(test.of, str) else self._access(test.of)
        return f"{shown} {'==' if test.equal else '!='} {test.value}"

    def _access(self, access: Access) -> str:
        self._here(access.site)
        place = access.location
        if access.order is None or access.scope is None:
            return f"*{place}" if access.kind is Kind.LOAD else f"*{place} = {access.value}"
        order, scope = f"memory_order_{access.order.value}", SCOPES[access.scope]
        match access.kind:
            case Kind.LOAD:
                return f"atomic_load_explicit({place}, {order}, {scope})"
            case Kind.STORE:
                return f"atomic_store_explicit({place}, {access.value}, {order}, {scope})"
            case Kind.EXCHANGE | Kind.ADD:
                return f"atomic_{access.kind.value}_explicit({place}, {access.value}, {order}, {scope})"
            case Kind.COMPARE:
                name = f"atomic_compare_exchange_{'weak' if access.weak else 'strong'}_explicit"
                orders = f"{order}, memory_order_relaxed"
                return f"{name}({place}, &{access.expected}, {access.value}, {orders}, {scope})"
