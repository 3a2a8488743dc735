"""A run without options, on a GPU that is simulated: it ends in time, and with kernels that are nearly the best."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, cast

import pytest

from conftest import SUM, Notebook, rows
from examples import RECORDS, at, scan
from fake_gpu import (
    ALGORITHMS,
    DEFAULTS,
    FAMILIES,
    GPU,
    TYPES,
    Clock,
    FakeCompilers,
    FakeGpuWorker,
    Faults,
    supports,
    true_us,
)
from scantune.cli.options import default_sizes, default_types, portfolio_sizes
from scantune.errors import ScantuneError
from scantune.model.cell import Cell
from scantune.model.config import Config
from scantune.model.coverage import Way
from scantune.model.device import Device
from scantune.model.octave import Range
from scantune.model.outcome import Outcome
from scantune.model.policy import Effort, policy_of
from scantune.model.problem import Problem
from scantune.model.record import Record, Run
from scantune.model.restriction import Restriction
from scantune.search import tuning_run
from scantune.search.standings import Standings
from scantune.search.tuning_run import TuningRun
from scantune.store.archive import Archive
from scantune.store.database import Database
from scantune.worker.client import Worker, WorkerDied, WorkerError
from scantune.worker.compile_pool import CompilePool

Measured = list[tuple[dict[str, Any], dict[str, Any]]]
DefaultRun = Callable[..., tuple[Outcome, float, Measured]]

pytestmark = pytest.mark.timeout(300)

OTHER_GPU = replace(GPU, name="NVIDIA X100")
assert default_types(GPU) == ["all"]
ALL_SUMS = tuple(scan(value_type) for value_type in TYPES)


@pytest.fixture
def measured() -> list[Measured]:
    """Return what each run has measured so far, also one that was ended."""
    return []


@pytest.fixture
def default_run(database: Database, measured: list[Measured]) -> DefaultRun:
    """Return a function that runs it, and returns the outcome, the minutes that it took, and what was measured."""
    database._connection.execute("PRAGMA synchronous = OFF")  # the run is simulated, and so is its loss

    def run(
        problems: tuple[Problem, ...] = ALL_SUMS,
        sizes: tuple[int, ...] = (),
        compile_s: float = 0.7,
        is_portfolio: bool = False,
        budget_s: float | None = None,
        shipped: Mapping[Cell, Config] | None = None,
        faults: Faults = lambda *_: None,
        has_built_in: bool = True,
        shipped_of: Device = GPU,
        effort: Effort = Effort.quick,
        restriction: Restriction | None = None,
        clock: Clock | None = None,
    ) -> tuple[Outcome, float, Measured]:
        clock = clock or Clock()
        worker = FakeGpuWorker(clock, shipped, faults, shipped_of=shipped_of)
        pool = worker.compilers = FakeCompilers(clock, processes=12, compile_s=compile_s)
        policy = policy_of(GPU, effort, budget_s, is_portfolio)
        measured.append(worker.measured)
        own = Run(
            started_at="2026-01-01T00:00:00Z", tool_version="0.1.0", template_hash="a" * 64,
            compiler_version="NVRTC 13.0", driver_version="13.0", effort=effort, seed=1, policy="{}",
        )  # fmt: skip
        outcome = TuningRun(
            Archive(database, ALGORITHMS), cast(Worker, worker), cast(CompilePool, pool), own, policy, Notebook(),
            clock=clock, is_portfolio=is_portfolio, has_built_in=has_built_in, restriction=restriction,
        ).run(problems, sizes or (portfolio_sizes(GPU) if is_portfolio else default_sizes(GPU)))  # fmt: skip
        return outcome, clock.seconds / 60, worker.measured

    return run


def regret(record: Record) -> float:
    """Return by how much the winner is slower than the best config."""
    request = record.problem.request(record.n)
    return true_us(request, record.config.message()) / best_of_all_us(request) - 1


def best_of_all_us(request: dict[str, Any]) -> float:
    return min(best_in_family_us(request, family) for family in FAMILIES)


def best_in_family_us(request: dict[str, Any], family: str) -> float:
    if not supports(family, request):
        return math.inf
    return true_us(request, {"family": family, "parameters": best_parameters_in_family(request, family)})


def best_parameters_in_family(request: dict[str, Any], family: str) -> dict[str, Any]:
    """Return the best parameters. They add up independently, so each is chosen alone."""
    parameters = dict(DEFAULTS[family])
    for name, (_, values) in FAMILIES[family].items():
        parameters[name] = min(
            values, key=lambda value: true_us(request, {"family": family, "parameters": {**parameters, name: value}})
        )
    return parameters


def best_config(problem: Problem, n: int) -> Config:
    """Return the best config of the family whose best is the fastest."""
    request = problem.request(n)
    family = min(FAMILIES, key=lambda name: best_in_family_us(request, name))
    return Config(family, tuple(best_parameters_in_family(request, family).items()))


def shipped_records() -> dict[Cell, Config]:
    """Return winners as the library has them of a GPU: of some types, at every power of two up to 2^22."""
    return {
        Cell(problem, n): best_config(problem, n)
        for name in ("i8", "i16", "i32", "i64", "f16", "f32", "f64")
        for n in portfolio_sizes(GPU)
        for problem in [scan(name)]
    }


FEW_SUMS, FEW_SIZES = ALL_SUMS[1:3], (2**8, 2**12, 2**18, 2**24, 2**28)


@pytest.mark.parametrize(("problems", "sizes"), [
    (FEW_SUMS, FEW_SIZES), pytest.param(ALL_SUMS, tuple(default_sizes(GPU)), marks=pytest.mark.campaign),
])  # fmt: skip
def test_default_run_reaches_every_type_at_every_size_within_its_share_of_ten_minutes(
    default_run: DefaultRun, problems: tuple[Problem, ...], sizes: tuple[int, ...]
) -> None:
    cells = len(problems) * len(sizes)
    share_s = 600 * cells / (len(ALL_SUMS) * len(default_sizes(GPU)))
    if sizes == FEW_SIZES:
        share_s *= 1.25  # they are so far apart that each cell's winner may serve octaves at both sides
    outcome, minutes, _ = default_run(problems, sizes, budget_s=share_s)
    assert 60 * minutes < share_s + 1
    assert outcome.spent_s["probing"] < 0.4 * outcome.seconds
    assert len(outcome.records) == cells
    assert outcome.covered(Way.left) == []
    assert len(outcome.covered(Way.searched, Way.cut_short)) > cells / 4
    assert all(covered.gain is not None and covered.gain >= 0.99 for covered in outcome.coverage)
    regrets = list(map(regret, outcome.records))
    assert sum(regrets) / len(regrets) < 0.02
    assert max(regret(record) for record in outcome.records if record.n >= 2**24) < 0.05


@pytest.mark.parametrize(("configs", "sizes"), [(10, ()), (250, ()), (120, (2**12, 2**16))])
def test_all_that_was_measured_is_saved_whenever_a_run_is_ended(
    default_run: DefaultRun, database: Database, measured: list[Measured], configs: int, sizes: tuple[int, ...]
) -> None:
    """The last one ends the searches of few cells, and the others end the races of many."""
    left = configs

    def interrupt(method: str, request: dict[str, Any], config: dict[str, Any] | None) -> None:
        nonlocal left
        left -= method == "measure"
        if left < 0:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        default_run(ALL_SUMS[:1] if sizes else ALL_SUMS, sizes, faults=interrupt)
    sizes = sizes or default_sizes(GPU)  # what is timed at others, in final rounds, is no trial
    tried = {
        (request["input_type"], request["n"], str(config)) for request, config in measured[0] if request["n"] in sizes
    }
    saved = rows(database, "all_trials")
    assert len(tried) >= configs / 4
    assert len(saved) == len(tried)


def test_best_so_far_is_always_verified(default_run: DefaultRun) -> None:
    """A family is wrong, and its configs are the fastest of many batches."""
    verified: set[tuple[str, int, str]] = set()
    n = 2**16

    def faults(method: str, request: dict[str, Any], config: dict[str, Any] | None) -> WorkerError | None:
        if method == "verify" and config:
            if config["family"] == "lookback":
                return WorkerError("wrong_result", "index 17")
            verified.add((request["input_type"], request["n"], str(config)))
        return None

    outcome, _, measured = default_run(ALL_SUMS[2:3], (n,), faults=faults, effort=Effort.normal)
    assert outcome.records[0].config.family != "lookback"
    finalists = 10  # at most, and measured last
    texts = [str(config) for request, config in measured if request["n"] == n][:-finalists]
    again = {text for text, times in Counter(texts).items() if times > 1}
    assert again
    assert {("i32", n, config) for config in again} <= verified


def test_run_tells_where_all_of_its_time_went(default_run: DefaultRun) -> None:
    outcome, minutes, _ = default_run(ALL_SUMS[:1], FEW_SIZES)
    assert sum(outcome.spent_s.values()) == pytest.approx(outcome.seconds)
    assert outcome.seconds == pytest.approx(60 * minutes, rel=0.02)
    assert min(outcome.spent_s[what] for what in ("measuring", "verifying", "waiting for compilers")) > 0.5
    assert outcome.spent_s["other"] < 0.2 * outcome.seconds


class ClockOfBoth(Clock):
    """Counts the CPU time that the tuner takes beside the time of the GPU."""

    def __call__(self) -> float:
        return self.seconds + time.process_time()


def test_proposing_takes_a_small_share_of_a_search(default_run: DefaultRun) -> None:
    """It was a twenty-fifth when this was written, and a thirtieth when nothing but the search itself proposed."""
    outcome, _, _ = default_run(problems=(SUM,), sizes=(2**14, 2**18), effort=Effort.normal, clock=ClockOfBoth())
    assert outcome.spent_s["measuring"] > 5
    assert outcome.spent_s["proposing"] < 0.12 * sum(outcome.spent_s.values())


def test_run_without_the_library_s_records_starts_from_the_defaults(default_run: DefaultRun) -> None:
    shipped = {Cell(ALL_SUMS[2], 2**14): best_config(ALL_SUMS[2], 2**14)}
    outcome, _, _ = default_run(ALL_SUMS[2:3], (2**14,), shipped=shipped, has_built_in=False)
    (covered,) = outcome.coverage
    assert covered.untuned == covered.default != shipped[covered.cell]
    assert covered.way in (Way.searched, Way.cut_short)


def test_winners_of_another_device_of_the_architecture_are_raced_in_their_cells(default_run: DefaultRun) -> None:
    problem, sizes = ALL_SUMS[2], (2**10, 2**14, 2**18)
    shipped = {Cell(problem, n): best_config(problem, n) for n in sizes}
    outcome, _, _ = default_run((problem,), sizes, budget_s=20.0, shipped=shipped, shipped_of=OTHER_GPU)
    for covered in outcome.coverage:
        assert shipped[covered.cell] in covered.ratios
        assert covered.way is not Way.confirmed  # by what another device says nothing is settled


@pytest.mark.parametrize(("device", "is_tried"), [(OTHER_GPU, True), (replace(OTHER_GPU, arch="sm_80"), False)])
def test_winner_elsewhere_is_promising_on_its_architecture(device: Device, is_tried: bool) -> None:
    record = replace(RECORDS[0], device=device)
    cell = Cell(record.problem, record.n)
    assert (record.config in Standings(GPU, [cell], built_in=[record]).promising(cell)) is is_tried
    assert (record.config in Standings(GPU, [cell], [record]).promising(cell)) is is_tried


def test_octave_between_two_cells_is_one_s_to_serve() -> None:
    low, high, gap = Cell(SUM, 2**12), Cell(SUM, 2**14), Range(2**12, 2**13)

    def record(cell: Cell, serves: Range) -> Record:
        return at(replace(RECORDS[0], device=GPU, problem=cell.problem), cell.n, serves=serves)

    standings = Standings(GPU, [low, high])
    assert gap in standings.gaps(low)
    assert gap not in standings.gaps(high), "the lower cell may come to serve it"
    standings.learn(record(low, Range(2**11, 2**12)))
    assert gap in standings.gaps(high), "the lower one has left it"
    standings.learn(record(high, Range(2**12, 2**14)))
    assert gap in standings.gaps(high), "its own record takes nothing from it"
    assert gap not in standings.gaps(low)
    assert gap not in Standings(GPU, [low, Cell(SUM, 2**13)]).gaps(low), "a cell of its own lies in it"


def test_default_run_on_a_gpu_that_the_library_has_records_of_confirms_them_in_half_of_the_time(
    default_run: DefaultRun,
) -> None:
    shipped, problems = shipped_records(), ALL_SUMS[:4]
    share_s = 600 * len(problems) / len(ALL_SUMS)
    outcome, minutes, _ = default_run(problems, budget_s=share_s, shipped=shipped)
    assert 60 * minutes < 0.45 * share_s
    assert outcome.covered(Way.left, Way.raced, Way.cut_short) == []
    for covered in outcome.coverage:
        if covered.cell.n <= 2**22:
            assert covered.way is Way.confirmed
            assert len(covered.ratios) >= 4
    assert max(regret(record) for record in outcome.records if Cell(record.problem, record.n) in shipped) < 0.01
    again, minutes, _ = default_run(problems, shipped=shipped)
    assert len(again.covered(Way.finished)) == len(outcome.coverage)
    assert minutes < 0.12


def test_default_run_on_a_slow_machine_ends_within_its_share_of_ten_minutes_and_says_what_it_left_out(
    default_run: DefaultRun,
) -> None:
    share_s = 600 * len(FEW_SUMS) / len(ALL_SUMS)
    outcome, minutes, _ = default_run(FEW_SUMS, compile_s=7.0, budget_s=share_s)
    assert 60 * minutes < share_s + 2 * 7.0  # for the kernels that are compiled when it ends
    unfinished = outcome.covered(Way.raced, Way.left, Way.cut_short)
    assert unfinished
    # There is more to gain with small scans.
    raced = {covered.cell.n for covered in outcome.coverage if covered.way is not Way.left}
    assert min(raced) == min(default_sizes(GPU))
    assert all(covered.cell.n >= 2**24 for covered in outcome.covered(Way.left))


def test_budget_that_ends_during_the_races_leaves_out_large_scans_and_goes_on_with_them(
    default_run: DefaultRun,
) -> None:
    sizes = (2**8, 2**10, 2**28, 2**30)
    short, minutes, _ = default_run(FEW_SUMS, sizes, budget_s=6.0)
    assert minutes < 0.12
    assert {covered.cell.n for covered in short.covered(Way.raced)} >= {2**8, 2**10}
    assert {covered.cell.n for covered in short.covered(Way.left)} >= {2**28, 2**30}
    longer, _, _ = default_run(FEW_SUMS, sizes, budget_s=60.0)
    assert longer.covered(Way.left) == []


@pytest.mark.parametrize(("effort", "budget_s", "sizes"), [
    (Effort.quick, 3.0, (2**16,)), (Effort.normal, 5.0, (2**16,)),
    pytest.param(Effort.exhaustive, 20.0, (2**14, 2**16), marks=pytest.mark.campaign),
])  # fmt: skip
def test_few_searches_keep_to_the_budget_too(
    default_run: DefaultRun, effort: Effort, budget_s: float, sizes: tuple[int, ...]
) -> None:
    outcome, minutes, _ = default_run((SUM,), sizes, budget_s=budget_s, effort=effort)
    assert len(outcome.records) == len(sizes)
    assert 60 * minutes < budget_s + 6.0 * len(sizes)  # for the final rounds that come after it


def test_search_in_which_nothing_works_leaves_those_beside_it_alone(default_run: DefaultRun) -> None:
    def wrong_at_small(method: str, request: dict[str, Any], config: Any) -> WorkerError | None:
        return WRONG if method == "measure" and request["n"] == SMALL else None

    sizes = (SMALL, LARGER, 2**14)
    outcome, _, _ = default_run((SUM,), sizes, effort=Effort.normal, budget_s=12.0, faults=wrong_at_small)
    assert ways(outcome)[SMALL] is Way.failed
    assert {record.n for record in outcome.records} == {LARGER, 2**14}


@pytest.mark.parametrize("fault", [KeyboardInterrupt(), ScantuneError("the disk is full")])
def test_what_ends_one_search_ends_all_and_what_was_found_is_saved(
    default_run: DefaultRun, database: Database, fault: BaseException
) -> None:
    times_measured = 0

    def break_in(method: str, request: dict[str, Any], config: Any) -> None:
        nonlocal times_measured
        times_measured += method == "measure"
        if times_measured == 150:
            raise fault

    with pytest.raises(type(fault)):
        default_run((SUM,), (SMALL, LARGER, 2**14), effort=Effort.normal, budget_s=60.0, faults=break_in)
    assert len(rows(database, "all_trials")) > 50


def test_race_after_a_search_keeps_what_the_search_may_have_left(default_run: DefaultRun) -> None:
    outcome, _, _ = default_run((SUM, scan("u32")), (SMALL, LARGER))
    searched = {covered.cell for covered in outcome.covered(Way.searched)}
    assert searched
    for record in outcome.records:
        if Cell(record.problem, record.n) in searched:
            assert record.run.may_gain is not None


def test_searches_take_turns_while_compilers_work(default_run: DefaultRun, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = (2**10, 2**12, 2**14, 2**16)
    together, _, _ = default_run((scan("i32"),), sizes)
    monkeypatch.setattr(tuning_run, "_ABREAST", 1)
    alone, _, _ = default_run((scan("f16"),), sizes)
    assert len(together.covered(Way.searched)) == len(alone.covered(Way.searched)) == 4
    waits, waits_alone = (one.spent_s["waiting for compilers"] for one in (together, alone))
    assert waits < 0.6 * waits_alone


def test_family_that_is_far_behind_is_dropped_early(default_run: DefaultRun) -> None:
    n = 2**16  # one CTA takes ten times as long as many
    _, _, measured = default_run((scan("i32"),), (n,))
    tries = [index for index, (_, config) in enumerate(measured) if config["family"] == "single_block"]
    assert 1 <= len(tries) <= 4
    assert max(tries) < len(measured) / 3


@pytest.mark.parametrize("n", [2**12, 2**17, 2**22])
def test_families_share_the_trials_of_a_search(default_run: DefaultRun, n: int) -> None:
    _, _, measured = default_run((scan("i32"),), (n,))
    tried = {(config["family"], *config["parameters"].items()) for _, config in measured}
    assert len(tried) <= policy_of(GPU, Effort.quick).trials


def test_family_that_is_better_than_its_default_wins(default_run: DefaultRun) -> None:
    """The default of the winning family is behind that of another one."""
    problem, n = scan("i32"), 2**22
    request = problem.request(n)
    defaults = {family: true_us(request, {"family": family, "parameters": DEFAULTS[family]}) for family in FAMILIES}
    best = {family: best_in_family_us(request, family) for family in FAMILIES}
    assert (
        min(defaults, key=lambda family: defaults[family]) == "pipelined" != min(best, key=lambda family: best[family])
    )
    (record,) = default_run((problem,), (n,))[0].records
    assert record.config.family == "lookback"


@pytest.mark.parametrize("types", [("f32",), pytest.param(("i8", "f32", "i64"), marks=pytest.mark.campaign)])
def test_portfolio_of_some_types_takes_less_than_their_share_of_the_budget(
    default_run: DefaultRun, types: tuple[str, ...]
) -> None:
    sizes = portfolio_sizes(GPU)[::2]
    outcome, minutes, _ = default_run(tuple(scan(name) for name in types), sizes, is_portfolio=True)
    assert minutes < policy_of(GPU, Effort.quick, is_portfolio=True).budget_s / 60 / 2 * len(types) / len(TYPES)
    assert outcome.covered(Way.left, Way.cut_short) == []
    assert outcome.unprobed == 0
    assert len(outcome.records) == len(types) * len(sizes)


def test_portfolio_of_a_short_budget_spends_it_on_searches(default_run: DefaultRun) -> None:
    problems = ALL_SUMS[1:4]
    budget_s = 45.0  # less than the breakpoints between all sizes would take
    outcome, minutes, _ = default_run(problems, is_portfolio=True, budget_s=budget_s)
    assert 0.9 * budget_s < 60 * minutes < 1.1 * budget_s
    assert len(outcome.records) > 15
    assert outcome.covered(Way.left)
    assert outcome.breakpoints


def test_portfolio_sets_no_time_aside_for_what_is_known(default_run: DefaultRun) -> None:
    sizes = portfolio_sizes(GPU)[::2]
    default_run((SUM,), sizes, is_portfolio=True)
    (outcome, minutes, _) = default_run((SUM, scan("f32")), sizes, is_portfolio=True, budget_s=30.0)
    assert minutes < 0.55
    assert len(outcome.records) > len(sizes) + 4
    assert outcome.unprobed == 0


def test_portfolio_is_nearly_as_fast_between_its_sizes_as_the_better_neighbour(default_run: DefaultRun) -> None:
    outcome, _, _ = default_run((scan("i32"),), portfolio_sizes(GPU)[::2], is_portfolio=True)
    assert outcome.breakpoints
    for found in outcome.breakpoints:
        for step in range(1, 32):
            n = round(found.n_low * (found.n_high / found.n_low) ** (step / 32))
            low_us, high_us = (true_us(found.problem.request(n), one.message()) for one in (found.low, found.high))
            assert (low_us if n < found.n_switch else high_us) <= 1.05 * min(low_us, high_us)


SMALL, LARGER = 2**10, 2**12
WRONG = WorkerError("wrong_result", "index 17: expected 3, found 4")


def ways(outcome: Outcome) -> dict[int, Way]:
    return {covered.cell.n: covered.way for covered in outcome.coverage}


def test_winner_of_a_race_stays_where_its_search_is_given_up(default_run: DefaultRun) -> None:
    verified: list[Any] = []

    def lacks_memory_after_the_race(method: str, request: dict[str, Any], config: Any) -> WorkerError | None:
        if method == "verify":
            verified.append(config)
        return WorkerError("launch_error", "out of memory") if len(verified) > 1 else None

    outcome, _, _ = default_run((SUM,), (LARGER,), faults=lacks_memory_after_the_race)
    assert len(outcome.records) == 1
    assert outcome.without_winner == []
    (covered,) = outcome.covered(Way.raced)
    assert "out of memory" in covered.reason


def test_search_that_finds_nothing_after_races_that_did_gives_up_its_own_cell_alone(default_run: DefaultRun) -> None:
    def wrong_at_larger(method: str, request: dict[str, Any], config: Any) -> WorkerError | None:
        return WRONG if method == "measure" and request["n"] == LARGER else None

    outcome, _, _ = default_run((SUM,), (SMALL, LARGER), faults=wrong_at_larger)
    assert ways(outcome) == {SMALL: Way.searched, LARGER: Way.failed}
    assert "index 17: expected 3" in outcome.without_winner[0]


def test_race_in_which_everything_fails_says_why_and_is_not_left_for_want_of_time(default_run: DefaultRun) -> None:
    def wrong_at_small(method: str, request: dict[str, Any], config: Any) -> WorkerError | None:
        return WRONG if method == "measure" and request["n"] == SMALL else None

    outcome, _, _ = default_run((SUM,), (SMALL, LARGER), budget_s=4.0, faults=wrong_at_small)
    assert ways(outcome)[SMALL] is Way.failed
    assert "index 17: expected 3" in outcome.without_winner[0]


def test_run_ends_after_the_first_races_where_nothing_works_at_all(default_run: DefaultRun) -> None:
    measured: set[tuple[str, int]] = set()

    def wrong(method: str, request: dict[str, Any], config: Any) -> WorkerError | None:
        if method == "measure":
            measured.add((request["input_type"], request["n"]))
        return WRONG if method == "measure" else None

    with pytest.raises(ScantuneError, match=r"(?s)no config of .* works on NVIDIA X200.*index 17: expected 3"):
        default_run(faults=wrong)
    assert len(measured) == 3


def test_config_that_a_race_called_good_and_a_later_one_wrong_is_saved_as_wrong(
    default_run: DefaultRun, database: Database
) -> None:
    untuned = best_config(SUM, SMALL)
    shipped = {Cell(scan("u32"), SMALL): untuned}  # so it runs untuned, but the cell has no record
    times_measured = 0

    def wrong_in_the_second_race(method: str, request: dict[str, Any], config: Any) -> WorkerError | None:
        nonlocal times_measured
        is_it = (method, request["n"], config) == ("measure", SMALL, untuned.message())
        times_measured += is_it
        return WRONG if is_it and times_measured == 2 else None

    default_run((SUM,), (SMALL, LARGER), shipped=shipped, faults=wrong_in_the_second_race)
    assert times_measured >= 2
    saved = [row for row in rows(database, "all_trials") if (row["n"], row["config"]) == (SMALL, untuned.text)]
    assert [row["status"] for row in saved] == ["wrong_result"]


def test_crash_in_a_race_is_tried_once_more_by_a_later_race_and_then_no_more(
    default_run: DefaultRun, database: Database
) -> None:
    crashes, guilty = 0, {"family": "three_phase", "parameters": DEFAULTS["three_phase"]}

    def crash(method: str, request: dict[str, Any], config: Any) -> WorkerDied | None:
        nonlocal crashes
        is_it = (method, request["n"], config) == ("measure", SMALL, guilty)
        crashes += is_it
        return WorkerDied("the worker ended") if is_it else None

    def reason() -> str:
        (crashed,) = (row for row in rows(database, "all_trials") if row["status"] == "crash")
        return str(crashed["reason"])

    short, _, _ = default_run((SUM,), (SMALL, LARGER), budget_s=3.0, faults=crash)
    assert ways(short)[SMALL] is Way.raced
    assert (crashes, reason()) == (2, "measure: the worker ended")  # with others, and alone
    news = {Cell(scan("u32"), SMALL): best_config(SUM, SMALL)}
    default_run((SUM,), (SMALL,), shipped=news, faults=crash)
    assert (crashes, reason()) == (4, "again: measure: the worker ended")


@pytest.mark.parametrize("n", [SMALL, LARGER])
def test_worker_that_dies_over_the_space_of_a_cell_costs_that_cell_alone(default_run: DefaultRun, n: int) -> None:
    def dies(method: str, request: dict[str, Any], config: Any) -> WorkerDied | None:
        return WorkerDied("the worker ended") if method == "space" and request["n"] == n else None

    outcome, _, _ = default_run((SUM,), (SMALL, LARGER), faults=dies)
    assert [record.n for record in outcome.records] == [SMALL + LARGER - n]
    assert outcome.without_winner == [f"{Cell(SUM, n)}: the worker ended"]


def test_nothing_is_asked_of_cells_that_there_is_no_time_for(default_run: DefaultRun) -> None:
    asked: set[int] = set()

    def remember(method: str, request: dict[str, Any], config: Any) -> None:
        asked.add(request["n"])

    outcome, _, _ = default_run(budget_s=5.0, faults=remember)
    assert SMALL in asked
    assert {covered.cell.n for covered in outcome.covered(Way.left)} > {2**28, 2**30}
    assert asked.isdisjoint({2**28, 2**30})


def test_run_goes_on_from_the_races_of_one_that_its_budget_ended(default_run: DefaultRun) -> None:
    problems, sizes = ALL_SUMS[:6], default_sizes(GPU)[:6]
    short, _, _ = default_run(problems, sizes, budget_s=25.0)
    raced = {covered.cell for covered in short.covered(Way.raced)}
    assert raced
    again, _, measured = default_run(problems, sizes, budget_s=60.0)
    ways = {covered.cell: covered.way for covered in again.coverage}
    assert {ways[cell] for cell in raced} <= {Way.raced, Way.confirmed, Way.searched, Way.cut_short}
    confirmed = {cell for cell in raced if ways[cell] is Way.confirmed}
    assert confirmed
    for request, config in measured:
        if any(
            (cell.problem.types["input_type"], cell.n) == (request["input_type"], request["n"]) for cell in confirmed
        ):
            assert config["family"] != "three_phase"  # which lost there before


def test_record_that_a_new_library_brings_is_raced_where_an_earlier_run_raced_others(default_run: DefaultRun) -> None:
    short, _, _ = default_run((SUM,), (SMALL, LARGER), budget_s=3.0)
    assert ways(short)[SMALL] is Way.raced
    news = best_config(SUM, SMALL)
    again, _, measured = default_run((SUM,), (SMALL,), shipped={Cell(SUM, SMALL): news})
    assert ways(again) == {SMALL: Way.confirmed}
    assert news.message() in [config for _, config in measured]
    assert again.records[0].config == news


def test_cell_that_a_restricted_run_searched_is_raced_anew(default_run: DefaultRun, database: Database) -> None:
    n = 2**16
    supported = {family for family in FAMILIES if supports(family, SUM.request(n))}
    best = min(supported, key=lambda family: best_in_family_us(SUM.request(n), family))
    outcome, _, measured = default_run((SUM,), (n,), restriction=Restriction((best,)))
    assert len(outcome.saved) == len(Archive(database).records()) == 1
    searched = {config["family"] for request, config in measured if request["n"] == n}
    assert searched <= {best, outcome.coverage[0].default.family}  # type: ignore[union-attr]
    outcome, _, measured = default_run((SUM,), (n,))
    raced = [Config.from_message(config) for _, config in measured[: len(supported) + 1]]
    assert {Config(family, tuple(DEFAULTS[family].items())) for family in supported} <= set(raced)
    assert not outcome.records[0].run.restriction
