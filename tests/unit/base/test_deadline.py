"""Limits that are reached in unlucky moments."""

from __future__ import annotations

import ctypes

import pytest

from mcm.base.deadline import LimitReachedError, limits_of_c_functions


class Argument:
    """A limit is reached while it is made an argument of a C function."""

    @classmethod
    def from_param(cls, value: object) -> object:
        if isinstance(value, str):
            raise LimitReachedError(value)
        raise ValueError


def call(value: object) -> None:
    function = ctypes.CDLL(None)["abs"]
    function.argtypes = [Argument]
    function(value)


@pytest.mark.parametrize("reason", ["timeout", "memory"])
def test_a_limit_in_a_call_of_c_is_told_as_a_limit(reason: str) -> None:
    with pytest.raises(ctypes.ArgumentError):
        call(reason)

    with pytest.raises(LimitReachedError) as told, limits_of_c_functions():
        call(reason)

    assert told.value.reason == reason


def test_other_mistakes_are_told_as_they_are() -> None:
    with pytest.raises(ctypes.ArgumentError), limits_of_c_functions():
        call(1)
