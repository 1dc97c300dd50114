"""How far a submission is, step by step, and what its kernels show."""

import pytest

from evaluation.messages import encode
from evaluation.outcomes import Outcome
from leaderboard.models import Submission, Verdict
from leaderboard.submission_sheet import PER_PAGE, kernel_lines, progress, steps
from tests.leaderboard.judging import a_submission, an_evaluation, lease_out, verdict_on

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("catalog")]


def _marks(submission: Submission) -> str:
    return " ".join(step.mark for step in steps(submission, progress(submission)))


def _static_verdict(evaluation, outcome=None) -> None:
    verdict = verdict_on(lease_out(evaluation), outcome)
    Verdict.objects.create(
        evaluation=evaluation,
        step="static",
        attempt=1,
        outcome=outcome or "",
        message=encode(verdict).decode(),
    )
    evaluation.state = "dynamic_waiting"
    evaluation.save()


@pytest.mark.parametrize(
    ("state", "marks"),
    [
        ("received", "done now todo todo todo"),
        ("unpacking", "done now todo todo todo"),
        ("rejected", "done failed todo todo todo"),
        ("cancelled", "done todo todo todo failed"),
        ("withdrawn", "done todo todo todo failed"),
    ],
)
def test_before_there_are_kernels_the_state_says_it_all(state, marks) -> None:
    assert _marks(a_submission(state=state)) == marks


def test_kernels_move_the_later_steps() -> None:
    first, second = an_evaluation(), an_evaluation()
    submission = a_submission([first, second])
    assert _marks(submission) == "done done now todo todo"
    first.state = second.state = "dynamic_waiting"
    first.save()
    assert _marks(submission) == "done done now todo todo"
    second.save()
    assert _marks(submission) == "done done done now todo"
    submission.state = "complete"
    assert _marks(submission) == "done done done done done"


def test_what_was_done_before_cancelling_stays_done() -> None:
    submission = a_submission([an_evaluation(state="decided", outcome="timeout")])
    submission.state = "cancelled"
    assert _marks(submission) == "done done done todo failed"


def test_every_kernel_is_counted_once_by_what_is_known() -> None:
    absent, clean, done = an_evaluation(), an_evaluation(), an_evaluation()
    gone = an_evaluation(state="cancelled")
    submission = a_submission([absent, clean, done, gone, an_evaluation()])
    _static_verdict(absent, Outcome.TARGET_ABSENT)
    _static_verdict(clean)
    done.state, done.outcome = "decided", "compile_error"
    done.save()
    counts = progress(submission)
    assert (counts.total, counts.checked, counts.ended) == (5, 4, 2)
    assert counts.findings.counts == {
        Outcome.TARGET_ABSENT: 1,
        Outcome.WAITING: 2,
        Outcome.COMPILE_ERROR: 1,
    }


def test_a_static_finding_is_shown_before_the_gpu_has_looked() -> None:
    absent, clean = an_evaluation(), an_evaluation()
    submission = a_submission([absent, clean])
    _static_verdict(absent, Outcome.TARGET_ABSENT)
    _static_verdict(clean)
    shown = [(line.outcome, line.reached) for line in kernel_lines(submission, "1")]
    assert shown == [(Outcome.TARGET_ABSENT, True), (None, False)]


@pytest.mark.parametrize("number", ["", "0", "-1", "9" * 30, "x", "\0"])
def test_a_page_that_is_none_gives_one_that_is(number) -> None:
    submission = a_submission([an_evaluation()])
    assert len(kernel_lines(submission, number)) == 1


def test_kernels_come_in_pages_without_their_sources(django_assert_num_queries) -> None:
    submission = a_submission([an_evaluation() for _ in range(PER_PAGE + 1)])
    with django_assert_num_queries(2):
        page = kernel_lines(submission, "1")
        assert len(page) == PER_PAGE
    assert "source" in page[0].evaluation.kernel.get_deferred_fields()
    assert len(kernel_lines(submission, "2")) == 1
