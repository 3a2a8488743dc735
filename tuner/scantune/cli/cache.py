"""The commands for the folder of compiled kernels: scantune cache."""

from __future__ import annotations

import contextlib
import time
from typing import Annotated, Any

import typer

from scantune.cli.json_output import JsonOutput
from scantune.cli.options import JsonOption
from scantune.cli.terminal import reported_errors, say
from scantune.cli.workers import described_worker
from scantune.errors import ScantuneError
from scantune.model.quantity import counted, format_bytes, format_duration, parse_bytes
from scantune.worker.built_in import NO_DEVICE

cache_app = typer.Typer(
    no_args_is_help=True,
    help="Show or shrink the folder of compiled kernels. It never shrinks by itself.",
)

_TIMEOUT_S = 600.0  # a network file system takes long over many files


@cache_app.command("show")
def show_command(json_: JsonOption = None) -> None:
    """Print the folder of the compiled kernels, their number and size, and when the oldest was last used."""
    with reported_errors():
        output = JsonOutput.of(json_, "cache show")
        answer = _ask({})
        _say_contents(answer)
        output.write(**answer)


@cache_app.command("limit")
def limit_command(
    size: Annotated[str, typer.Argument(metavar="SIZE", help="Size to shrink to: 500M, 2G, 1000000.")],
    json_: JsonOption = None,
) -> None:
    """Remove the least recently used kernels until at most SIZE is left. The limit applies to this command only.

    Programs may use the cache at the same time: they recompile the kernels that they miss.
    """
    with reported_errors():
        output = JsonOutput.of(json_, "cache limit")
        _shrink(parse_bytes(size), output)


@cache_app.command("clear")
def clear_command(json_: JsonOption = None) -> None:
    """Remove all compiled kernels; other files stay. Programs recompile each kernel when they need it."""
    with reported_errors():
        _shrink(0, JsonOutput.of(json_, "cache clear"))


def _shrink(most_bytes: int, output: JsonOutput) -> None:
    answer = _ask({"most_bytes": most_bytes})
    say(f"removed {counted(answer['removed_kernels'], 'kernel')}, {format_bytes(answer['removed_bytes'])}")
    _say_contents(answer)
    output.write(**answer)


def _ask(params: dict[str, Any]) -> dict[str, Any]:
    with contextlib.ExitStack() as stack:
        answer = described_worker(stack, NO_DEVICE).call("cache", params, _TIMEOUT_S)
    counts = [answer.get(name) for name in ("kernels", "bytes", "removed_kernels", "removed_bytes")]
    if not all(isinstance(count, int) for count in counts):
        raise ScantuneError(f"the worker's answer about the kernel cache cannot be true: {answer!r}"[:300])
    return answer


def _say_contents(answer: dict[str, Any]) -> None:
    if answer["directory"] is None:
        say("there is no kernel cache: SCANTUNE_CACHE is empty, or HOME is not set")
        return
    text = f"{answer['directory']}: {counted(answer['kernels'], 'kernel')}, {format_bytes(answer['bytes'])}"
    used_at = answer.get("least_recent_use")
    if isinstance(used_at, int):
        text += f"; the least recently used one {format_duration(time.time() - used_at)} ago"
    say(text)
