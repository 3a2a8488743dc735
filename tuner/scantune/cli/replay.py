"""The command that replays searches on recorded spaces: scantune replay."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import typer

from scantune import paths
from scantune.cli.json_output import JsonOutput
from scantune.cli.options import JsonOption, SamplerOption, WorkersOption
from scantune.cli.terminal import console, reported_errors, say
from scantune.errors import ScantuneError, UsageError
from scantune.model.policy import Effort
from scantune.model.quantity import format_size
from scantune.model.recorded_space import RecordedSpace
from scantune.report.listing import Column, Listing, Row
from scantune.search.effects import Effects
from scantune.search.replay import Replayed, Trace, effects_for, replay, replay_policy
from scantune.search.sampler_names import Sampler
from scantune.store.space_export import Format, export_space
from scantune.store.space_file import read_space

_Job = tuple[Path, bool, Sampler, Effort, Effects, int]

_SEEDS, _SEEDS_OF_SLOW = 50, 10
_COLUMNS = {
    "sampler": "sampler", "seeds": "seeds", "median_share_at_20": "at 20",
    "median_share_at_40": "at 40",
    "median_share_at_60": "at 60", "median_share_at_200": "at 200", "worst_tenth_share_at_60": "worst at 60",
    "evaluations_to_95": "to 95%", "evaluations_to_98": "to 98%", "evaluations_to_99": "to 99%",
}  # fmt: skip


def replay_command(
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="FILES", help="Files of 'scantune sweep'; default: those shipped with scantune."),
    ] = None,
    sampler: SamplerOption = Sampler.default,
    seeds: Annotated[
        int | None,
        typer.Option(
            min=1, max=100_000, help=f"Searches per space; default {_SEEDS}, for gp and cmaes {_SEEDS_OF_SLOW}."
        ),
    ] = None,
    effort: Annotated[Effort, typer.Option(help="As for 'scantune tune', without a time limit.")] = Effort.normal,
    only_listed: Annotated[
        bool,
        typer.Option(
            "--listed", help="Leave out the configs recorded around the fastest, to compare with other tuners."
        ),
    ] = False,
    no_effects: Annotated[
        bool,
        typer.Option(
            "--no-effects", help="Do not use the effects of parameters known from shipped spaces of other problems."
        ),
    ] = False,
    export: Annotated[
        Format | None,
        typer.Option(help="Export one FILE for another tuner: Kernel Tuner's simulation mode, or T4 results."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="OUT", help="The file that --export writes.")
    ] = None,
    family: Annotated[str | None, typer.Option(help="With --export: only the configs of this family.")] = None,
    json_: JsonOption = None,
    workers: WorkersOption = None,
) -> None:
    """Replay searches on recorded spaces: how near they get to the fastest config, after how many evaluations.

    A measurement draws its samples from the recorded ones. A share is the time of the fastest config divided by that of
    the search's best config. No GPU and no worker are needed. Expected effects of parameters come from shipped spaces
    of other problems.
    """
    with reported_errors():
        if export is not None or output is not None or family is not None:
            _export(files or [], export, output, family, only_listed)
            return
        sampler.check()
        told = JsonOutput.of(json_, "replay")
        found = files or shipped_spaces()
        if not found:
            raise UsageError("no recorded spaces are shipped with this installation; name files of 'scantune sweep'")
        count = seeds or (_SEEDS_OF_SLOW if sampler.is_slow else _SEEDS)
        results = []
        for file in found:
            results.append(_replayed(file, sampler, count, effort, only_listed, not no_effects, workers))
            told.update(results=results)
        console.print(_table(results))
        told.write(results=results)


def shipped_spaces() -> list[Path]:
    """Return the recorded spaces that come with the package or the checkout."""
    return sorted((paths.sql_directory() / "spaces").glob("*.json.gz"))


def _export(files: list[Path], kind: Format | None, output: Path | None, family: str | None, only_listed: bool) -> None:
    if kind is None or output is None or len(files) != 1:
        raise UsageError("--export takes one file: scantune replay FILE --export kernel_tuner -o OUT")
    recorded = _read(files[0], only_listed)
    export_space(recorded, output.expanduser(), kind, family)
    say(f"{name_of(recorded)} written to {output} for {kind.value}")


def _replayed(
    file: Path, sampler: Sampler, seeds: int, effort: Effort, only_listed: bool, has_effects: bool, workers: int | None
) -> dict[str, Any]:
    recorded = _read(file, only_listed)
    if recorded.optimum is None:
        raise ScantuneError(f"{file}: no config of the space works")
    has_effects = has_effects and sampler.has_prior
    others = [_read(other, only_listed=False) for other in shipped_spaces()] if has_effects else []
    effects = effects_for(recorded, others)
    jobs = [(file, only_listed, sampler, effort, effects, seed) for seed in range(1, seeds + 1)]
    traces: Sequence[Trace] = list(_mapped(jobs, workers or len(os.sched_getaffinity(0))))
    told = {"file": str(file), **Replayed(name_of(recorded), sampler.value, traces).message()}
    return {**told, "effects": has_effects} if sampler.has_prior else told


def _mapped(jobs: Sequence[_Job], workers: int) -> Iterator[Any]:
    if min(workers, len(jobs)) == 1:
        yield from map(_one, jobs)
        return
    with ProcessPoolExecutor(min(workers, len(jobs))) as pool:
        yield from pool.map(_one, jobs)


def _one(job: _Job) -> Any:
    file, only_listed, sampler, effort, effects, seed = job
    recorded = _read(file, only_listed)
    return replay(recorded, sampler, seed, replay_policy(recorded, effort), effects)


@cache
def _read(file: Path, only_listed: bool) -> RecordedSpace:
    recorded = read_space(file)
    return recorded.only_listed() if only_listed else recorded


def name_of(recorded: RecordedSpace) -> str:
    return f"{recorded.problem} {format_size(recorded.n)}, {recorded.device.name}"


def _table(results: Iterable[dict[str, Any]]) -> Listing:
    columns = [Column(title, is_text=title == "sampler") for title in _COLUMNS.values()]
    rows = [Row(["-" if row[name] is None else _text(row[name]) for name in _COLUMNS], row["space"]) for row in results]
    return Listing("Shares of the fastest config, and evaluations to a share", columns, rows, "space")


def _text(value: object) -> str:
    return f"{value:.4f}" if isinstance(value, float) and value <= 1 else f"{value}"
