"""The tuner over the worker that was built: both sides speak one protocol and mean one database."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import command_reference
import family_reference
import pytest

import made_up
from command import of_user, streams_here
from examples import NOON, RUNS
from scantune.cli.named_problems import NamedProblems
from scantune.cli.options import default_sizes
from scantune.cli.stages import default_stages
from scantune.model.breakpoint import Breakpoint, PairProbe
from scantune.model.carried_hashes import joint_hash
from scantune.model.cell import Cell
from scantune.model.config import Config
from scantune.model.device import HOST, Device
from scantune.model.record import Record
from scantune.store.archive import Archive
from scantune.store.database import open_database
from scantune.store.space_file import read_space
from scantune.worker.client import Worker, WorkerError
from scantune.worker.evaluation import Evaluator, Timeouts

BUILD = Path(__file__).parents[2] / os.environ.get("BUILD", "build")


def find_worker() -> str | None:
    """Return the command in the environment, before a fixture clears it, or what was built."""
    built = next((path for path in BUILD.rglob("scantune-worker") if path.is_file()), None)
    return os.environ.get("SCANTUNE_WORKER") or (shlex.quote(str(built)) if built else None)


WORKER = find_worker()
BUDGET = "0.1s"  # in which the families' defaults are tried, and the fastest of them wins
pytestmark = pytest.mark.skipif(WORKER is None, reason=f"there is no scantune-worker in {BUILD}; build it first")


@pytest.fixture(autouse=True)
def real_worker(own_directories: None, kernels: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCANTUNE_WORKER", str(WORKER))
    monkeypatch.setenv("SCANTUNE_CACHE", str(kernels))


def streams(*arguments: str) -> tuple[str, str]:
    """Run the command, which must succeed, and return what it wrote."""
    code, out, err = streams_here(*arguments)
    assert code == 0, out + err
    return out, err


@pytest.mark.timeout(200)
def test_tuned_record_is_what_the_runtime_selects(tmp_path: Path) -> None:
    db = tmp_path / "tuning.db"
    common = ["--arch", "host", "--type", "i32", "--n", "5000", "--db", str(db)]
    streams(*common, "--budget", BUDGET, "--workers", "1")
    with sqlite3.connect(db) as connection:
        ((family, config),) = connection.execute("SELECT family, config FROM record").fetchall()
        assert connection.execute("SELECT count(*) FROM trial WHERE status = 'ok' AND is_default").fetchone()[0] == 1
        times = [us for (us,) in connection.execute("SELECT median_us FROM trial WHERE status = 'ok' ORDER BY 1")]
    (selection,) = json.loads(streams("explain", *common, "--json", "-")[0])["results"]
    assert selection["origin"] == "exact_n"
    assert selection["record"]["n"] == 5000
    assert selection["runner_up"]["config"] != selection["config"]
    tried = selection["tried_next"]
    assert tried["config"] not in (selection["config"], None)
    assert sorted([tried["median_us"], tried["selected_us"]])[0] == times[0]
    assert tried["measured"] == len(times)
    assert selection["config"]["family"] == family
    assert json.loads(config).items() <= selection["config"]["parameters"].items()


@pytest.mark.timeout(300)
def test_configs_of_choice_are_searched_told_and_raced(tmp_path: Path) -> None:
    def results(*arguments: str) -> Any:
        file = tmp_path / "told.json"
        common = ["--arch", "host", "--type", "i32", "--n", "3000", "--db", str(tmp_path / "a.db"), "--json", str(file)]
        streams(*arguments, *common)
        return json.loads(file.read_text())

    fixed = ["--family", "lookback", "--fix", "block_threads=96", "--fix", "layout=direct"]  # 96 is not listed
    tuned = results("tune", *fixed, "--budget", BUDGET, "--workers", "1")
    (winner,) = tuned["winners"]
    assert winner["config"]["family"] == "lookback"
    assert {"block_threads": 96, "layout": "direct"}.items() <= winner["config"]["parameters"].items()
    (known,) = results("bench", *fixed)["results"]
    assert {"block_threads": 96, "layout": "direct"}.items() <= known["config"]["parameters"].items()
    assert known["origin"] in ("trial", "exact_n")
    raced = results("bench", "--compare", "selected", "lookback:block_threads=96", json.dumps(winner["config"]))
    assert [one["config"]["parameters"].get("block_threads") for one in raced["results"][1:]] == [96, 96]
    assert all(one["against_first"]["verdict"] in ("faster", "slower", "same") for one in raced["results"][1:])


@pytest.mark.usefixtures("made_up_times")
@pytest.mark.timeout(300)
def test_databases_of_two_teams_are_compared_merged_and_united_by_git(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    def run(*command: str) -> str:
        ended = subprocess.run(command, capture_output=True, text=True, timeout=120)
        assert ended.returncode == 0, f"{command}: {ended.stdout}{ended.stderr}"
        return ended.stdout

    def scantune(*arguments: str) -> str:
        return streams(*arguments)[0]

    def git(*arguments: str) -> str:
        return run("git", "-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-C", "tunings", *arguments)

    for seed, team in enumerate(("berlin", "munich")):
        monkeypatch.setattr(made_up, "SHORTEST_US", 1.0 + seed)
        common = ["--arch", "host", "--type", "i32", "--n", "2000", "--seed", str(seed), "--db", f"{team}.db"]
        scantune(*common, "--budget", BUDGET)
        scantune("db", "export", f"{team}.jsonl", "--db", f"{team}.db", "--by", team)
    told = json.loads(scantune("db", "diff", "berlin.db", "munich.jsonl", "--json", "-"))
    (cell,) = told["cells"]
    assert cell["difference"] in ("other_winner", "other_time")
    assert (cell["a"]["origin"]["file"], cell["b"]["origin"]["by"]) == ("berlin.db", "munich")

    scantune("db", "merge", "berlin.jsonl", "munich.jsonl", "-o", "one.jsonl")
    scantune("db", "merge", "munich.jsonl", "berlin.jsonl", "-o", "other.jsonl")
    merged = (tmp_path / "one.jsonl").read_text()
    assert merged == (tmp_path / "other.jsonl").read_text()
    assert len(merged.splitlines()) == 1

    records = tmp_path / "tunings" / "records.jsonl"
    run("git", "init", "-q", "-b", "main", "tunings")
    (records.parent / ".gitattributes").write_text("*.jsonl merge=union\n")
    records.touch()
    git("add", "-A")
    git("commit", "-q", "-m", "Begin")
    for team in ("munich", "berlin"):
        git("switch", "-q", "-c", team, "main")
        records.write_text((tmp_path / f"{team}.jsonl").read_text())
        git("commit", "-q", "-a", "-m", "Tune")
    git("merge", "-q", "munich", "-m", "Merge")
    assert len(records.read_text().splitlines()) == 2, "both lines of the cell that both have measured"
    scantune("db", "import", str(records), "--db", "united.db")
    scantune("db", "export", "united.jsonl", "--db", "united.db")
    assert (tmp_path / "united.jsonl").read_text() == merged

    explain = ["db", "explain", "--arch", "host", "--type", "i32", "--n", "2000", "--db", "united.db", "--json", "-"]
    (selection,) = json.loads(scantune(*explain))["results"]
    assert selection["origin"] == "exact_n"
    assert selection["record"]["origin"] == json.loads(merged)["policy"]["origin"]


@pytest.mark.usefixtures("made_up_times")
@pytest.mark.timeout(200)
def test_sweep_of_a_space_is_kept_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "space.json.gz"
    named = ["--arch", "host", "--algorithm", "reduce", "--type", "i32", "--n", "2000"]
    out, _ = streams("sweep", *named, "--pairs-limit", "4", "-o", str(file))
    recorded = read_space(file)
    assert recorded.optimum
    assert recorded.optimum.final_us
    assert f"fastest {recorded.optimum.true_us:.4g} µs" in out
    assert recorded.left_out == 0
    assert all(len(one.samples_us) == 5 for one in recorded.configs if not one.failure)


@pytest.mark.campaign
@pytest.mark.timeout(200)
def test_space_of_a_reduction_is_swept_and_searches_of_it_are_replayed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the effects that come along know of its families is of GPUs."""
    named = ["--arch", "host", "--algorithm", "reduce", "--type", "i32", "--n", "2000"]
    monkeypatch.chdir(tmp_path)
    streams("sweep", *named, "--budget", "5s", "--pairs-limit", "0", "-o", "space.json.gz")
    replayed, _ = streams("replay", "--seeds", "1", "space.json.gz")
    recorded = read_space(tmp_path / "space.json.gz")
    assert {"reduce_block", "reduce_atomic", "reduce_gather", "reduce_last_block", "reduce_two_pass"} <= {
        one.config.family for one in recorded.configs if not one.failure
    }
    assert re.search(r"reduce i32 2,000, .* default +1 +[01]\.\d{4}", replayed), replayed


def test_every_stage_of_a_run_that_names_nothing_is_known_to_the_worker() -> None:
    gpu = Device("sm_90", "NVIDIA H200", 132)
    with Worker(shlex.split(str(WORKER)), HOST, described=gpu) as worker:
        evaluator, notes = Evaluator(worker, Timeouts()), list[str]()
        cells = {
            Cell(problem, n)
            for stage in default_stages(gpu)
            for n in stage.sizes or default_sizes(gpu)
            for problem in stage.named.problems(worker.hello(), evaluator, [n], notes.append)
        }
    assert notes == []
    assert len(cells) > 400  # no two stages cover the same


@pytest.mark.usefixtures("made_up_times")
@pytest.mark.timeout(300)
def test_database_of_before_a_parameter_selects_and_is_tuned_on(tmp_path: Path) -> None:
    db = tmp_path / "tuning.db"
    common = ["--arch", "host", "--type", "i32", "--n", "5000", "--db", str(db)]
    tune = [*common, "--budget", "2s"]
    streams(*tune)
    with sqlite3.connect(db) as connection:
        # This is the database from before lookback could sleep first, except that every other row has the parameter.
        connection.execute("DELETE FROM trial WHERE config LIKE '%first_delay_ns%'")
        of_lookback = "family = 'lookback' AND status = 'ok' ORDER BY median_us"
        ((config, median_us), *_) = connection.execute(f"SELECT config, median_us FROM trial WHERE {of_lookback}")
        assert "first_delay_ns" not in config
        record = {"config": config, "median_us": median_us}
        connection.execute("UPDATE record SET family = 'lookback', config = :config, median_us = :median_us", record)
        spelled = "json_insert(config, '$.first_delay_ns', 0) WHERE family = 'lookback' AND id % 2"
        assert connection.execute(f"UPDATE trial SET config = {spelled}").rowcount > 0
    connection.close()
    explained = json.loads(streams("db", "explain", *common, "--json", "-")[0])
    (selection,), rejected = explained["results"], explained["rejected"]
    assert (selection["origin"], rejected) == ("exact_n", [])
    assert selection["config"]["parameters"]["first_delay_ns"] == 0
    streams(*tune, "--effort", "normal")
    with sqlite3.connect(db) as connection:
        tried = [
            (family, tuple(sorted({"first_delay_ns": 0, **json.loads(config)}.items())))
            for family, config in connection.execute("SELECT family, config FROM trial")
        ]
    connection.close()
    assert len(tried) == len(set(tried)), "a config was tried twice"


@pytest.mark.usefixtures("made_up_times")
@pytest.mark.timeout(300)
def test_winner_that_is_exported_and_imported_is_what_another_user_s_runtime_selects(tmp_path: Path) -> None:
    file = tmp_path / "export.db"
    problem = ["--arch", "host", "--type", "i32", "--n", "3000"]

    def scantune(user: str, *arguments: str) -> str:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
        environment["HOME"] = str(tmp_path / user)
        with of_user(tmp_path, environment):
            return streams(*arguments)[0]

    scantune("one", *problem, "--budget", BUDGET, "--workers", "1")
    with sqlite3.connect(tmp_path / "one" / ".local" / "share" / "scantune" / "tuning.db") as connection:
        ((family, config),) = connection.execute("SELECT family, config FROM record").fetchall()
    connection.close()
    scantune("one", "db", "export", str(file))
    assert "exact_n" not in scantune("another", "db", "explain", *problem)
    assert scantune("another", "db", "import", str(file)).startswith("1 new winner, 0 replaced ours")
    assert scantune("another", "db", "explain", *problem).startswith("i32 sum 3,000: exact_n: ")
    (selection,) = json.loads(scantune("another", "db", "explain", *problem, "--json", "-"))["results"]
    assert selection["config"]["family"] == family
    assert json.loads(config).items() <= selection["config"]["parameters"].items()


AFFINE = """struct Value {
  unsigned a, b;
};
__device__ Value combine(Value earlier, Value later) {
  return {earlier.a * later.a, earlier.b * later.a + later.b};
}
"""


@pytest.mark.timeout(300)
def test_own_operator_is_tuned_from_its_source_and_selected_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    db, file = tmp_path / "tuning.db", tmp_path / "affine.cu"

    def scantune(*arguments: str) -> tuple[int, str, str]:
        return streams_here(*arguments, "--db", str(db))

    own = ["--arch", "host", "--operator", str(file), "--name", "affine", "--type", "custom8", "--alignment", "4"]
    file.write_text(AFFINE.replace("later.b}", "later.c}"))
    code, out, err = scantune(*own, "--n", "3000")
    assert code == 1, out + err
    assert f"{file} does not compile as an operator of custom8 custom_moderate:affine" in err
    assert re.search(r"operator\.cu:5:\d+: error: .*\bc\b", err), err

    file.write_text(AFFINE)
    monkeypatch.setattr(Worker, "call", made_up.call)  # its source was seen to reach the compiler
    code, out, err = scantune(*own, "--n", "3000", "--budget", BUDGET, "--workers", "1")
    assert code == 0, out + err
    ask = ["db", "explain", "--arch", "host", "--type", "custom8", "--n", "3000", "--op"]
    assert ": exact_n: " in scantune(*ask, "custom_moderate:affine")[1]
    assert ": other_operator: " in scantune(*ask, "custom_moderate:other")[1]
    assert "earlier" not in db.read_bytes().decode(errors="replace")


@pytest.mark.timeout(20)
def test_worker_ends_with_a_client_that_is_killed_though_its_input_stays_open() -> None:
    """A worker that hangs in a kernel ends too, though it never sees the end of its input."""
    program = (
        "import os, shlex, subprocess, time;"
        "worker = subprocess.Popen([*shlex.split(os.environ['SCANTUNE_WORKER']), '--device', 'host']);"
        "time.sleep(60)"
    )
    client = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert client.stdin
    assert client.stdout
    client.stdin.write(b'{"id": 1, "method": "hello", "params": {}}\n')
    client.stdin.flush()
    assert json.loads(client.stdout.readline())["ok"]
    started = time.monotonic()
    client.send_signal(signal.SIGKILL)
    assert client.stdout.read() == b""  # its end comes when the worker, too, has let go of it
    assert time.monotonic() - started < 10
    client.stdin.close()
    client.wait()


@pytest.mark.usefixtures("made_up_times")
@pytest.mark.timeout(300)
def test_breakpoint_of_a_portfolio_is_what_the_runtime_selects_by(tmp_path: Path) -> None:
    db = tmp_path / "tuning.db"
    common = ["--arch", "host", "--type", "i32", "--latency", "isolated", "--db", str(db)]
    for n in ("2^12", "2^13"):
        streams(*common, "--n", n, "--portfolio", "--budget", BUDGET)
    # On this device it is chance which configs win, so a breakpoint is saved where no rule would put one.
    with open_database(db) as database:
        archive = Archive(database)
        low, high = sorted(archive.records(), key=lambda record: record.n)
        probes = (PairProbe(8000, 1.02, 1.0),)
        run = low.run.of_templates(joint_hash(low.run.template_hash, high.run.template_hash))
        archive.start(low.run, low.device).save_breakpoint(
            Breakpoint(low.device, low.problem, low.n, high.n, 8000, probes, low.config, high.config, NOON, run)
        )
    explained, _ = streams("db", "explain", *common, "--n", "7990,8000")
    assert "rejected" not in explained
    assert "other kernel templates" not in explained
    # How far they reach on the other side is chance too.
    assert re.search(r"tuned for n = 4096, which serves \d+ to 7999 items, on this device", explained), explained
    assert re.search(r"tuned for n = 8192, which serves 8000 to \d+ items, on this device", explained), explained
    shown, _ = streams("db", "show", "--db", str(db))
    assert re.search(r"i32 sum isolated +1 +", shown), shown


@pytest.mark.timeout(300)
def test_bad_record_that_was_planted_is_found_and_forgotten(tmp_path: Path) -> None:
    with Worker(shlex.split(str(WORKER)), HOST) as worker:
        hello = worker.hello()
        evaluator = Evaluator(worker, Timeouts.of(hello.device))
        (problem,) = NamedProblems(["i32"]).problems(hello, evaluator, [5000], print)
        space = evaluator.space(problem, 5000)
    families, good = space.families, space.default
    # The host device takes milliseconds to start clusters of large CTAs, and no kernel has CTAs of 100 threads.
    slow, illegal = (
        Config(good.family, tuple({**dict(good.values), "block_threads": threads}.items())) for threads in (1024, 100)
    )
    theirs = tmp_path / "theirs.db"
    with open_database(theirs) as database:
        for n, config in {5000: good, 64: slow, 5002: illegal}.items():
            run = RUNS[0].of_templates(families[config.family].template_hash)
            record = Record(hello.device, problem, n, config, 10.0, 0.01, 900.0, None, NOON, run)
            Archive(database).start(run, hello.device).save_record(record)
    command = ["db", "verify", str(theirs), "--arch", "host", "--json", "-"]
    code, out, err = streams_here(*command)
    assert code == 3, err
    results = {one["n"]: one for one in json.loads(out)["results"]}
    assert [results[n]["verdict"] for n in (5000, 64, 5002)] == ["verified", "slower", "not_applicable"]
    assert results[5000]["suspicions"][0] == "its gain is implausible"
    streams(*command, "--apply")
    with open_database(theirs) as database:
        left = {record.n: record.median_us for record in Archive(database).records()}
    assert left.keys() == {5000, 5002}
    assert left[5000] > 20  # it was said to take 10
    streams("db", "forget", "--n", "5002", "--db", str(theirs))
    assert "1 winner in" in streams("db", "show", "--db", str(theirs))[0]


def test_explain_answers_for_an_h200_on_a_machine_without_one() -> None:
    options = ["--type", "i32", "--n", "2^14,2^28", "--device", "NVIDIA H200", "--json", "-"]
    message = json.loads(streams("db", "explain", *options)[0])
    assert message["device"] == {"arch": "sm_90", "name": "NVIDIA H200", "sm_count": 132}
    small, large = message["results"]
    assert small["origin"] == "built_in"
    assert "2^14" in small["reason"] or "16384" in small["reason"], small["reason"]
    assert large["config"]["family"] == "pipelined"
    assert small["departures"] is not None


def test_records_of_the_library_are_shown_whole_at_80_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    shown, _ = streams("db", "show", "--built-in", "--device", "NVIDIA H200", "--type", "i16,f32")
    assert "NVIDIA H200 (sm_90, 132 SMs)" in shown
    assert max(map(len, shown.splitlines())) <= 80
    assert "…" not in shown
    assert "what departs from the family's default" in shown.replace("\n", " ")
    message = json.loads(streams("db", "show", "--built-in", "--type", "i16,f32", "--json", "-")[0])
    squeezed = "".join(shown.split())
    for winner in message["winners"]:
        assert "".join(f"{name}={value}" for name, value in winner["departures"].items()) in squeezed, winner


@pytest.mark.timeout(100)
def test_cache_is_shown_limited_and_cleared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = tmp_path / "kernels"
    monkeypatch.setenv("SCANTUNE_CACHE", str(cache))
    assert f"{cache}: 0 kernels, 0 bytes" in streams("cache", "show")[0]
    streams("doctor", "--device", "host")  # compiles a few
    shown = json.loads(streams("cache", "show", "--json", "-")[0])
    assert shown["directory"] == str(cache)
    assert shown["kernels"] > 0
    assert abs(time.time() - shown["least_recent_use"]) < 60
    assert "removed 0 kernels" in streams("cache", "limit", "1G")[0]
    (cache / "notes.txt").write_text("mine")
    cleared = json.loads(streams("cache", "clear", "--json", "-")[0])
    assert cleared["kernels"] == 0
    assert [cleared[f"removed_{name}"] for name in ("kernels", "bytes")] == [shown["kernels"], shown["bytes"]]
    assert [file.name for file in cache.iterdir()] == ["notes.txt"]
    monkeypatch.setenv("SCANTUNE_CACHE", "")
    assert "there is no kernel cache" in streams("cache", "show")[0]


def test_a_line_that_is_too_long_or_too_deep_is_refused_at_once_and_the_worker_goes_on() -> None:
    assert WORKER is not None
    deep: list[object] = []
    for _ in range(40):
        deep = [deep]
    with Worker(shlex.split(WORKER), "host") as worker:
        for params, refusal in ({"text": "x" * 2**26}, "longer than 64 MiB"), ({"deep": deep}, "32 levels"):
            with pytest.raises(WorkerError, match=refusal) as caught:
                worker.call("validate", params, timeout_s=60.0)
            assert caught.value.kind == "bad_request"
        worker.call("hello", {}, timeout_s=60.0)
        assert worker.restarts == 0


def test_the_reference_has_the_options_that_the_worker_declares() -> None:
    with Worker(shlex.split(str(WORKER)), HOST) as worker:
        algorithms = worker.hello().algorithms
    declared = {
        name.replace("_", " "): {one.option: one.meaning for one in algorithm.options}
        for name, algorithm in algorithms.items()
        if algorithm.options
    }
    assert command_reference.member_options(BUILD.parent) == declared


def test_the_reference_has_the_families_that_the_worker_declares_in_its_order() -> None:
    with Worker(shlex.split(str(WORKER)), HOST) as worker:
        declared = {name: list(one.families.of_library) for name, one in worker.hello().algorithms.items()}
    families = family_reference.families_of(BUILD.parent / "templates")
    assert {name: list(headers) for name, headers in families.items()} == declared
