# What runtime/python makes of the library. Arrays are those of NumPy, torch, CuPy or the array API standard.
from collections.abc import Callable
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar, overload

Array = TypeVar("Array")

class Op:
    def __init__(
        self, source: str, *, identity: float | None = None, name: str | None = None, state: bytes | None = None
    ) -> None: ...

class ResultArray:
    def __dlpack__(
        self,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...
    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def dtype(self) -> str: ...

class ScanPlan:
    def __call__(self, x: Any, out: Array, /, *, stream: Any = None) -> Array: ...
    def describe(self) -> str: ...

class UniqueCounts(NamedTuple):
    values: Any
    counts: Any

_Operation: TypeAlias = Literal["sum", "product", "min", "max", "bit_and", "bit_or", "bit_xor"] | Op

def argmax(
    x: Array, /, axis: int | None = None, *, keepdims: bool = False, out: Array | None = None, stream: Any = None
) -> Array: ...
def argmin(
    x: Array, /, axis: int | None = None, *, keepdims: bool = False, out: Array | None = None, stream: Any = None
) -> Array: ...
def argsort(
    x: Array,
    /,
    *,
    axis: int = -1,
    descending: bool = False,
    stable: bool = True,
    less: str | None = None,
    out: Array | None = None,
    stream: Any = None,
) -> Array: ...
def argtop_k(
    x: Array,
    /,
    k: int,
    *,
    axis: int = -1,
    largest: bool = True,
    sorted: bool = True,  # noqa: A002
    out: Array | None = None,
    stream: Any = None,
) -> Array: ...
def compress(
    mask: Any,
    x: Array,
    /,
    *,
    size: int | None = None,
    fill_value: float | None = None,
    out: Array | None = None,
    count: Array | None = None,
    stream: Any = None,
) -> Array: ...
def cummax(x: Array, /, axis: int = -1) -> tuple[Array, Array]: ...
def cummin(x: Array, /, axis: int = -1) -> tuple[Array, Array]: ...
def cumprod(x: Array, /, axis: int | None = None, dtype: Any = None, out: Array | None = None) -> Array: ...
def cumsum(x: Array, /, axis: int | None = None, dtype: Any = None, out: Array | None = None) -> Array: ...
def cumulative_prod(
    x: Array, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False
) -> Array: ...
def cumulative_sum(
    x: Array, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False
) -> Array: ...
def describe(function: Callable[..., Any], /, *arguments: Any, **keywords: Any) -> str: ...
def filter(  # noqa: A001
    x: Array,
    predicate: str,
    /,
    *,
    size: int | None = None,
    fill_value: float | None = None,
    out: Array | None = None,
    count: Array | None = None,
    stream: Any = None,
) -> Array: ...
def logcumsumexp(x: Array, /, axis: int = -1, *, out: Array | None = None) -> Array: ...
def nonzero(
    x: Array,
    /,
    *,
    size: int | None = None,
    fill_value: float | None = None,
    out: Array | None = None,
    count: Array | None = None,
    stream: Any = None,
) -> tuple[Array, ...]: ...
def plan(
    x: Any,
    /,
    op: _Operation = "sum",
    *,
    axis: int = -1,
    inclusive: bool = True,
    reverse: bool = False,
    init: float | None = None,
    dtype: Any = None,
    out: Any = None,
    determinism: Literal["run_to_run"] | None = None,
    captured_launches: int = 4,
) -> ScanPlan: ...
def reduce(
    x: Array,
    /,
    op: _Operation = "sum",
    *,
    axis: int | None = -1,
    init: float | None = None,
    dtype: Any = None,
    out: Array | None = None,
    stream: Any = None,
    determinism: Literal["run_to_run"] | None = None,
) -> Array: ...
def reduce_by_key(
    keys: Array,
    x: Array,
    /,
    op: _Operation = "sum",
    *,
    dtype: Any = None,
    size: int | None = None,
    fill_value: float | None = None,
    out: tuple[Array, Array] | None = None,
    count: Array | None = None,
    stream: Any = None,
) -> tuple[Array, Array]: ...
def reload() -> None: ...
def repeat_interleave(x: Array, /, repeats: Any, *, output_size: int | None = None, stream: Any = None) -> Array: ...
def run_length_decode(
    x: Array, lengths: Any, /, *, size: int | None = None, out: Array | None = None, stream: Any = None
) -> Array: ...
def run_length_encode(
    x: Array,
    /,
    *,
    size: int | None = None,
    fill_value: float | None = None,
    out: tuple[Array, Array] | None = None,
    count: Array | None = None,
    stream: Any = None,
) -> tuple[Array, Array]: ...
def scan(
    x: Array,
    /,
    op: _Operation = "sum",
    *,
    axis: int = -1,
    inclusive: bool = True,
    reverse: bool = False,
    init: float | None = None,
    dtype: Any = None,
    out: Array | None = None,
    stream: Any = None,
    determinism: Literal["run_to_run"] | None = None,
) -> Array: ...
def scan_by_key(
    keys: Any,
    x: Array,
    /,
    op: _Operation = "sum",
    *,
    inclusive: bool = True,
    reverse: bool = False,
    init: float | None = None,
    dtype: Any = None,
    out: Array | None = None,
    stream: Any = None,
    determinism: Literal["run_to_run"] | None = None,
) -> Array: ...
def segmented_argsort(
    x: Array, offsets: Any, /, *, descending: bool = False, out: Array | None = None, stream: Any = None
) -> Array: ...
def segmented_reduce(
    x: Array,
    offsets: Any,
    /,
    op: _Operation = "sum",
    *,
    init: float | None = None,
    dtype: Any = None,
    out: Array | None = None,
    stream: Any = None,
) -> Array: ...
def segmented_scan(
    x: Array,
    offsets: Any,
    /,
    op: _Operation = "sum",
    *,
    inclusive: bool = True,
    reverse: bool = False,
    init: float | None = None,
    dtype: Any = None,
    out: Array | None = None,
    stream: Any = None,
    determinism: Literal["run_to_run"] | None = None,
) -> Array: ...
def segmented_sort(
    x: Array, offsets: Any, /, *, descending: bool = False, out: Array | None = None, stream: Any = None
) -> Array: ...
def sort(
    x: Array,
    /,
    *,
    axis: int = -1,
    descending: bool = False,
    stable: bool = True,
    less: str | None = None,
    out: Array | None = None,
    stream: Any = None,
) -> Array: ...
@overload
def split_by(
    x: Array, by: Any, /, *, out: None = None, count: None = None, stream: Any = None
) -> tuple[Array, Array]: ...
@overload
def split_by(x: Array, by: Any, /, *, out: Array, count: Array, stream: Any = None) -> Array: ...
def top_k(
    x: Array,
    /,
    k: int,
    *,
    axis: int = -1,
    largest: bool = True,
    sorted: bool = True,  # noqa: A002
    values: Any = None,
    out: tuple[Array, Array] | None = None,
    stream: Any = None,
) -> tuple[Array, Array]: ...
@overload
def unique_consecutive(
    x: Array,
    /,
    *,
    return_indices: Literal[False] = False,
    return_counts: Literal[False] = False,
    size: int | None = None,
    fill_value: float | None = None,
    out: Array | None = None,
    count: Array | None = None,
    stream: Any = None,
) -> Array: ...
@overload
def unique_consecutive(
    x: Array,
    /,
    *,
    return_indices: bool = False,
    return_counts: bool = False,
    size: int | None = None,
    fill_value: float | None = None,
    out: tuple[Array, ...] | None = None,
    count: Array | None = None,
    stream: Any = None,
) -> tuple[Array, ...]: ...
def unique_counts(
    x: Array,
    /,
    *,
    size: int | None = None,
    fill_value: float | None = None,
    out: tuple[Array, Array] | None = None,
    count: Array | None = None,
    stream: Any = None,
) -> UniqueCounts: ...
