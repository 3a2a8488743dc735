"""Prefix scans of arrays by tuned kernels, and the tuner that finds these (the command scantune)."""

TYPE_CHECKING = False  # type checkers take this name for true; importing typing would take time, and here nothing may

__all__ = [
    "Op",
    "ResultArray",
    "ScanPlan",
    "__version__",
    "argmax",
    "argmin",
    "argsort",
    "argtop_k",
    "compress",
    "cummax",
    "cummin",
    "cumprod",
    "cumsum",
    "cumulative_prod",
    "cumulative_sum",
    "describe",
    "filter",
    "logcumsumexp",
    "nonzero",
    "plan",
    "reduce",
    "reduce_by_key",
    "reload",
    "repeat_interleave",
    "run_length_decode",
    "run_length_encode",
    "scan",
    "scan_by_key",
    "segmented_argsort",
    "segmented_reduce",
    "segmented_scan",
    "segmented_sort",
    "sort",
    "split_by",
    "top_k",
    "unique_consecutive",
    "unique_counts",
]

if TYPE_CHECKING:
    from scantune._native import Op as Op
    from scantune._native import ResultArray as ResultArray
    from scantune._native import ScanPlan as ScanPlan
    from scantune._native import argmax as argmax
    from scantune._native import argmin as argmin
    from scantune._native import argsort as argsort
    from scantune._native import argtop_k as argtop_k
    from scantune._native import compress as compress
    from scantune._native import cummax as cummax
    from scantune._native import cummin as cummin
    from scantune._native import cumprod as cumprod
    from scantune._native import cumsum as cumsum
    from scantune._native import cumulative_prod as cumulative_prod
    from scantune._native import cumulative_sum as cumulative_sum
    from scantune._native import describe as describe
    from scantune._native import filter as filter  # noqa: A004
    from scantune._native import logcumsumexp as logcumsumexp
    from scantune._native import nonzero as nonzero
    from scantune._native import plan as plan
    from scantune._native import reduce as reduce
    from scantune._native import reduce_by_key as reduce_by_key
    from scantune._native import reload as reload
    from scantune._native import repeat_interleave as repeat_interleave
    from scantune._native import run_length_decode as run_length_decode
    from scantune._native import run_length_encode as run_length_encode
    from scantune._native import scan as scan
    from scantune._native import scan_by_key as scan_by_key
    from scantune._native import segmented_argsort as segmented_argsort
    from scantune._native import segmented_reduce as segmented_reduce
    from scantune._native import segmented_scan as segmented_scan
    from scantune._native import segmented_sort as segmented_sort
    from scantune._native import sort as sort
    from scantune._native import split_by as split_by
    from scantune._native import top_k as top_k
    from scantune._native import unique_consecutive as unique_consecutive
    from scantune._native import unique_counts as unique_counts

    __version__: str
else:

    def __getattr__(name: str) -> object:
        # Names are looked up when asked for: nothing that takes time comes before main(), which handles Ctrl-C, and
        # who imports the package imports neither NumPy nor the extension.
        if name not in __all__:
            raise AttributeError(f"module 'scantune' has no attribute {name!r}")
        if name == "__version__":
            from importlib import metadata

            return metadata.version("scantune")
        from scantune import extension

        found = getattr(extension.load(), name)
        globals()[name] = found
        return found

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
