"""Texts from outside, made fit for a column of any database."""


def storable(text: str, length: int) -> str:
    """Return at most `length` characters of `text` that PostgreSQL and UTF-8 can hold.

    NUL is left out and a lone surrogate becomes the replacement character.
    """
    encoded = text.replace("\0", "").encode("utf-16", "surrogatepass")
    return encoded.decode("utf-16", "replace")[:length]
