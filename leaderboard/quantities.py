"""Large and small quantities for people, three digits and a prefix, in the active language."""

from decimal import Decimal

from django.utils.formats import number_format

_PREFIXES = ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""))


def quantity(value: float, unit: str) -> str:
    """Return a value of at least 0 with a decimal prefix: `601 GFLOP`, `283 MB`."""
    scale, prefix = next((p for p in _PREFIXES if value >= p[0]), (1.0, ""))
    return f"{three_digits(value / scale)} {prefix}{unit}"


def milliseconds(seconds: float) -> str:
    """Return a duration in milliseconds: `0.608 ms`."""
    return f"{three_digits(seconds * 1e3)} ms"


def three_digits(value: float) -> str:
    """Return a number with three significant digits, but all digits before the point."""
    digits = 0 if value >= 99.95 else 1 if value >= 9.995 else 2 if value >= 0.9995 else 3
    return str(number_format(round(value, digits), decimal_pos=digits))


def short_number(value: float) -> str:
    """Return a number with as many decimals as it needs: `0.25`, `1`."""
    return str(number_format(Decimal(f"{value:g}")))


def whole(value: int) -> str:
    """Return a count with its thousands apart."""
    return str(number_format(value, use_l10n=True, force_grouping=True))
