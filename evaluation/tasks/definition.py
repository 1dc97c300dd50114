"""FlashInfer-Trace Definitions: read, and checked against the rules of that schema.

Schema: FlashInfer-Bench, `docs/flashinfer_trace/definition.md`. Beyond it, scalars
are refused, `run` must name the inputs in order, and each variable axis must be
visible in an input's shape, since kernels read their sizes from there.
"""

import ast
import json
from dataclasses import dataclass

from evaluation.tasks.document import Node
from evaluation.tasks.flops import DTYPE_BITS
from evaluation.tasks.task import Axis, Tensor

_REQUIRED = ("name", "op_type", "axes", "inputs", "outputs", "reference")
_OPTIONAL = ("tags", "description", "constraints")


@dataclass(frozen=True, slots=True)
class Definition:
    """A checked definition; `canonical` is its compact JSON in the file's order."""

    name: str
    description: str
    axes: tuple[Axis, ...]
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    reference: str
    canonical: str


def parse_definition(document: Node) -> Definition:
    """Check a whole definition. Raises CatalogError with the path of what is wrong."""
    fields = document.fields(_REQUIRED, _OPTIONAL)
    fields["op_type"].text()
    axes = tuple(_axis(name, node) for name, node in _some(fields["axes"]).items())
    inputs = _tensors(fields["inputs"], axes)
    outputs = _tensors(fields["outputs"], axes)
    _check_names(fields["outputs"], inputs, outputs)
    _check_visible_axes(fields["axes"], axes, inputs)
    _check_reference(fields["reference"], inputs)
    _check_lists(fields)
    return Definition(
        name=fields["name"].text(),
        description=fields["description"].text() if "description" in fields else "",
        axes=axes,
        inputs=inputs,
        outputs=outputs,
        reference=fields["reference"].text(),
        canonical=json.dumps(document.value, ensure_ascii=False, separators=(",", ":")),
    )


def _some(node: Node) -> dict[str, Node]:
    members = node.members()
    if not members:
        raise node.error("must not be empty")
    if "" in members:
        raise node.error("has a member without a name")
    return members


def _axis(name: str, node: Node) -> Axis:
    kind = node.members().get("type", Node(node.file, f"{node.path}.type", None))
    constant = kind.one_of(("const", "var")) == "const"
    fields = node.fields(("type", "value") if constant else ("type",), ("description",))
    return Axis(name, fields["value"].size() if constant else None, _description(fields))


def _tensors(node: Node, axes: tuple[Axis, ...]) -> tuple[Tensor, ...]:
    known = [axis.name for axis in axes]
    return tuple(_tensor(name, member, known) for name, member in _some(node).items())


def _tensor(name: str, node: Node, known: list[str]) -> Tensor:
    fields = node.fields(("shape", "dtype"), ("description",))
    shape = tuple(element.one_of(known) for element in fields["shape"].elements())
    return Tensor(name, shape, fields["dtype"].one_of(DTYPE_BITS), _description(fields))


def _description(fields: dict[str, Node]) -> str:
    return fields["description"].text() if "description" in fields else ""


def _check_names(node: Node, inputs: tuple[Tensor, ...], outputs: tuple[Tensor, ...]) -> None:
    if shared := sorted({t.name for t in inputs} & {t.name for t in outputs}):
        raise node.error(f"names inputs again: {', '.join(shared)}")


def _check_visible_axes(node: Node, axes: tuple[Axis, ...], inputs: tuple[Tensor, ...]) -> None:
    visible = {name for tensor in inputs for name in tensor.shape}
    for axis in axes:
        if axis.size is None and axis.name not in visible:
            raise node.error(f"variable axis {axis.name} is in no input's shape")


def _check_reference(node: Node, inputs: tuple[Tensor, ...]) -> None:
    try:
        module = ast.parse(node.text())
    except SyntaxError as error:
        raise node.error(f"is not valid Python: {error}") from error
    runs = [n for n in module.body if isinstance(n, ast.FunctionDef) and n.name == "run"]
    if len(runs) != 1:
        raise node.error("must define one top-level function run")
    names = [argument.arg for argument in runs[0].args.args]
    if names != [tensor.name for tensor in inputs]:
        raise node.error(f"run takes {', '.join(names)}, not the inputs in their order")


def _check_lists(fields: dict[str, Node]) -> None:
    for tag in fields["tags"].elements() if "tags" in fields else ():
        tag.text()
    for constraint in fields["constraints"].elements() if "constraints" in fields else ():
        try:
            ast.parse(constraint.text(), mode="eval")
        except SyntaxError as error:
            raise constraint.error(f"is not a Python expression: {error}") from error
