"""Models and tasks."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from evaluation.tasks import FAMILIES, flops_formula, load_catalog, matmul_flops, minimum_bytes
from evaluation.tasks import Task as CatalogTask
from leaderboard.models import ModelEntry, Task, Workload


@extend_schema_field({"type": "string", "format": "uri"})
class PageAddress(serializers.Field):
    """Address of the page about a row, for people."""

    def __init__(self) -> None:
        super().__init__(source="*", read_only=True, help_text="Address of the page for people.")

    def to_representation(self, row: Any) -> str:
        """Return the absolute address."""
        address: str = self.context["request"].build_absolute_uri(row.get_absolute_url())
        return address


class NamedSerializer(serializers.Serializer):
    """A model entry, by slug and name."""

    slug = serializers.CharField()
    name = serializers.CharField()


class ModelSerializer(serializers.Serializer):
    """A model entry: a language model, or one with a method."""

    slug = serializers.CharField()
    name = serializers.CharField()
    kind = serializers.ChoiceField(ModelEntry.Kind.choices)
    base = NamedSerializer(allow_null=True, help_text="The model that a variant builds on.")
    organisation = serializers.CharField(allow_blank=True)
    open_weights = serializers.BooleanField(allow_null=True, help_text="Null where unknown.")
    released = serializers.DateField(
        allow_null=True, help_text="Null where unknown, or where the published date is no date."
    )
    released_as_published = serializers.CharField(
        allow_blank=True, help_text="The date as its source wrote it."
    )
    released_note = serializers.CharField(
        allow_blank=True, help_text="Why the date is doubtful; empty where it isn't."
    )
    released_source = serializers.CharField(allow_blank=True)
    runs = serializers.IntegerField(source="run_count", min_value=0, help_text="Number of runs.")
    html_url = PageAddress()


class ModelDetailSerializer(ModelSerializer):
    """A model entry with those that build on it."""

    variants = NamedSerializer(many=True)


class WorkloadSerializer(serializers.Serializer):
    """Concrete sizes for a task."""

    uuid = serializers.UUIDField()
    axes = serializers.DictField(
        child=serializers.IntegerField(min_value=1), help_text="Size of each variable axis."
    )
    published = serializers.BooleanField(help_text="Whether rankings are taken over it.")
    flops = serializers.SerializerMethodField(
        help_text="Matrix-product FLOPs of one call; null without a definition."
    )
    minimum_bytes = serializers.SerializerMethodField(
        help_text="Bytes if inputs are read and outputs written once; null without a definition."
    )

    def get_flops(self, workload: Workload) -> int | None:
        """FLOPs of one call, a multiply-add being two."""
        task = catalog_task(workload.task)
        return matmul_flops(task, workload.axes) if task else None

    def get_minimum_bytes(self, workload: Workload) -> int | None:
        """Traffic that the task cannot do without."""
        task = catalog_task(workload.task)
        return minimum_bytes(task, workload.axes) if task else None


class TaskSerializer(serializers.Serializer):
    """A task of the benchmark."""

    slug = serializers.CharField()
    title = serializers.CharField()
    family = serializers.ChoiceField(list(FAMILIES.items()))
    core = serializers.BooleanField(help_text="Whether the default ranking is taken over it.")
    defined = serializers.BooleanField(help_text="Whether its definition is carried here.")
    causal = serializers.SerializerMethodField(help_text="Null where no mask is involved.")
    description = serializers.SerializerMethodField()
    flops_formula = serializers.SerializerMethodField(help_text="Empty without a definition.")
    html_url = PageAddress()

    def get_causal(self, task: Task) -> bool | None:
        """Whether a query sees only the keys up to its own position."""
        found = catalog_task(task)
        return found.causal if found else None

    def get_description(self, task: Task) -> str:
        """The task in a sentence."""
        found = catalog_task(task)
        return found.description if found else ""

    def get_flops_formula(self, task: Task) -> str:
        """The formula behind every workload's FLOPs."""
        found = catalog_task(task)
        return flops_formula(found) if found else ""


class TaskDetailSerializer(TaskSerializer):
    """A task with its definition and its workloads."""

    definition = serializers.SerializerMethodField(
        help_text="FlashInfer-Trace Definition; null where it isn't carried here."
    )
    definition_sha256 = serializers.SerializerMethodField(
        help_text="Digest of the definition as compact JSON."
    )
    workloads = WorkloadSerializer(many=True)

    @extend_schema_field({"type": "object", "nullable": True, "additionalProperties": True})
    def get_definition(self, task: Task) -> dict[str, Any] | None:
        """The definition as its file has it."""
        found = catalog_task(task)
        return found.definition_json if found else None

    def get_definition_sha256(self, task: Task) -> str | None:
        """Hex digest, as verdicts quote it."""
        found = catalog_task(task)
        return found.definition_sha256 if found else None


def catalog_task(task: Task) -> CatalogTask | None:
    """Return the catalog's task; None for a stored one that the catalog has dropped."""
    return load_catalog().get(task.slug)
