"""Times of calls on torch's stream, whose contenders take turns: by replays of CUDA graphs, or of single calls."""

from __future__ import annotations

import functools
import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gpu_arrays import torch

Call = Callable[[Any], None]  # on one set of arrays


def captured(call: Call, sets: Sequence[Any], calls: int) -> Any:
    """Return a graph of that many calls, which rotate over the sets."""
    call(sets[0])
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for turn in range(calls):
            call(sets[turn % len(sets)])
    return graph


def _seconds(run: Callable[[], None]) -> float:
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    run()
    end.record()
    end.synchronize()
    return float(begin.elapsed_time(end)) / 1e3


def seconds(graph: Any) -> float:
    return _seconds(graph.replay)


def seconds_of_calls(call: Call, sets: Sequence[Any]) -> float:
    """Return the seconds of a call on each set, for what cannot be captured."""

    def run() -> None:
        for memory in sets:
            call(memory)

    return _seconds(run)


def medians(
    contenders: Mapping[str, Call], sets: Sequence[Any], calls: int, rounds: int, *, are_captured: bool = True
) -> dict[str, float]:
    """Return the microseconds of one call of each contender, which take turns, in graphs of so many calls or alone."""
    if are_captured:
        timed = {name: functools.partial(seconds, captured(call, sets, calls)) for name, call in contenders.items()}
    else:
        timed = {name: functools.partial(seconds_of_calls, call, sets) for name, call in contenders.items()}
        calls = len(sets)
    samples: dict[str, list[float]] = {name: [] for name in timed}
    for turn in range(rounds + 1):
        for name, one in timed.items():
            taken = one() / calls
            if turn > 0:  # the first replay warms up
                samples[name].append(taken)
    return {name: statistics.median(of_one) * 1e6 for name, of_one in samples.items()}
