"""How a kernel is judged: compilers, sandboxes, GPUs and the clock.

This package never imports Django or the site and never opens a database. It
receives a judge request, returns a verdict, and holds no secret beyond that.
"""
