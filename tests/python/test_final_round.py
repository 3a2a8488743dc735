"""Final rounds: which config wins over an octave, where it serves, and what chance and outliers do to that."""

from __future__ import annotations

import random
import statistics
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import Any, cast

import pytest

from conftest import QUICK
from examples import RECORDS, scan
from scantune.compare.final_round import FinalRound
from scantune.compare.pairs import Pairs, Verdict, verdict
from scantune.model.cell import Cell
from scantune.model.config import Config
from scantune.model.decision import Decision
from scantune.model.draws import Place, drawn_places
from scantune.model.measurement import Measurement
from scantune.model.octave import Range
from scantune.model.policy import Rounds
from scantune.model.record import Record
from scantune.model.trial import Failure
from scantune.worker.compile_pool import CompilePool
from scantune.worker.environment import MemoryShort
from scantune.worker.evaluation import Evaluator, Measured

DEFAULT, OTHER, THIRD = Config("default", ()), Config("other", ()), Config("third", ())
POLICY = replace(QUICK, final=Rounds(15, 1.0), probing=Rounds(9, 1.0))
N = 2**20
OCTAVE = Range(N // 2, N)
OFF = 1  # an offset in items

TimeOf = Callable[[Config, Place], float]  # microseconds, without noise
Noise = Callable[[Config, random.Random], float]  # a factor


def quiet(config: Config, draw: random.Random) -> float:
    return draw.gauss(1.0, 0.002)


@dataclass
class Bench:
    """Stands in for evaluator and compilers. The default serves unless a test says otherwise."""

    time_of: TimeOf
    noise: Noise = quiet
    seed: int = 1
    untuned_at: Callable[[int], Config] = lambda n: DEFAULT
    wrong: frozenset[Config] = frozenset()
    broken: frozenset[Config] = frozenset()  # what cannot be measured
    broken_at: Callable[[Config, Place], bool] = lambda config, place: False
    most_items: int = 2**40
    measured: list[tuple[Place, list[Config]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)

    def space(self, *_: Any, **__: Any) -> Any:
        return type("Space", (), {"default": DEFAULT})

    def untuned(self, problem: Any, n: int) -> Config:
        return self.untuned_at(n)

    def legal(self, problem: Any, n: int, space: Any, configs: Sequence[Config]) -> list[Config]:
        return list(dict.fromkeys(configs))

    def size_step(self, *_: Any) -> int:
        return 1

    def supports_size(self, *_: Any) -> bool:
        return True

    def request(self, *_: Any) -> dict[str, Any]:
        return {}

    def submit(self, *_: Any, **__: Any) -> Future[float]:
        future: Future[float] = Future()
        future.set_result(0.0)
        return future

    def compiled(self, future: Future[float]) -> float:
        return future.result()

    def verify(self, problem: Any, n: int, config: Config, *_: Any, **__: Any) -> Failure | None:
        return Failure("wrong_result", "index 17") if config in self.wrong else None

    def measure(self, problem: Any, n: int, configs: Sequence[Config], rounds: Rounds, offset: int, _: str) -> Measured:
        if n > self.most_items:
            raise MemoryShort("there is no room")
        self.measured.append((Place(n, offset), list(configs)))
        return Measured([self._outcome(config, Place(n, offset), rounds.rounds) for config in configs], None)

    def _outcome(self, config: Config, place: Place, rounds: int) -> Measurement | Failure:
        if config in self.broken or self.broken_at(config, place):
            return Failure("launch_error", "it does not start")
        samples = tuple(self.time_of(config, place) * self.noise(config, self._random) for _ in range(rounds))
        return Measurement(statistics.median(samples), 0.0, rounds, samples_us=samples)


def decide(
    bench: Bench, finalists: Sequence[Config] = (OTHER,), holders: Sequence[Config] = (DEFAULT,),
    gaps: Sequence[Range] = (), seed: int = 1, n: int = N, held: Record | None = None,
) -> tuple[Decision | None, set[Config]]:  # fmt: skip
    """Return what a round decides, and what it rejects."""
    rejected: set[Config] = set()
    final = FinalRound(
        cast(Evaluator, bench), cast(CompilePool, bench), Cell(scan("i32"), n), POLICY, seed, set(), gaps=gaps,
        held=held,
    )  # fmt: skip
    steps = final.decide(finalists, holders, lambda config, failure: rejected.add(config))
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value, rejected


def constant(**times: float) -> TimeOf:
    return lambda config, place: times[config.family]


@pytest.mark.parametrize(
    ("ratio", "winner"), [(0.9, OTHER), (0.98, OTHER), (0.997, DEFAULT), (1.0, DEFAULT), (1.1, DEFAULT)]
)
def test_holder_is_replaced_only_beyond_the_noise(ratio: float, winner: Config) -> None:
    decision, _ = decide(Bench(constant(default=10.0, other=10.0 * ratio)))
    assert decision
    assert (decision.winner, decision.is_news) == (winner, winner == OTHER)
    assert decision.serves == OCTAVE
    assert decision.gain == pytest.approx(1 / ratio if winner == OTHER else 1.0, rel=0.01)


@pytest.mark.parametrize(("held", "winner"), [(None, OTHER), (OCTAVE, OTHER), (Range(N - 100_000, N), THIRD)])
def test_holder_is_what_runs_now_where_its_record_serves(held: Range | None, winner: Config) -> None:
    """Both are faster than what runs untuned, and hardly differ: the gain is where the holder does not serve."""
    record = replace(RECORDS[0], config=OTHER, n=N, serves=held) if held else None
    decision, _ = decide(Bench(constant(default=10.0, other=8.0, third=7.99)), (THIRD,), (OTHER,), held=record)
    assert decision
    assert decision.winner == winner


def noisy_holder(config: Config, draw: random.Random) -> float:
    outlier = draw.uniform(2, 40) if config == DEFAULT and draw.random() < 0.4 else 1.0
    return draw.gauss(1.0, 0.02) * outlier


def test_noise_of_the_holder_protects_it_from_nothing() -> None:
    """Of 100 rounds with drawn outliers, a config twice as fast wins nearly all."""
    won = [decide(Bench(constant(default=10.0, other=5.0), noisy_holder, seed))[0] for seed in range(100)]
    assert sum(one is not None and one.winner == OTHER for one in won) >= 95


def test_noise_alone_makes_no_winner() -> None:
    def noisy(config: Config, draw: random.Random) -> float:
        return draw.gauss(1.0, 0.05)

    won = [decide(Bench(constant(default=10.0, other=10.0), noisy, seed))[0] for seed in range(100)]
    assert sum(one is not None and one.winner == OTHER for one in won) <= 5


def test_what_is_undecided_is_measured_again_up_to_a_limit() -> None:
    def fickle(config: Config, draw: random.Random) -> float:
        return draw.uniform(0.4, 1.5) if config == OTHER else 1.0

    passes = []
    for seed in range(20):
        bench = Bench(constant(default=10.0, other=10.0), fickle, seed)
        decide(bench)
        passes.append(sum(place == Place(N) for place, _ in bench.measured))
    assert set(passes) == {1, 2, 3}


def test_winner_serves_no_more_than_where_it_is_not_slower() -> None:
    """As where a config of a few large tiles is searched at the power of two that they divide."""
    slower_up_to = 700_000

    def time_of(config: Config, place: Place) -> float:
        return 10.0 if config == DEFAULT else 12.0 if place.n <= slower_up_to else 8.0

    decision, _ = decide(Bench(time_of), seed=3)
    assert decision
    assert decision.winner == OTHER
    slower = [probe.n for probe in decision.probes if probe.ratio > 1]
    assert slower
    good = [probe.n for probe in decision.probes if probe.n > max(slower)]
    assert decision.serves == Range(min(good) - 1, N)  # what lies between is not known
    assert all(probe.n in OCTAVE for probe in decision.probes)


def test_config_that_wins_at_its_own_n_alone_loses_to_one_that_wins_over_the_octave() -> None:
    def time_of(config: Config, place: Place) -> float:
        if config == OTHER:
            return 8.0 if place.n == N else 9.9
        return 10.0 if config == DEFAULT else 8.5

    decision, _ = decide(Bench(time_of), (OTHER, THIRD))
    assert decision
    assert decision.winner == THIRD
    assert decision.ratios[OTHER] > 1.0  # though it is the faster one at its own N


def test_place_that_a_config_does_not_serve_counts_for_nothing_in_its_score() -> None:
    """Programs run there what they ran before, which is no reason to take it for one that serves all."""

    def time_of(config: Config, place: Place) -> float:
        if config == OTHER:
            return 80.0 if place.n == N or place.offset else 140.0
        return 100.0 if config == DEFAULT else 84.0

    for holders in ([DEFAULT], [THIRD]):
        decision, _ = decide(Bench(time_of), (OTHER, THIRD), holders)
        assert decision
        assert (decision.winner, decision.serves) == (THIRD, OCTAVE)
        assert decision.gain == pytest.approx(1 / 0.84, rel=0.01)


def test_what_is_measured_again_leaves_the_others_comparable() -> None:
    """The first two are measured more often than the third, and turn out to be wrong."""

    def noisy(config: Config, draw: random.Random) -> float:
        return draw.uniform(0.85, 1.15) if config == OTHER else draw.gauss(1.0, 0.002)

    won = 0
    for seed in range(20):
        bench = Bench(constant(default=10.0, other=9.9, third=9.85), noisy, seed, wrong=frozenset({OTHER}))
        decision, _ = decide(bench, (OTHER, THIRD))
        won += decision is not None and decision.winner == THIRD
    assert won == 20


def test_failure_of_what_runs_untuned_at_one_place_is_no_fault_of_the_others() -> None:
    bench = Bench(
        constant(default=10.0, other=5.0), broken_at=lambda config, place: config == DEFAULT and bool(place.offset)
    )
    decision, _ = decide(bench)
    assert decision
    assert (decision.winner, decision.serves) == (OTHER, OCTAVE)


@pytest.mark.parametrize("n", [N, 700_000])
def test_sizes_for_which_there_is_no_room_are_not_served(n: int) -> None:
    bench = Bench(constant(default=10.0, other=8.0), most_items=n)
    decision, _ = decide(bench, gaps=(Range(N, 2 * N),), n=n)
    assert decision
    assert (decision.winner, decision.serves) == (OTHER, Range(OCTAVE.above, n))


def test_config_that_is_slower_behind_a_boundary_does_not_win() -> None:
    def time_of(config: Config, place: Place) -> float:
        return 10.0 if config == DEFAULT else 13.0 if place.offset else 8.0

    decision, _ = decide(Bench(time_of))
    assert decision
    assert decision.winner == DEFAULT
    assert decision.ratios[OTHER] == pytest.approx(1.3, rel=0.02)  # told by where it is worst


def test_what_runs_untuned_elsewhere_bounds_a_default_that_won() -> None:
    """Another record serves the lower part of the octave, and the default is not to hide it."""
    bench = Bench(constant(default=10.0, other=11.0, third=5.0), untuned_at=lambda n: THIRD if n < 800_000 else DEFAULT)
    decision, _ = decide(bench, (OTHER,))
    assert decision
    assert decision.winner == DEFAULT
    assert OCTAVE.above < decision.serves.above < 800_000


def test_both_sides_are_timed_of_where_another_config_runs_untuned() -> None:
    """What runs up to there fills the device, and beats there what is faster everywhere else."""
    switch = 700_003

    def time_of(config: Config, place: Place) -> float:
        return 7.0 if config == DEFAULT and switch - 2 <= place.n < switch else 10.0 if config != OTHER else 8.0

    bench = Bench(time_of, untuned_at=lambda n: DEFAULT if n < switch else THIRD)
    decision, _ = decide(bench)
    assert decision
    assert {Place(switch - 1), Place(switch)} <= {place for place, _ in bench.measured}
    assert (decision.winner, decision.serves) == (OTHER, Range(switch - 1, N))


def test_winner_that_is_wrong_leaves_the_place_to_the_next() -> None:
    decision, rejected = decide(
        Bench(constant(default=10.0, other=7.0, third=8.0), wrong=frozenset({OTHER})), (OTHER, THIRD)
    )
    assert decision
    assert (decision.winner, rejected) == (THIRD, {OTHER})


def test_round_goes_on_where_what_runs_untuned_cannot_be_measured() -> None:
    bench = Bench(constant(default=10.0, other=7.0, third=8.0), broken=frozenset({DEFAULT}))
    decision, rejected = decide(bench, (THIRD, OTHER))
    assert decision
    assert (decision.winner, rejected) == (OTHER, {DEFAULT})
    assert DEFAULT not in decision.times


def test_nothing_is_decided_where_all_fail() -> None:
    assert decide(Bench(constant(), broken=frozenset({DEFAULT, OTHER})))[0] is None


@pytest.mark.parametrize(("faster_up_to", "serves"), [(2 * N, Range(N // 2, 2 * N)), (3 * N // 2, OCTAVE), (N, OCTAVE)])
def test_winner_serves_an_octave_beside_where_it_is_faster_at_all_that_is_drawn(
    faster_up_to: int, serves: Range
) -> None:
    def time_of(config: Config, place: Place) -> float:
        return 10.0 if config == DEFAULT else 12.0 if place.n > faster_up_to else 8.0

    bench = Bench(time_of)
    decision, _ = decide(bench, gaps=(Range(N, 2 * N),))
    assert decision
    assert decision.serves == serves
    assert any(probe.n > N for probe in decision.probes) is (serves != OCTAVE)
    beside = {place for place, _ in bench.measured if place.n > N}
    assert Place(2 * N) in beside
    assert sum(place.offset for place in beside) == OFF


def test_octave_below_is_served_only_from_a_range_that_reaches_it() -> None:
    gap = Range(N // 4, N // 2)
    decision, _ = decide(Bench(constant(default=10.0, other=8.0)), gaps=(gap,))
    assert decision
    assert decision.serves == Range(gap.above, N)

    def time_of(config: Config, place: Place) -> float:
        return 10.0 if config == DEFAULT else 12.0 if N // 2 < place.n < 650_000 else 8.0

    bench = Bench(time_of)
    decision, _ = decide(bench, gaps=(gap,), seed=3)
    assert decision
    assert decision.serves.above > N // 2
    assert all(place.n in OCTAVE for place, _ in bench.measured)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ((9.0,) * 9, (10.0,) * 9, Verdict.faster),
        ((11.0,) * 9, (10.0,) * 9, Verdict.slower),
        ((10.01,) * 9, (10.0,) * 9, Verdict.same),
        ((9.0,) * 5, (10.0,) * 5, Verdict.undecided),  # five rounds agree in one of 32 by chance
        ((9.0,) * 6 + (11.0,) * 3, (10.0,) * 9, Verdict.undecided),
        ((9.0,) * 9, (10.0, 90.0, 10.0, 10.0, 70.0, 10.0, 10.0, 10.0, 10.0), Verdict.faster),
        ((0.2, -0.1, 0.3, 0.2, 0.2, 0.1, 0.2, 0.2, 0.1), (0.4,) * 9, Verdict.faster),  # isolated times
    ],
)
def test_verdict_needs_a_difference_and_rounds_that_agree(
    one: tuple[float, ...], other: tuple[float, ...], expected: Verdict
) -> None:
    assert verdict([Pairs(one, other)]) is expected


def test_rounds_at_several_places_count_together() -> None:
    few = Pairs((9.0,) * 3, (10.0,) * 3)
    assert verdict([few]) is Verdict.undecided
    assert verdict([few, few]) is Verdict.faster
    assert verdict([]) is Verdict.same


def test_drawn_places_are_of_all_kinds_and_follow_from_the_seed() -> None:
    kinds = set()
    for seed in range(20):
        places = drawn_places(OCTAVE, 3, seed)
        assert places == drawn_places(OCTAVE, 3, seed)
        assert len(places) == 3
        assert all(place.n in OCTAVE and place.n < N for place in places)
        assert sum(place.offset for place in places) == OFF
        assert any(place.n % 2 for place in places)
        kinds.add(tuple(places))
    assert len(kinds) == 20


@pytest.mark.parametrize("within", [Range(0, 1), Range(1, 2), Range(2, 4), Range(4, 8)])
def test_few_sizes_leave_few_places(within: Range) -> None:
    for seed in range(10):
        places = drawn_places(within, 3, seed)
        assert len({place.n for place in places}) == len(places) <= within.up_to - within.above - 1
        assert all(place.n in within for place in places)


def test_sizes_of_rows_are_multiples() -> None:
    assert all(place.n % 1024 == 0 for place in drawn_places(OCTAVE, 3, 1, step=1024))
