"""Sentences that say what a table of figures shows, in the active language."""

from collections.abc import Iterable, Sequence

from django.utils.formats import number_format
from django.utils.text import get_text_list
from django.utils.translation import gettext, ngettext

from evaluation.architectures import ARCHITECTURES
from evaluation.ranking import Lack, LackReason
from leaderboard.standings import Row, Standings
from leaderboard.words import task_short


def reading(standings: Standings) -> str:
    """Return one or two sentences that read a ranking.

    They say whether anybody beats the library, where, and how far the best model gets.
    """
    if not standings.rows:
        return gettext("There are no figures for this choice.")
    ranked = standings.ranked
    if not ranked:
        return gettext("No model can be ranked for this choice; each row says what it lacks.")
    winners = [row for row in ranked if row.beats_library]
    if winners:
        return f"{_winners(winners, standings)} {_leader(ranked[0], standings)}"
    return _nobody(ranked[0], standings)


def _nobody(best: Row, standings: Standings) -> str:
    names = _names(best, standings)
    if not best.frontier or best.frontier.mean == 0:
        return gettext("On %(arch)s no model wrote a kernel that passes the first two stages.") % names
    if len(standings.tasks) == 1:
        return gettext(
            "No model beats the library on %(task)s; %(model)s reaches %(share)s%% of it on %(arch)s."
        ) % (names)
    return gettext(
        "No model beats the libraries; %(model)s reaches %(share)s%% of them on %(arch)s."
    ) % (names)


def _winners(winners: Sequence[Row], standings: Standings) -> str:
    if len(winners) > 1:
        return ngettext(
            "On %(arch)s %(count)d model beats the library on at least one task.",
            "On %(arch)s %(count)d models beat the library on at least one task.",
            len(winners),
        ) % {"count": len(winners), **_names(winners[0], standings)}
    won = [cell for cell in winners[0].cells if cell.beats_library]
    values = {**_names(winners[0], standings), "tasks": _list(task_short(cell.task) for cell in won)}
    if len(won) == len(standings.tasks):
        return gettext("On %(arch)s only %(model)s beats the library on %(tasks)s.") % values
    return gettext("On %(arch)s %(model)s beats the library on %(tasks)s only.") % values


def _leader(best: Row, standings: Standings) -> str:
    count = len(standings.tasks)
    return ngettext(
        "%(model)s leads and reaches %(share)s%% of the library.",
        "%(model)s leads and over all %(count)d tasks reaches %(share)s%% of the libraries.",
        count,
    ) % {"count": count, **_names(best, standings)}


def _names(row: Row, standings: Standings) -> dict[str, str]:
    share = row.frontier.mean if row.frontier else 0.0
    # A share just below 1 must not read as "100%": that would be a win.
    rounded = min(round(share * 100), 99) if share < 1 else 100
    digits = 1 if rounded == 0 else 0
    return {
        "model": row.entry.name,
        "share": str(number_format(share * 100 if digits else rounded, digits)),
        "arch": ARCHITECTURES[standings.filters.arch].name,
        "task": task_short(standings.tasks[0]),
    }


def _list(items: Iterable[str]) -> str:
    return get_text_list(list(items), gettext("and"))


def lacking(lacks: Sequence[Lack], k: int) -> str:
    """Return what keeps a model from being ranked: `no figures for GEMM at k = 8`."""
    return "; ".join(
        _LACKING[reason]([lack for lack in lacks if lack.reason is reason], k)
        for reason in LackReason
        if any(lack.reason is reason for lack in lacks)
    )


def _missing(lacks: Sequence[Lack], k: int) -> str:
    tasks = _list(task_short(lack.task) for lack in lacks)
    return gettext("no figures for %(tasks)s at k = %(k)d") % {"tasks": tasks, "k": k}


def _few(lacks: Sequence[Lack], _k: int) -> str:
    parts = (
        gettext("%(have)d of %(need)d trajectories on %(task)s")
        % {"have": lack.have, "need": lack.need, "task": task_short(lack.task)}
        for lack in lacks
    )
    return _list(parts)


def _provisional(lacks: Sequence[Lack], _k: int) -> str:
    parts = (
        gettext("%(have)s%% of turns undecided on %(task)s (at most %(need)s%%)")
        % {
            "have": number_format(lack.have * 100, 1),
            "need": number_format(lack.need * 100, 0),
            "task": task_short(lack.task),
        }
        for lack in lacks
    )
    return _list(parts)


_LACKING = {
    LackReason.MISSING_TASK: _missing,
    LackReason.FEW_TRAJECTORIES: _few,
    LackReason.PROVISIONAL: _provisional,
}
