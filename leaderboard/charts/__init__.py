"""Plotly figures from plain rows, one module per page that has charts."""

from html import escape


def plain(text: str) -> str:
    """Return `text` so that Plotly shows it as it is.

    Plotly reads a little HTML (`<b>`, `<a href>`) in every text of a figure, so a
    model's name must not be able to hold any.
    """
    return escape(text, quote=False)
