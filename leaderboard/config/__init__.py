"""Settings, addresses and the WSGI entry point of the site."""
