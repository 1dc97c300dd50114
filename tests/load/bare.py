"""A Django application with one empty view and no middleware: the least Django can do."""

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.http import HttpRequest, HttpResponse
from django.urls import path


def empty(_request: HttpRequest) -> HttpResponse:
    """Answer with nothing."""
    return HttpResponse()


urlpatterns = [path("empty/", empty)]

settings.configure(ROOT_URLCONF=__name__, ALLOWED_HOSTS=["127.0.0.1"], SECRET_KEY="-" * 50)
application = get_wsgi_application()
