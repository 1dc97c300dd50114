"""One turn as its page shows it: each result read stage by stage, and its neighbours."""

from dataclasses import dataclass
from enum import StrEnum

from evaluation.outcomes import Outcome, Stage
from leaderboard.models import Result, Run, Turn
from leaderboard.run_sheet import Square, TurnAddresses


class Status(StrEnum):
    """What became of one stage."""

    PASS = "pass"  # noqa: S105  # no password
    FAIL = "fail"
    NOT_REACHED = "not_reached"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Reading:
    """One stage of a verdict."""

    stage: Stage
    status: Status


@dataclass(frozen=True, slots=True)
class Verdict:
    """A result with its stages in order."""

    result: Result
    readings: tuple[Reading, ...]

    @property
    def outcome(self) -> Outcome:
        """How the turn ended, as this source says."""
        return self.result.ending


@dataclass(frozen=True, slots=True)
class TurnSheet:
    """A turn, its verdicts, and its trajectory as a strip of turns."""

    turn: Turn
    verdicts: tuple[Verdict, ...]
    strip: tuple[Square, ...]
    previous: Square | None
    following: Square | None


_JUDGED = (Stage.SYNTAX, Stage.TARGET, Stage.STRATEGY)


def readings(outcome: Outcome) -> tuple[Reading, ...]:
    """Return what an outcome says about each stage, in order."""
    if outcome.stage is Stage.OUTSIDE:
        return tuple(Reading(stage, Status.UNKNOWN) for stage in _JUDGED)
    if outcome.stage is Stage.PASSED:
        return tuple(Reading(stage, Status.PASS) for stage in _JUDGED)
    ended = _JUDGED.index(outcome.stage)
    return tuple(Reading(stage, _status(place, ended)) for place, stage in enumerate(_JUDGED))


def _status(place: int, ended: int) -> Status:
    if place == ended:
        return Status.FAIL
    return Status.PASS if place < ended else Status.NOT_REACHED


def turn_sheet(run: Run, key: str, number: int) -> TurnSheet | None:
    """Return the sheet of turn `number` of a trajectory, in two queries; None if not stored."""
    if not _storable(key):
        return None
    found = Turn.objects.filter(trajectory__run=run, trajectory__key=key)
    turns = list(found.prefetch_related("results").order_by("number"))
    place = next((i for i, turn in enumerate(turns) if turn.number == number), None)
    if place is None:
        return None
    turn = turns[place]
    verdicts = tuple(Verdict(r, readings(r.ending)) for r in _results(turn))
    # The strip tells one story: that of the source which comes first for this turn.
    source = _source(verdicts[0].result) if verdicts else None
    addresses = TurnAddresses(run.slug, key)
    strip = tuple(_square(one, source, addresses) for one in turns)
    return TurnSheet(
        turn,
        verdicts,
        strip,
        strip[place - 1] if place else None,
        strip[place + 1] if place + 1 < len(strip) else None,
    )


def _storable(text: str) -> bool:
    """Whether a database takes the text at all: PostgreSQL refuses NUL, both refuse surrogates."""
    return "\0" not in text and text.encode("utf-8", "ignore").decode() == text


def _results(turn: Turn) -> list[Result]:
    return sorted(turn.results.all(), key=_source)


def _source(result: Result) -> tuple[str, str, str]:
    return (result.provenance, result.hardware, result.protocol)


def _square(turn: Turn, source: tuple[str, str, str] | None, addresses: TurnAddresses) -> Square:
    result = next((r for r in turn.results.all() if _source(r) == source), None)
    return Square(
        turn.number,
        result.ending if result else None,
        result.speedup if result else None,
        addresses.of(turn.number),
    )
