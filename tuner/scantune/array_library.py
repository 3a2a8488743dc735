"""The libraries of arrays: how each makes an array for results, names its types, and says which stream is current.

The extension asks for the row of an array's library; nothing here is imported before.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import Any


@dataclass(frozen=True)
class ArrayLibrary:
    """What differs between libraries. Arrays and types are the library's own."""

    # Makes an array like another, of this shape and type, on its device. None where arrays are constants.
    empty: Callable[[Any, tuple[int, ...], str], Any] | None
    contiguous: Callable[[Any], Any]  # a copy in C order
    flat: Callable[[Any], Any]  # its items in C order, a view where that is possible
    moved: Callable[[Any, int, int], Any]  # a view with an axis at another place
    dtype_name: Callable[[Any], str]  # NumPy's name of a type
    sums: Callable[[bool], str]  # what sums and products become of integers: of unsigned ones, or of all others
    current_stream: Callable[[int], int] | None  # of a GPU by its number; None where streams are the library's own
    on_device: Callable[[int], AbstractContextManager[Any]] | None  # makes a GPU current, if it is not
    on_stream: Callable[[int, int], AbstractContextManager[Any]] | None  # makes a GPU and one of its streams current
    empty_like: Callable[[Any], Any] | None = None  # empty() in fewer steps, like a contiguous array
    # empty() of the same shape, with axes in the order that they have in memory: results of a transposed array are
    # transposed, so that neighbours are written where neighbours were read.
    like: Callable[[Any, str], Any] | None = None
    # Lets a GPU's stream use an array's memory until its work is done, whatever the library's own streams do. None
    # where that is left to the caller.
    keep_for: Callable[[Any, int, int], None] | None = None
    adopt: Callable[[Any], Any] | None = None  # without empty(): makes an array of ours the library's


def library_of_type(kind: type) -> ArrayLibrary | None:
    """Return the row of the library whose arrays are of a type. Its module is imported already."""
    for base in kind.__mro__:
        module = base.__module__.partition(".")[0].replace("jaxlib", "jax")
        if module in _ROWS and module in sys.modules:
            return _row(module, sys.modules[module])
    return None


@cache
def _row(name: str, module: ModuleType) -> ArrayLibrary:
    return _ROWS[name](module)


def library_of_standard(array: Any) -> ArrayLibrary | None:
    """Return the row of the library of an array on the host that follows the array API standard."""
    if hasattr(array, "__array_namespace__") and not never_changes(type(array)) and _is_on_host(array):
        return _standard(array.__array_namespace__())
    return None


def never_changes(kind: type) -> bool:
    """Return whether nothing may be written into arrays of a type, whatever they export: JAX's are constants."""
    return kind.__module__.partition(".")[0] in ("jax", "jaxlib")


def _is_on_host(array: Any) -> bool:
    return hasattr(array, "__dlpack_device__") and bool(array.__dlpack_device__()[0] == 1)


def _sums(are_unsigned: bool, bits: int = 64) -> str:
    return f"{'u' * are_unsigned}int{bits}"


def _numpy(numpy: Any) -> ArrayLibrary:
    def named(name: str, like: Any) -> Any:
        # The types of ml_dtypes have names only when that has been imported, as the array's own has been.
        return like.dtype if like.dtype.name == name else numpy.dtype(name)

    return ArrayLibrary(
        empty=lambda x, shape, name: numpy.empty(shape, named(name, x)),
        contiguous=lambda x: x.copy(order="C"),
        flat=lambda x: numpy.asarray(x).reshape(-1),  # a matrix stays one by its own reshape()
        moved=lambda x, axis, place: numpy.moveaxis(x, axis, place),
        dtype_name=lambda dtype: numpy.dtype(dtype).name,
        sums=_sums,
        current_stream=lambda _: 0,
        on_device=lambda _: nullcontext(),
        on_stream=lambda *_: nullcontext(),
        like=lambda x, name: numpy.empty_like(x, named(name, x), subok=False),
    )


def _cupy(cupy: Any) -> ArrayLibrary:
    return ArrayLibrary(
        empty=lambda x, shape, name: cupy.empty(shape, x.dtype if x.dtype.name == name else name),
        contiguous=lambda x: x.copy(order="C"),
        flat=lambda x: x.reshape(-1),
        moved=lambda x, axis, place: cupy.moveaxis(x, axis, place),
        dtype_name=lambda dtype: cupy.dtype(dtype).name,
        sums=_sums,
        current_stream=lambda _: cupy.cuda.get_current_stream().ptr,
        on_device=lambda device: cupy.cuda.Device(device),
        on_stream=lambda device, stream: _stream_of_cupy(cupy, device, stream),
        like=lambda x, name: cupy.empty_like(x, x.dtype if x.dtype.name == name else name),
    )


class _NamedStream:
    """A stream by its handle, for those who ask objects for it."""

    def __init__(self, handle: int) -> None:
        self._handle = handle

    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, self._handle


@contextmanager
def _stream_of_cupy(cupy: Any, device: int, stream: int) -> Iterator[None]:
    with cupy.cuda.Device(device), cupy.cuda.Stream.from_external(_NamedStream(stream)):
        yield


def _torch(torch: Any) -> ArrayLibrary:
    return ArrayLibrary(
        empty=lambda x, shape, name: torch.empty(shape, dtype=getattr(torch, name), device=x.device),
        contiguous=lambda x: x.contiguous(),
        flat=lambda x: x.reshape(-1),
        moved=lambda x, axis, place: torch.movedim(x, axis, place),
        dtype_name=lambda dtype: str(dtype).rpartition(".")[2],
        sums=lambda _: "int64",
        current_stream=lambda device: torch.cuda.current_stream(device).cuda_stream,
        on_device=lambda device: torch.cuda.device(device),
        on_stream=lambda device, stream: torch.cuda.stream(torch.cuda.ExternalStream(stream, device)),
        keep_for=lambda x, device, stream: x.record_stream(torch.cuda.ExternalStream(stream, device)),
        empty_like=torch.empty_like,
        like=lambda x, name: torch.empty_like(x, dtype=getattr(torch, name)),
    )


def _jax(jax: Any) -> ArrayLibrary:
    """Return the row of JAX: its arrays are constants and its streams its own, so that results begin as ours."""

    return ArrayLibrary(
        empty=None,
        contiguous=lambda x: x,
        flat=lambda x: x.reshape(-1),
        moved=lambda x, axis, place: jax.numpy.moveaxis(x, axis, place),
        dtype_name=lambda dtype: jax.numpy.dtype(dtype).name,
        sums=lambda are_unsigned: _sums(are_unsigned, 64 if jax.config.jax_enable_x64 else 32),
        current_stream=None,
        on_device=None,
        on_stream=None,
        adopt=jax.dlpack.from_dlpack,
    )


def _standard(namespace: Any) -> ArrayLibrary:
    """Return the row of a library of the array API standard, for arrays on the host: it says nothing of streams."""
    return ArrayLibrary(
        empty=lambda x, shape, name: namespace.empty(shape, dtype=getattr(namespace, name), device=x.device),
        # A copy may keep the order of dimensions in memory, of which a single dimension has only one.
        contiguous=lambda x: namespace.reshape(namespace.asarray(namespace.reshape(x, (-1,)), copy=True), x.shape),
        flat=lambda x: namespace.reshape(x, (-1,)),
        moved=lambda x, axis, place: namespace.moveaxis(x, axis, place),
        dtype_name=lambda dtype: str(dtype).rpartition(".")[2],
        sums=_sums,
        current_stream=lambda _: 0,
        on_device=lambda _: nullcontext(),
        on_stream=lambda *_: nullcontext(),
    )


_ROWS: dict[str, Callable[[Any], ArrayLibrary]] = {
    "numpy": _numpy,
    "cupy": _cupy,
    "torch": _torch,
    "jax": _jax,
}
