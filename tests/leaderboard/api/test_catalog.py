"""Models and tasks."""

import pytest

from evaluation.tasks import load_catalog, matmul_flops
from leaderboard.models import ModelEntry

pytestmark = pytest.mark.django_db


def slugs(answer: dict) -> list[str]:
    return [row["slug"] for row in answer["results"]]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", ["closed", "open-one", "open-one-v2"]),
        ("kind=variant", ["open-one-v2"]),
        ("open=yes", ["open-one"]),
        ("open=no", ["closed"]),
        ("since=2026-03-01", ["closed", "open-one"]),
        ("until=2026-03-01", ["open-one"]),
    ],
)
def test_models_are_listed_and_filtered(small, ask, query: str, expected: list[str]) -> None:
    assert slugs(ask("models/", query)) == expected


def test_a_model_names_its_base_and_its_variants(small, ask) -> None:
    base, variant = ask("models/open-one/"), ask("models/open-one-v2/")
    assert base["variants"] == [{"slug": "open-one-v2", "name": "Open One v2"}]
    assert variant["base"] == {"slug": "open-one", "name": "Open One"}
    assert (base["base"], base["runs"], base["released"]) == (None, 1, "2026-03-01")
    assert base["html_url"] == "http://testserver/models/open-one/"


def test_tasks_are_listed_in_the_catalogs_order(catalog, ask) -> None:
    assert slugs(ask("tasks/")) == list(load_catalog())
    assert slugs(ask("tasks/", "core=yes&family=backward")) == [
        "mha_bwd_d128",
        "mha_bwd_d128_causal",
    ]


def test_a_task_has_its_definition_workloads_and_flops(catalog, ask) -> None:
    task = load_catalog()["mha_bwd_d128_causal"]
    answer = ask("tasks/mha_bwd_d128_causal/")
    assert answer["definition"] == task.definition_json
    assert list(answer["definition"]["inputs"]) == [tensor.name for tensor in task.inputs]
    assert answer["definition_sha256"] == task.definition_sha256
    assert answer["causal"] is True
    assert {one["uuid"] for one in answer["workloads"]} == {one.uuid for one in task.workloads}
    first = answer["workloads"][0]
    assert first["published"]
    assert first["flops"] == matmul_flops(task, first["axes"])


def test_a_task_without_a_definition_has_nulls(catalog, ask) -> None:
    (slug,) = [name for name, task in load_catalog().items() if not task.defined][:1]
    answer = ask(f"tasks/{slug}/")
    assert (answer["definition"], answer["definition_sha256"]) == (None, None)
    assert answer["description"]
    assert all(one["flops"] is None for one in answer["workloads"])


def test_csv_has_a_row_per_model_and_per_workload(small, lines) -> None:
    table = lines("models/")
    assert table[0].startswith("slug,name,kind,base,")
    assert table[1] == "closed,Closed,llm,,,no,2026-05-01,,,,1"
    assert lines("models/closed/") == [table[0], table[1]]
    tasks = load_catalog()
    assert len(lines("tasks/")) == 1 + sum(len(task.workloads) for task in tasks.values())
    gemm = tasks["gemm_n7168_k5120"]
    assert len(lines("tasks/gemm_n7168_k5120/")) == 1 + len(gemm.workloads)


def test_csv_cells_are_no_formulas(db, lines) -> None:
    for place, name in enumerate(('=HYPERLINK("http://a")', "+1", "-1", "@a", "<b>")):
        ModelEntry.objects.create(slug=f"m{place}", name=name, kind="llm")
    found = {line.split(",")[0]: line for line in lines("models/")}
    assert found["m0"].startswith('m0,"\'=HYPERLINK(""http://a"")",llm')
    assert [found[f"m{place}"].split(",")[1] for place in (1, 2, 3, 4)] == [
        "'+1",
        "'-1",
        "'@a",
        "<b>",
    ]


def test_the_number_of_queries_does_not_grow_with_rows(
    small, ask, django_assert_max_num_queries
) -> None:
    with django_assert_max_num_queries(3):
        ask("models/")
    # Tasks, workloads, the workloads' tasks, and the count.
    with django_assert_max_num_queries(4):
        ask("tasks/")
    with django_assert_max_num_queries(4):
        ask("models/open-one/")
