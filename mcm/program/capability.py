"""What a test needs of a device beyond the minimum of its language (CAP-1 to CAP-4, SYCL-CAP-1), and profiles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.base.diagnostic import Diagnostic, InputError
from mcm.base.dialect import OPENCL
from mcm.base.suggest import did_you_mean
from mcm.program import opencl_features, sycl_features

if TYPE_CHECKING:
    from mcm.program.program import Program
    from mcm.program.requirement import Requirement

_SYCL: Final = "SYCL"
_FEATURES: Final = {OPENCL.language: opencl_features.FEATURES, _SYCL: sycl_features.FEATURES}
_IMPLIED: Final = {**opencl_features.IMPLIED, **sycl_features.IMPLIED}


class Profile(Struct, frozen=True):
    """What a device offers beyond the minimum of a language; `language` is None where it offers all of any."""

    name: str
    language: str | None
    features: frozenset[str]


MINIMUM: Final = Profile("opencl-3.0-minimum", OPENCL.language, frozenset())
SYCL_MINIMUM: Final = Profile("sycl-2020-minimum", _SYCL, frozenset())
FULL: Final = Profile("full", None, frozenset().union(*_FEATURES.values()))
PROFILES: Final[dict[str, Profile]] = {profile.name: profile for profile in (MINIMUM, SYCL_MINIMUM, FULL)}


class UnknownFeatureError(ValueError):
    """The name of a profile is neither a profile nor a feature."""


def profile(text: str) -> Profile:
    """The profile that a name, or a comma list of features of one language, describes.

    >>> sorted(profile("__opencl_c_atomic_order_seq_cst").features)
    ['__opencl_c_atomic_order_acq_rel', '__opencl_c_atomic_order_seq_cst']
    >>> sorted(profile("memory_order::acquire, memory_scope::device").features)
    ['atomic_fence_scope::device', 'atomic_memory_order::acq_rel', 'atomic_memory_scope::device']
    """
    if text in PROFILES:
        return PROFILES[text]
    features: set[str] = set()
    languages: set[str] = set()
    for word in (part.strip() for part in text.split(",")):
        meant = sycl_features.SHORT.get(word.removeprefix("sycl::"), (word,))
        for feature in meant:
            languages.add(_language_of(feature, word))
            features |= {feature, *_IMPLIED.get(feature, ())}
    if len(languages) > 1:
        raise UnknownFeatureError(f"features of {' and of '.join(sorted(languages))} are no device together: '{text}'")
    return Profile(text, languages.pop(), frozenset(features))


def _language_of(feature: str, word: str) -> str:
    for language, known in _FEATURES.items():
        if feature in known:
            return language
    hint = did_you_mean(word, (*FULL.features, *sycl_features.SHORT, *PROFILES))
    hint = hint or f"; known are {', '.join(PROFILES)}, and the features of devices"
    raise UnknownFeatureError(f"unknown feature '{word}'{hint}")


def required_features(program: Program, language: str | None = None) -> tuple[Requirement, ...]:
    """Every feature of devices of a language, else of the program's own, that a program needs, once, in their order."""
    if not program.dialect.has_devices:
        return ()
    of_sycl = (language or program.dialect.language) == _SYCL
    known = _FEATURES[_SYCL if of_sycl else OPENCL.language]
    first: dict[str, Requirement] = {}
    for requirement in (sycl_features if of_sycl else opencl_features).requirements(program):
        first.setdefault(requirement.feature, requirement)
    return tuple(first[feature] for feature in known if feature in first)


def require_features(program: Program, name: str) -> None:
    """Refuse a program that needs more than a device of this profile offers."""
    missing = check(program, profile(name))
    if missing:
        raise InputError(*missing)


def check(program: Program, offered: Profile) -> tuple[Diagnostic, ...]:
    """A diagnostic for every feature that a program needs and a device does not offer."""
    return tuple(
        Diagnostic("E150", f"{r.reason} needs '{r.feature}', which '{offered.name}' does not offer", r.span)
        for r in required_features(program, offered.language)
        if r.feature not in offered.features
    )
