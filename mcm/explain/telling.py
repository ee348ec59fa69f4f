"""Derivations as sentences: one for each definition that a model has words for, the deepest first.

A definition without words is passed over, and its rules stand with the sentence around it. Words that name no event are
a clause of that sentence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from mcm.answer.explanation import How, Sentence
from mcm.explain.violation import edges_of, main_part

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from mcm.answer.explanation import Derivation, Edge
    from mcm.explain.naming import Names


class Teller:
    """Tells of one execution; of rules only those in `rules` are cited (None: all)."""

    def __init__(self, names: Names, rules: Collection[str] | None) -> None:
        self._names = names
        self._rules = rules

    def cited(self, rules: Iterable[str]) -> tuple[str, ...]:
        """The rules that are worth citing, each once."""
        return tuple(dict.fromkeys(rule for rule in rules if self._rules is None or rule in self._rules))

    def sentences(self, derivation: Derivation) -> tuple[Sentence, ...]:
        """What a derivation says."""
        told, _, _ = self._tell(derivation)
        return tuple(dict.fromkeys(told))

    def within(self, derivation: Derivation) -> tuple[tuple[Sentence, ...], tuple[str, ...]]:
        """What a derivation says, and the rules that stand with what it is part of."""
        told, rules, _ = self._tell(derivation)
        return tuple(dict.fromkeys(told)), self.cited(rules)

    def _tell(self, derivation: Derivation) -> tuple[list[Sentence], list[str], list[str]]:
        """Sentences, and the rules and clauses that the sentence around has to take up."""
        told: list[Sentence] = []
        rules: list[str] = []
        clauses: list[str] = []
        for part in derivation.parts:
            inner = self._tell(part)
            told += inner[0]
            rules += inner[1]
            clauses += inner[2]
        rules = [*derivation.rules, *rules]
        phrase = derivation.phrase
        if derivation.how is not How.DEFINITION or phrase is None:
            return told, rules, clauses
        if "{" not in phrase:
            return told, rules, [*clauses, phrase]
        text = self.phrase(phrase, (derivation.first, derivation.last))
        whole = ", ".join(dict.fromkeys((text, *clauses)))
        path = self._path_of(derivation)
        events = tuple(dict.fromkeys((derivation.first, derivation.last)))
        told.append(Sentence(whole, self.cited(rules), path, events, derivation=derivation))
        return told, [], []

    def phrase(self, phrase: str, events: Sequence[int]) -> str:
        """The words of a model with the names of events."""
        for letter, event in zip("abcdef", events, strict=False):
            phrase = phrase.replace("{" + letter + "}", self._names.full(event))
        return phrase

    def _path_of(self, derivation: Derivation) -> str:
        inner = main_part(derivation.parts[0])
        while inner.how is How.DEFINITION and inner.phrase is None:
            inner = main_part(inner.parts[0])
        if inner.how not in {How.COMPOSITION, How.CLOSURE}:
            return ""
        return self.path(edges_of(inner))

    def path(self, edges: Sequence[Edge]) -> str:
        """A chain of edges: `line 12 →sb line 13 →gsw line 17`."""
        if not edges:
            return ""
        names = self._names
        return " ".join(
            [names.short(edges[0].first), *(f"{names.edge(edge.name)} {names.short(edge.last)}" for edge in edges)]
        )

    def breaking(self, phrase: str | None, check: str, edges: Sequence[Edge], rules: Iterable[str]) -> Sentence:
        """The line that contradicts a check: the events of the cycle, or of the pair, in the model's words."""
        events = [edge.first for edge in edges]
        if edges and edges[-1].last != edges[0].first:
            events.append(edges[-1].last)
        letters = {letter for letter in "abcdef" if phrase is not None and "{" + letter + "}" in phrase}
        fits = phrase is not None and len(letters) <= len(events)
        text = self.phrase(phrase, events) if phrase is not None and fits else f"{check} excludes that"
        return Sentence(text, self.cited(rules), self.path(edges), tuple(dict.fromkeys(events)), breaks=True)


def following(sentences: Sequence[Sentence]) -> tuple[Sentence, ...]:
    """The same, with `so` before what follows from the sentences before."""
    return tuple(
        sentence if number == 0 or not _follows(sentence) else replace(sentence, text=f"so {sentence.text}")
        for number, sentence in enumerate(sentences)
    )


def _follows(sentence: Sentence) -> bool:
    return sentence.breaks
