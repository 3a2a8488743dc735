"""Arrays of torch and CuPy, on the CPU and on GPUs: results, streams and devices.

What is not installed or not there is skipped: `make test` skips all, `make test-libraries` what needs a GPU.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import scantune
from scantune import compute

HAS_GPU = bool(shutil.which("nvidia-smi")) and not subprocess.run(["nvidia-smi", "-L"], capture_output=True).returncode
ON_GPU = pytest.mark.skipif(not HAS_GPU, reason="needs a GPU")
PAUSE_CYCLES = 200_000_000  # a tenth of a second
SHAPE = (6, 40)
LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "as made": lambda x: x,
    "transposed": lambda x: x.T,
    "every third": lambda x: x[:, ::3],
}
# Each function has the arguments that it is called with, and what NumPy computes for them.
FUNCTIONS: dict[str, tuple[dict[str, Any], Callable[[Any], Any]]] = {
    "cumsum": ({"axis": 1}, lambda x: np.cumsum(x, 1)),
    "cumprod": ({"axis": 0}, lambda x: np.cumprod(x, 0)),
    "cumulative_sum": (
        {"axis": 0, "include_initial": True},
        lambda x: np.vstack([np.zeros_like(x[:1]), np.cumsum(x, 0)]),
    ),
    "cummax": ({"axis": 0}, lambda x: np.maximum.accumulate(x, 0)),
    "cummin": ({"axis": 1}, lambda x: np.minimum.accumulate(x, 1)),
    "logcumsumexp": ({"axis": 1}, lambda x: np.logaddexp.accumulate(x.astype("float64"), 1)),
    "scan": (
        {"op": "max", "axis": 1, "reverse": True},
        lambda x: np.maximum.accumulate(x[:, ::-1], 1)[:, ::-1],
    ),
    "reduce": ({"axis": 0}, lambda x: np.sum(x, 0)),
    "argmin": ({"axis": 1}, lambda x: np.argmin(x, 1)),
    "argmax": ({}, np.argmax),
    "sort": ({"axis": 0}, lambda x: np.sort(x, 0)),
    "argsort": ({"axis": 1}, lambda x: np.argsort(x, 1, kind="stable")),
    "top_k": ({"k": 3, "axis": 0}, lambda x: np.sort(x, 0)[:-4:-1]),
    "argtop_k": ({"k": 5}, lambda x: np.argsort(-x.astype("float64"), kind="stable")[:, :5]),
    "nonzero": ({}, lambda x: np.nonzero(x)[0]),
}


class Torch:
    def __init__(self, place: str) -> None:
        self.module = import_module("torch")
        self.place = place

    def array(self, items: Any, device: int = 0) -> Any:
        place = f"cuda:{device}" if self.place == "cuda" else self.place
        return self.module.asarray(np.array(items)).to(place)

    def numpy(self, x: Any) -> Any:
        return x.cpu().numpy()

    def stream(self) -> Any:
        return self.module.cuda.Stream()

    def under(self, stream: Any) -> Any:
        return self.module.cuda.stream(stream)

    def pause(self) -> None:
        self.module.cuda._sleep(PAUSE_CYCLES)

    def devices(self) -> int:
        return int(self.module.cuda.device_count())


class CuPy:
    def __init__(self, _: str) -> None:
        self.module = import_module("cupy")
        self._pause = self.module.RawKernel(
            'extern "C" __global__ void pause(long long cycles) {'
            " const long long start = clock64(); while (clock64() - start < cycles) {} }",
            "pause",
        )

    def array(self, items: Any, device: int = 0) -> Any:
        with self.module.cuda.Device(device):
            return self.module.asarray(items)

    def numpy(self, x: Any) -> Any:
        return self.module.asnumpy(x)

    def stream(self) -> Any:
        return self.module.cuda.Stream(non_blocking=True)

    def under(self, stream: Any) -> Any:
        return stream

    def pause(self) -> None:
        self._pause((1,), (1,), (np.int64(PAUSE_CYCLES),))

    def devices(self) -> int:
        return int(self.module.cuda.runtime.getDeviceCount())


class Jax:
    """JAX, whose arrays are constants."""

    def __init__(self, place: str) -> None:
        os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"  # GPUs are shared with other tests
        jax = import_module("jax")
        jax.config.update("jax_enable_x64", True)
        self.module = jax.numpy
        self.place = jax.devices(place)[0]

    def array(self, items: Any) -> Any:
        return import_module("jax").device_put(np.array(items), self.place)

    def numpy(self, x: Any) -> Any:
        return np.asarray(x)


def _made(name: str) -> Torch | CuPy | Jax:
    module, place = name.split(" on ")
    if not find_spec(module):
        pytest.skip(f"needs {module}")
    return {"torch": Torch, "cupy": CuPy, "jax": Jax}[module](place)


WRITTEN = ["torch on cpu", *(pytest.param(f"{name} on cuda", marks=ON_GPU) for name in ("torch", "cupy"))]


@pytest.fixture(params=[*WRITTEN, "jax on cpu", pytest.param("jax on cuda", marks=ON_GPU)])
def any_library(request: pytest.FixtureRequest) -> Any:
    return _made(request.param)


@pytest.fixture(params=WRITTEN)
def library(request: pytest.FixtureRequest) -> Any:
    return _made(request.param)


@pytest.fixture(params=WRITTEN[1:])
def gpu_library(request: pytest.FixtureRequest) -> Any:
    return _made(request.param)


@pytest.fixture
def torch() -> Any:
    return pytest.importorskip("torch")


def made(dtype: str, shape: tuple[int, ...] = SHAPE) -> Any:
    return np.asarray(np.random.default_rng(1).integers(0, 3, shape)).astype(dtype)


@pytest.mark.parametrize("dtype", ["uint8", "int32", "int64", "float16", "float32", "float64"])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_results_are_those_of_numpy(function: str, dtype: str, any_library: Any) -> None:
    arguments, reference = FUNCTIONS[function]
    for layout, arranged in LAYOUTS.items():
        items = made(dtype)
        x = arranged(any_library.array(items))
        if function == "logcumsumexp" and not dtype.startswith("float"):
            with pytest.raises(TypeError, match="floating-point"):
                scantune.logcumsumexp(x, **arguments)
            continue
        found = getattr(scantune, function)(x, **arguments)
        values = found[0] if isinstance(found, tuple) else found
        assert type(values) is type(x)
        assert values.device == x.device
        tolerance = {"float16": 2e-3, "float32": 1e-6}.get(dtype, 1e-14)
        np.testing.assert_allclose(
            any_library.numpy(values), reference(arranged(items)), rtol=tolerance, err_msg=layout
        )


def test_places_are_the_last_among_equals(any_library: Any) -> None:
    values, places = scantune.cummax(any_library.array(np.asarray([1, 3, 3, 2, np.nan, 9], "float32")))
    assert any_library.numpy(places).tolist() == [0, 1, 2, 2, 4, 4]
    np.testing.assert_array_equal(any_library.numpy(values)[3:], np.asarray([3, np.nan, np.nan], "float32"))


def test_results_whose_number_depends_on_the_items(library: Any) -> None:
    items, flags, keys = made("int32", (3000,)), made("uint8", (3000,)), np.repeat(np.arange(300), 10)
    x, mask, by = (library.array(array) for array in (items, flags, keys))
    kept = items[flags != 0]
    np.testing.assert_array_equal(library.numpy(scantune.compress(mask, x)), kept)
    out, count = library.array(np.zeros(3000, "int32")), library.array(np.zeros(1, "int64"))
    scantune.compress(mask, x, out=out, count=count)
    assert int(count[0]) == kept.size
    np.testing.assert_array_equal(library.numpy(out)[: kept.size], kept)
    found = scantune.reduce_by_key(by, x)
    np.testing.assert_array_equal(library.numpy(found[1]), items.reshape(300, 10).sum(1))


@pytest.mark.parametrize("dtype", ["uint8", "float16", "int32", "int64", "float64"])
def test_what_is_beyond_the_results_holds_the_fill_value(dtype: str, any_library: Any) -> None:
    items, flags = made(dtype, (3000,)), made("uint8", (3000,))
    found = scantune.compress(any_library.array(flags), any_library.array(items), size=3100, fill_value=77)
    kept = items[flags != 0]
    np.testing.assert_array_equal(any_library.numpy(found), np.append(kept, np.full(3100 - kept.size, 77, dtype)))


def test_results_of_several_kernels(any_library: Any) -> None:
    items, flags = made("int32", (3000,)), made("bool", (3000,))
    x, mask, offsets = (any_library.array(array) for array in (items, flags, np.arange(0, 3001, 10)))
    for found, expected in zip(scantune.split_by(x, mask), (items[flags], items[~flags]), strict=True):
        np.testing.assert_array_equal(any_library.numpy(found), expected)
    for found, expected in zip(scantune.unique_counts(x), np.unique(items, return_counts=True), strict=True):
        np.testing.assert_array_equal(any_library.numpy(found), expected)
    again = scantune.run_length_decode(*scantune.run_length_encode(x))
    np.testing.assert_array_equal(any_library.numpy(again), items)
    np.testing.assert_array_equal(any_library.numpy(scantune.repeat_interleave(x, 3)), np.repeat(items, 3))
    threes = any_library.array(np.full(3000, 3))
    np.testing.assert_array_equal(any_library.numpy(scantune.repeat_interleave(x, threes)), np.repeat(items, 3))
    rows = items.reshape(300, 10)
    np.testing.assert_array_equal(
        any_library.numpy(scantune.segmented_scan(x, offsets)), np.cumsum(rows, 1).reshape(-1)
    )
    np.testing.assert_array_equal(any_library.numpy(scantune.segmented_sort(x, offsets)), np.sort(rows, 1).reshape(-1))
    sums = scantune.segmented_reduce(x, offsets)
    np.testing.assert_array_equal(any_library.numpy(sums), rows.sum(1))
    assert type(sums) is type(x)


def test_sums_of_unsigned_integers_widen_as_the_library_widens_them(library: Any) -> None:
    found = scantune.cumsum(library.array(made("uint8")), 1)
    assert str(found.dtype).endswith("int64")
    assert library.numpy(found).dtype == library.numpy(library.module.cumsum(library.array(made("uint8")), 1)).dtype


def test_the_current_stream_is_waited_for_and_no_other(gpu_library: Any) -> None:
    # Items arrive late in a stream: a scan in another one would see zeros.
    x = gpu_library.array(np.zeros(100_000, "int32"))
    scantune.cumsum(x, 0)  # compiles
    stream = gpu_library.stream()
    with gpu_library.under(stream):
        gpu_library.pause()
        x += 1
        found = scantune.cumsum(x, 0)
    stream.synchronize()
    np.testing.assert_array_equal(gpu_library.numpy(found), np.arange(1, 100_001))


def test_a_stream_that_is_named_is_waited_for(gpu_library: Any) -> None:
    x, out = gpu_library.array(np.zeros(100_000, "int32")), gpu_library.array(np.zeros(100_000, "int32"))
    scantune.scan(x, out=out)  # compiles
    stream = gpu_library.stream()
    with gpu_library.under(stream):
        gpu_library.pause()
        x += 1
    scantune.scan(x, out=out, stream=stream)
    found = scantune.scan(x, stream=stream)  # made in that stream
    if isinstance(gpu_library, Torch):
        del x  # its memory stays for that stream; CuPy would give it to others
    gpu_library.array(np.full(100_000, -7, "int32"))  # in the current stream, in memory that nobody uses
    stream.synchronize()
    np.testing.assert_array_equal(gpu_library.numpy(out), np.arange(1, 100_001))
    np.testing.assert_array_equal(gpu_library.numpy(found), np.arange(1, 100_001))


def test_lengths_and_copies_are_made_in_the_stream_that_is_named(gpu_library: Any) -> None:
    x = gpu_library.array(np.zeros((1000, 100), "int32")).T
    scantune.nonzero(x), scantune.unique_counts(x), scantune.repeat_interleave(x, 2)  # compile
    stream = gpu_library.stream()
    with gpu_library.under(stream):
        gpu_library.pause()
        x += 1
    for function, counted, size in (
        (scantune.nonzero, lambda found: found[1], 100_000),
        (scantune.unique_counts, lambda found: found.counts, 1),
        (lambda x, stream: scantune.repeat_interleave(x, 2, stream=stream), lambda found: found, 200_000),
    ):
        with gpu_library.under(stream):
            gpu_library.pause()
            x += 1
        results = counted(function(x, stream=stream))
        stream.synchronize()
        found = gpu_library.numpy(results)
        assert found.shape == (size,)
        assert found[-1] == {100_000: 999, 1: 100_000, 200_000: 4}[size]


def test_results_go_into_out_and_into_x_itself(library: Any) -> None:
    items = made("float32")
    x, out = library.array(items), library.array(np.zeros((SHAPE[0], 2 * SHAPE[1]), "float32"))[:, ::2]
    assert scantune.cumsum(x, 1, out=out) is out
    np.testing.assert_array_equal(library.numpy(out), np.cumsum(items, 1))
    assert scantune.scan(x, axis=0, out=x) is x
    np.testing.assert_array_equal(library.numpy(x), np.cumsum(items, 0))


def test_an_array_of_another_library_gets_one_of_ours(gpu_library: Any) -> None:
    items = made("int32", (3000,))
    x, out = gpu_library.array(items), gpu_library.array(np.zeros(3000, "int64"))
    lent = [SimpleNamespace(__cuda_array_interface__=array.__cuda_array_interface__) for array in (x, out)]
    scantune.cumsum(lent[0], out=lent[1])
    np.testing.assert_array_equal(gpu_library.numpy(out), np.cumsum(items))
    found = gpu_library.module.from_dlpack(scantune.cumsum(lent[0]))
    np.testing.assert_array_equal(gpu_library.numpy(found), np.cumsum(items))
    np.testing.assert_array_equal(
        gpu_library.numpy(gpu_library.module.from_dlpack(scantune.sort(lent[0]))), np.sort(items)
    )


def test_the_host_and_a_gpu_serve_one_process(gpu_library: Any) -> None:
    with pytest.raises(ValueError, match="out is on another device than x"):
        scantune.cumsum(gpu_library.array(made("int32")), 1, out=np.zeros(SHAPE, "int64"))
    items = made("int32", (3000,))
    np.testing.assert_array_equal(
        scantune.cumsum(items), gpu_library.numpy(scantune.cumsum(gpu_library.array(items), 0))
    )


def test_an_array_of_another_gpu_is_scanned_there(gpu_library: Any) -> None:
    if gpu_library.devices() < 2:
        pytest.skip("needs two GPUs")
    items = made("int32")
    for device in (1, 0):
        x = gpu_library.array(items, device)
        found = scantune.cumsum(x, 1)
        assert found.device == x.device
        np.testing.assert_array_equal(gpu_library.numpy(found), np.cumsum(items, 1))
        # Flags that tell a stream of that GPU, which is not the current one.
        flags = gpu_library.array(items.reshape(-1) > 0, device)
        lent = SimpleNamespace(__cuda_array_interface__=flags.__cuda_array_interface__ | {"stream": 2})
        kept = scantune.compress(lent, x.reshape(-1))
        np.testing.assert_array_equal(gpu_library.numpy(kept), items[items > 0])


def test_more_items_than_32_bits_count(gpu_library: Any) -> None:
    x = gpu_library.module.ones(
        2**31 + 5,
        dtype=gpu_library.module.uint8,
        **({"device": "cuda"} if gpu_library.module.__name__ == "torch" else {}),
    )
    found = scantune.cumsum(x, 0, dtype=gpu_library.module.uint8)
    assert int(found[-1]) == 5
    assert int(found[2**31 - 1]) == 0


def test_a_scan_of_many_calls_is_captured_into_one_graph(torch: Any) -> None:
    if not HAS_GPU:
        pytest.skip("needs a GPU")
    x = torch.ones(1 << 20, device="cuda")
    found = [torch.zeros_like(x) for _ in range(40)]
    totals = torch.zeros((), device="cuda")
    scantune.cumsum(x, 0, out=found[0])  # compiles
    scantune.reduce(x, out=totals)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for out in found:
            scantune.cumsum(x, 0, out=out)
            scantune.reduce(x, out=totals)
    x += 1
    graph.replay()
    for out in found:
        assert float(out[-1]) == 2 << 20
    assert float(totals) == 2 << 20


def test_tensors_that_are_not_their_memory_are_refused_by_name(torch: Any) -> None:
    x = torch.ones(8)
    for tensor, text in (
        (x.clone().requires_grad_(), "x requires a gradient, and none is computed: pass its detach()"),
        (torch._neg_view(x), "x is a view whose items are negated when they are read: pass its resolve_neg()"),
        (torch._neg_view(x).as_subclass(type("T", (torch.Tensor,), {})), "x is a view whose items are negated"),
        (torch.nn.Parameter(x.clone()), "x requires a gradient"),
        (x.to_sparse(), "x has no memory to lend"),
        (torch.ones(8, device="meta"), "x has no memory to lend"),
        (torch.ones(8, dtype=torch.complex64), "x has items of another type"),
    ):
        with pytest.raises((TypeError, ValueError), match=re.escape(f"cumsum: {text}")):
            scantune.cumsum(tensor, 0)
    with pytest.raises(ValueError, match="cumsum: out requires a gradient"):
        scantune.cumsum(x, 0, out=x.clone().requires_grad_())


@pytest.mark.parametrize("place", ["cpu", pytest.param("cuda", marks=ON_GPU)])
def test_results_of_jax_wait_for_the_scan_and_the_scan_for_its_items(place: str) -> None:
    jax = _made(f"jax on {place}")
    n = 1 << 24 if place == "cuda" else 1 << 12
    x = jax.array(np.ones(n, "int32"))
    for _ in range(3):
        x = jax.module.sort(x) * 1  # takes a while
    found = scantune.cumsum(x) + 1
    np.testing.assert_array_equal(jax.numpy(found), np.arange(2, n + 2))
    # Results go where earlier ones were that are still read, and inputs stay until they are read.
    inputs = [(x * i).block_until_ready() for i in range(20)]
    products = [scantune.cumsum(one) * 2 for one in inputs]
    sums = [scantune.cumsum(x * i) for i in range(20)]
    assert [int(product[-1]) for product in products] == [2 * i * n for i in range(20)]
    assert [int(one[-1]) for one in sums] == [i * n for i in range(20)]
    assert scantune.nonzero(x)[0].shape == (n,)
    with pytest.raises(ValueError, match="cumsum: out is read-only"):
        scantune.cumsum(x, out=x)
    with pytest.raises(TypeError, match="plan: x is of a library whose arrays cannot be written"):
        scantune.plan(x)


def address_of(stream: Any) -> int:
    return int(stream.cuda_stream if hasattr(stream, "cuda_stream") else stream.ptr)


def test_compute_runs_in_the_stream_that_is_named(gpu_library: Any) -> None:
    x, out, start = (gpu_library.array(np.zeros(n, "int32")) for n in (100_000, 100_000, 1))
    arguments = {"d_in": x, "d_out": out, "op": compute.OpKind.PLUS, "init_value": start, "num_items": 99_999}
    compute.inclusive_scan(**arguments)  # compiles
    stream = gpu_library.stream()
    with gpu_library.under(stream):
        gpu_library.pause()
        x += 1
        start += 7  # on the device, too
    named = SimpleNamespace(__cuda_stream__=lambda: (0, address_of(stream)))
    compute.inclusive_scan(**arguments, stream=named)
    compute.merge_sort(d_in_keys=out, d_out_keys=out, num_items=99_999, op=compute.OpKind.GREATER, stream=named)
    stream.synchronize()
    np.testing.assert_array_equal(gpu_library.numpy(out), np.append(np.arange(8, 100_007)[::-1], 0))


def test_compute_sorts_and_selects_on_a_gpu(library: Any) -> None:
    keys, values = made("int32", (3000,)), np.arange(3000)
    d_keys, d_values = library.array(keys), library.array(values)
    places = np.argsort(keys, kind="stable")
    buffer = compute.DoubleBuffer(library.array(keys), library.array(keys))
    order = compute.SortOrder.ASCENDING
    compute.radix_sort(d_in_keys=buffer, d_out_keys=None, num_items=3000, order=order)
    np.testing.assert_array_equal(library.numpy(buffer.current()), keys[places])
    kept, count = library.array(np.zeros(3000, "int32")), library.array(np.zeros(2, "int64"))
    is_large = "__device__ bool keep(Value item) { return item > 1; }"
    compute.select(d_in=d_keys, d_out=kept, d_num_selected_out=count, cond=is_large, num_items=3000)
    np.testing.assert_array_equal(library.numpy(kept)[: int(count[0])], keys[keys > 1])
    pairs = {"d_in_keys": d_keys, "d_out_keys": d_keys, "d_in_values": d_values, "d_out_values": d_values}
    compute.merge_sort(**pairs, num_items=3000, op=compute.OpKind.LESS)
    np.testing.assert_array_equal(library.numpy(d_keys), keys[places])
    np.testing.assert_array_equal(library.numpy(d_values), places)
    by_parity = "__device__ bool less(Value a, Value b) { return a % 2 < b % 2; }"
    compute.merge_sort(d_in_keys=d_values, d_out_keys=d_values, num_items=3000, op=by_parity)
    np.testing.assert_array_equal(library.numpy(d_values), places[np.argsort(places % 2, kind="stable")])
    np.testing.assert_array_equal(
        library.numpy(scantune.argsort(d_keys, less=by_parity)), np.argsort(keys[places] % 2, kind="stable")
    )
