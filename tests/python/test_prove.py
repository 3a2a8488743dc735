"""Cases that are drawn of what records serve tell whether programs are faster than before."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from math import isclose
from pathlib import Path
from statistics import geometric_mean
from types import SimpleNamespace
from typing import Any, cast

import pytest

from command import streams_here
from conftest import SUM
from examples import RUNS, at, scan
from fake_gpu import ALGORITHMS, DEFAULTS, GPU, Clock, FakeCompilers, FakeGpuWorker, true_us
from scantune.compare import proof as proof_module
from scantune.compare.pairs import Pairs, Verdict
from scantune.compare.proof import Proof, Proven, Result, Times, Unproven
from scantune.compare.proof_tables import described, summary
from scantune.compare.served import served_sizes
from scantune.model.config import Config
from scantune.model.device import Device
from scantune.model.draws import Case, Place, Served, drawn_case
from scantune.model.octave import Range, merged
from scantune.model.policy import Effort, policy_of
from scantune.model.probe import Probe
from scantune.model.problem import Problem
from scantune.model.record import Record
from scantune.store.archive import Archive
from scantune.store.database import open_database
from scantune.worker.client import Worker
from scantune.worker.compile_pool import CompilePool
from scantune.worker.evaluation import Evaluator, Timeouts
from scantune.worker.selection import Selection

N = 300_001
SERVED = Served(SUM.forms, [Range(2**8, 2**10), Range(2**16, 2**18)], frozenset({Place(2**10), Place(2**18)}))
HERE = Device("host", "Fake CPU", 8)
Log = Callable[[], list[dict[str, Any]]]


def lookback(**departures: object) -> Config:
    return Config.from_parameters("lookback", {**DEFAULTS["lookback"], **departures})


DEFAULT = lookback()
FAST = lookback(block_threads=512, layout="warp_transposed")
SLOW = lookback(first_delay_ns=1600)


def drawn(served: Sequence[Served], seed: int = 1, count: int = 300) -> list[Case]:
    return [drawn_case(served, seed, index) for index in range(count)]


def test_draws_lie_where_records_serve_and_were_not_measured() -> None:
    cases = drawn([SERVED])
    assert cases == drawn([SERVED]) != drawn([SERVED], seed=2)
    sizes = [case.place.n for case in cases]
    assert all(any(n in within for within in SERVED.ranges) for n in sizes)
    assert not {case.place for case in cases} & SERVED.tuned
    assert 130 < sum(n <= 2**10 for n in sizes) < 170, "two octaves of four"
    assert 130 < sum(n & (n - 1) == 0 or n % 2 == 1 for n in sizes) < 170, "half of them are odd"
    assert 80 < sum(case.place.offset for case in cases) < 120, "an item off in one of three"
    assert {case.problem for case in cases} == {scan("i32"), scan("i32", kind="exclusive")}


def test_octave_of_few_sizes_gives_those_that_were_not_tuned_to() -> None:
    served = Served([SUM], [Range(2, 4)], frozenset({Place(4), Place(3, 1)}))
    assert {case.place for case in drawn([served])} == {Place(3), Place(4, 1)}
    with pytest.raises(ValueError, match="serve only sizes that they were measured at"):
        drawn_case([replace(served, tuned=frozenset({Place(n, offset) for n in (3, 4) for offset in (0, 1)}))], 1, 1)
    with pytest.raises(ValueError, match="serve only sizes"):
        drawn_case([], 1, 1)


def test_each_algorithm_is_drawn_as_often_however_many_problems_it_has() -> None:
    reduce = Problem("reduce", SUM.members)
    others = [replace(SERVED, forms=[scan(name)]) for name in ("i8", "f32", "f64")]
    cases = drawn([replace(SERVED, forms=[reduce]), *others])
    assert 120 < sum(case.problem == reduce for case in cases) < 180
    assert len({case.problem for case in cases}) == 4


def test_sizes_of_rows_are_multiples_of_them() -> None:
    cases = drawn([replace(SERVED, step=100)])
    assert {case.place.n % 100 for case in cases} == {0}
    assert all(any(case.place.n in within for within in SERVED.ranges) for case in cases)


def test_ranges_are_merged_where_they_touch_or_overlap() -> None:
    ranges = [Range(8, 16), Range(64, 128), Range(4, 8), Range(70, 100), Range(12, 20)]
    assert merged(ranges) == [Range(4, 20), Range(64, 128)]
    assert merged([]) == []


def record(n: int, problem: Problem = SUM, device: Device = GPU, **changes: Any) -> Record:
    return at(Record(device, problem, n, FAST, 5.0, 0.01, 6.0, None, "2026-01-01T00:05:00Z", RUNS[0]), n, **changes)


class Machine(FakeGpuWorker):
    """A worker that keeps what it was asked, and whose first measurement may be disturbed."""

    def __init__(self, clock: Clock, disturbed: float = 1.0, wrong: Config | None = None) -> None:
        super().__init__(clock)
        self.clock = clock
        self.compilers = FakeCompilers(clock, processes=4, compile_s=0.5)
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self._disturbed = disturbed
        self._wrong = wrong

    def call(self, method: str, params: dict[str, Any], timeout_s: float) -> dict[str, Any]:
        self.asked.append((method, params))
        if method == "verify" and self._wrong and params["config"] == self._wrong.message():
            return {"checks": 0}
        answer = super().call(method, params, timeout_s)
        if method == "measure" and self._disturbed != 1.0:
            last = answer["measurements"][-1]
            last["median_us"] *= self._disturbed
            last["samples_us"] = [self._disturbed * one for one in last["samples_us"]]
            self._disturbed = 1.0
        return answer

    def of(self, method: str) -> list[dict[str, Any]]:
        return [params for asked, params in self.asked if asked == method]


def prove(
    machine: Machine, now: Config, cases: Sequence[Case] = (Case(SUM, Place(N)),), budget_s: float = 1e9
) -> list[Result]:
    evaluator = Evaluator(cast(Worker, machine), Timeouts())
    proof = Proof(
        evaluator, cast(CompilePool, machine.compilers), policy_of(GPU, Effort.quick), 1,
        lambda problem, n: Selection(DEFAULT, "default", "", ()), lambda problem, n: Selection(now, "exact_n", "", ()),
    )  # fmt: skip
    return list(proof.run(cases, budget_s))


def one_of(results: list[Result]) -> Proven:
    (result,) = results
    assert isinstance(result, Proven), result
    return result


def test_records_of_others_are_not_drawn_of() -> None:
    evaluator = Evaluator(cast(Worker, FakeGpuWorker(Clock())), Timeouts())
    unknown = Problem("unknown", SUM.members)
    others = [
        record(2**10, device=replace(GPU, sm_count=114)), record(2**10, unknown), record(2**10, run=RUNS[2]),
        record(2**10, scan("i32", "custom_cheap:mine")),
    ]  # fmt: skip
    assert served_sizes(others, GPU, evaluator) == []
    probed = record(2**12, serves=Range(2**11, 5000), probes=(Probe(2500, 1, 2.0, 3.0),))
    assert served_sizes([*others, record(2**10), record(2**11), probed], GPU, evaluator) == [
        Served(SUM.forms, [Range(2**9, 5000)], frozenset({Place(2**10), Place(2**11), Place(2**12), Place(2500, 1)}))
    ]


def test_form_that_the_worker_refuses_and_steps_of_rows_are_its_own_to_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = scan_of_rows(8)
    evaluator = Evaluator(cast(Worker, FakeGpuWorker(Clock())), Timeouts())
    monkeypatch.setattr(evaluator, "size_step", lambda problem, n: 8)
    monkeypatch.setattr(evaluator, "supports_size", lambda problem, n: "exclusive" not in problem.text)
    (served,) = served_sizes([record(16, rows)], GPU, evaluator)
    assert served == Served([rows], [Range(8, 16)], frozenset({Place(16)}), step=8)


def scan_of_rows(items: int) -> Problem:
    members = (*SUM.members, ("segments", "rows"))
    row = {"algorithm": "scan", "request": json.dumps(dict(members), separators=(",", ":"))}
    return ALGORITHMS.problem(
        {**row, "shape": json.dumps({"row_items": items.bit_length() - 1}, separators=(",", ":"))}
    )


def test_what_is_faster_is_measured_once_at_the_place_that_was_drawn() -> None:
    machine = Machine(Clock())
    result = one_of(prove(machine, FAST, [Case(SUM, Place(N, 1))]))
    (asked,) = machine.of("measure")
    assert (asked["request"]["n"], asked["offset"], asked["samples"]) == (N, 1, True)
    assert asked["configs"] == [DEFAULT.message(), FAST.message()]
    expected = true_us(SUM.request(N), DEFAULT.message()) / true_us(SUM.request(N), FAST.message())
    assert isclose(result.ratio, expected, rel_tol=1e-3)
    assert expected > 1.1
    assert (result.verdict, result.again) == (Verdict.faster, None)


def test_what_is_slower_is_measured_again_with_three_times_the_rounds() -> None:
    machine = Machine(Clock())
    result = one_of(prove(machine, SLOW))
    first, again = machine.of("measure")
    assert again["policy"]["rounds"] == 3 * first["policy"]["rounds"]
    assert result.verdict is Verdict.slower
    assert result.again
    assert isclose(result.ratio, 1 / 1.09, rel_tol=1e-3)
    assert "over 1 drawn case (geometric mean), 1 of them slower by over 2 %" in summary([result], 0)


def test_noise_of_the_first_measurement_alone_is_no_loss() -> None:
    machine = Machine(Clock(), disturbed=2.0)
    result = one_of(prove(machine, FAST))
    assert len(machine.of("measure")) == 2
    assert result.first
    assert result.first.pairs.ratio > 1.5
    assert result.verdict is Verdict.faster
    assert "none slower" in summary([result], 0)
    assert re.search(r"0\.551 times as fast, measured again 1\.10\d; faster", described(result)), described(result)


def test_what_chance_may_have_slowed_twice_is_told_as_perhaps_slower() -> None:
    slow = Times(5.0, 5.2, Pairs((5.2, 5.3, 4.9, 5.2, 4.8, 5.2, 5.2), 7 * (5.0,)))
    fast = Times(5.2, 5.0, Pairs(7 * (5.0,), slow.pairs.one_us))
    case, selection = Case(SUM, Place(N)), Selection(SLOW, "exact_n", "", (), record={"layer": "user", "n": N})
    result, faster = Proven(case, DEFAULT, selection, slow, slow), Proven(case, DEFAULT, selection, fast)
    assert [one.verdict for one in (result, faster)] == 2 * [Verdict.undecided]
    assert summary([result, faster], 0).endswith("none slower by over 2 %, 1 perhaps")
    assert "; undecided, by the user record at 300,001" in described(result)


def test_records_that_never_run_prove_nothing() -> None:
    results = prove(Machine(Clock()), DEFAULT)
    assert summary(results, 0).endswith("none slower by over 2 %; no record runs in any: 'scantune explain' says why")


def test_one_config_before_and_now_is_not_compiled_verified_or_measured() -> None:
    machine = Machine(Clock())
    result = one_of(prove(machine, DEFAULT))
    assert (result.ratio, result.verdict, machine.asked) == (1.0, Verdict.same, [])
    assert machine.clock.seconds == 0
    assert described(result) == ""
    assert result.message()["before_us"] is None


def test_what_runs_now_is_verified_once_for_each_problem() -> None:
    machine = Machine(Clock())
    exclusive = scan("i32", kind="exclusive")
    cases = [Case(problem, Place(n)) for problem in (SUM, exclusive) for n in (N, N + 2, N + 4)]
    assert all(isinstance(one, Proven) for one in prove(machine, FAST, cases))
    verified = [(params["request"].get("kind"), params["config"]) for params in machine.of("verify")]
    assert verified == [(None, FAST.message()), ("exclusive", FAST.message())]


def test_wrong_results_are_no_gain() -> None:
    machine = Machine(Clock(), wrong=FAST)
    results = prove(machine, FAST, [Case(SUM, Place(n)) for n in (N, N + 2)])
    assert [type(one) for one in results] == [Unproven, Unproven]
    assert len(machine.of("verify")) == 1
    assert machine.of("measure") == []
    assert "which runs now: wrong_result: verify: the worker reported 0 checks" in described(results[0])
    assert summary(results, 0) == "0 drawn cases; 2 could not be compared"


def test_config_that_does_not_compile_is_named() -> None:
    machine = Machine(Clock())
    machine.compilers = FakeCompilers(machine.clock, 4, 0.5, refused=lambda config: config == FAST)
    (result,) = prove(machine, FAST)
    assert described(result).startswith(f"i32 sum 300,001: {FAST}: error: expected a ';'")
    assert machine.of("measure") == []


def test_kernels_compile_while_others_are_measured() -> None:
    machine = Machine(Clock())
    cases = [Case(scan(name), Place(2**24 + 1)) for name in ("i32", "i64", "f32", "f64", "u32", "u64")]
    prove(machine, FAST, cases)
    compiling_s = 6 * 1.5 * 0.5 / 4
    alone = Machine(Clock())
    for case in cases:
        prove(alone, FAST, [case])
    assert machine.clock.seconds < alone.clock.seconds - compiling_s


def test_budget_ends_a_proof_and_tells_how_many_cases_are_left(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(Clock())
    monkeypatch.setattr(proof_module, "time", SimpleNamespace(monotonic=machine.clock))
    cases = [Case(SUM, Place(N + 2 * index)) for index in range(20)]
    results = prove(machine, FAST, cases, budget_s=2.0)
    assert 2 <= len(results) < 20
    assert machine.clock.seconds < 2.5
    assert summary(results, 20 - len(results)).endswith(f"; {20 - len(results)} left by the budget")


@pytest.fixture
def tuned(tmp_path: Path, fake_worker_command: None) -> str:
    """Return a database of records of two types, of which the fake worker is told to select what it does."""
    path = tmp_path / "my.db"
    with open_database(path) as database:
        session = Archive(database).start(RUNS[0], HERE)
        for name in ("i32", "f32"):
            for n in (2**15, 2**16):
                session.save_record(record(n, scan(name), HERE))
    return str(path)


GOOD = {"block_threads": 512, "items_per_thread": 8, "layout": "warp_transposed", "window": 8}
BAD = {"layout": "direct"}


def proven(db: str, *arguments: str, against: str = "defaults") -> tuple[int, str, dict[str, Any]]:
    """Run the command; return its status, what it printed, and its message."""
    file = Path(db).parent / "proof.json"
    code, out, err = streams_here(
        "prove", "--arch", "host", "--workers", "1", "--db", db, "--against", against, "--json", str(file), *arguments
    )
    return code, out + err, json.loads(file.read_text())


def test_command_tells_that_programs_are_faster(tuned: str, faults: Callable[..., None]) -> None:
    faults(selected=GOOD)
    code, output, message = proven(tuned, "--cases", "12", "--seed", "3")
    assert code == 0, output
    assert (message["command"], message["seed"], message["first"], message["left"]) == ("prove", 3, 0, 0)
    assert (message["against"], message["slower"]) == ("defaults", 0)
    assert message["device"] == vars(HERE)
    cases = message["cases"]
    assert [one["verdict"] for one in cases] == 12 * ["faster"]
    assert isclose(message["geometric_mean"], geometric_mean([one["ratio"] for one in cases]))
    assert {one["n"] for one in cases} <= set(range(2**14 + 1, 2**16 + 1)) - {2**15}
    one = cases[0]
    assert one.keys() == {
        "problem", "n", "offset", "before", "now", "before_us", "now_us", "ratio", "ratio_again", "verdict", "record",
        "error",
    }  # fmt: skip
    assert isclose(one["ratio"], one["before_us"] / one["now_us"])
    assert one["now"]["parameters"] == GOOD
    assert one["record"]["layer"] == "user"
    told = rf"what your programs run: {message['geometric_mean']:.3f} times as fast over 12 drawn cases"
    assert f"{told} (geometric mean), none slower by over 2 %\n" in output
    assert re.search(rf"^scan +12 +12 +{message['geometric_mean']:.3f} +12 +0 +0$", output, re.MULTILINE)
    assert re.search(r"^f32 +\d+ ", output, re.MULTILINE)
    assert len(re.findall(r" now: 1\.\d+ times as fast; faster, by the user record at ", output)) == 12


def test_command_ends_with_3_where_a_record_makes_programs_slower(tuned: str, faults: Callable[..., None]) -> None:
    faults(selected=BAD)
    code, output, message = proven(tuned, "--cases", "5")
    assert code == 3, output
    assert message["slower"] == 5
    assert all(one["ratio_again"] < 0.98 for one in message["cases"])
    assert "5 of them slower by over 2 %" in output


def test_cases_are_those_of_their_numbers_however_many_are_drawn(tuned: str) -> None:
    def places(*arguments: str) -> list[tuple[Any, ...]]:
        cases = proven(tuned, *arguments)[2]["cases"]
        return [(json.dumps(one["problem"]), one["n"], one["offset"]) for one in cases]

    ten = places("--cases", "10")
    assert places("--cases", "4") == ten[:4]
    assert places("--first", "4", "--cases", "6") == ten[4:]
    assert places("--cases", "10", "--seed", "2") != ten
    assert len(set(ten)) == 10


def test_nothing_differs_and_nothing_is_measured(tuned: str, request_log: Log) -> None:
    code, output, message = proven(tuned, "--cases", "5")
    assert code == 0, output
    assert message["geometric_mean"] == 1.0
    assert {(one["verdict"], one["before_us"]) for one in message["cases"]} == {("same", None)}
    assert "1.000 times as fast over 5 drawn cases (geometric mean), none slower" in output
    assert not [one for one in request_log() if one["method"] in ("measure", "compile", "verify")]


@pytest.mark.parametrize("against", ["built-in", "DB"])
def test_what_ran_before_is_selected_by_what_was_named(
    against: str, tuned: str, request_log: Log, tmp_path: Path
) -> None:
    other, another = tmp_path / "other.db", tmp_path / "another.db"
    for path in (other, another):
        with open_database(path):
            pass
    options = ["--cases", "1", "--db", str(another)]
    code, output, _ = proven(tuned, *options, against=str(other) if against == "DB" else against)
    assert code == 0, output
    before, now = [one["databases"] for one in request_log() if one["method"] == "select"]
    assert before == ([str(other)] if against == "DB" else [])
    assert now == [tuned, str(another)]


def test_users_own_database_is_drawn_of_and_all_layers_run(
    tuned: str, request_log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCANTUNE_DB", tuned)
    code, _, err = streams_here("prove", "--arch", "host", "--against", "built-in", "--cases", "1")
    assert code == 0, err
    assert [one.get("databases") for one in request_log() if one["method"] == "select"] == [[], None]


def test_case_that_cannot_be_compared_is_told_and_the_others_go_on(tuned: str, faults: Callable[..., None]) -> None:
    faults(selected=GOOD, most_items=2**15)
    code, output, message = proven(tuned, "--cases", "10")
    assert code == 1, output
    errors = [one["error"] for one in message["cases"]]
    assert [error is not None for error in errors] == [one["n"] > 2**15 for one in message["cases"]]
    assert 0 < errors.count(None) < 10
    assert "OUT_OF_MEMORY" in next(filter(None, errors))
    assert f"{10 - errors.count(None)} could not be compared" in output
    assert "some cases could not be compared" in output


def test_file_is_written_after_each_case(
    tuned: str, faults: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    faults(selected=GOOD)
    file, written = Path(tuned).parent / "proof.json", []
    result = Proof._result

    def watched(self: Proof, prepared: Any) -> Result:
        written.append(len(json.loads(file.read_text())["cases"]) if file.exists() else 0)
        return result(self, prepared)

    monkeypatch.setattr(Proof, "_result", watched)
    assert proven(tuned, "--cases", "3")[0] == 0
    assert written == [0, 1, 2]


def test_budget_says_how_to_go_on(tuned: str) -> None:
    code, output, message = proven(tuned, "--cases", "7", "--first", "5", "--budget", "0.000000001s")
    assert code == 0, output
    assert (message["cases"], message["left"], message["geometric_mean"]) == ([], 7, None)
    assert "0 drawn cases; 7 left by the budget: --first 5 --cases 7 continues" in output


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--algorithm", "sort"], "--algorithm sort: the records are of scan"),
        (["--against", "default"], "--against default: no such file; write defaults, built-in, or a database"),
        (["--against", "MY"], "is what runs now; name another database, or built-in"),
        (["--db", "/no/such.db"], "--db /no/such.db: no such file"),
        (["--budget", "soon"], "'soon' is not a duration"),
        (["--algorithm", "scan,"], "has an empty part"),
    ],
)
def test_wrong_arguments_end_with_2(arguments: list[str], words: str, tuned: str, request_log: Log) -> None:
    given = [tuned if one == "MY" else one for one in arguments]
    code, _, err = streams_here("prove", "--arch", "host", "--db", tuned, "--against", "defaults", *given)
    assert code == 2, err
    assert words in " ".join(err.replace("│", " ").split())
    assert bool(request_log()) == (arguments[-1] == "sort"), "only the records say which algorithms they are of"


@pytest.mark.usefixtures("fake_worker_command")
def test_against_has_to_be_said_and_a_database_to_be_there() -> None:
    code, _, err = streams_here("prove", "--arch", "host")
    assert code == 2
    assert "Missing option '--against'" in err
    code, _, err = streams_here("prove", "--arch", "host", "--against", "defaults")
    assert code == 2
    assert "no such database" in err


def test_records_of_another_device_are_nothing_to_draw_of(tuned: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_WORKER_NAME", "Other CPU")
    code, _, err = streams_here("prove", "--arch", "host", "--db", tuned, "--against", "defaults")
    assert code == 1
    assert "the database has no records of Other CPU (host) that programs could run; tune first" in err
