"""The task catalog: `catalog.json` with the definitions and workloads that it lists.

`catalog.json` holds what FlashInfer-Trace has no field for: titles, families, the
published workload and the display order. Workload uuids are PTXBench's own where
it published one. The others are uuid5 in the URL namespace: of
`accrl://<task>/S=<S>` for backward tasks, which is PTXBench's own scheme, and of
`ptxbench-leaderboard://<task>/<axis>=<size>` for the rest. The GEMM has two
smaller sizes, multiples of 256 rows, so that memcheck ends in time and a kernel
that only fits M=8192 is noticed.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

from evaluation.tasks.definition import Definition, parse_definition
from evaluation.tasks.document import CatalogError, Node, read_json, read_json_lines
from evaluation.tasks.flops import FAMILY_AXES
from evaluation.tasks.task import CORE_TASKS, FAMILIES, Task
from evaluation.tasks.workloads import parse_workloads

_FOLDER = Path(__file__).parent
_ENTRY_FIELDS = ("name", "title", "family", "causal", "published_workload")


class UnknownTask(ValueError):
    """A selector that names neither a group of tasks nor a task; `known` lists what would do."""

    def __init__(self, selector: str, known: Iterable[str]) -> None:
        self.known = tuple(known)
        super().__init__(f"unknown tasks {selector!r}; known are {', '.join(self.known)}")


@cache
def load_catalog() -> Mapping[str, Task]:
    """Every task by name, in display order: core tasks, other attention, GQA.

    Read-only, and read from disk once. Raises CatalogError if a file is wrong.
    """
    return read_catalog(_FOLDER)


def select_tasks(selector: str) -> tuple[str, ...]:
    """Names of the tasks meant by `core`, a family or a task's own name.

    A family means its core tasks, so that rankings of families stay comparable.
    Raises UnknownTask, listing what is known.
    """
    catalog = load_catalog()
    groups = {"core": CORE_TASKS}
    for name in CORE_TASKS:
        family = catalog[name].family
        groups[family] = (*groups.get(family, ()), name)
    if selector in groups:
        return groups[selector]
    if selector in catalog:
        return (selector,)
    raise UnknownTask(selector, (*groups, *catalog))


def read_catalog(folder: Path) -> Mapping[str, Task]:
    """Read and check the catalog in `folder`.

    Raises CatalogError, naming file and JSON path, for anything missing, unknown,
    repeated or left over.
    """
    entries = read_json(folder, "catalog.json").fields(("tasks",))["tasks"]
    tasks: dict[str, Task] = {}
    for entry in entries.elements():
        task = _task(entry, folder)
        _check_unique(entry, task, tasks)
        tasks[task.name] = task
    if tuple(tasks)[: len(CORE_TASKS)] != CORE_TASKS:
        raise entries.error(f"must start with the core tasks: {', '.join(CORE_TASKS)}")
    _check_leftovers(folder, tasks)
    return MappingProxyType(tasks)


def _task(entry: Node, folder: Path) -> Task:
    fields = entry.fields(_ENTRY_FIELDS, ("description",))
    name = fields["name"].text()
    definition = _definition(fields, name, folder)
    family = fields["family"].one_of(FAMILIES)
    lines = read_json_lines(folder, f"workloads/{name}.jsonl")
    return Task(
        name=name,
        title=fields["title"].text(),
        family=family,
        core=name in CORE_TASKS,
        defined=definition is not None,
        causal=_causal(fields["causal"], family),
        axes=definition.axes if definition else (),
        inputs=definition.inputs if definition else (),
        outputs=definition.outputs if definition else (),
        reference=definition.reference if definition else "",
        description=definition.description if definition else fields["description"].text(),
        workloads=parse_workloads(lines, name, definition, fields["published_workload"].text()),
        canonical_definition=definition.canonical if definition else None,
    )


def _definition(fields: dict[str, Node], name: str, folder: Path) -> Definition | None:
    """The definition, or None for an entry that brings its own description instead."""
    if "description" in fields:
        if fields["family"].value in FAMILY_AXES:
            raise fields["description"].error("is only for tasks without a definition")
        return None
    document = read_json(folder, f"definitions/{name}.json")
    definition = parse_definition(document)
    document.members()["name"].one_of((name,))
    needed = FAMILY_AXES.get(fields["family"].one_of(FAMILY_AXES), ())
    if missing := sorted(set(needed) - {axis.name for axis in definition.axes}):
        raise document.members()["axes"].error(f"lacks {', '.join(missing)}")
    return definition


def _causal(node: Node, family: str) -> bool | None:
    causal = node.optional_flag()
    if family == "gemm" and causal is not None:
        raise node.error("must be null for a GEMM")
    if family in ("forward", "backward") and causal is None:
        raise node.error("must be true or false for attention")
    return causal


def _check_unique(entry: Node, task: Task, others: Mapping[str, Task]) -> None:
    taken = {workload.uuid for other in others.values() for workload in other.workloads}
    if task.name in others:
        raise entry.error(f"repeats the name {task.name}")
    if task.title in {other.title for other in others.values()}:
        raise entry.error(f"repeats the title {task.title}")
    if shared := sorted(taken & {workload.uuid for workload in task.workloads}):
        raise entry.error(f"shares workload {', '.join(shared)} with another task")


def _check_leftovers(folder: Path, tasks: Mapping[str, Task]) -> None:
    """A file that no entry lists is a typo somewhere, not something to pass over."""
    expected = {f"workloads/{name}.jsonl" for name in tasks}
    expected |= {f"definitions/{task.name}.json" for task in tasks.values() if task.defined}
    files = [*folder.glob("definitions/*.json"), *folder.glob("workloads/*.jsonl")]
    for name in sorted(file.relative_to(folder).as_posix() for file in files):
        if name not in expected:
            raise CatalogError(f"{name}: $: is not listed in catalog.json")
