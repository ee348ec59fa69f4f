"""Models built by hand, one for each way in which a model can be hard to search."""

from __future__ import annotations

from functools import reduce

from mcm.base.source import Source, Span
from mcm.cat.model import Check, Flag, Linearisation, Model, Shape
from mcm.relation.term import (
    Base,
    BaseSet,
    Closure,
    Compose,
    Difference,
    Domain,
    Everything,
    Identity,
    Intersection,
    Inverse,
    Product,
    RecursionVariable,
    Recursive,
    RelationTerm,
    SetDifference,
    SetIntersection,
    SetTerm,
    Term,
    Union,
)

SPAN = Span(Source("model.cat", ""), 0, 0)

po, rf, mo, loc, int_, ext = (Base(name) for name in ("po", "rf", "mo", "loc", "int", "ext"))
R, W, RMW, F, A, IW, ACQ, REL, SC = (BaseSet(name) for name in ("R", "W", "RMW", "F", "A", "IW", "ACQ", "REL", "SC"))
_ = Everything()


def on(events: SetTerm) -> RelationTerm:
    return Identity(events)


def seq(*parts: RelationTerm) -> RelationTerm:
    return reduce(Compose, parts)


def either(*parts: RelationTerm) -> RelationTerm:
    return reduce(Union, parts)


def both(*parts: RelationTerm) -> RelationTerm:
    return reduce(Intersection, parts)


def maybe(relation: RelationTerm) -> RelationTerm:
    return Union(relation, on(_))


def check(name: str, shape: Shape, term: Term, *, negated: bool = False) -> Check:
    return Check(name, shape, negated, term, None, SPAN)


def flag(name: str, term: Term, *, shape: Shape = Shape.EMPTY, negated: bool = True) -> Flag:
    return Flag(name, shape, negated, term, None, SPAN)


def model(name: str, *checks: Check, flags: tuple[Flag, ...] = (), orders: tuple[Linearisation, ...] = ()) -> Model:
    return Model(name, name, (), orders, checks, flags)


fr = Difference(Compose(Inverse(rf), mo), on(_))
atomicity = check("atomicity", Shape.IRREFLEXIVE, either(seq(fr, mo), seq(mo, rf), rf))
conflict = Difference(both(loc, either(Product(W, _), Product(_, W)), ext), either(Product(IW, _), Product(_, IW)))
plain = Difference(Product(_, _), Product(A, A))

# Release sequences: mo occurs positively and negatively.
same_or_rmw = either(int_, Product(_, RMW))
release_sequence = Union(on(W), Difference(both(mo, same_or_rmw), seq(Difference(mo, same_or_rmw), mo)))
synchronises = both(
    seq(on(REL), maybe(seq(on(F), po)), on(W), release_sequence, rf, on(R), maybe(seq(po, on(F))), on(ACQ)), ext
)
hb = Closure(either(po, synchronises, Product(IW, SetDifference(_, IW))))
races = flag("data_race", Difference(both(conflict, plain), either(hb, Inverse(hb))))
coherence = (
    check("hb", Shape.IRREFLEXIVE, hb),
    check("coherence-1", Shape.IRREFLEXIVE, seq(maybe(Inverse(rf)), mo, maybe(rf), hb)),
    check("coherence-2", Shape.IRREFLEXIVE, seq(rf, hb)),
    atomicity,
)

SEQUENTIAL = model("sequential", check("sc", Shape.ACYCLIC, either(po, rf, mo, fr)), atomicity, flags=(races,))
RELEASE_ACQUIRE = model("release-acquire", *coherence, flags=(races, flag("ordered", both(hb, loc, Product(W, R)))))

S = Base("S")
last_before = Difference(both(S, Product(W, R), loc), seq(both(S, Product(W, W), loc), S))
TOTAL_ORDER = model(
    "total-order",
    *coherence,
    check("S-mo", Shape.IRREFLEXIVE, seq(S, mo)),
    check("S-read", Shape.EMPTY, Difference(seq(both(rf, Product(SC, SC))), last_before)),
    check("S-fence", Shape.IRREFLEXIVE, seq(S, maybe(seq(on(F), po)), fr, maybe(seq(po, on(F))))),
    flags=(races,),
    orders=(Linearisation("S", SetIntersection(SC, SetDifference(_, IW)), both(hb, Product(SC, SC))),),
)

step = RecursionVariable("step")
RECURSIVE = model(
    "recursive",
    check(
        "loop",
        Shape.IRREFLEXIVE,
        Recursive("step", (("step", either(po, seq(step, rf, po), seq(mo, po), seq(step, mo))),)),
    ),
    atomicity,
    check("po-rf", Shape.ACYCLIC, either(both(po, loc), rf, mo, fr)),
)

# Some read must read from another thread; values may come out of thin air.
DEMANDING = model(
    "demanding",
    check("communicates", Shape.EMPTY, both(rf, ext, Product(SetDifference(W, IW), _)), negated=True),
    check("coherent", Shape.ACYCLIC, either(both(po, loc), rf, mo, fr)),
    atomicity,
    flags=(
        flag("reads", Domain(both(rf, ext))),
        flag("quiet", both(mo, ext, Product(SetDifference(W, IW), _)), negated=False),
        flag("circle", either(po, rf, mo), shape=Shape.ACYCLIC),
    ),
)

MODELS = (SEQUENTIAL, RELEASE_ACQUIRE, TOTAL_ORDER, RECURSIVE, DEMANDING)
