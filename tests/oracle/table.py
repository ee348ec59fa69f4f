"""Programs that the table names more than once, and how a verdict is written there."""

from typing import Final

from oracle.brute import Answer


def verdict(found: Answer, target: str) -> str:
    """Return A or F for the target (`r=1 x=0`, a register by its own name), and ! behind it for a race."""
    wanted = [(name, int(value)) for name, value in (part.split("=") for part in target.split())]

    def satisfies(state: tuple[tuple[str, int], ...]) -> bool:
        values = {name.split(":")[-1]: value for name, value in state}
        return all(values[name] == value for name, value in wanted)

    return ("A" if any(map(satisfies, found.states)) else "F") + ("!" if found.racy else "")


def mp(write: str = "rel,dv", read: str = "acq,dv", split: str = "||") -> str:
    return f"x:=1; y.st(1,{write}) {split} r=y.ld({read}); if r=1: s=*x"


MP_SEEN: Final = "r=1 s=0"
SB_SC: Final = "x.st(1,sc,{0}); a=y.ld(sc,{0}) {1} y.st(1,sc,{0}); b=x.ld(sc,{0})"
SB_FENCES: Final = "x.st(1,rlx); F({0}); a=y.ld(rlx) {1} y.st(1,rlx); F({0}); b=x.ld(rlx)"
HIDDEN: Final = "x.st(1,rlx) || x.st(2,sc); a=y.ld(sc) || y.st(1,sc); b=x.ld(sc)"
IRIW_FENCES: Final = (
    "x.st(1,rlx) || y.st(1,rlx) || a=x.ld(rlx); F(G,sc); b=y.ld(rlx) || c=y.ld(rlx); F(G,sc); d=x.ld(rlx)"
)
RWC_FENCES: Final = "x.st(1,rlx) || a=x.ld(rlx); F(G,sc); b=y.ld(rlx) || y.st(1,rlx); F(G,sc); c=x.ld(rlx)"
OOTA: Final = "t=y.ld({0}); x.st(t,{1}) || u=x.ld({0}); y.st(u,{1})"
FOREIGN: Final = "x:=1; y.st(1,rel); y.st(3,rlx) || y.st(2,rlx) || r=y.ld(acq); if r=3: s=*x"
OWN: Final = "x:=1; y.st(1,rel); y.st(2,rlx) || r=y.ld(acq); if r=2: s=*x"
EXAMPLE_10: Final = (
    "x.st(1,sc,dv); z.st(1,rel,all) || r=w.ld(acq,all); if r=1: a=x.ld(sc,dv)"
    " ||| y.st(1,sc,dv); w.st(1,rel,all) || s=z.ld(acq,all); if s=1: b=y.ld(sc,dv)"
)
Z6_U: Final = "x.st(1,sc); y.st(1,rel) || a=y.add(1,sc); b=y.ld(rlx) || y.st(3,sc); c=x.ld(sc)"
TWO_DEVICES: Final = {1: {"dev": 1}}
TWO_KERNELS: Final = {1: {"ki": 1}}
TWO_DEVICES_IN_GROUPS: Final = {2: {"dev": 1}, 3: {"dev": 1}}
HOST: Final = {0: {"host": True}}
