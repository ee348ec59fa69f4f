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

CLASSICS: Final[tuple[str, ...]] = (
    # message passing, and everything that may stand between its two ends
    mp(),
    mp("sc", "sc"),
    "x:=1; F(GL,rel); y.st(1,rlx) || r=y.ld(rlx); F(GL,acq); if r=1: s=*x",
    "x:=1; F(GL,sc); y.st(1,rlx) || r=y.ld(rlx); F(GL,sc); if r=1: s=*x",
    "x:=1; F(GL,rel); y.st(1,rlx) || r=y.ld(acq); if r=1: s=*x",
    "x:=1; y.st(1,rel) || r=y.ld(rlx); F(GL,acq); if r=1: s=*x",
    "x:=1; F(GL,rel); y.st(1,rlx); y.st(2,rlx) || r=y.ld(acq); if r=2: s=*x",
    "x:=1; F(GL,rel); y.st(1,rlx) || y.add(1,rlx) || r=y.ld(acq); if r=2: s=*x",
    "x:=1; F(GL,rel); y.st(1,rlx) || y.add(1,rlx) || r=y.ld(rlx); F(GL,acq); if r=2: s=*x",
    "x:=1; y.st(1,rel) || y.add(1,rlx) || r=y.ld(acq); if r=2: s=*x",
    "x:=1; y.st(1,rel) || q=y.xchg(2,rlx) || r=y.ld(acq); if r=2: s=*x",
    "x:=1; y.st(1,rel); y.add(1,rlx) || r=y.ld(acq); if r=2: s=*x",
    "x:=1; y.add(1,rel) || r=y.add(1,ar); if r=1: s=*x",
    "x:=1; y.st(1,rel) || r=y.cas(0,5,ar,acq); if r=0: s=*x",
    "x:=1; y.st(1,rel) || r=y.cas(1,5,ar,rlx); if r=1: s=*x",
    "x.st(1,rlx); y.st(1,rel) || r=y.ld(acq); if r=1: s=x.ld(rlx)",
    "x:=1; y.st(1,rel) || r=y.ld(acq); if r=1: x:=2",
    "r=*x; y.st(1,rel) || q=y.ld(acq); if q=1: x:=2",
    OWN,
    FOREIGN,
    # transitivity, and chains through both regions
    "x:=1; y.st(1,rel) || r=y.ld(acq); if r=1: z.st(1,rel) || s=z.ld(acq); if s=1: t=*x",
    "x:=1; F(GL,sc); y.st(1,rlx) || r=y.ld(rlx); F(GL,sc); if r=1: z.st(1,rlx) || s=z.ld(rlx); F(GL,sc); if s=1: t=*x",
    "x:=1; F(G,sc); y.st(1,rlx) || r=y.ld(rlx); F(GL,sc); if r=1: s=*x",
    "x:=1; y.st(1,sc) || r=y.ld(sc); if r=1: z.st(1,sc) || s=z.ld(sc); if s=1: t=*x",
    "x.st(1,rlx) || r=x.ld(rlx); y.st(1,rel) || s=y.ld(acq); t=x.ld(rlx)",
    # store buffering and its relatives
    SB_SC.format("dv", "||"),
    SB_FENCES.format("GL,sc", "||"),
    "x.st(1,sc); a=y.ld(sc) || y.st(1,sc); F(G,sc); b=x.ld(rlx)",
    "x.st(1,rlx); F(G,sc); a=y.ld(sc) || y.st(1,sc); b=x.ld(sc)",
    "x.st(1,rlx); F(G,sc); a=y.ld(rlx) || y.st(1,sc); b=x.ld(sc)",
    "a=x.add(1,sc); b=y.ld(sc) || y.st(1,sc); c=x.ld(sc)",
    "x.st(1,sc); y.st(2,sc) || y.st(1,sc); x.st(2,sc)",
    "x.st(1,rlx); F(G,sc); y.st(2,rlx) || y.st(1,rlx); F(G,sc); x.st(2,rlx)",
    "x.st(1,sc); y.st(1,sc) || y.st(2,sc); a=x.ld(sc)",
    "x.st(1,rlx); F(G,sc); y.st(1,rlx) || y.st(2,rlx); F(G,sc); a=x.ld(rlx)",
    "x.st(1,rlx) || a=x.ld(sc); b=y.ld(sc) || y.st(1,sc); c=x.ld(sc)",
    "x.st(1,sc) || y.st(1,sc) || a=x.ld(sc); b=y.ld(sc) || c=y.ld(sc); d=x.ld(sc)",
    "a=x.ld(rlx); y.st(1,rlx) || b=y.ld(rlx); x.st(1,rlx)",
    IRIW_FENCES,
    RWC_FENCES,
    HIDDEN,
    Z6_U,
    EXAMPLE_10,
    # coherence, updates, locks
    "x.st(1,rlx); x.st(2,rlx) || a=x.ld(rlx); b=x.ld(rlx)",
    "x.st(1,rlx) || a=x.ld(rlx); x.st(2,rlx)",
    "x.st(1,rlx) || x.st(2,rlx); a=x.ld(rlx)",
    "x.st(1,rlx); y.st(1,rel) || a=y.ld(acq); x.st(2,rlx); b=x.ld(rlx)",
    "a=x.ld(rlx); y.st(1,rel) || b=y.ld(acq); if b=1: c=x.ld(rlx) || x.st(1,rlx)",
    "a=x.ld(rlx); y.st(1,rel) || b=y.ld(acq); if b=1: x.st(2,rlx) || x.st(1,rlx)",
    "a=x.add(1,rlx) || b=x.add(1,rlx) || c=x.ld(rlx)",
    "a=l.xchg(1,acq); if a=0: x:=1; if a=0: l.st(0,rel) || b=l.xchg(1,acq); if b=0: r=*x; if b=0: l.st(0,rel)",
    "a=l.cas(0,1,acq,rlx); if a=1: x:=1; if a=1: l.st(0,rel) || b=l.cas(0,1,acq,rlx); if b=1: x:=2; l.st(0,rel)",
    # barriers
    "x:=1; BAR(GL) || BAR(GL); s=*x",
    "x:=1; BAR(G,dv); y.st(1,rlx) || BAR(G,dv) ||| r=y.ld(acq); if r=1: s=*x",
    "x:=1; BAR(G,dv) || BAR(G,dv); y.st(1,rel) ||| r=y.ld(acq); if r=1: s=*x",
    "x:=1; BAR(G,dv) || BAR(G,dv); y.st(1,rlx) ||| r=y.ld(acq); if r=1: s=*x",
    "x:=1; y.st(1,rel) ||| r=y.ld(rlx); BAR(G,dv) || BAR(G,dv); s=*x",
    "x:=1; BAR(G); BAR(G); x:=2 || BAR(G); r=*x; BAR(G)",
    "r=*x; BAR(L); y:=1 || s=*y; BAR(L); x:=1",
    "x.st(1,rlx); B1:BAR(GL); B2:BAR(GL) || B2:BAR(GL); B1:BAR(GL)",
    "x:=1; SGB(GL) || SGB(GL); s=*x",
    "x:=1; SGB(GL); BAR(L) || SGB(GL); s=*x; BAR(L) || BAR(L); t=*x",
)
"""What random programs are made from."""

CHAIN: Final = (
    "x:=1; F(GL,sc); y.st(1,rlx) || r=y.ld(rlx); F(L,sc); if r=1: z.st(1,rlx) || s=z.ld(rlx); F(GL,sc); if s=1: t=*x"
)

IN_REGIONS: Final[tuple[tuple[str, str], ...]] = (
    (CHAIN, "yz"),
    ("x:=1; F(GL,sc); y.st(1,rlx) || r=y.ld(rlx); F(GL,sc); if r=1: s=*x", "y"),
    ("x:=1; F(GL,sc); y.st(1,rlx) || r=y.ld(rlx); F(L,sc); if r=1: z.st(1,rel) || s=z.ld(acq); if s=1: t=*x", "y"),
    ("x:=1; F(GL,rel); y.st(1,rlx) || r=y.ld(rlx); F(GL,acq); if r=1: s=*x", "y"),
    ("x:=1; F(GL,rel); y.st(1,rlx) || r=y.ld(rlx); F(GL,acq); if r=1: s=*x", "x"),
    ("x:=1; F(L,rel); y.st(1,rlx) || r=y.ld(rlx); F(L,acq); if r=1: s=*x", ""),
    ("x:=1; F(GL,rel,wg); y.st(1,rlx) ||| r=y.ld(rlx); F(GL,acq,wg); if r=1: s=*x", ""),
    (mp(), "x"),
    (mp(), "y"),
    (mp("sc", "sc"), "y"),
    ("x:=1; SGB(G) || SGB(G); s=*x || SGB(G); t=*x", ""),
    ("x:=1; SGB(L) || SGB(L); s=*x", "x"),
)
"""The same for programs that show something only with these local locations."""
