"""The command that says what would run and why, here or on another GPU: scantune explain."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from scantune import paths
from scantune.cli.called import FromOption, check_alone
from scantune.cli.explain_calls import explain_calls
from scantune.cli.json_output import JsonOutput
from scantune.cli.named_problems import NamedProblems
from scantune.cli.options import (
    AlgorithmOption,
    DbOption,
    JsonOption,
    SizesOption,
    TypeOption,
    databases_to_read,
    listed,
)
from scantune.cli.problem_options import given_options, problem_options
from scantune.cli.terminal import note, reported_errors, say
from scantune.cli.workers import chosen_worker, described_worker
from scantune.compare.selected import selected_records
from scantune.compare.tried import Tried, tried_next
from scantune.errors import UsageError
from scantune.model.algorithm import DEFAULT_ALGORITHM
from scantune.model.device import HOST, Device, is_arch
from scantune.model.problem import Problem
from scantune.model.quantity import counted, format_size, parse_sizes
from scantune.model.record import Record
from scantune.report.messages import config_message, probes_message, selection_message
from scantune.store.archive import Archive
from scantune.store.database import open_readonly
from scantune.worker.built_in import NO_DEVICE, built_in_records
from scantune.worker.client import Worker
from scantune.worker.defaults import Defaults
from scantune.worker.device_choice import AUTO, is_opened
from scantune.worker.evaluation import Evaluator, Timeouts
from scantune.worker.named_device import named_device
from scantune.worker.selection import Selection, select


@dataclass(frozen=True)
class _Explanation:
    problem: Problem
    n: int
    selection: Selection
    record: Record | None  # the selected one, if its database can be read
    tried: Tried | None


def explain_command(
    ctx: typer.Context,
    algorithm: AlgorithmOption = DEFAULT_ALGORITHM,
    n: SizesOption = None,
    type_: TypeOption = None,
    op: Annotated[
        list[str] | None, typer.Option(help="Operators, as for tune; custom_moderate:NAME is a named one.")
    ] = None,
    arch: Annotated[str, typer.Option(help="As for tune.")] = AUTO,
    db: DbOption = None,
    device: Annotated[
        str | None,
        typer.Option(
            help="cuda:0, host, ..., or the name of any GPU, such as 'NVIDIA H200'; it need not be in this machine."
        ),
    ] = None,
    sm_count: Annotated[
        int | None, typer.Option(min=1, help="Number of SMs of the named GPU, if no record has it.")
    ] = None,
    from_: FromOption = None,
    json_: JsonOption = None,
) -> None:
    """Say what runtime::scan() would run, from which record and why, the next choice, and the rejected records.

    With --from, say of each problem that programs have called what served it, what would now, and what tuning may gain.

    --device may name a GPU that is not in this machine; without a record of it, --arch and --sm-count are needed, too.
    """
    with reported_errors(), contextlib.ExitStack() as stack:
        output = JsonOutput.of(json_, "db explain" if ctx.parent and ctx.parent.info_name == "db" else "explain")
        if from_:
            problems = problem_options(ctx, algorithm, type_, op)
            check_alone(from_, "names the problems and sizes", {**problems, "--n": n})
            devices = {"--arch": arch != AUTO, "--device": device, "--sm-count": sm_count}
            check_alone(from_, "names the devices", devices)
            explain_calls(from_, databases_to_read(db), output)
            return
        if not n or not type_:
            raise UsageError("explain needs --type and --n, such as --type i32 --n 2^20")
        named = NamedProblems(listed(type_), listed(op), given_options(ctx), algorithm=algorithm)
        named.check()
        sizes = parse_sizes(n)
        if sm_count is not None and (device is None or is_opened(device)):
            raise UsageError(
                f"--sm-count {sm_count} describes a GPU without naming it: add --device, such as --device 'NVIDIA H200'"
            )
        databases = databases_to_read(db)
        worker = _worker_to_ask(stack, arch, device, sm_count, paths.database_path(db))
        evaluator = Evaluator(worker, Timeouts())
        sizes = named.whole(worker.hello(), sizes, note)
        selected = [
            (problem, size, select(worker, problem, size, databases, runner_up=True))
            for problem in named.problems(worker.hello(), evaluator, sizes, note)
            for size in sizes
        ]
        defaults = Defaults(evaluator)
        records = selected_records([selection for _, _, selection in selected])
        explained = [
            _Explanation(problem, size, selection, record, _tried(problem, selection, defaults))
            for (problem, size, selection), record in zip(selected, records, strict=True)
        ]
        rejected = dict.fromkeys(row for one in explained for row in one.selection.rejected)
        for one in explained:
            _print_explanation(one, defaults)
        for row, reason in rejected:
            say(f"rejected {row}: {reason}")
        output.write(
            device=vars(worker.hello().device),
            results=[_message(one, defaults) for one in explained],
            rejected=[{"row": row, "reason": reason} for row, reason in rejected],
        )  # fmt: skip


def _worker_to_ask(
    stack: contextlib.ExitStack, arch: str, device: str | None, sm_count: int | None, database: Path
) -> Worker:
    """Return a worker on a device of this machine, or one that answers for the named GPU."""
    if device is None or is_opened(device):
        return _worker_here(stack, arch, device)
    if arch != AUTO and not is_arch(arch):
        raise UsageError(f"--arch {arch}: not an architecture; write sm_90 or the like")
    return described_worker(stack, named_device(device, arch, sm_count, lambda: _known_devices(stack, database)))


def _worker_here(stack: contextlib.ExitStack, arch: str, device: str | None) -> Worker:
    try:
        return chosen_worker(stack, arch, device)
    except UsageError as error:
        if arch in (AUTO, HOST):
            raise
        raise UsageError(
            f"{error}. To ask about a GPU that is not in this machine, name it: --device 'NVIDIA H200'"
        ) from None


def _known_devices(stack: contextlib.ExitStack, database: Path) -> list[Device]:
    """Return the devices that have records."""
    devices = [record.device for record in built_in_records(described_worker(stack, NO_DEVICE))]
    if database.exists():
        with open_readonly(database) as opened:
            devices += [record.device for record in Archive(opened).records()]
    return devices


def _tried(problem: Problem, selection: Selection, defaults: Defaults) -> Tried | None:
    return tried_next(selection, defaults.space(problem, selection.record["n"])) if selection.record else None


def _message(one: _Explanation, defaults: Defaults) -> dict[str, Any]:
    place, selection, tried = (one.problem, one.n), one.selection, one.tried
    return {
        **selection_message(*place, selection, defaults), "probes": probes_message(one.record) if one.record else None,
        "runner_up": selection.runner_up and selection_message(*place, selection.runner_up, defaults),
        "tried_next": tried and {
            **config_message(*place, tried.config, defaults), "median_us": tried.median_us,
            "selected_us": tried.selected_us, "measured": tried.measured,
        },
    }  # fmt: skip


def _print_explanation(one: _Explanation, defaults: Defaults) -> None:
    place, selection = (one.problem, one.n), one.selection
    say(f"{one.problem} {format_size(one.n)}: {selection.origin}: {selection.reason}")
    say(f"  {defaults.told(*place, selection.config)}")
    if told := selection.record:
        default = f"{told['default_us']:.2f} us" if told["default_us"] else "not timed"
        say(f"  measured at {format_size(told['n'])}: {told['median_us']:.2f} us; the default of then: {default}")
    if one.record and one.record.probes:
        worst = max(one.record.probes, key=lambda probe: probe.ratio)
        count = counted(len(one.record.probes), "probe")
        say(f"  {count}: at worst {worst.ratio:.3f} of the time without the record, at {format_size(worst.n)}")
    if runner_up := selection.runner_up:
        say(f"  next: {runner_up.origin}: {runner_up.reason}")
        say(f"    {defaults.told(*place, runner_up.config)}")
    if tried := one.tried:
        said = f"{tried.median_us:.2f} us"
        said += f", and the one selected {tried.selected_us:.2f} us" if tried.selected_us else ""
        say(f"  fastest other of {tried.measured} tried: {said}")
        say(f"    {defaults.told(*place, tried.config)}")
