"""The benchmark's tasks: definitions, workloads, and the work that each one implies.

Definitions and workloads are FlashInfer-Trace JSON. Everything below is what the
site and the runner use; the modules behind it are not meant to be imported.
"""

from evaluation.tasks.catalog import UnknownTask, load_catalog, read_catalog, select_tasks
from evaluation.tasks.document import CatalogError
from evaluation.tasks.flops import DTYPE_BITS, flops_formula, matmul_flops, minimum_bytes
from evaluation.tasks.task import CORE_TASKS, FAMILIES, Axis, Task, Tensor, Workload

__all__ = [
    "CORE_TASKS",
    "DTYPE_BITS",
    "FAMILIES",
    "Axis",
    "CatalogError",
    "Task",
    "Tensor",
    "UnknownTask",
    "Workload",
    "flops_formula",
    "load_catalog",
    "matmul_flops",
    "minimum_bytes",
    "read_catalog",
    "select_tasks",
]
