"""The site's two Celery apps, so that what a runner sends can start nothing but its own tasks.

`app` is for the site's worker and beat. `verdict_app` works on the queue that runners write
to, and knows three tasks and not even Celery's own, which send others (`leaderboard.tasks`).
"""

import os
from typing import Any

from celery import Celery
from django.conf import settings

from evaluation.delivery import (
    REAP_SECONDS,
    RECORD_VERDICT,
    REGISTER_RUNNER,
    RENEW_LEASE,
    SITE,
    VERDICTS,
    celery_settings,
)
from leaderboard.config.lone_tasks import LoneTask

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.config.settings")

TAKE_IN = "leaderboard.take_in"
OFFER = "leaderboard.offer"
REAP = "leaderboard.reap"

SITE_TASKS = (TAKE_IN, OFFER, REAP)
VERDICT_TASKS = (RECORD_VERDICT, RENEW_LEASE, REGISTER_RUNNER)


def _app(name: str, **options: Any) -> Celery:
    made = Celery(name, **options)
    made.conf.update(
        celery_settings(settings.CELERY_BROKER_URL),
        imports=["leaderboard.tasks"],
        task_routes={name: {"queue": SITE} for name in SITE_TASKS}
        | {name: {"queue": VERDICTS} for name in VERDICT_TASKS},
    )
    return made


verdict_app = _app("leaderboard-verdicts", task_cls=LoneTask, set_as_current=False)
app = _app("leaderboard")
app.conf.update(
    beat_schedule={
        "reap": {
            "task": REAP,
            "schedule": REAP_SECONDS,
            # Without a worker a tick is worth nothing once the next one is there.
            "options": {"queue": SITE, "expires": REAP_SECONDS},
        }
    },
    beat_schedule_filename=str(settings.STATE_DIR / "beat"),
)


@verdict_app.on_after_finalize.connect
def _forget_tasks_of_celery(sender: Celery, **_kwargs: Any) -> None:
    for name in [name for name in sender.tasks if name not in VERDICT_TASKS]:
        sender.tasks.unregister(name)
