"""How turns end per task, as stacked bars: a colour per stage, a shade per reason."""

from collections.abc import Mapping

import plotly.graph_objects as go

from evaluation.outcomes import Outcome
from leaderboard.charts import plain
from leaderboard.failures import Endings
from leaderboard.words import outcome_label, outcome_letter, task_short

_LOOKS: dict[Outcome, tuple[float, str]] = {
    Outcome.EXTRACTION_ERROR: (0.85, "x"),
    Outcome.BANNED_LIBRARY: (0.85, "+"),
    Outcome.COMPILE_ERROR: (1.0, ""),
    Outcome.RUNTIME_ERROR: (0.7, "/"),
    Outcome.TIMEOUT: (0.5, "-"),
    Outcome.SANITIZER_ERROR: (0.5, "+"),
    Outcome.WRONG_SHAPE: (0.35, "|"),
    Outcome.NUMERICAL_ERROR: (0.35, ""),
    Outcome.OTHER_ERROR: (0.2, "\\"),
    Outcome.TARGET_ABSENT: (1.0, ""),
    Outcome.TARGET_NOT_EXECUTED: (0.75, "/"),
    Outcome.TARGET_PARTIAL: (0.45, "-"),
    Outcome.SLOWER: (1.0, "."),
    Outcome.FASTER: (1.0, ""),
    Outcome.REWARD_HACK: (1.0, "x"),
    Outcome.QUARANTINED: (1.0, ""),
    Outcome.INFRA_ERROR: (0.7, "/"),
    Outcome.WAITING: (0.4, ""),
}
"""Opacity and pattern of each reason. They are fixed, so a filter changes no bar's look."""

_BAR_REM = 2.75
_FRAME_REM = 12


def failures_chart(tasks: Mapping[str, Endings]) -> go.Figure:
    """Return one bar per task, in percent of its turns, with a trace per outcome that came."""
    came = [o for o in Outcome if any(o in endings.counts for endings in tasks.values())]
    layout = go.Layout(
        barmode="stack",
        bargap=0.35,
        xaxis={"range": [0, 100], "ticksuffix": "%", "fixedrange": True},
        # Plotly draws upwards; the first task belongs on top.
        yaxis={
            "autorange": "reversed",
            "fixedrange": True,
            "showgrid": False,
            "ticklabelstandoff": 6,
        },
        legend={"orientation": "h", "traceorder": "normal", "y": -0.12, "x": 0},
        margin={"l": 8, "r": 20, "t": 12, "b": 32},
    )
    return go.Figure([_trace(outcome, tasks) for outcome in came], layout)


def chart_height(tasks: Mapping[str, Endings]) -> str:
    """Return the height that the bars and a legend of several lines need."""
    return f"{_FRAME_REM + _BAR_REM * len(tasks):g}rem"


def _trace(outcome: Outcome, tasks: Mapping[str, Endings]) -> go.Bar:
    token = outcome_letter(outcome).lower().replace("?", "u")
    opacity, pattern = _LOOKS[outcome]
    name = f"{outcome_letter(outcome)} · {outcome_label(outcome)}"
    counts = [endings.counts.get(outcome, 0) for endings in tasks.values()]
    return go.Bar(
        name=plain(name),
        orientation="h",
        opacity=opacity,
        y=[_wrapped(plain(task_short(task))) for task in tasks],
        x=[
            round(100 * count / endings.total, 2)
            for count, endings in zip(counts, tasks.values(), strict=True)
        ],
        marker=_marker(token, pattern),
        customdata=[
            [plain(name), count, endings.total]
            for count, endings in zip(counts, tasks.values(), strict=True)
        ],
        hovertemplate=(
            "%{y}<br>%{customdata[0]}<br>"
            "%{x:.1f}% (%{customdata[1]} / %{customdata[2]})<extra></extra>"
        ),
    )


def _marker(token: str, pattern: str) -> dict:
    return {
        "color": f"var(--end-{token})",
        "line": {"color": "var(--panel)", "width": 1},
        "pattern": {
            "shape": pattern,
            "fillmode": "overlay",
            "fgcolor": "var(--ink)",
            "fgopacity": 0.55,
            "size": 7,
            "solidity": 0.22,
        },
    }


def _wrapped(label: str) -> str:
    """Break a long label at its commas, so that narrow screens leave room for the bars."""
    return label.replace(", ", ",<br>")
