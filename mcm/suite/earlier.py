"""What earlier runs of a suite found: lines of JSON, each whole by itself, so that a run may end at any moment."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from mcm.answer.suite import JudgedTest, Judgement, Standing
from mcm.catalogue.rules import rules
from mcm.suite.describe import stated_in_words
from mcm.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from mcm.base.source import Source
    from mcm.cat.model import Check, Flag
    from mcm.catalogue.library import ChosenModel
    from mcm.program.header import Expectation
    from mcm.queries import Options

# Judgements that hold as long as nothing changes that they rest on.
_SETTLED: Final = frozenset({Standing.MET, Standing.NOT_MET})


class KnownModel(Struct, frozen=True, tag="model"):
    """A model as a run used it: what identifies its text, and that of each rule."""

    name: str
    fingerprint: str
    rules: dict[str, str]


class KnownTest(Struct, frozen=True, tag="test"):
    """A test as a run judged it, with the fingerprints of the models that it was judged by."""

    judged: JudgedTest
    models: dict[str, str]


_Line = KnownModel | KnownTest


class Earlier(Struct, frozen=True):
    """What is known from earlier runs; `unreadable` lines, such as one that was being written, are no part of it."""

    tests: dict[str, KnownTest] = {}
    models: dict[str, KnownModel] = {}
    unreadable: int = 0


def parse_results(text: bytes) -> Earlier:
    """What the lines of a file of results say; of several about one test or model the last."""
    tests: dict[str, KnownTest] = {}
    models: dict[str, KnownModel] = {}
    unreadable = 0
    for line in filter(None, text.splitlines()):
        try:
            known: _Line = msgspec.json.decode(line, type=_Line)
        except (msgspec.DecodeError, UnicodeDecodeError):
            unreadable += 1
            continue
        if isinstance(known, KnownTest):
            tests[known.judged.file] = known
        else:
            models[known.name] = known
    return Earlier(tests, models, unreadable)


def line_of(known: KnownModel | KnownTest) -> bytes:
    """The line of a test or a model, with its end."""
    return msgspec.json.encode(known) + b"\n"


def known_model(name: str, model: ChosenModel) -> KnownModel:
    """What identifies a model: the texts that it was read from, whatever they are called.

    A check or flag that states no rule goes by its own name.
    """
    whole = model.model
    spans = [
        *(definition.span for definition in whole.definitions),
        *(check.span for check in whole.checks),
        *(flag.span for flag in whole.flags),
    ]
    texts = sorted({span.source.text for span in spans})
    stated: dict[str, list[str]] = {}
    for entry in rules(model.model):
        for identifier in entry.rule.identifiers:
            stated.setdefault(identifier, []).append(f"{entry.text}\n{entry.rule.statement}")
    checks: tuple[Check | Flag, ...] = (*whole.checks, *whole.flags)
    for check in checks:
        if check.rule is None:
            stated.setdefault(check.name, []).append(check.span.text)
    return KnownModel(name, _hash(*texts), {name: _hash(*several)[:16] for name, several in sorted(stated.items())})


def key_of(source: Source, rows: tuple[Expectation, ...], options: Options) -> str:
    """What a judgement rests on besides models: the text, the rows about it, the options, the version of mcm."""
    asked = sorted(getattr(model, "name", str(model)) for model in options.models)
    how = (options.engine, options.bound, options.accepts_bounded, options.progress, options.profile, asked)
    stated = [
        (row.span.source.name, row.span.source.position(row.span.start), row.model, stated_in_words(row))
        for row in rows
    ]
    return _hash(__version__, repr(how), repr(stated), source.text)


def _hash(*texts: str) -> str:
    digest = sha256()
    for text in texts:
        content = text.encode("utf-8", "surrogateescape")
        digest.update(len(content).to_bytes(8, "big") + content)
    return digest.hexdigest()


def taken_over(known: KnownTest | None, key: str, current: Callable[[str], KnownModel | None]) -> JudgedTest | None:
    """The judgements of an earlier run, where they would be the same now; None where the test is to be judged."""
    if known is None or known.judged.key != key or not known.judged.judgements:
        return None
    if any(judgement.standing not in _SETTLED for judgement in known.judged.judgements):
        return None
    for name, fingerprint in known.models.items():
        now = current(name)
        if now is None or now.fingerprint != fingerprint:
            return None
    return replace(known.judged, taken_over=True)


def with_changed_rules(judged: JudgedTest, earlier: Earlier, current: Callable[[str], KnownModel | None]) -> JudgedTest:
    """The judgements, with the rules that have changed where an expectation was met by the earlier model."""
    known = earlier.tests.get(judged.file)
    if known is None:
        return judged
    met = {_identity(one) for one in known.judged.judgements if one.standing is Standing.MET}

    def told(judgement: Judgement) -> Judgement:
        if judgement.standing is not Standing.NOT_MET or _identity(judgement) not in met:
            return judgement
        changed = _changed(earlier.models.get(judgement.model), current(judgement.model))
        return replace(judgement, changed_rules=changed)

    return replace(judged, judgements=tuple(map(told, judged.judgements)))


def _identity(judgement: Judgement) -> tuple[str, tuple[str, ...], str]:
    return judgement.model, judgement.without, judgement.stated


def _changed(before: KnownModel | None, now: KnownModel | None) -> tuple[str, ...]:
    if before is None or now is None or before.fingerprint == now.fingerprint:
        return ()
    return tuple(sorted({name for name, _ in before.rules.items() ^ now.rules.items()}))


def models_of(judged: JudgedTest, current: Callable[[str], KnownModel | None]) -> Mapping[str, KnownModel]:
    """The models that a test was judged by."""
    names = dict.fromkeys(judgement.model for judgement in judged.judgements if judgement.model)
    found = {name: current(name) for name in names}
    return {name: model for name, model in found.items() if model is not None}


def whole_file(earlier: Earlier, tests: Iterable[KnownTest], models: Iterable[KnownModel]) -> bytes:
    """The lines of a file of results: these tests and models, and what was known of others."""
    all_tests = {**earlier.tests, **{known.judged.file: known for known in tests}}
    all_models = {**earlier.models, **{known.name: known for known in models}}
    lines = [line_of(all_models[name]) for name in sorted(all_models)]
    lines += [line_of(all_tests[file]) for file in sorted(all_tests)]
    return b"".join(lines)
