"""What runners say about themselves."""

import logging

from django.db.models.functions import Now

from evaluation.messages import RunnerReport
from leaderboard.dispatch.lanes import LANES
from leaderboard.dispatch.leases import RUNNER_CHARACTERS
from leaderboard.models import Runner
from leaderboard.storable import storable

logger = logging.getLogger(__name__)

LACKS_CHARACTERS = 4000


def register(report: RunnerReport) -> bool:
    """Store a runner's report as its last one, seen now by the database's clock.

    Returns False, changes nothing and logs it where the queue is none of ours.
    """
    if report.queue not in {lane.queue for lane in LANES}:
        logger.warning("runner %r reports for %r, which is no queue", report.name, report.queue)
        return False
    name = storable(report.name, RUNNER_CHARACTERS)
    columns = {
        "queue": report.queue,
        "hardware": storable(report.hardware, 200),
        "toolchain": storable(report.toolchain, 200),
        "host": storable(report.host, 200),
        "lacks": storable("\n".join(report.lacks), LACKS_CHARACTERS),
    }
    runner, _created = Runner.objects.get_or_create(name=name, defaults=columns)
    Runner.objects.filter(pk=runner.pk).update(**columns, last_seen=Now())
    return True
