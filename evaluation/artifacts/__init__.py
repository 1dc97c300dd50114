"""Readers for what others publish or upload: tables, traces and archives.

A reader never lets a bad value stop it and never lets one vanish: each becomes
a `Problem` that names its file and line. Only what cannot be understood at all
is refused.
"""
