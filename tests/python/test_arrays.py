"""Arrays of other libraries: where their items are, on which device and stream, and whose arrays the results are."""

from __future__ import annotations

import ctypes
import sys
import types
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import array_api_strict as strict
import numpy as np
import pytest

import scantune
from array_cases import Lent
from scantune import array_library, extension

_native = extension.load()
CPU, CUDA, ROCM = 1, 2, 10
ADDRESS = 0x7F00_0000_1000

pytestmark = pytest.mark.usefixtures("kept_kernels")


class _Tensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p), ("device", ctypes.c_int32 * 2), ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )  # fmt: skip


class _Managed(ctypes.Structure):
    _fields_ = (
        ("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p),
        ("deleter", ctypes.CFUNCTYPE(None, ctypes.c_void_p)), ("flags", ctypes.c_uint64), ("tensor", _Tensor),
    )  # fmt: skip


class _Exchange(ctypes.Structure):
    _fields_ = (
        ("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("previous", ctypes.c_void_p),
        ("of_managed_tensors", ctypes.c_void_p * 3),
        ("lend", ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(_Tensor))),
        ("current_stream", ctypes.c_void_p),
    )  # fmt: skip


_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)


class Exporter:
    """An array that has DLPack alone, on any device that it names."""

    def __init__(
        self, shape: tuple[int, ...], strides: tuple[int, ...], device: tuple[int, int], flags: int = 0
    ) -> None:
        self.asked: dict[str, object] = {}
        self.returned = 0
        self._device = device
        sizes = ctypes.c_int64 * len(shape)
        self._numbers = sizes(*shape), sizes(*strides)
        self._free = _Managed._fields_[3][1](self._count)  # type: ignore[operator]
        tensor = _Tensor(ADDRESS, device, len(shape), 2, 32, 1, *self._numbers, 64)
        self._managed = _Managed(1, 0, None, self._free, flags, tensor)

    def _count(self, _: int) -> None:
        self.returned += 1

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._device

    def __dlpack__(self, **asked: object) -> object:
        self.asked = asked
        return _new_capsule(ctypes.addressof(self._managed), b"dltensor_versioned", None)


class Lender:
    """An array of a made-up torch, which lends its memory by DLPack's functions in C, and by nothing else."""

    __module__ = "torch"
    requires_grad = False
    is_negated = False

    def __init__(self, **changed: bool) -> None:
        self.__dict__.update(changed)
        sizes = ctypes.c_int64 * 2
        self.numbers = sizes(4, 3), sizes(1, 4)

    def is_neg(self) -> bool:
        return self.is_negated


@_Exchange._fields_[4][1]  # type: ignore[untyped-decorator, operator]
def _lend(array: Lender, lent: Any) -> int:
    lent[0] = _Tensor(ADDRESS, (CUDA, 5), 2, 2, 32, 1, *array.numbers, 64)
    return 0


_OLD = _Exchange(1, 3, None, lend=_lend, current_stream=1)
_NEW = _Exchange(2, 0, ctypes.addressof(_OLD))
_TABLE_NAME = b"dlpack_exchange_api"  # the capsule has a pointer to it
Lender.__dlpack_c_exchange_api__ = _new_capsule(  # type: ignore[attr-defined]
    ctypes.addressof(_NEW), _TABLE_NAME, None
)


@pytest.fixture
def made_up_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    module = types.ModuleType("torch")
    module.__dict__.update(empty_like=None)
    monkeypatch.setitem(sys.modules, "torch", module)


@pytest.mark.usefixtures("made_up_torch")
def test_a_table_of_functions_in_c_lends_an_array() -> None:
    assert _native._seen(Lender()) == {
        "address": ADDRESS + 64, "dtype": "float32", "shape": [4, 3], "strides": [1, 4], "place": (CUDA, 5),
        "is_read_only": False, "stream": None,
    }  # fmt: skip
    with pytest.raises(ValueError, match="seen: x requires a gradient"):
        _native._seen(Lender(requires_grad=True))
    with pytest.raises(ValueError, match="seen: x is a view whose items are negated"):
        _native._seen(Lender(is_negated=True))


@pytest.mark.usefixtures("made_up_torch")
def test_a_type_does_not_inherit_functions_in_c() -> None:
    with pytest.raises(TypeError, match="seen: x is an object of type Derived, which is not an array"):
        _native._seen(type("Derived", (Lender,), {})())


class Interface:
    """An array that has the CUDA Array Interface alone."""

    def __init__(self, **changed: object) -> None:
        made = {"data": (ADDRESS, False), "shape": (4, 3), "typestr": "<f4", "version": 3, "strides": None}
        self.__cuda_array_interface__ = made | changed


def test_dlpack_tells_device_strides_and_that_items_are_read_only() -> None:
    x = Exporter((4, 3), (1, 4), (CUDA, 5), flags=1)
    assert _native._seen(x) == {
        "address": ADDRESS + 64, "dtype": "float32", "shape": [4, 3], "strides": [1, 4], "place": (CUDA, 5),
        "is_read_only": True, "stream": None,
    }  # fmt: skip
    assert x.returned == 1
    assert not _native._seen(Exporter((4,), (1,), (CUDA, 0)))["is_read_only"]


def test_no_stream_of_a_gpu_is_made_to_wait_for_the_export() -> None:
    on_gpu, on_host = Exporter((4,), (1,), (CUDA, 0)), Exporter((4,), (1,), (CPU, 0))
    for x in (on_gpu, on_host):
        _native._seen(x)
    assert on_gpu.asked == {"max_version": (1, 1), "stream": -1}
    assert on_host.asked == {"max_version": (1, 1)}


@pytest.mark.parametrize(("stream", "waits"), [(None, 1), (0, 1), (7, 7)])
def test_the_stream_of_a_scan_waits_for_an_array_of_an_unknown_library(stream: int | None, waits: int) -> None:
    x, out = Exporter((4,), (1,), (CUDA, 0)), Exporter((5,), (1,), (CUDA, 0))
    with pytest.raises(ValueError, match="scan: out has another shape"):
        scantune.scan(x, out=out, stream=stream)
    assert (x.asked["stream"], out.asked["stream"]) == (waits, waits)


def test_the_cuda_array_interface_tells_pointer_strides_and_stream() -> None:
    seen = _native._seen(Interface(strides=(4, 16), stream=7, data=(ADDRESS, True)))
    assert seen == {
        "address": ADDRESS, "dtype": "float32", "shape": [4, 3], "strides": [1, 4], "place": (CUDA, -1),
        "is_read_only": True, "stream": 7,
    }  # fmt: skip
    assert _native._seen(Interface())["strides"] == [3, 1]
    # 1 is the legacy default stream, which is NULL to all others.
    assert _native._seen(Interface(stream=1))["stream"] == 0
    assert _native._seen(Interface(stream=None))["stream"] is None


def test_streams_are_numbers_or_objects_of_a_library() -> None:
    assert _native._stream(12) == 12
    assert _native._stream(types.SimpleNamespace(__cuda_stream__=lambda: (0, 13))) == 13
    assert _native._stream(types.SimpleNamespace(cuda_stream=14)) == 14
    assert _native._stream(types.SimpleNamespace(ptr=15)) == 15
    with pytest.raises(TypeError, match="stream is an object of type str; it must be a number, or have __cuda_stream"):
        _native._stream("16")


@pytest.mark.parametrize(
    ("x", "error", "text"),
    [
        (Exporter((4,), (1,), (ROCM, 0)), TypeError, "x is on a device of DLPack's type 10"),
        (Interface(typestr="<c8"), TypeError, "x has items of <c8"),
        (Interface(strides=(4, 6)), ValueError, "x has a stride of 6 bytes"),
        (Interface(mask=Interface(typestr="|b1")), TypeError, "x has a mask, and no scan leaves items out"),
        (Interface(data=(ADDRESS + 2, False)), ValueError, "x is not aligned to its items"),
    ],
)
def test_what_cannot_be_taken_is_refused_by_name(x: object, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=f"cumsum: {text}"):
        scantune.cumsum(x, 0)


def test_nothing_is_written_into_an_array_of_jax_which_it_exports_as_writable() -> None:
    of_jax = type("ArrayImpl", (Exporter,), {"__module__": "jaxlib._jax"})((4,), (1,), (CPU, 0))
    assert not _native._seen(of_jax)["is_read_only"]
    with pytest.raises(ValueError, match="cumsum: out is read-only"):
        scantune.cumsum(np.zeros(4, "f4"), out=of_jax)


def test_arrays_of_a_gpu_are_scanned_there_and_nowhere_else() -> None:
    x, elsewhere = Exporter((4,), (1,), (CUDA, 0)), Exporter((4,), (1,), (CUDA, 1))
    with pytest.raises(ValueError, match="cumsum: out is on another device than x"):
        scantune.cumsum(x, out=elsewhere)
    with pytest.raises(ValueError, match="cumsum: out is on another device than x"):
        scantune.cumsum(x, out=np.zeros(4, "f4"))
    # There is no GPU, or no memory of a GPU at that address.
    with pytest.raises((RuntimeError, ValueError), match=r"driver|GPU|memory"):
        scantune.cumsum(Interface(shape=(4,)), out=Interface(shape=(4,), data=(ADDRESS + 64, False)))


def test_results_of_an_unknown_library_are_arrays_of_ours() -> None:
    found = scantune.cumsum(Lent(np.arange(6)))
    assert (type(found), found.shape, found.dtype) == (scantune.ResultArray, (6,), "int64")
    sums = np.from_dlpack(found)
    assert np.shares_memory(sums, np.from_dlpack(found))
    del found
    np.testing.assert_array_equal(sums, np.cumsum(np.arange(6)))


def test_an_array_of_ours_is_lent_as_it_is() -> None:
    found = scantune.cumsum(Lent(np.arange(6)))
    assert found.__dlpack_device__() == (CPU, 0)
    assert not hasattr(found, "__cuda_array_interface__")
    assert np.from_dlpack(found, device="cpu", copy=False).size == 6
    with pytest.raises(BufferError, match="dl_device is another device"):
        found.__dlpack__(dl_device=(CUDA, 0))
    with pytest.raises(BufferError, match="copy is True"):
        found.__dlpack__(copy=True)


class Borrowed(np.ndarray):
    """An array of the CPU that a made-up torch or CuPy lends: what is done with its rows can be watched."""


@pytest.mark.parametrize(
    ("library", "dtype", "sums"),
    [("torch", "uint8", "int64"), ("cupy", "uint8", "uint64"), ("torch", "float16", "float16")],
)
def test_sums_are_made_and_named_by_the_library_of_the_array(
    library: str, dtype: str, sums: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []

    def empty(shape: tuple[int, ...], dtype: Any = None, device: object = None) -> Any:
        made.append(np.dtype(dtype).name)
        return np.empty(shape, dtype)

    module = types.ModuleType(library)
    module.__dict__.update(
        empty=empty, empty_like=lambda x: empty(x.shape, x.dtype), dtype=np.dtype, int64=np.int64, float16=np.float16
    )
    monkeypatch.setitem(sys.modules, library, module)
    lent = type("Tensor", (Borrowed,), {"__module__": f"{library}.inner", "device": "cpu"})
    x = np.ones((3, 4), dtype).view(lent)
    found = scantune.cumsum(x, 1)
    assert made == [sums]
    np.testing.assert_array_equal(found, np.cumsum(np.asarray(x), 1))


def test_the_current_stream_and_the_device_are_those_of_the_library() -> None:
    entered: list[int] = []

    @contextmanager
    def device(number: int) -> Iterator[None]:
        entered.append(number)
        yield

    cuda = types.SimpleNamespace(
        current_stream=lambda number: types.SimpleNamespace(cuda_stream=100 + number), device=device
    )
    row = array_library._torch(types.SimpleNamespace(cuda=cuda, empty_like=None))
    assert row.current_stream(3) == 103
    with row.on_device(2):
        assert entered == [2]


def drawn(random: np.random.Generator) -> tuple[Any, int]:
    """Return an array of the standard of any shape and type, whose sums and products are exact, and an axis."""
    dtypes = ["int8", "int64", "uint16", "float32"]
    shape = tuple(int(size) for size in random.integers(0, 7, random.integers(1, 5)))
    items = random.integers(0, 3, shape).astype(random.choice(dtypes))
    return strict.asarray(items), int(random.integers(-len(shape), len(shape)))


@pytest.mark.parametrize("function", ["cumulative_sum", "cumulative_prod"])
def test_drawn_arrays_give_what_the_array_api_standard_says(function: str) -> None:
    random = np.random.default_rng(45)
    of_strict, ours = getattr(strict, function), getattr(scantune, function)
    for _ in range(24):
        x, axis = drawn(random)
        asked: dict[str, Any] = {"axis": axis, "include_initial": bool(random.integers(2))}
        if random.integers(3) == 0:
            asked["dtype"] = strict.float64 if strict.isdtype(x.dtype, "real floating") else strict.int64
        found, expected = ours(x, **asked), of_strict(x, **asked)
        assert (type(found), found.dtype, found.shape) == (type(expected), expected.dtype, expected.shape), (x, asked)
        np.testing.assert_array_equal(np.asarray(found), np.asarray(expected), err_msg=str((x, asked)))


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
def test_a_matrix_of_numpy_is_flattened_as_its_items_are() -> None:
    x = np.asmatrix([[1, 2], [3, 4]])
    np.testing.assert_array_equal(np.asarray(scantune.cumsum(x)).reshape(-1), [1, 3, 6, 10])
    assert int(scantune.reduce(x, axis=None)) == 10


def test_an_axis_is_needed_beyond_one_dimension_as_the_standard_says() -> None:
    x = strict.asarray([1, 2, 3])
    assert strict.all(scantune.cumulative_sum(x) == strict.cumulative_sum(x))
    for function in (scantune.cumulative_sum, strict.cumulative_sum):
        with pytest.raises(ValueError, match="axis"):
            function(strict.ones((2, 2)))
