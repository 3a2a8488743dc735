"""scantune's tuner: searches the kernel space through worker processes and remembers the winners in SQLite."""

from importlib import metadata

__version__ = metadata.version("scantune")
