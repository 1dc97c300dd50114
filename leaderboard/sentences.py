"""Sentences that say what a table of figures shows, in the active language."""

from collections.abc import Iterable, Sequence

from django.utils.formats import number_format
from django.utils.text import get_text_list
from django.utils.translation import gettext, ngettext

from evaluation.architectures import ARCHITECTURES
from evaluation.ranking import Lack, LackReason
from leaderboard.filters import Filters
from leaderboard.standings import Row, Standings
from leaderboard.words import task_short


def reading(standings: Standings) -> str:
    """Return one or two sentences that read a ranking.

    They say whether anybody beats the library, where, and how far the best model gets.
    """
    if not standings.rows:
        return gettext("There are no figures for this choice.")
    # A model that can't be ranked for want of some task may still win on another.
    winners = [row for row in standings.rows if row.beats_library]
    ranked = standings.ranked
    if winners:
        said = [_winners(winners, standings)]
        if ranked and winners == [ranked[0]]:
            said.append(_winner_overall(standings))
        elif ranked:
            said.append(_leader(standings))
        return " ".join(part for part in said if part)
    if not ranked:
        return gettext("No model can be ranked for this choice; each row says what it lacks.")
    return _nobody(standings)


def _nobody(standings: Standings) -> str:
    names = _names(standings.ranked[0], standings)
    if names["share"] == "0":
        text = gettext(
            "On %(arch)s no model shown wrote a kernel that passes the first two stages."
        )
    elif len(standings.tasks) == 1:
        text = gettext(
            "None of the models shown beats the library on %(task)s; "
            "%(model)s reaches %(share)s%% of it on %(arch)s."
        )
    elif _narrowed(standings.filters):
        text = gettext(
            "None of the models shown beats the libraries; "
            "%(model)s reaches %(share)s%% of them on %(arch)s."
        )
    else:
        text = gettext(
            "No model beats the libraries; %(model)s reaches %(share)s%% of them on %(arch)s."
        )
    return text % names


def _narrowed(filters: Filters) -> bool:
    """Whether the filters hide rows, so that nothing can be said of all models."""
    return bool(filters.kind or filters.since or filters.until or filters.open is not None)


def _winners(winners: Sequence[Row], standings: Standings) -> str:
    names = _names(winners[0], standings)
    if len(winners) > 1:
        return gettext("On %(arch)s %(count)d models beat the library on at least one task.") % {
            "count": len(winners),
            **names,
        }
    won = [cell.task for cell in winners[0].cells if cell.beats_library]
    values = {**names, "tasks": _list(map(task_short, won))}
    if len(won) == len(standings.tasks):
        return gettext("On %(arch)s only %(model)s beats the library on %(tasks)s.") % values
    return gettext("On %(arch)s %(model)s beats the library on %(tasks)s only.") % values


def _winner_overall(standings: Standings) -> str:
    """Go on about the one winner, who also leads. On a single task all is said already."""
    count = len(standings.tasks)
    if count == 1:
        return ""
    values = {"count": count, **_names(standings.ranked[0], standings)}
    return gettext("Over all %(count)d tasks it reaches %(share)s%% of the libraries.") % values


def _leader(standings: Standings) -> str:
    count = len(standings.tasks)
    return ngettext(
        "%(model)s leads and reaches %(share)s%% of the library.",
        "%(model)s leads and over all %(count)d tasks reaches %(share)s%% of the libraries.",
        count,
    ) % {"count": count, **_names(standings.ranked[0], standings)}


def _names(row: Row, standings: Standings) -> dict[str, str]:
    share = row.frontier.mean if row.frontier else 0.0
    # A share just below 1 must not read as "100%": that would be a win.
    rounded = min(round(share * 100), 99) if share < 1 else 100
    digits = 1 if 0 < share < 0.01 else 0
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
