"""Clients of scantune-worker: the choice of a worker, and what workers compile, time, verify and select."""
