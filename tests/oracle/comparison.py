"""What mcm answers, in the oracle's terms, and where the two differ. The only module here that imports mcm."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mcm import EngineName, Judged, Source, check_all
from oracle.brute import Answer, State, answers
from oracle.litmus_text import to_litmus
from oracle.model import MODELS
from oracle.program import Program


class NoAnswerError(Exception):
    """Mcm rejected a program that it should have answered, or gave up."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One model and engine that answer otherwise than the oracle."""

    program: Program
    model: str
    engine: EngineName
    expected: Answer
    found: Answer

    def __str__(self) -> str:
        lines = [f"mcm ({self.engine.value}) and the oracle disagree under {self.model}:", "", to_litmus(self.program)]
        for who, mine, other in (("mcm", self.found, self.expected), ("the oracle", self.expected, self.found)):
            lines += [f"only {who} has the state {_shown(state)}" for state in sorted(mine.states - other.states)]
        for kind in ("racy", "divergent", "indeterminate"):
            mine, other = getattr(self.found, kind), getattr(self.expected, kind)
            if mine is not other:
                lines.append(f"{kind}: mcm says {mine}, the oracle says {other}")
        return "\n".join(lines)


def _shown(state: State) -> str:
    return " ".join(f"{name}={value}" for name, value in state)


def mcm_answers(text: str, models: Sequence[str], engine: EngineName) -> tuple[Answer, ...]:
    """Ask mcm for the states and the kinds of undefined behaviour of a litmus test, under several models."""
    results = check_all(Source("random.litmus", text), models=tuple(models), engine=engine)
    found = []
    for result in results:
        if not isinstance(result, Judged) or not result.complete:
            raise NoAnswerError(f"{result.model}: {result}")
        kinds = {problem.kind for problem in result.undefined}
        states = {tuple(sorted((name, int(value)) for name, value in state.values.items())) for state in result.states}
        found.append(
            Answer(
                states,
                racy="data-race" in kinds,
                divergent="barrier-divergence" in kinds,
                indeterminate="uninitialised-read" in kinds,
            )
        )
    return tuple(found)


def disagreements(program: Program, models: Sequence[str], engines: Sequence[EngineName]) -> Iterator[Disagreement]:
    """Yield where mcm and the oracle differ on a program."""
    expected = answers(program, [MODELS[model] for model in models])
    text = to_litmus(program)
    for engine in engines:
        for model, want, got in zip(models, expected, mcm_answers(text, models, engine), strict=True):
            if not _agree(want, got):
                yield Disagreement(program, model, engine, want, got)


def _agree(expected: Answer, found: Answer) -> bool:
    if expected.indeterminate and found.indeterminate:
        return True  # the value that was read is anything, and whatever depends on it
    return expected == found
