"""Addresses of the API."""

from django.urls import path, re_path
from django.views.generic import RedirectView

from leaderboard.api.views.base import Nothing
from leaderboard.api.views.catalog import ModelDetail, ModelList, TaskDetail, TaskList
from leaderboard.api.views.docs import SchemaEndpoint, docs
from leaderboard.api.views.runs import RunDetail, RunList, TurnList
from leaderboard.api.views.standings import StandingsList
from leaderboard.page_cache import public_page

urlpatterns = [
    path("", public_page(docs), name="api-docs"),
    path("v1/", RedirectView.as_view(pattern_name="api-docs")),
    path("v1/schema/", public_page(SchemaEndpoint.as_view()), name="api-schema"),
    path("v1/standings/", public_page(StandingsList.as_view()), name="api-standings"),
    path("v1/models/", public_page(ModelList.as_view()), name="api-models"),
    path("v1/models/<slug:slug>/", public_page(ModelDetail.as_view()), name="api-model"),
    path("v1/tasks/", public_page(TaskList.as_view()), name="api-tasks"),
    path("v1/tasks/<slug:slug>/", public_page(TaskDetail.as_view()), name="api-task"),
    path("v1/runs/", public_page(RunList.as_view()), name="api-runs"),
    path("v1/runs/<slug:slug>/", public_page(RunDetail.as_view()), name="api-run"),
    path("v1/turns/", public_page(TurnList.as_view()), name="api-turns"),
    # Only with its slash: the others are first sent on to the address that has one.
    re_path(r"^v1/[\s\S]*/\Z", Nothing.as_view()),
]
