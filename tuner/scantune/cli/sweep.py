"""The command that measures every config of a space and records it in a file: scantune sweep."""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from scantune import __version__
from scantune.cli.json_output import JsonOutput
from scantune.cli.named_problems import NamedProblems, OwnOperator
from scantune.cli.options import (
    AlgorithmOption,
    AlignmentOption,
    ArchOption,
    CostOption,
    DeviceOption,
    JsonOption,
    NameOption,
    OperatorOption,
    OpOption,
    SizesOption,
    TypeOption,
    WorkersOption,
    listed,
)
from scantune.cli.problem_options import given_options
from scantune.cli.terminal import note, reported_errors, say
from scantune.cli.workers import chosen_worker, compile_pool, sigterm_as_interrupt
from scantune.errors import ScantuneError, UsageError
from scantune.model.algorithm import DEFAULT_ALGORITHM
from scantune.model.device import Hello
from scantune.model.policy import Effort, policy_of
from scantune.model.problem import Problem
from scantune.model.quantity import counted, format_duration, format_size, parse_duration, parse_sizes
from scantune.model.record import now
from scantune.model.recorded_space import Provenance, RecordedSpace
from scantune.model.space import Space, config_text
from scantune.search.sweep import Sweep, SweepPlan
from scantune.store.replacement import place_to_replace
from scantune.store.space_file import read_space, write_space
from scantune.worker.device_choice import AUTO
from scantune.worker.evaluation import Evaluator, Timeouts

_WRITTEN_EVERY_S = 30.0


def sweep_command(
    ctx: typer.Context,
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="FILE", help="The file to write; compressed if its name ends in .gz."),
    ],
    n: SizesOption = None,
    type_: TypeOption = None,
    algorithm: AlgorithmOption = DEFAULT_ALGORITHM,
    arch: ArchOption = AUTO,
    op: OpOption = None,
    operator: OperatorOption = None,
    name: NameOption = None,
    cost: CostOption = None,
    alignment: AlignmentOption = None,
    budget: Annotated[str, typer.Option(help="Time for everything before the final round: 90s, 10m, 2h.")] = "1h",
    rounds: Annotated[int, typer.Option(min=5, max=1000, help="Samples of each config.")] = SweepPlan.rounds,
    min_round_ms: Annotated[
        float, typer.Option(min=0, max=1000, help="Minimum length of a sample.")
    ] = SweepPlan.min_round_ms,
    batch: Annotated[
        int, typer.Option(min=1, max=1000, help="Configs measured together, besides the default.")
    ] = SweepPlan.batch,
    pairs_limit: Annotated[
        int, typer.Option(min=0, help="Configs around the fastest, with one or two secondary parameters changed.")
    ] = SweepPlan.pairs_limit,
    onto: Annotated[
        Path | None,
        typer.Option(help="A file of an earlier sweep of the same space, to add to.", metavar="FILE"),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, max=2**31 - 1, help="Seed of the order and of verified inputs.")] = 1,
    commit: Annotated[str | None, typer.Option(help="The commit to record in the file.")] = None,
    json_: JsonOption = None,
    device: DeviceOption = None,
    workers: WorkersOption = None,
) -> None:
    """Measure every config that a search may try for one problem at one N, and record the samples in a file.

    'scantune replay' replays searches on such files. The order is: the defaults and their neighbours, walks from there,
    all listed configs of the families that may win, changes of secondary parameters of the fastest, walks again, and a
    sample of the other families. The sweep stops when the budget ends. Finally the fastest are verified and measured
    again, together. The file is written every half minute and at the end, also after Ctrl-C. Nothing is saved in a
    database.
    """
    with reported_errors():
        told = JsonOutput.of(json_, "sweep")
        ops, source = OwnOperator(operator, name, cost, alignment).checked(listed(type_), listed(op))
        named = NamedProblems(listed(type_), ops, given_options(ctx), source, algorithm)
        named.check()
        sizes = parse_sizes(n or [])
        if len(sizes) != 1 or not named.types:
            raise UsageError("a sweep needs one problem and one N; name --type and --n, such as --type f32 --n 2^20")
        output = _checked(output.expanduser())
        budget_s = parse_duration(budget)
        with sigterm_as_interrupt(), contextlib.ExitStack() as stack:
            worker = chosen_worker(stack, arch, device, seed)
            hello = worker.hello()
            evaluator = Evaluator(worker, Timeouts.of(hello.device), source)
            sizes = named.whole(hello, sizes, note)
            problems = named.problems(hello, evaluator, sizes, note)
            if len(problems) != 1:
                raise UsageError(f"a sweep takes one problem, and these are {len(problems)}; run once for each")
            plan = SweepPlan(
                budget_s, rounds, min_round_ms, batch, pairs_limit=pairs_limit, seed=seed,
                verify_items=policy_of(hello.device, Effort.quick).verify_items,
            )  # fmt: skip
            space = evaluator.space(problems[0], sizes[0])
            earlier = _checked_earlier(onto, hello, problems[0], sizes[0], space) if onto else None
            pool = stack.enter_context(compile_pool(worker, seed, workers))
            keeper = _Keeper(output, hello, commit, time.monotonic())
            sweep = Sweep(evaluator, pool, hello.device, problems[0], sizes[0], plan, keeper.watch, earlier=earlier)
            note(f"{problems[0]} {format_size(sizes[0])} on {hello.device}: {counted(sweep.listed, 'config')} listed")
            try:
                sweep.run()
            finally:
                keeper.keep(sweep)
            recorded = keeper.recorded(sweep)
            _report(recorded, sweep, output)
            told.write(**_message(recorded, sweep, output))


@dataclass
class _Keeper:
    """Writes the file every half minute."""

    output: Path
    hello: Hello
    commit: str | None
    written_at: float

    def watch(self, sweep: Sweep) -> None:
        if time.monotonic() - self.written_at >= _WRITTEN_EVERY_S:
            self.keep(sweep)
            note(_progress(sweep))

    def keep(self, sweep: Sweep) -> None:
        if sweep.tried:
            write_space(self.recorded(sweep), self.output)
        self.written_at = time.monotonic()

    def recorded(self, sweep: Sweep) -> RecordedSpace:
        hello = self.hello
        return sweep.recorded(
            Provenance(
                __version__, hello.compiler_version, hello.driver_version, hello.template_hash, now(), self.commit,
                sweep.method(),
            )
        )  # fmt: skip


def _checked_earlier(path: Path, hello: Hello, problem: Problem, n: int, space: Space) -> RecordedSpace:
    """Return the space of a file; raise UsageError if it is another space."""
    earlier = read_space(path)
    ours = (hello.device, problem, n, hello.template_hash)
    is_ours = (earlier.device, earlier.problem, earlier.n, earlier.provenance.template_hash) == ours
    tables = (
        {one.name: one.parameters for one in families} for families in (earlier.families, space.families.values())
    )
    if not is_ours or next(tables) != next(tables):
        raise UsageError(
            f"--onto {path}: is of {earlier.problem} {format_size(earlier.n)} on {earlier.device}, or of other "
            "templates; leave it out"
        )
    return earlier


def _checked(output: Path) -> Path:
    if output.is_dir() or not output.absolute().parent.is_dir():
        raise UsageError(f"--output {output}: name a file in an existing folder")
    place_to_replace(output, overwrite=True)
    return output


def _progress(sweep: Sweep) -> str:
    return (
        f"{counted(sweep.tried, 'config')} tried, {sweep.left_out} to come; "
        f"waited {format_duration(sweep.compiling_s)} for compilers, measured for {format_duration(sweep.measuring_s)}"
    )


def _report(recorded: RecordedSpace, sweep: Sweep, output: Path) -> None:
    optimum = recorded.optimum
    if optimum is None:
        reasons = [*(one.failure.reason for one in recorded.configs if one.failure), *sweep.faults.values()]
        raise ScantuneError("no config could be measured:\n  " + "\n  ".join(reasons[:3]))
    failed = sum(one.failure is not None for one in recorded.configs)
    finalists = sum(bool(one.final_us) for one in recorded.configs)
    say(f"{counted(len(recorded.configs), 'config')} in {output}, {failed} of which failed; {finalists} measured again")
    default = recorded.by_config.get(recorded.default)
    ratio = f", the default {default.true_us / optimum.true_us:.3f}×" if default and default.samples_us else ""
    say(f"fastest {optimum.true_us:.4g} µs{ratio}: {config_text(optimum.config, recorded.space)}")
    say(f"waited {format_duration(sweep.compiling_s)} for compilers, measured for {format_duration(sweep.measuring_s)}")
    if sweep.faults:
        note(f"the machine failed for {counted(len(sweep.faults), 'config')}: {next(iter(sweep.faults.values()))}")
    if left := recorded.left_out - len(sweep.faults):
        note(f"the budget ended before {counted(left, 'config')}: the families that cannot win are sampled only")


def _message(recorded: RecordedSpace, sweep: Sweep, output: Path) -> dict[str, Any]:
    optimum, default = recorded.optimum, recorded.by_config.get(recorded.default)
    return {
        "device": vars(recorded.device), "file": str(output), "problem": recorded.problem.message(), "n": recorded.n,
        "configs": len(recorded.configs), "failed": sum(one.failure is not None for one in recorded.configs),
        "left_out": recorded.left_out, "config": optimum.config.message() if optimum else None,
        "median_us": optimum.true_us if optimum else None,
        "default_us": default.true_us if default and default.samples_us else None,
        "compiling_s": round(sweep.compiling_s, 1), "measuring_s": round(sweep.measuring_s, 1),
    }  # fmt: skip
