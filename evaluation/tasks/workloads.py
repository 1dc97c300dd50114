"""Workload files: FlashInfer-Trace traces without solution and evaluation, one a line."""

from uuid import UUID

from evaluation.tasks.definition import Definition
from evaluation.tasks.document import Node
from evaluation.tasks.task import Workload


def parse_workloads(
    lines: list[Node], name: str, definition: Definition | None, published: str
) -> tuple[Workload, ...]:
    """The workloads of task `name`, of which exactly the one with uuid `published` decides.

    Without a definition, the axes cannot be checked by name and no inputs may be
    listed. Raises CatalogError with the line and path of what is wrong.
    """
    workloads: list[Workload] = []
    for line in lines:
        workload = _workload(line, name, definition, published)
        if any(other.uuid == workload.uuid for other in workloads):
            raise line.error(f"repeats uuid {workload.uuid}")
        if any(other.axes == workload.axes for other in workloads):
            raise line.error(f"repeats the sizes {workload.label}")
        workloads.append(workload)
    if not any(workload.published for workload in workloads):
        raise lines[0].error(f"no line holds the published workload {published}")
    return tuple(workloads)


def _workload(line: Node, name: str, definition: Definition | None, published: str) -> Workload:
    trace = line.fields(("definition", "workload", "solution", "evaluation"))
    trace["definition"].one_of((name,))
    for field in ("solution", "evaluation"):
        if trace[field].value is not None:
            raise trace[field].error("must be null in a workload file")
    fields = trace["workload"].fields(("uuid", "axes", "inputs"))
    uuid = _uuid(fields["uuid"])
    _check_inputs(fields["inputs"], definition)
    return Workload(uuid, _axes(fields["axes"], definition), uuid == published)


def _uuid(node: Node) -> str:
    text = node.text()
    try:
        canonical = str(UUID(text))
    except ValueError:
        canonical = ""
    if text != canonical:
        raise node.error("must be a UUID in lower case with hyphens")
    return text


def _axes(node: Node, definition: Definition | None) -> dict[str, int]:
    if definition is None:
        members = node.members()
    else:
        members = node.fields([axis.name for axis in definition.axes if axis.size is None])
    return {name: member.size() for name, member in members.items()}


def _check_inputs(node: Node, definition: Definition | None) -> None:
    names = [tensor.name for tensor in definition.inputs] if definition else []
    for member in node.fields(names).values():
        member.fields(("type",))["type"].one_of(("random",))
