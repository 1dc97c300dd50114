"""Which hardware and architecture a text names: a driver's name for a GPU, a target list."""

import re

from evaluation.architectures import ARCHITECTURES, HARDWARE

_HARDWARE = {
    slug: re.compile(rf"(?<![A-Za-z0-9]){re.escape(item.name)}(?![A-Za-z0-9])", re.IGNORECASE)
    for slug, item in HARDWARE.items()
}


def hardware_of(text: str) -> str | None:
    """The slug of the one GPU that `text` names, as `h100` for `NVIDIA H100 80GB HBM3`."""
    named = [slug for slug, pattern in _HARDWARE.items() if pattern.search(text)]
    return named[0] if len(named) == 1 else None


def architecture_of(text: str) -> str | None:
    """The slug of the architecture that `text` names: by its own, its GPU's or its target's name.

    Targets are taken as in nvcc's `-gencode`: `arch=compute_90a,code=sm_90a`.
    """
    folded = text.strip().casefold()
    for slug, architecture in ARCHITECTURES.items():
        names = (slug, architecture.sm, architecture.gencode)
        if folded in names or (architecture.sm in folded and "," in folded):
            return slug
    hardware = hardware_of(text)
    return HARDWARE[hardware].architecture if hardware else None
