"""Whatever happens in whatever order, every evaluation ends once and states move forward only."""

from collections import Counter
from collections.abc import Callable

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evaluation.delivery import ATTEMPTS
from evaluation.messages import JudgeRequest
from evaluation.outcomes import Outcome
from leaderboard.dispatch import offer, reap, renew
from leaderboard.models import Evaluation, OutcomeCount, Result, Verdict
from leaderboard.summaries import refresh
from leaderboard.verdicts import record
from tests.leaderboard.judging import (
    a_run,
    a_runner,
    a_submission,
    an_evaluation,
    expire,
    renewal_of,
    verdict_on,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("catalog", "broker")]

State = Evaluation.State
ROWS = 3
STATIC = (None, Outcome.TARGET_ABSENT, Outcome.COMPILE_ERROR, Outcome.INFRA_ERROR)
DYNAMIC = (Outcome.FASTER, Outcome.NUMERICAL_ERROR, Outcome.TARGET_ABSENT, Outcome.INFRA_ERROR)

RECORDS = st.tuples(st.just("record"), st.integers(0, 30), st.integers(0, 3))
OTHERS = st.tuples(
    st.sampled_from(["offer", "renew", "reap", "expire", "foreign", "lose", "unsent", "gpu"]),
    st.integers(0, 30),
    st.integers(0, 3),
)
SCHEDULES = st.lists(st.one_of(RECORDS, OTHERS, st.just(("offer", 0, 0))), max_size=30)


class World:
    """Three evaluations of one submission and one run, and all that was ever sent about them.

    Requests stay deliverable for ever, so that a runner answers early, late, twice, or
    after another runner did.
    """

    def __init__(self, broker) -> None:
        self.broker = broker
        self.rows = [an_evaluation() for _ in range(ROWS)]
        self.submission = a_submission(self.rows)
        self.run = a_run(self.rows, public=True)
        self.requests: list[JudgeRequest] = []
        self.decided: Counter[int] = Counter()
        self.seen: dict[int, tuple] = {}

    def do(self, action: str, which: int, found: int) -> None:
        getattr(self, action)(which, found)
        self.requests += self.broker.requests()
        self.check(action)

    def offer(self, _which: int, _found: int) -> None:
        offer()

    def reap(self, _which: int, _found: int) -> None:
        reap()

    def lose(self, _which: int, _found: int) -> None:
        offer()
        self.broker.sent.clear()

    def unsent(self, _which: int, _found: int) -> None:
        self.broker.broken = True
        offer()
        self.broker.broken = False

    def gpu(self, _which: int, _found: int) -> None:
        a_runner("gpu.hopper")

    def expire(self, which: int, _found: int) -> None:
        row = self.rows[which % ROWS]
        if self.state(row.pk) in Evaluation.LEASED:
            expire(row)

    def renew(self, which: int, _found: int) -> None:
        if self.requests:
            renew(renewal_of(self.requests[which % len(self.requests)]))

    def record(self, which: int, found: int) -> None:
        if self.requests:
            self.answer(self.requests[which % len(self.requests)], found)

    def foreign(self, which: int, found: int) -> None:
        if self.requests:
            request = self.requests[which % len(self.requests)]
            assert not record(verdict_on(request, STATIC[found], lease="of somebody else"))

    def answer(self, request: JudgeRequest, found: int) -> None:
        outcome = (STATIC if request.step == "static" else DYNAMIC)[found]
        if record(verdict_on(request, outcome)):
            self.decided[request.evaluation] += self.state(request.evaluation) == State.DECIDED

    def state(self, key: int) -> str:
        return Evaluation.objects.values_list("state", flat=True).get(pk=key)

    def check(self, action: str) -> None:
        for row in Evaluation.objects.order_by("pk"):
            ended = row.ended
            place = (ended, row.state.startswith("dynamic") or ended, 0 if ended else row.attempt)
            columns = {name: value for name, value in vars(row).items() if name != "_state"}
            facts = (columns, *Verdict.objects.filter(evaluation=row).values_list())
            before = self.seen.get(row.pk)
            if before is not None:
                assert place >= before[0], (action, before, facts)
                assert not before[0][0] or facts == before[1], "an ended row changed"
                assert place[2] <= before[0][2] or place[1] or action == "reap"
            assert row.attempt <= ATTEMPTS
            assert (row.state in Evaluation.LEASED) == bool(row.lease)
            self.seen[row.pk] = (place, facts)

    def finish(self) -> None:
        """Let a healthy site and healthy runners do what is left, in two steps at most."""
        self.gpu(0, 0)
        for _ in range(2):
            for which in range(ROWS):
                self.expire(which, 0)
            self.do("reap", 0, 0)
            for request in self.requests[-ROWS:]:
                self.answer(request, 1 if request.step == "dynamic" else 0)
                self.check("record")


@pytest.fixture
def committing(monkeypatch) -> None:
    """What waits for a commit happens at once: the example's transaction is never committed."""
    at_once: Callable[..., None] = lambda call, **_: call()  # noqa: E731
    monkeypatch.setattr(transaction, "on_commit", at_once)


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(schedule=SCHEDULES)
def test_every_evaluation_ends_exactly_once(schedule, broker, committing) -> None:
    with transaction.atomic():
        world = World(broker)
        for step in schedule:
            world.do(*step)
        world.finish()
        check_end(world)
        transaction.set_rollback(True)


def check_end(world: World) -> None:
    rows = Evaluation.objects.all()
    assert {row.state for row in rows} <= {State.DECIDED, State.INFRA_ERROR}
    assert world.decided == Counter(row.pk for row in rows if row.state == State.DECIDED)
    world.submission.refresh_from_db()
    assert world.submission.state == "complete"
    events = list(world.submission.events.values_list("seq", "kind"))
    assert [seq for seq, _kind in events] == list(range(1, len(events) + 1))
    assert Counter(kind for _seq, kind in events)["complete"] == 1
    outcomes = Counter(Result.everything.values_list("turn__number", "outcome"))
    assert outcomes == Counter(
        dict(zip(range(ROWS), (row.outcome for row in rows), strict=True)).items()
    )
    counted = OutcomeCount.everything.values_list("turn", "outcome", "count")
    assert {(turn, outcome): count for turn, outcome, count in counted} == outcomes
    assert refresh([world.run]).written == 0
