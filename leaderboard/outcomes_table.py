"""How turns ended, counted: as a stacked bar of stages, and as a table of reasons."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from evaluation.outcomes import Outcome, Stage
from leaderboard.words import outcome_letter

LETTERS: dict[str, Promise] = {
    "E": _("error"),
    "T": _("target missing"),
    "S": _("slower"),
    "F": _("faster"),
    "X": _("reward hack"),
    "?": _("undecided"),
}
"""The parts of a stacked bar, in order, with the words for each."""

ROOM_FOR_LETTER = 0.06
"""Share of a bar from which on its part is wide enough for a letter."""


@dataclass(frozen=True, slots=True)
class Part:
    """One stretch of a stacked bar. `share` is in (0, 1]."""

    letter: str
    label: Promise
    count: int
    share: float

    @property
    def style(self) -> str:
        """The CSS class with the part's colour."""
        return f"end-{self.letter.lower().replace('?', 'u')}"

    @property
    def wide(self) -> bool:
        """Whether the letter fits."""
        return self.share >= ROOM_FOR_LETTER


@dataclass(frozen=True, slots=True)
class Ending:
    """One way in which turns ended. `share` is of all turns counted."""

    outcome: Outcome
    count: int
    share: float

    @property
    def stage(self) -> Stage:
        """The stage at which these turns ended."""
        return self.outcome.stage


@dataclass(frozen=True, slots=True)
class Tally:
    """Numbers of turns by outcome."""

    counts: Mapping[Outcome, int]

    @property
    def total(self) -> int:
        """Number of turns counted."""
        return sum(self.counts.values())

    @property
    def parts(self) -> tuple[Part, ...]:
        """The stretches of a stacked bar, from error to undecided, empty ones left out."""
        sums = dict.fromkeys(LETTERS, 0)
        for outcome, count in self.counts.items():
            sums[outcome_letter(outcome)] += count
        return tuple(
            Part(letter, LETTERS[letter], count, count / self.total)
            for letter, count in sums.items()
            if count
        )

    @property
    def endings(self) -> tuple[Ending, ...]:
        """The outcomes that occurred: stage by stage, the most frequent of a stage first."""
        stages = list(Stage)
        found = [Ending(o, count, count / self.total) for o, count in self.counts.items() if count]
        return tuple(sorted(found, key=lambda e: (stages.index(e.stage), -e.count, e.outcome)))

    @property
    def stages(self) -> tuple[tuple[Stage, int, tuple[Ending, ...]], ...]:
        """The endings under their stages, each with its number of turns."""
        grouped: dict[Stage, list[Ending]] = {}
        for ending in self.endings:
            grouped.setdefault(ending.stage, []).append(ending)
        return tuple((s, sum(e.count for e in es), tuple(es)) for s, es in grouped.items())


def tally(counts: Iterable[tuple[str, int]]) -> Tally:
    """Return the tally of pairs of outcome and count; equal outcomes are added up."""
    sums: dict[Outcome, int] = {}
    for word, count in counts:
        outcome = Outcome(word)
        sums[outcome] = sums.get(outcome, 0) + count
    return Tally(sums)


def outcomes_present(tallies: Iterable[Tally]) -> tuple[Outcome, ...]:
    """Return the outcomes that occur in any of `tallies`, in the protocol's order."""
    seen = {outcome for one in tallies for outcome, count in one.counts.items() if count}
    return tuple(outcome for outcome in Outcome if outcome in seen)
