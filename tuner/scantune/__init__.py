"""scantune's tuner: searches the kernel space through worker processes and remembers the winners in SQLite."""

TYPE_CHECKING = False  # type checkers take this name for true; importing typing would take time, and here nothing may

if TYPE_CHECKING:
    __version__: str
else:

    def __getattr__(name: str) -> str:
        # It is looked up when asked for: nothing that takes time comes before main(), which handles Ctrl-C.
        if name != "__version__":
            raise AttributeError(f"module 'scantune' has no attribute {name!r}")
        from importlib import metadata

        return metadata.version("scantune")
