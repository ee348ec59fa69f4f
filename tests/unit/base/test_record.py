"""Records behave as slotted dataclasses do."""

import pickle
from dataclasses import asdict, field, fields, is_dataclass, replace
from functools import cached_property
from inspect import signature
from typing import ClassVar

import pytest

from mcm.base.record import WithDictionary, record


@record(frozen=True, slots=True, kw_only=True)
class Placed:
    place: int = field(compare=False, repr=False, default=0)


@record(frozen=True, slots=True)
class Pair(Placed):
    left: int
    right: tuple[int, ...] = ()
    names: list[str] = field(default_factory=list, compare=False)


@record(frozen=True, slots=True, order=True)
class Rank:
    high: int
    low: int = 0


@record(frozen=True, slots=True)
class Nothing:
    pass


@record(slots=True)
class Draft:
    name: str
    uses: list[int] = field(default_factory=list)


@record(frozen=True, slots=True)
class Text(WithDictionary):
    value: str

    @cached_property
    def length(self) -> int:
        return len(self.value)


@record(frozen=True, slots=True)
class Shown:
    value: int

    def __repr__(self) -> str:
        return f"{self.value}!"


def test_construction_and_defaults() -> None:
    pair = Pair(1, place=7)
    assert (pair.left, pair.right, pair.names, pair.place) == (1, (), [], 7)
    assert Pair(1).names is not Pair(1).names
    with pytest.raises(TypeError):
        Pair()  # type: ignore[call-arg]


def test_equality_and_hash_leave_out_what_is_not_compared() -> None:
    assert Pair(1, (2,), place=3) == Pair(1, (2,), ["x"], place=4)
    assert hash(Pair(1, (2,), place=3)) == hash(Pair(1, (2,)))
    assert Pair(1) != Pair(2)
    assert Pair(1) != Rank(1)
    assert Nothing() == Nothing()


def test_representation_leaves_out_what_is_not_shown() -> None:
    assert repr(Pair(1, (2,), place=3)) == "Pair(left=1, right=(2,), names=[])"


def test_records_have_no_other_attributes() -> None:
    pair = Pair(1)
    # That `left` is not assigned is seen to by type checkers alone.
    with pytest.raises(AttributeError):
        pair.other = 2  # type: ignore[attr-defined]
    assert not hasattr(pair, "__dict__")


def test_replace_fields_match_and_order() -> None:
    assert replace(Pair(1, place=5), left=2) == Pair(2)
    assert [f.name for f in fields(Pair)] == ["place", "left", "right", "names"]
    match Pair(1, (2,)):
        case Pair(left, (right,)):
            assert (left, right) == (1, 2)
        case _:
            pytest.fail("a record is matched by position")
    assert sorted([Rank(2), Rank(1, 5), Rank(1)]) == [Rank(1), Rank(1, 5), Rank(2)]


def test_pickling() -> None:
    stored = pickle.dumps(Pair(1, (2,), place=3))
    assert pickle.loads(stored) == Pair(1, (2,))  # noqa: S301 - our own bytes


def test_a_record_may_change_unless_it_is_frozen() -> None:
    draft = Draft("x")
    draft.uses.append(1)
    draft.name = "y"
    assert draft == Draft("y", uses=[1])
    assert repr(draft) == "Draft(name='y', uses=[1])"
    with pytest.raises(TypeError, match="unhashable"):
        hash(draft)
    with pytest.raises(AttributeError):
        draft.other = 2  # type: ignore[attr-defined]


def test_construction_says_what_is_wrong_in_the_words_of_the_class() -> None:
    with pytest.raises(TypeError, match=r"Pair\.__init__\(\) missing 1 required positional argument: 'left'"):
        Pair()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="unexpected keyword argument 'middle'"):
        Pair(1, middle=2)  # type: ignore[call-arg]
    assert str(signature(Rank)) == "(high, low=0)"


def test_the_library_of_dataclasses_knows_records() -> None:
    assert is_dataclass(Pair)
    assert asdict(Pair(1, (2,))) == {"place": 0, "left": 1, "right": (2,), "names": []}
    assert {f.name: (f.type, f.compare, f.kw_only) for f in fields(Rank)} == {
        "high": (int, True, False),
        "low": (int, True, False),
    }


def test_a_method_of_the_class_itself_stays() -> None:
    assert repr(Shown(1)) == "1!"


def test_a_default_cannot_stand_before_a_field_without_one() -> None:
    class Wrong:
        first: int = 0
        second: int

    with pytest.raises(TypeError, match="a field without a default follows one"):
        record(frozen=True, slots=True)(Wrong)


def test_class_variables_are_refused() -> None:
    class Wrong:
        first: int
        table: ClassVar[int] = 0

    with pytest.raises(TypeError, match=r"Wrong\.table: records have no class variables"):
        record(frozen=True, slots=True)(Wrong)


def test_a_record_with_a_dictionary_keeps_what_it_computed() -> None:
    text = Text("abc")
    assert text.length == 3
    assert text.__dict__ == {"length": 3}
    assert text == Text("abc")
    copy = pickle.loads(pickle.dumps(text))  # noqa: S301 - our own bytes
    assert copy == text
    assert copy.__dict__ == {}


def test_records_have_slots() -> None:
    with pytest.raises(TypeError, match="slots"):
        record(frozen=True, slots=False)
