"""Pages are read and nothing else."""

import pytest
from django.test import Client

PAGES = ["/", "/models/glm-5-2/", "/compare/", "/failures/", "/runs/opus48-gemm/", "/methodology/"]


@pytest.mark.parametrize("method", ["post", "put", "patch", "delete", "options", "trace"])
@pytest.mark.parametrize("address", PAGES)
def test_other_methods_are_refused_with_those_that_are_not(
    bundled: None, address: str, method: str
) -> None:
    client = Client(enforce_csrf_checks=True)
    response = getattr(client, method)(address)
    assert response.status_code == 405
    assert response["Allow"] == "GET, HEAD"


def test_every_figure_of_a_row_leads_to_its_run(bundled: None, client: Client) -> None:
    page = client.get("/").content.decode()
    for run in ("opus48-gemm", "opus48-mha-d128", "opus48-mha-bwd-d128-causal"):
        assert f'href="/runs/{run}/"' in page
