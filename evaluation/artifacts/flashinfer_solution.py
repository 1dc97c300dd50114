"""The rules of a FlashInfer-Trace `Solution`, and of those that can be judged here."""

from dataclasses import dataclass
from pathlib import PurePosixPath

from evaluation.artifacts.gpu_names import architecture_of
from evaluation.artifacts.json_fields import Field

_LANGUAGES = ("python", "triton", "cpp", "cuda", "tilelang")
_BINDINGS = ("tvm-ffi", "torch")


@dataclass(frozen=True, slots=True)
class Solution:
    """A solution that keeps the rules; `architectures` are those its hardware list names."""

    name: str
    task: str
    author: str
    architectures: tuple[str, ...]
    source: str


def check_solution(row: Field) -> Solution:
    """The solution in `row`. Raises `FieldFault`."""
    name, task, author = row["name"].text(), row["definition"].text(), row["author"].text()
    spec = row["spec"]
    hardware = [target.text() for target in spec["target_hardware"].elements()]
    sources = _sources(row["sources"])
    _check_entry(spec["entry_point"], sources)
    _check_judgeable(spec, row["sources"])
    named = (architecture_of(text) for text in hardware)
    architectures = tuple(dict.fromkeys(slug for slug in named if slug))
    return Solution(name, task, author, architectures, next(iter(sources.values())))


def _sources(field: Field) -> dict[str, str]:
    """The source files by path."""
    sources: dict[str, str] = {}
    for element in field.elements():
        path, content = element["path"].text(), element["content"].text()
        if path.startswith("/") or ".." in PurePosixPath(path).parts:
            raise element["path"].fault("is not a relative path inside the solution")
        if path in sources:
            raise element["path"].fault("stands twice")
        sources[path] = content
    return sources


def _check_entry(field: Field, sources: dict[str, str]) -> None:
    file, sign, function = field.text().partition("::")
    if not sign or not function or "::" in function:
        raise field.fault("is not <file>::<function>")
    if file not in sources:
        raise field.fault("names a file that is not among the sources")


def _check_judgeable(spec: Field, sources: Field) -> None:
    """Refuse what the format allows and the judge cannot build."""
    if (language := spec["language"].choice(_LANGUAGES)) not in ("cuda", "cpp"):
        raise spec["language"].fault(f"is {language}; only CUDA C++ is judged here")
    binding = spec["binding"]
    if binding.given and binding.choice(_BINDINGS) != "tvm-ffi":
        raise binding.fault("is not tvm-ffi, the binding that is judged here")
    if spec["destination_passing_style"].value not in (None, True):
        raise spec["destination_passing_style"].fault(
            "must be true: outputs are passed as the last arguments"
        )
    if len(sources.value) > 1:
        raise sources.fault("has several files; put the kernel into one")
