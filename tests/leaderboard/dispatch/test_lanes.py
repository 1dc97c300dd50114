"""What pages say of the queues, and how many are served before a submission's next kernel."""

from datetime import timedelta

import pytest
from django.db.models import F

from leaderboard.dispatch import ahead_of, live_runners, queue_state
from leaderboard.dispatch.lanes import lane_of
from leaderboard.models import Runner
from tests.leaderboard.judging import a_runner, a_submission, an_evaluation, lease_out

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("catalog")]


def test_the_state_of_every_queue() -> None:
    an_evaluation()
    lease_out(an_evaluation())
    an_evaluation(state="dynamic_waiting")
    an_evaluation(state="dynamic_waiting", architecture="blackwell")
    lease_out(an_evaluation(state="dynamic_waiting", architecture="blackwell"))
    an_evaluation(state="decided")
    seen = a_runner("gpu.hopper").last_seen
    gone = a_runner("gpu.blackwell")
    Runner.objects.filter(pk=gone.pk).update(last_seen=F("last_seen") - timedelta(hours=1))
    states = {state.queue: state for state in queue_state()}
    assert list(states) == ["static", "gpu.hopper", "gpu.blackwell"]
    counts = {q: (s.waiting, s.leased, s.live_runners) for q, s in states.items()}
    assert counts == {"static": (1, 1, 0), "gpu.hopper": (1, 0, 1), "gpu.blackwell": (1, 1, 0)}
    assert states["static"].last_seen is None
    assert states["gpu.hopper"].last_seen == seen
    assert states["gpu.blackwell"].last_seen is not None
    assert list(live_runners().values_list("queue", flat=True)) == ["gpu.hopper"]


def test_others_that_came_before_are_ahead() -> None:
    lease_out(an_evaluation())
    an_evaluation()
    an_evaluation(state="decided")
    an_evaluation(state="dynamic_waiting")
    mine = a_submission([an_evaluation(), an_evaluation()])
    an_evaluation()
    assert ahead_of(mine) == 2


def test_what_is_served_at_once_or_never_has_nothing_ahead() -> None:
    first = an_evaluation()
    assert ahead_of(a_submission([first])) == 0
    assert ahead_of(a_submission([an_evaluation(state="decided")])) == 0


def test_after_the_static_step_the_gpus_queue_counts() -> None:
    an_evaluation()
    an_evaluation(state="dynamic_waiting", architecture="blackwell")
    an_evaluation(state="dynamic_waiting")
    mine = a_submission([an_evaluation(state="dynamic_waiting")])
    assert ahead_of(mine) == 1


def test_an_ended_evaluation_is_in_no_queue() -> None:
    with pytest.raises(ValueError, match="decided"):
        lane_of(an_evaluation(state="decided"))
