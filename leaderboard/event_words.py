"""What happened to a submission, in words of the active language."""

from collections.abc import Mapping
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from evaluation.outcomes import Outcome
from leaderboard.words import outcome_label

_WORDS: dict[str, Promise] = {
    "received": _("The file was received."),
    "reading": _("Reading the file."),
    "rejected": _("Nothing in the file can be judged."),
    "understood": _("The file was read."),
    "checked": _("A kernel was checked."),
    "judged": _("A kernel was judged on a GPU."),
    "retried": _("A kernel is checked again after an infrastructure error."),
    "complete": _("Every kernel is judged."),
    "cancelled": _("Cancelled."),
    "withdrawn": _("Withdrawn."),
    "published": _("Published."),
    "unpublished": _("Made private."),
}


def event_text(kind: str, facts: Mapping[str, Any]) -> str:
    """Return an event in one sentence; its kind where nobody gave it words."""
    outcome = facts.get("outcome")
    if kind in ("checked", "judged") and outcome in set(Outcome):
        return gettext("Kernel %(kernel)s: %(outcome)s.") % {
            "kernel": str(facts.get("kernel", ""))[:12],
            "outcome": outcome_label(Outcome(outcome)),
        }
    if kind == "checked":
        return gettext("Kernel %(kernel)s: nothing wrong without a GPU.") % {
            "kernel": str(facts.get("kernel", ""))[:12]
        }
    return str(_WORDS.get(kind, kind))
