"""The failures chart: every outcome that came, in percent, with inert texts."""

import json

from evaluation.outcomes import Outcome
from leaderboard.charts import failures as chart
from leaderboard.charts.failures import chart_height, failures_chart
from leaderboard.failures import Endings

TASKS = {
    "gemm_n7168_k5120": Endings({Outcome.COMPILE_ERROR: 1, Outcome.SLOWER: 3}),
    "mha_with_lse_d128_causal": Endings({Outcome.COMPILE_ERROR: 2}),
}


def test_a_trace_for_each_outcome_that_came():
    figure = failures_chart(TASKS)
    assert [trace.name for trace in figure.data] == ["E · compile error", "S · slower"]
    assert [list(trace.x) for trace in figure.data] == [[25, 100], [75, 0]]
    assert figure.layout.barmode == "stack"


def test_every_outcome_has_a_look_of_its_own():
    assert set(chart._LOOKS) == set(Outcome)
    looks = {(chart.outcome_letter(outcome), *look) for outcome, look in chart._LOOKS.items()}
    assert len(looks) == len(Outcome)


def test_colours_are_names_of_the_style_sheet():
    colours = {trace.marker.color for trace in failures_chart(TASKS).data}
    assert colours == {"var(--end-e)", "var(--end-s)"}


def test_labels_cannot_hold_markup(monkeypatch):
    monkeypatch.setattr(chart, "task_short", lambda slug: "<a href='//x'>x</a>")
    monkeypatch.setattr(chart, "outcome_label", lambda outcome: "<b>x</b>")
    texts = json.dumps(failures_chart(TASKS).to_dict(), default=str)
    assert "<a" not in texts
    assert "<b>" not in texts


def test_no_webgl_and_no_template_text_from_outside():
    for trace in failures_chart(TASKS).data:
        assert trace.type == "bar"
        assert trace.hovertemplate.count("%{") == 5


def test_a_longer_chart_is_higher():
    one = {"gemm_n7168_k5120": TASKS["gemm_n7168_k5120"]}
    assert float(chart_height(one)[:-3]) < float(chart_height(TASKS)[:-3])
