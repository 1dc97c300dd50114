"""Requests as the site sends them."""

from hashlib import sha256
from typing import Any

from evaluation import PROTOCOL
from evaluation.messages import JudgeRequest

TASK = "gemm_n7168_k5120"


def request(source: str, **fields: Any) -> JudgeRequest:
    """Return a request for the static step of a kernel on Hopper."""
    usual: dict[str, Any] = {
        "evaluation": 7,
        "attempt": 2,
        "lease": "a-lease",
        "step": "static",
        "protocol": PROTOCOL,
        "architecture": "hopper",
        "hardware": "h100",
        "task": TASK,
        "definition_sha256": "0" * 64,
        "workload": "1",
        "language": "cuda",
        "source": source,
        "source_sha256": sha256(source.encode()).hexdigest(),
    }
    return JudgeRequest(**usual | fields)
