"""What the benchmark means: vocabulary, tasks, artifacts, metrics and ranking.

Pure Python, without Django and without CUDA: the site and the GPU runner both
build on this package and never on each other.
"""

PROTOCOL = "1"
"""Version of the evaluation protocol. Verdicts of different versions are never ranked together."""

REPORTED_PROTOCOL = "ptxbench"
"""Protocol of figures taken over from PTXBench's own publication."""

UPLOADED_PROTOCOL = "uploader"
"""Protocol of figures that came with an upload: the uploader's own, shown with its turns and
never ranked."""
