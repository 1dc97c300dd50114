"""Tasks that a message can start, and with which it can start nothing else.

A Celery message can name further tasks (`chain`, `link`, a chord) that the worker then
sends with its own credentials. A runner may write to one queue only; without this it
could write to all of them through the site. Nor must a message of a wrong form end the
worker, which would get it again at its next start.
"""

from collections.abc import Callable
from typing import Any

from celery import Task
from celery.exceptions import InvalidTaskError
from celery.worker import strategy
from kombu.exceptions import ContentDisallowed, DecodeError

FOLLOW_UPS = ("callbacks", "errbacks", "chain", "chord")


class LoneTask(Task):
    """A task whose messages are refused, logged and dropped if they are not `lone`."""

    Strategy = "leaderboard.config.lone_tasks:lone"


def lone(task: Task, app: Any, consumer: Any) -> Callable[..., None]:
    """Return what the worker does with a message for `task`: Celery's own, behind a check."""
    take = strategy.default(task, app, consumer)
    passed_on = (InvalidTaskError, ContentDisallowed, DecodeError, *consumer.connection_errors)

    def checked(message: Any, body: Any, *rest: Any) -> None:
        try:
            _check(message.headers, message.payload)
            take(message, body, *rest)
        except passed_on:
            raise
        except Exception as error:
            raise InvalidTaskError(f"a message that cannot be taken: {error!r}") from error

    return checked


def _check(headers: dict[str, Any], payload: Any) -> None:
    """Raise `InvalidTaskError` unless a message has Celery's second form and asks for one task."""
    if not isinstance(payload, list | tuple):
        raise InvalidTaskError("a message's body is its arguments, named ones, and options")
    arguments, named, options = payload
    if not isinstance(arguments, list) or not isinstance(named, dict):
        raise InvalidTaskError("a message's arguments are a list, its named ones an object")
    if any({**headers, **(options or {})}.get(name) for name in FOLLOW_UPS):
        raise InvalidTaskError("a message names one task and nothing to do after it")
