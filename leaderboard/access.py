"""Who may see a run, a kernel and its evaluations: everybody what is public, owners their own.

What is not visible is answered as if it weren't there. Whatever shows something private
marks the request, so that no cache keeps the answer.
"""

import re

from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest

from leaderboard.accounts.models import User
from leaderboard.models import Evaluation, Kernel, Run, Submission, Turn
from leaderboard.page_cache import differs_by_user, for_owner_only

_SHA256 = re.compile("[0-9a-f]{64}")
_STANDING = [state for state in Submission.State if state != Submission.State.WITHDRAWN]


def viewer(request: HttpRequest) -> User | None:
    """Return who asks, by session or token; None for somebody who is not signed in."""
    user = getattr(request, "user", None)
    return user if isinstance(user, User) and user.is_active else None


def find_run(request: HttpRequest, slug: str, runs: QuerySet[Run] | None = None) -> Run | None:
    """Return the run if the asker may see it, from `runs` (default: all of them)."""
    runs = Run.everything.all() if runs is None else runs
    found = runs.filter(slug=slug).select_related("submission").first()
    if found is None or found.public:
        return found
    user = viewer(request)
    if user is None or found.submission is None or found.submission.owner_id != user.pk:
        return None
    for_owner_only(request)
    return found


def visible_run(request: HttpRequest, slug: str, runs: QuerySet[Run] | None = None) -> Run:
    """Return the run if the asker may see it, as `find_run` does. Raises Http404."""
    found = find_run(request, slug, runs)
    if found is None:
        raise Http404
    return found


def visible_kernel(user: User | None, sha256: str) -> Kernel | None:
    """Return the kernel if `user` may see it; None stands for somebody not signed in."""
    if not _SHA256.fullmatch(sha256):
        return None
    found = Kernel.objects.filter(sha256=sha256).first()
    return found if found and is_visible(user, found) else None


def is_visible(user: User | None, kernel: Kernel) -> bool:
    """Whether `user` may see the source and what was found about it."""
    return visible_turns(user, kernel).exists() or visible_evaluations(user, kernel).exists()


def requested_kernel(request: HttpRequest, sha256: str) -> Kernel:
    """Return the kernel if the asker may see it, and mark the request. Raises Http404.

    A public kernel can have been proposed in private runs as well. Their owner sees them
    beside the public ones, so that answer is his alone.
    """
    differs_by_user(request)
    user = viewer(request)
    found = visible_kernel(user, sha256)
    if found is None:
        raise Http404
    if user is not None and shows_private(user, found):
        for_owner_only(request)
    return found


def shows_private(user: User, kernel: Kernel) -> bool:
    """Whether `user` sees something about the kernel that others don't."""
    turns = visible_turns(user, kernel).exclude(pk__in=visible_turns(None, kernel))
    more = visible_evaluations(user, kernel).exclude(pk__in=visible_evaluations(None, kernel))
    return turns.exists() or more.exists()


def visible_turns(user: User | None, kernel: Kernel) -> QuerySet[Turn]:
    """Return the turns that proposed the kernel and that `user` may see."""
    return Turn.objects.filter(_runs(user, "trajectory__run__"), kernel=kernel)


def visible_evaluations(user: User | None, kernel: Kernel) -> QuerySet[Evaluation]:
    """Return the kernel's evaluations that `user` may see.

    One that only somebody's private submission asked for stays unseen, even if the kernel
    itself is public: that it was asked for is private too.
    """
    mine = Evaluation.objects.filter(kernel=kernel)
    results = mine.filter(_runs(user, "results__turn__trajectory__run__"))
    submitted = mine.filter(_submissions(user))
    return mine.filter(Q(pk__in=results.values("pk")) | Q(pk__in=submitted.values("pk")))


def _runs(user: User | None, path: str) -> Q:
    public = Q(**{f"{path}public": True})
    return public | Q(**{f"{path}submission__owner": user}) if user else public


def _submissions(user: User | None) -> Q:
    wanted = Q(submissions__public=True)
    if user:
        wanted |= Q(submissions__owner=user)
    return wanted & Q(submissions__state__in=_STANDING)
