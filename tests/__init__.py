"""The checks: the same rooms as the code, and `python -m tests` to run them all."""
