"""Who a conversation is by, and on what: from the conversation itself."""

import re
from dataclasses import dataclass

from evaluation.artifacts.gpu_names import architecture_of
from evaluation.artifacts.json_fields import Field
from evaluation.tasks import load_catalog

_NAME = re.compile(r'"name"\s*:\s*"([^"\\]{1,200})"')


@dataclass(frozen=True, slots=True)
class Facts:
    """What a conversation says about itself; empty where it says nothing."""

    model: str = ""
    task: str = ""
    architecture: str = ""


def read_facts(document: Field, request: str) -> Facts:
    """The facts in a mini-swe-agent document whose first user message is `request`.

    The request holds the task's definition as JSON, with a name and axes. `model` is the
    name under which the model's interface was called, which need not be the entry's name.
    """
    names = _NAME.findall(request) if '"axes"' in request else []
    known = load_catalog()
    task = next((name for name in names if name in known), names[0] if names else "")
    model = _deep_text(document, "info", "config", "model", "model_name")
    target = _deep_text(document, "info", "config", "environment", "env", "NVCC_GENCODE")
    architecture = (architecture_of(target) or target) if target else ""
    return Facts(model.strip(), task, architecture)


def _deep_text(document: Field, *steps: str) -> str:
    """The text at a path; empty if there is none."""
    value = document.value
    for step in steps:
        value = value.get(step) if isinstance(value, dict) else None
    return value if isinstance(value, str) else ""


def message_text(message: Field) -> str:
    """A message's content: a text, or the texts among its parts."""
    content = message["content"].value
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        return "\n".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""
