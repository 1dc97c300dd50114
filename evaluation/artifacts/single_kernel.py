"""Reads a single kernel: a `.cu` file, or a model's answer with its code block."""

from collections.abc import Iterator

from evaluation.artifacts.answers import BadSource, ExtractionError, Kernel
from evaluation.artifacts.bundle_draft import Draft, Place, target_faults
from evaluation.artifacts.bundle_records import LooseKernel, Refused
from evaluation.artifacts.json_lines import Upload


def read_single_kernel(upload: Upload, name: str, draft: Draft) -> Iterator[Kernel]:
    """Read the kernel of the file `name` into `draft`, and give it. Raises `Refused`.

    Task and architecture come from the form alone.
    """
    draft.kind = "kernel"
    hints = draft.hints
    data = upload.read(draft.limits.member_bytes)
    if faults := target_faults(hints.task, hints.architecture):
        draft.refuse(f"a single kernel needs a task and an architecture: {'; '.join(faults)}")
    try:
        kernel = draft.kernel(data, name)
    except (BadSource, ExtractionError) as error:
        raise Refused.because(upload.file, str(error)) from None
    place = Place(upload.file)
    for note in kernel.notes:
        draft.note(place, note)
    draft.add_kernel(LooseKernel(kernel.sha256, hints.task, hints.architecture, str(place)))
    yield kernel
