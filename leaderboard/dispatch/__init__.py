"""From waiting rows to requests at the runners, and back where a runner was lost.

The database row is the queue and the truth; the broker carries requests and rings.
"""

from leaderboard.dispatch.doorbell import OFFER, REAP, RING_SECONDS, TAKE_IN, ring
from leaderboard.dispatch.lanes import QueueState, ahead_of, live_runners, queue_state
from leaderboard.dispatch.leases import renew
from leaderboard.dispatch.offers import offer
from leaderboard.dispatch.reaper import reap
from leaderboard.dispatch.runners import register

__all__ = [
    "OFFER",
    "REAP",
    "RING_SECONDS",
    "TAKE_IN",
    "QueueState",
    "ahead_of",
    "live_runners",
    "offer",
    "queue_state",
    "reap",
    "register",
    "renew",
    "ring",
]
