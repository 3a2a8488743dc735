"""The command that lists, races and tunes the textbook algorithms: scantune gallery."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from scantune import paths
from scantune.cli.gallery_asked import ROW_ITEMS, SEARCH, Asked, one_size
from scantune.cli.gallery_plot import PictureOutput
from scantune.cli.gallery_races import show_races
from scantune.cli.gallery_tables import counts, numbered
from scantune.cli.gallery_tuning import search_each
from scantune.cli.json_output import JsonOutput
from scantune.cli.options import (
    ArchOption,
    DbOption,
    DeviceOption,
    JsonOption,
    SizesOption,
    WorkersOption,
    databases_to_read,
    listed,
)
from scantune.cli.restriction_options import nearest
from scantune.cli.terminal import console, note, reported_errors, say
from scantune.cli.workers import chosen_worker, sigterm_as_interrupt
from scantune.compare.cub_time import cub_bench, cub_time, no_cub
from scantune.compare.gallery import Gallery
from scantune.compare.gallery_problem import BLOCKED, GalleryProblem, Kind
from scantune.errors import ScantuneError, UsageError
from scantune.model.device import Hello
from scantune.model.gallery_race import CUB, GalleryRace
from scantune.model.gallery_rows import ROWS
from scantune.model.gallery_verdict import findings
from scantune.model.quantity import format_size, parse_duration, parse_sizes
from scantune.report.gallery_messages import race_message, row_message
from scantune.report.gallery_tables import counts_table, race_table, refusals, rows_listing, times_table, when_table
from scantune.store.database import Database, open_database
from scantune.worker.client import Worker, WorkerError
from scantune.worker.defaults import Defaults
from scantune.worker.device_choice import AUTO
from scantune.worker.environment import MemoryShort
from scantune.worker.evaluation import Evaluator, Timeouts

_TYPE = "i32"


def gallery_command(
    list_: Annotated[
        bool, typer.Option("--list", help="List the family for each row of five tutorials; runs nothing.")
    ] = False,
    table: Annotated[
        int | None,
        typer.Option(
            "--table",
            metavar="0|1|2|3|4",
            help="Regenerate a tutorial's table: 0 blocked scans, 1 steps and operations, 2 sums, 3 times "
            "by N, 4 additions. 1 and 4 need no device.",
        ),
    ] = None,
    when: Annotated[
        bool,
        typer.Option(
            "--when",
            help="Say when each of kogge_stone, brent_kung and hybrid, or of --families, is fastest: by "
            "size, bandwidth and operator cost.",
        ),
    ] = False,
    races: Annotated[
        bool,
        typer.Option(
            "--races",
            help="Run the textbook kernels that have a race, on the host device, under 100 schedules each, "
            "and the family without the race.",
        ),
    ] = False,
    families: Annotated[
        list[str] | None, typer.Option("--families", help="Race only these: kogge_stone,brent_kung,...")
    ] = None,
    n: SizesOption = None,
    kind: Annotated[
        Kind, typer.Option("--kind", help="Scans of this kind; sums are raced with inclusive scans only.")
    ] = Kind.inclusive,
    type_: Annotated[str, typer.Option("--type", help="Value type.")] = _TYPE,
    row_items: Annotated[str, typer.Option("--row-items", help="Items per row, in scans of rows.")] = ROW_ITEMS,
    tune: Annotated[
        bool,
        typer.Option(
            "--tune",
            help="Search each family of the gallery first, and those of the library in --families. What is "
            "tried is saved.",
        ),
    ] = False,
    budget: Annotated[
        str, typer.Option("--budget", help="How long --tune searches each family at each size.")
    ] = SEARCH,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Also draw the races, as .svg or .png.")
    ] = None,
    arch: ArchOption = AUTO,
    db: DbOption = None,
    device: DeviceOption = None,
    workers: WorkersOption = None,
    json_: JsonOption = None,
) -> None:
    """Race the textbook algorithms on scans of rows, whole scans and sums.

    Each family runs its best known config: the selected one, the fastest trial of the database, or its default. They
    race against a copy of as many bytes, what runtime::scan() or reduce() would run, and CUB if cub_bench is built
    ($SCANTUNE_CUB_BENCH names another). Results are checked before they are timed. Ctrl-C keeps the finished races.

    Only this command, --family, --config and --compare try families of the gallery.
    """
    with reported_errors(), contextlib.ExitStack() as stack:
        output = JsonOutput.of(json_, "gallery")
        others = {
            "--table": table is not None, "--when": when, "--families": families, "--n": n,
            "--kind": kind is not Kind.inclusive, "--type": type_ != _TYPE, "--row-items": row_items != ROW_ITEMS,
            "--tune": tune, "--budget": budget != SEARCH, "--plot": plot,
        }  # fmt: skip
        if list_:
            _check_alone("--list runs nothing and lists every row", {"--races": races, **others})
            console.print(rows_listing(ROWS))
            output.write(rows=[row_message(row) for row in ROWS])
            return
        if races:
            _check_alone("--races runs kernels of its own", others)
            stack.enter_context(sigterm_as_interrupt())
            show_races(chosen_worker(stack, arch, device), output)
            return
        asked = Asked(
            table, listed(families), parse_sizes(n) if n else None, kind, type_,
            one_size(row_items), tune, PictureOutput.of(plot), parse_duration(budget), when,
        )  # fmt: skip
        asked.check()
        stack.enter_context(sigterm_as_interrupt())
        database = _opened(stack, paths.database_path(db)) if tune else None
        databases = databases_to_read(db)
        worker = chosen_worker(stack, arch, device)
        evaluator = Evaluator(worker, Timeouts.of(worker.hello().device))
        if asked.numbered and asked.numbered.is_of_counts:
            _count(asked, worker.hello(), evaluator, output)
            return
        own = [path for path in [paths.database_path(db)] if path.exists()]
        gallery = Gallery(worker, evaluator, type_, databases, own, note)
        _Run(asked, worker, worker.hello(), gallery, Defaults(evaluator), output, database, workers).run()


def _check_alone(reason: str, others: Mapping[str, object]) -> None:
    """Raise UsageError if an option is given that selects races."""
    if given := [option for option, value in others.items() if value]:
        raise UsageError(f"{reason}: leave out {', '.join(given)}")


def _opened(stack: contextlib.ExitStack, path: Path) -> Database:
    database = stack.enter_context(open_database(path))
    database.check_writable()
    return database


def _check_names(names: Sequence[str], hello: Hello) -> None:
    """Raise UsageError for families that are neither of scans nor of reductions."""
    elsewhere = {name: algorithm.name for algorithm in hello.algorithms.values() for name in algorithm.families}
    known = [name for algorithm in ("scan", "reduce") for name in hello.algorithms[algorithm].families]
    for name in names:
        if name in known:
            continue
        if name in elsewhere:
            raise UsageError(f"--families {name}: a family of {elsewhere[name]}; only families of scans and "
                             "sums are raced; 'scantune gallery --list' names those of the gallery")  # fmt: skip
        raise UsageError(f"--families {name}: there is no such family; {nearest(name, known)}'scantune gallery "
                         "--list' names those of the gallery")  # fmt: skip


def _count(asked: Asked, hello: Hello, evaluator: Evaluator, output: JsonOutput) -> None:
    (problem,) = asked.problems()
    assert asked.table is not None
    try:
        found, about = counts(asked.table, hello, evaluator, problem, asked.type, asked.sizes_for(hello.device))
    except WorkerError as error:
        raise UsageError(f"--type {asked.type}: {error}") from None
    console.print(counts_table(found, numbered(asked.table).title, about))
    output.write(table=asked.table, counts=[dict(row) for row in found])


@dataclass
class _Run:
    """The races of one command, and their results so far."""

    asked: Asked
    worker: Worker
    hello: Hello  # kept, because Ctrl-C ends the worker
    gallery: Gallery
    defaults: Defaults
    output: JsonOutput
    database: Database | None  # where searches are saved; None: no search
    workers: int | None
    races: list[GalleryRace] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)

    def run(self) -> None:
        """Raises UsageError if no family supports any of it, ScantuneError if something could not be timed."""
        _check_names(self.asked.families, self.hello)
        sums = self.hello.algorithms["reduce"].families
        if self.asked.asks_when and (left := [name for name in self.asked.families if name in sums]):
            raise UsageError(f"--when compares scans, and {', '.join(left)} is of sums: name families of scans")
        if self.asked.kind is Kind.exclusive and (left := [name for name in self.asked.names() if name in sums]):
            self.left_out.append(f"{', '.join(left)}: sums are neither inclusive nor exclusive")
        try:
            for problem, n in self.asked.cases(self.hello.device):
                self._race(problem, n)
        except BaseException:
            self._report_before_error()
            raise
        if not self.races:
            unknown = f"the worker knows none of {', '.join(self.asked.names())}"
            raise UsageError("nothing was raced: " + ("; ".join(self.left_out) or unknown))
        self._report()
        if any(one.failure and one.name != CUB for race in self.races for one in race.contenders):
            raise ScantuneError("some cases could not be timed; the table says why")

    def _race(self, problem: GalleryProblem, n: int) -> None:
        if problem.kind == BLOCKED and n < problem.row_items:
            self._leave_out(problem, n, "there are fewer items than a row has")
            return
        try:
            candidates = self.gallery.candidates(problem, n, self.asked.names())
        except WorkerError as error:
            if error.kind == "bad_request":
                raise UsageError(f"--type {self.asked.type}: {error}") from None
            if error.kind != "unsupported":
                raise
            self._leave_out(problem, n, str(error))
            return
        if not candidates.families:
            for name, reason in candidates.refused.items():
                self._leave_out(problem, n, f"{name}: {reason}")
            return
        try:
            self.gallery.check_memory(candidates.cell)  # before a search, which would end its workers
            if self.database:
                asked = self.asked
                search_each(self.worker, self.database, candidates, asked.families, self.workers, asked.search_s)
                self.worker.kill()  # it has read the old records; its successor reads the new ones
            race = self.gallery.race(candidates)
        except MemoryShort as error:
            self._leave_out(problem, n, f"the device has too little memory: {error}")
            return
        self._keep(self._with_cub(race, problem))

    def _leave_out(self, problem: GalleryProblem, n: int, reason: str) -> None:
        self.left_out.append(f"{problem.title.lower()}, N = {format_size(n)}: {reason}")

    def _with_cub(self, race: GalleryRace, problem: GalleryProblem) -> GalleryRace:
        """Return the race with CUB's time, or the reason why CUB was not timed. CUB does not count as a family."""
        if self.asked.asks_when:
            return race
        program = cub_bench()
        reason = no_cub(program, self.worker.device, problem.kind == BLOCKED)
        if program is None or reason:
            return replace(race, without_cub=reason)
        note(f"{race.title}: timing CUB")
        time = cub_time(program, problem, self.asked.type, race.n)
        if time.failure:
            return replace(race, without_cub=time.failure)
        return replace(race, contenders=[*race.contenders, time])

    def _keep(self, race: GalleryRace) -> None:
        self.races.append(race)
        if not self.asked.is_of_all_races:
            console.print(race_table(race, self.hello.device, self.defaults))
        for line in refusals(race):
            note(line)
        self.output.update(**self._message())

    def _report_before_error(self) -> None:
        """Report the finished races after an error or Ctrl-C, which another error must not replace."""
        if self.races:
            try:
                self._report()
            except ScantuneError as error:
                note(str(error))

    def _report(self) -> None:
        if self.asked.asks_when:
            console.print(when_table(self.races, self.hello.device))
            for one in findings(self.races):
                say(one.text)
        elif self.asked.is_of_all_races:
            console.print(times_table(self.races, self.hello.device))
        for reason in self.left_out:
            note(f"left out {reason}")
        self.output.write(**self._message())
        self.asked.picture.write(self.races, str(self.hello.device))

    def _message(self) -> dict[str, Any]:
        return {
            "device": vars(self.hello.device), "compiler": self.hello.compiler_version,
            "driver": self.hello.driver_version, "peak_gigabytes_per_second": self.hello.peak_gigabytes_per_second,
            "left_out": self.left_out, "table": self.asked.table,
            "races": [race_message(race, self.defaults) for race in self.races],
            **({"verdict": list(map(vars, findings(self.races)))} if self.asked.asks_when else {}),
        }  # fmt: skip
