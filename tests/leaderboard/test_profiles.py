"""A model's figures, kept apart by how they were taken."""

from typing import Any

import pytest

from evaluation.intervals import wilson
from evaluation.outcomes import Outcome
from evaluation.tasks import CORE_TASKS
from leaderboard import profiles
from leaderboard.charts import progress
from leaderboard.models import ModelEntry

# Whether a figure is missing is what the tests are about; types would demand to know it before.
sections: Any = profiles.sections
progress_chart: Any = progress.progress_chart

GOOD = [(Outcome.COMPILE_ERROR, None), (Outcome.SLOWER, 0.6)]
BAD = [(Outcome.TIMEOUT, None), (Outcome.TIMEOUT, None)]


def test_figures_taken_differently_are_never_pooled(make_entry, make_run):
    entry = make_entry()
    make_run(entry, [GOOD])
    make_run(entry, [BAD], prompt_set="ablation")
    make_run(entry, [BAD], provenance="measured")
    make_run(entry, [BAD], origin="uploaded")
    make_run(entry, [BAD], architecture="blackwell")
    found = sections(entry, 8, 0.5)
    assert [s.lines[0].cell.figures.trajectories for s in found] == [1] * 5
    assert {s.source.architecture for s in found[:-1]} == {"hopper"}
    assert found[-1].source.architecture == "blackwell"
    assert found[0].source.prompt_set == "standard"


def test_repeated_runs_of_a_workload_are_one_line(make_entry, make_run):
    entry = make_entry()
    runs = [make_run(entry, [GOOD, BAD]), make_run(entry, [GOOD])]
    (section,) = sections(entry, 8, 0.5)
    (line,) = section.lines
    assert line.cell.figures.trajectories == 3
    assert line.fast == wilson(2, 3)
    assert {run.pk for run in line.runs} == {run.pk for run in runs}
    assert line.tally.counts == {
        Outcome.COMPILE_ERROR: 2,
        Outcome.SLOWER: 2,
        Outcome.TIMEOUT: 2,
    }


def test_a_limit_beyond_the_run_has_no_figures(make_entry, make_run):
    entry = make_entry()
    make_run(entry, [GOOD], turn_limit=2)
    (section,) = sections(entry, 16, 0.5)
    (line,) = section.lines
    assert line.cell.figures is None
    assert line.fast is None
    assert line.tally.total == 2


def test_endings_stop_at_the_turn_limit(make_entry, make_run):
    entry = make_entry()
    make_run(entry, [GOOD])
    (section,) = sections(entry, 1, 0.5)
    assert section.tally.counts == {Outcome.COMPILE_ERROR: 1}


def test_progress_is_over_the_core_tasks_if_all_are_there(make_entry, make_run):
    entry = make_entry()
    for task in (*CORE_TASKS, "mha_with_lse_d64"):
        make_run(entry, [GOOD], task=task, turn_limit=2)
    (section,) = sections(entry, 8, 0.5)
    assert section.over_core
    assert [(step.k, step.frontier.mean) for step in section.progress] == [
        (1, 0.0),
        (2, pytest.approx(0.6)),
    ]


def test_progress_has_no_mean_where_a_task_is_missing(make_entry, make_run):
    entry = make_entry()
    make_run(entry, [GOOD], turn_limit=4)
    make_run(entry, [GOOD], task="mha_bwd_d128", turn_limit=2)
    (section,) = sections(entry, 4, 0.5)
    assert not section.over_core
    assert [step.frontier is None for step in section.progress] == [False, False, True, True]
    assert [k for k, _place in progress_chart(section.progress).ticks] == [1, 2]


def test_undecided_turns_are_counted(make_entry, make_run):
    entry = make_entry()
    make_run(entry, [[(Outcome.QUARANTINED, None)]])
    (section,) = sections(entry, 1, 0.5)
    assert section.undecided == 1
    assert progress_chart(section.progress[:1]) is None


def test_the_drawing_stays_in_its_frame(bundled):
    for entry in ModelEntry.objects.all():
        for section in sections(entry, 8, 0.5):
            for line in progress_chart(section.progress).lines:
                numbers = [float(n) for p in line.points.split() for n in p.split(",")]
                assert all(0 <= number <= 100 for number in numbers)


def test_two_queries_however_many_runs(bundled, django_assert_num_queries):
    entry = ModelEntry.objects.get(slug="qwen3-6-27b-s1")
    with django_assert_num_queries(2):
        assert len(sections(entry, 8, 0.5)) == 2


def test_published_figures_are_those_of_the_ranking(bundled):
    entry = ModelEntry.objects.get(slug="claude-opus-4-8")
    hopper, blackwell = sections(entry, 8, 0.5)
    assert hopper.progress[-1].frontier.mean == pytest.approx(0.554, abs=5e-4)
    assert blackwell.source.hardware == "b200"
    assert sum(count for _s, count, _e in hopper.tally.stages) == hopper.tally.total == 480
