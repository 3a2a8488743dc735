"""scantune's tuner: searches the kernel space through worker processes and remembers the winners in SQLite."""

TYPE_CHECKING = False  # as type checkers know it; typing takes time to import, and here nothing may

if TYPE_CHECKING:
    __version__: str
else:

    def __getattr__(name: str) -> str:
        # Looked up when asked for: nothing that takes time comes before main(), which knows what Ctrl-C means.
        if name != "__version__":
            raise AttributeError(f"module 'scantune' has no attribute {name!r}")
        from importlib import metadata

        return metadata.version("scantune")
