"""Addresses of the site."""

from django.urls import include, path

from leaderboard.views import (
    compare,
    failures,
    hardware,
    kernel_list,
    kernels,
    language,
    methodology,
    models,
    ranking,
    runs,
    tasks,
)

urlpatterns = [
    path("", ranking.leaderboard, name="leaderboard"),
    path("models/<slug:slug>/", models.model, name="model"),
    path("tasks/<slug:slug>/", tasks.task, name="task"),
    path("compare/", compare.compare, name="compare"),
    path("failures/", failures.failures, name="failures"),
    path("runs/<slug:slug>/", runs.run, name="run"),
    path("runs/<slug:slug>/<str:trajectory>/<int:number>/", runs.turn, name="turn"),
    path("kernels/", kernel_list.kernels, name="kernels"),
    path("kernels/<str:sha256>/", kernels.kernel, name="kernel"),
    path("kernels/<str:sha256>/source/", kernels.source, name="kernel-source"),
    path("hardware/", hardware.hardware, name="hardware"),
    path("methodology/", methodology.methodology, name="methodology"),
    path("language/", language.choose, name="language"),
    path("api/", include("leaderboard.api.urls")),
]
