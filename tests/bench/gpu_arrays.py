"""Arrays on the GPU for the benchmarks that are programs of torch, and memory that shows what was written where."""

from __future__ import annotations

import ctypes
import importlib
from typing import Any

torch: Any = importlib.import_module("torch")
Tensor = Any

INTEGERS = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
_GUARD_BYTES = 256  # after an output
_POISON = 0x5A


def driver() -> str:
    """Return the version of CUDA that the driver has, such as 13.0; torch may be built for another."""
    return "{}.{}".format(*divmod(torch._C._cuda_getDriverVersion() // 10, 100))


def stream() -> ctypes.c_void_p:
    return ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)


def bits_of(items: Tensor) -> Tensor:
    """Return the bits of items as integers of their width."""
    return items.contiguous().view(INTEGERS[items.element_size()])


def placed(items: Tensor, offset: int) -> Tensor:
    """Return a copy that is that many items after an aligned address."""
    room = torch.empty(items.numel() + offset, dtype=items.dtype, device="cuda")
    room[offset:] = items
    return room[offset:]


class Output:
    """Memory that something is written to, with a guard after it."""

    def __init__(self, items: int, item_bytes: int, offset: int) -> None:
        room = (items + offset) * item_bytes + _GUARD_BYTES
        self._all = torch.full((room,), _POISON, dtype=torch.int8, device="cuda")
        self._begin, self._end = offset * item_bytes, (offset + items) * item_bytes

    @property
    def address(self) -> int:
        return int(self._all.data_ptr()) + self._begin

    def poison(self) -> None:
        self._all.fill_(_POISON)

    def words(self, item_bytes: int) -> Tensor:
        """Return what was written as integers, a column for each that an item takes."""
        width = min(item_bytes, 8)
        found = self._all[self._begin : self._end].clone().view(INTEGERS[width])  # a view needs its own alignment
        return found if width == item_bytes else found.view(-1, item_bytes // width)

    def surroundings_intact(self, written_bytes: int | None = None) -> bool:
        """Return whether nothing was written before its items and after so many bytes of them, by default all."""
        end = self._end if written_bytes is None else self._begin + written_bytes
        return bool((self._all[: self._begin] == _POISON).all()) and bool((self._all[end:] == _POISON).all())
