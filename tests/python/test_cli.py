"""The command as people run it: a process with options, exit codes and signals."""

from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from command import ended_well, scantune, scantune_here, start
from examples import PROBES, RECORDS, at
from fake_worker import DEFAULTS
from scantune import __main__ as program
from scantune.cli import app, replay
from scantune.model.device import Device
from scantune.model.policy import _HOST, Effort
from scantune.model.problem import Problem
from scantune.store.archive import Archive
from scantune.store.database import open_database

GROUP = _HOST[Effort.exhaustive].batch
SMALL = ["--type", "i32", "--n", "2^12", "--workers", "1"]


pytestmark = pytest.mark.usefixtures("fake_worker_command")


def count(path: Path, table: str) -> int:
    with sqlite3.connect(path) as connection:
        return int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


def test_tuning_is_the_default_command_and_ends_with_a_table(tmp_path: Path) -> None:
    code, output = scantune("--arch", "host", *SMALL)
    assert code == 0, output
    assert re.search(r"i32 sum +2\^12 +\d+\.\d\d +\d+\.\d+ +\d+% +\d\.\d+×  searched +\d+ +[+-]\d", output), output
    assert "1 cell: 1 searched" in output
    assert (tmp_path / "data" / "scantune" / "tuning.db").is_file()


def test_second_run_resumes_at_once(tmp_path: Path) -> None:
    db = tmp_path / "my.db"
    assert scantune_here("tune", "--db", str(db), *SMALL)[0] == 0
    trials = count(db, "trial")
    code, output = scantune_here("--db", str(db), *SMALL)
    assert (code, count(db, "trial")) == (0, trials)
    assert "1 of 1 were finished by an earlier run" in output
    assert "2^12" in output


@pytest.fixture
def without_optuna(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Return what lets imports of Optuna fail from then on, and those of all that imports it."""

    def forbid() -> None:
        rooms = ("study", "study_storage", "neighbour_sampler")
        for name in ("optuna", *(f"scantune.search.{room}" for room in rooms)):
            monkeypatch.setitem(sys.modules, name, None)

    return forbid


def test_commands_that_search_nothing_do_without_optuna(tmp_path: Path, without_optuna: Callable[[], None]) -> None:
    covered, space = ["--db", str(tmp_path / "my.db")], "h200-reduce-i32-2p20.json.gz"
    ended_well("tune", *covered, *SMALL)
    without_optuna()
    assert "1 of 1 were finished by an earlier run" in ended_well("tune", *covered, *SMALL)
    assert "1 winner in" in ended_well("db", "show", *covered)
    (file,) = (one for one in replay.shipped_spaces() if one.name == space)
    ended_well("replay", str(file), "--export", "kernel_tuner", "-o", str(tmp_path / "cache.json"))
    with pytest.raises(ImportError):
        scantune_here("tune", "--db", str(tmp_path / "new.db"), *SMALL)


def test_run_that_names_nothing_goes_through_stages_and_tells_what_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_WORKER_FAULTS", json.dumps({"gpu": "sm_90"}))
    file = tmp_path / "run.json"
    output = ended_well("--arch", "sm_90", "--workers", "1", "--budget", "2s", "--json", str(file))
    assert "Fastest kernels on Fake GPU (sm_90, 132 SMs): sums" in output
    assert re.search(r"next run of this command:\n  sums \(84 cells: .*; about \d+m\d\ds\)\n", output), output
    for later in ("isolated sums", "sums of reductions", "positions of minima and maxima"):
        assert re.search(rf"\n  {later} \(\d+ cells: \d+ left; about ", output), output
    told = json.loads(file.read_text())
    assert not told["complete"]
    assert told["rest_s"] > 60
    assert {"isolated"} == {cell["problem"]["latency"] for cell in told["cells"] if "latency" in cell["problem"]}
    assert {cell["way"] for cell in told["cells"] if "latency" in cell["problem"]} == {"left"}
    reductions = [cell["problem"] for cell in told["cells"] if cell["problem"]["algorithm"] == "reduce"]
    assert {problem.get("position") for problem in reductions} == {None, "first"}


def test_stage_that_fails_leaves_the_others_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_WORKER_FAULTS", json.dumps({"gpu": "sm_90", "compile_error": {"method": "compile"}}))
    file = tmp_path / "run.json"
    code, output = scantune_here("--arch", "sm_90", "--workers", "1", "--budget", "3s", "--json", str(file))
    assert code == 1
    assert "sums: not even the default configs compile" in output
    assert "isolated sums: not even the default configs compile" in output
    assert json.loads(file.read_text())["cells"] == []


def test_auto_says_why_it_takes_the_host() -> None:
    output = ended_well(*SMALL)
    assert "no GPU can be used (libcuda.so.1 was not found" in output


def test_auto_takes_the_gpu_if_there_is_one(faults: Callable[..., None]) -> None:
    faults(gpu="sm_90")
    output = ended_well(*SMALL)
    assert "tuning Fake GPU (sm_90, 132 SMs)" in output


@pytest.mark.parametrize(
    ("gpu", "arguments", "words"),
    [
        (None, ["--arch", "sm_90"], "sm_90 was asked for, but cuda:0 cannot be used: libcuda.*'scantune --arch host'"),
        ("sm_80", ["--arch", "sm_90"], r"cuda:0 is Fake GPU \(sm_80, 132 SMs\); 'scantune --arch sm_80' tunes for it"),
        (None, ["--device", "cuda:1"], "--device cuda:1 was asked for, but"),
        (None, ["--arch", "host", "--device", "cuda:0"], "contradict each other"),
        (None, ["--n", "many"], "'many' is not a size"),
        (None, ["--budget", "soon"], "'soon' is not a duration"),
        (None, ["--type", "string"], "the type string is unknown; the worker knows i8, i16, i32, .*f64, and structs"),
        (
            None,
            ["--op", "frob"],
            "--op: the operator frob is unknown; the worker knows sum, min, max, .*custom_moderate",
        ),
        (
            None,
            ["--determinism", "at_times"],
            r"2\^8 items cannot be tuned: request.determinism must be one of",
        ),
        (None, ["--name", "affine"], "--name affine describes a custom operator.*add --operator FILE"),
        (None, ["--effort", "heroic"], "heroic"),
        (None, ["--seed", "-1"], "seed"),
        (None, ["frobnicate"], "No such command"),
    ],
)
def test_what_cannot_be_done_as_asked_ends_with_2_and_says_what_to_do(
    faults: Callable[..., None], gpu: str | None, arguments: list[str], words: str
) -> None:
    if gpu:
        faults(gpu=gpu)
    code, output = scantune_here(*arguments)
    assert code == 2, output
    assert re.search(words, output), output
    assert "saving to" not in output
    assert "Traceback" not in output


def test_missing_worker_is_an_error_with_advice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCANTUNE_WORKER", "/no/such/worker")
    code, output = scantune(*SMALL)
    assert code == 1
    assert "SCANTUNE_WORKER is '/no/such/worker', which cannot be run" in output


def test_database_that_cannot_be_opened_is_reported_before_any_work(
    tmp_path: Path, request_log: Callable[[], list[dict[str, Any]]]
) -> None:
    db = tmp_path / "bad.db"
    db.write_text("no database " * 100)
    code, output = scantune_here("--db", str(db), *SMALL)
    assert code == 1
    assert f"{db}: it is not an SQLite database" in output
    assert request_log() == []


def wait_for_trials(db: Path, least: int) -> None:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        if db.exists() and db.stat().st_size > 0:
            try:
                if count(db, "trial") >= least:
                    return
            except sqlite3.OperationalError:
                pass
        time.sleep(0.05)
    raise AssertionError(f"no {least} trials within 30 s")


def processes_with(marker: str) -> list[str]:
    found = []
    for entry in Path("/proc").glob("[0-9]*/environ"):
        try:
            if marker in entry.read_text(errors="replace"):
                found.append(entry.parent.name)
        except OSError:
            continue
    return [pid for pid in found if int(pid) != os.getpid()]


def long_run(db: Path) -> subprocess.Popen[str]:
    return start("--arch", "host", "--type", "i32", "--n", "2^8..2^16:2", "--db", str(db), "--effort", "exhaustive")


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_run_saves_says_how_to_resume_and_leaves_no_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: signal.Signals
) -> None:
    monkeypatch.setenv("SCANTUNE_TEST_MARKER", str(tmp_path))
    db = tmp_path / "my.db"
    process = long_run(db)
    wait_for_trials(db, 10)
    process.send_signal(ending)
    out, err = process.communicate(timeout=20)
    assert process.returncode == 130, out + err
    assert f"all trials are saved in {db}. To resume: scantune --arch host" in err
    assert "Traceback" not in err
    assert processes_with(f"SCANTUNE_TEST_MARKER={tmp_path}") == []
    assert count(db, "trial") >= 10


def saved_trials(db: Path) -> set[tuple[int, str, str]]:
    with sqlite3.connect(db) as connection:
        return set(connection.execute("SELECT n, family, config FROM trial").fetchall())


def asked(requests: list[dict[str, Any]], method: str) -> set[tuple[int, str, str]]:
    """Return the N and config of each request that concerns a candidate."""
    configs = [
        (request["request"]["n"], request["config"])
        for request in requests
        if request["method"] == method and not request.get("all_kinds")  # as winners are, and not candidates
    ]
    return {
        (n, config["family"], json.dumps(config["parameters"], separators=(",", ":")))
        for n, config in configs
        if config["parameters"] != DEFAULTS[config["family"]]  # every run compiles those, to see that it can
    }


def test_interrupt_before_a_command_begins_leaves_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(app, "main", interrupted)
    with pytest.raises(SystemExit) as ended:
        program.main()
    assert ended.value.code == 130


def test_package_itself_imports_nothing_that_could_be_interrupted() -> None:
    source = "import sys; before = set(sys.modules); import scantune; print(set(sys.modules) - before)"
    tuner = Path(__file__).parents[2] / "tuner"
    imported = subprocess.run([sys.executable, "-S", "-c", source], capture_output=True, text=True, cwd=tuner)
    assert imported.stdout == "{'scantune'}\n", imported.stderr


def test_interrupt_while_modules_are_imported_leaves_no_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "typer.py").write_text("import time; print('importing', flush=True); time.sleep(40)")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    process = start("doctor")
    assert process.stdout
    assert process.stdout.readline() == "importing\n"
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=20)[1] == ""
    assert process.returncode == 130


def test_killed_run_loses_at_most_the_group_in_flight_and_repeats_no_saved_trial(
    tmp_path: Path, request_log: Callable[[], list[dict[str, Any]]]
) -> None:
    db = tmp_path / "my.db"
    saved: set[tuple[int, str, str]] = set()
    for least in (5, 30, 60):
        before = len(request_log())
        process = long_run(db)
        wait_for_trials(db, least)
        process.kill()
        process.communicate(timeout=20)
        requests = request_log()[before:]
        assert not saved & asked(requests, "compile"), "a saved trial was repeated"
        saved = saved_trials(db)
        # Host candidates are verified at their own N, so the log tells what was in flight.
        assert len(asked(requests, "verify") - saved) <= GROUP
    with sqlite3.connect(db) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    assert len(saved) == count(db, "trial") >= 60
    code, _ = scantune("--arch", "host", "--type", "i32", "--n", "2^8..2^16:2", "--db", str(db))
    assert code == 0
    assert count(db, "record") == 9


def test_what_the_budget_cut_short_or_did_not_reach_is_counted() -> None:
    output = ended_well("--arch", "host", "--type", "i32", "--n", "2^12,2^14,2^16", "--budget", "0.1s")
    assert "the budget cut 1 search short" in output
    assert "the budget ended before 2 searches: run again to resume, or raise --budget" in output


def test_bench_times_what_the_library_would_run_and_saves_nothing(tmp_path: Path) -> None:
    file = tmp_path / "bench.json"
    output = ended_well("bench", "--arch", "host", "--type", "i32", "--n", "2^12", "--json", str(file))
    assert re.search(r"i32 sum +2\^12 +\d+\.\d\d +.* exact_n +lookback", output), output
    assert [result["origin"] for result in json.loads(file.read_text())["results"]] == ["exact_n"]
    assert not (tmp_path / "data").exists()


def test_every_departure_is_printed_at_80_columns_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, faults: Callable[..., None]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    faults(selected={"layout": "warp_transposed", "items_per_thread": 8})
    problem = ["--arch", "host", "--type", "i32", "--n", "2^14", "--latency", "isolated", "--determinism", "run_to_run"]
    sizes = ["--n", "2^12,2^14", "--samples", "1", "--trials", "0", "--within", "1000"]
    for command in (["bench", *problem], ["regret", *problem, *sizes]):
        output = ended_well(*command)
        assert "lookback items_per_thread=8 layout=warp_transposed" in output
        assert "…" not in output
        assert "window=32" not in output
        assert max(map(len, output.partition("family and config")[2].splitlines()), default=0) <= 80


def test_resumed_run_shows_departures_as_the_first_run_did(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    tables = []
    for _ in range(2):
        output = ended_well("--arch", "host", *SMALL, "--db", str(tmp_path / "my.db"))
        tables.append(re.findall(r"(?:lookback|single_block) .*", output.partition("Fastest kernels")[2]))
        assert "what departs from the family's default" in output.replace("\n", " ")
    first, resumed = tables
    assert first == resumed != []


def test_interrupted_bench_keeps_what_it_measured(tmp_path: Path) -> None:
    file = tmp_path / "bench.json"
    process = start("bench", "--arch", "host", "--type", "all", "--n", "2^4..2^18", "--json", str(file))
    while not file.exists() and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=50)
    assert process.returncode != 0
    results = json.loads(file.read_text())["results"]
    assert 1 <= len(results) < 7 * 15
    assert results[0]["median_us"] > 0
    assert "GB/s" in output


def test_winners_of_a_gpu_are_exported_for_the_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_WORKER_FAULTS", json.dumps({"gpu": "sm_90"}))
    db, file = str(tmp_path / "tuning.db"), tmp_path / "records.jsonl"
    assert scantune_here("--arch", "sm_90", *SMALL, "--db", db)[0] == 0
    assert scantune_here("db", "export", "--built-in", str(file), "--db", db) == (0, f"1 winner exported to {file}\n")
    (line,) = file.read_text().splitlines()
    assert json.loads(line)["device_name"] == "Fake GPU"


def test_show_export_import_and_explain(tmp_path: Path, faults: Callable[..., None]) -> None:
    here, there, file = tmp_path / "here.db", tmp_path / "there.db", tmp_path / "export.db"
    assert scantune_here("--db", str(here), *SMALL)[0] == 0
    assert scantune_here("db", "export", str(file), "--db", str(here)) == (0, f"1 winner exported to {file}\n")
    output = ended_well("db", "import", str(file), "--db", str(there))
    assert "1 new winner, 0 replaced ours, 0 of ours kept" in output
    shown = scantune_here("db", "show", "--db", str(there))[1]
    assert "Fake CPU (host)" in shown
    assert "2^12" in shown
    assert "block_threads=" in shown
    assert re.search(r"\(2\^\d+, 2\^\d+\]", shown)  # its range
    assert "1 winner in" in scantune_here("db", "show", "--db", str(there), "--type", "i32", "--op", "sum")[1]
    assert "0 winners in" in scantune_here("db", "show", "--db", str(there), "--type", "f64", "--op", "sum")[1]
    explained = scantune_here("db", "explain", "--type", "i32", "--n", "2^12", "--db", str(there))[1]
    assert "i32 sum 2^12: exact_n: a record of this N" in explained
    assert "measured at 2^12: 5.00 us; the default of then: 6.00 us" in explained
    assert "next: default: no other tuning record serves, so the default would" in explained
    assert "rejected i32 sum n=256: unknown family" in explained
    assert scantune_here("explain", "--type", "i32", "--n", "2^12", "--db", str(there))[1] == explained
    faults(default_us=None)
    untimed = scantune_here("explain", "--type", "i32", "--n", "2^12", "--db", str(there))[1]
    assert untimed == explained.replace("6.00 us", "not timed")


def test_explain_tells_the_probes_of_a_record_whose_database_is_here(
    tmp_path: Path, faults: Callable[..., None]
) -> None:
    db, told = tmp_path / "tuning.db", tmp_path / "told.json"
    of_the_fake = {"device": Device("host", "Fake CPU", 8), "problem": Problem("scan", ())}
    held = at(RECORDS[2], 4096, probes=PROBES, finished_at="2026-01-02T03:04:05Z", **of_the_fake)
    for record in (held, replace(at(held, 4095), probes=PROBES[:1])):
        with open_database(db) as database:
            Archive(database).start(record.run, record.device).save_record(record)
    faults(database=str(db))
    output = ended_well("explain", "--type", "i32", "--n", "2^12", "--json", str(told))
    assert "3 probes: at worst 1.008 of the time without the record, at 1,500" in output
    (found,) = json.loads(told.read_text())["results"]
    assert found["probes"][1] == {"n": 1500, "offset": 64, "time_us": 33.25, "untuned_us": 33.0}
    db.write_text("no database")
    assert "probes" not in ended_well("explain", "--type", "i32", "--n", "2^12", "--json", str(told))
    assert json.loads(told.read_text())["results"][0]["probes"] is None


def test_export_and_import_through_a_pipe(tmp_path: Path) -> None:
    ours, theirs = tmp_path / "ours.db", tmp_path / "theirs.db"
    with open_database(ours) as database:
        Archive(database).start(RECORDS[0].run, RECORDS[0].device).save_record(RECORDS[0])
    command = [sys.executable, "-m", "scantune", "db"]
    exported = subprocess.run([*command, "export", "-", "--db", str(ours)], capture_output=True, timeout=50)
    assert (exported.returncode, exported.stderr) == (0, b"1 winner exported to -\n")
    arguments = [*command, "import", "-", "--db", str(theirs)]
    imported = subprocess.run(arguments, input=exported.stdout, capture_output=True, timeout=50)
    assert imported.returncode == 0, imported.stderr
    assert imported.stdout.startswith(b"1 new winner, ")


def test_explain_asks_for_an_operator_by_its_name(request_log: Callable[[], list[dict[str, Any]]]) -> None:
    options = ["--type", "custom8", "--op", "custom_moderate:affine", "--n", "2^12", "--determinism", "run_to_run"]
    output = ended_well("db", "explain", *options)
    assert "custom8 custom_moderate:affine run_to_run 2^12: exact_n" in output
    (request,) = [request["request"] for request in request_log() if request["method"] == "select"]
    assert request["op"] == "custom_moderate:affine"
    assert request["determinism"] == "run_to_run"


def test_all_types_leaves_out_those_that_the_operator_is_not_for(tmp_path: Path) -> None:
    db = tmp_path / "my.db"
    output = ended_well("--type", "all", "--op", "bit_xor", "--n", "2^10", "--workers", "1", "--db", str(db))
    assert "left out, because no kernel supports them: f16 bit_xor, f32 bit_xor, f64 bit_xor" in output
    with sqlite3.connect(db) as connection:
        found = [
            Problem.from_row({"algorithm": "scan", "request": request})
            for (request,) in connection.execute("SELECT request FROM problem")
        ]
    assert list(map(str, found)) == ["i8:i32:i8 bit_xor", "i16:i32:i16 bit_xor", "i32 bit_xor", "i64 bit_xor"]


def test_own_operator_is_tuned_from_its_file_under_its_name(tmp_path: Path) -> None:
    db, file = tmp_path / "my.db", tmp_path / "affine.cu"
    file.write_text("struct Value { float a, b; };\nValue combine(Value earlier, Value later);")
    own = ["--operator", str(file), "--name", "affine", "--type", "custom8", "--cost", "cheap"]
    common = ["--determinism", "run_to_run", "--n", "2^12", "--workers", "1", "--db", str(db)]
    for words in ("custom8 custom_cheap:affine run_to_run 2^12: ", "1 of 1 were finished by an earlier run"):
        output = ended_well(*own, *common)
        assert words in output
    with sqlite3.connect(db) as connection:
        found = [
            Problem.from_row({"algorithm": "scan", "request": request})
            for (request,) in connection.execute("SELECT request FROM problem")
        ]
    assert list(map(str, found)) == ["custom8 custom_cheap:affine run_to_run"]


def test_explain_leaves_the_choice_of_databases_to_the_worker_unless_one_is_named(
    tmp_path: Path, request_log: Callable[[], list[dict[str, Any]]]
) -> None:
    (tmp_path / "my.db").touch()
    for option in ([], ["--db", str(tmp_path / "my.db")]):
        assert scantune_here("db", "explain", "--type", "i32", "--n", "2^12", *option)[0] == 0
    unnamed, named = [request for request in request_log() if request["method"] == "select"]
    assert "databases" not in unnamed
    assert named["databases"] == [str(tmp_path / "my.db")]


def test_device_and_file_named_like_markup_are_printed_as_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_WORKER_NAME", "[/x] [bold]CPU")
    db, file = tmp_path / "[/y].db", tmp_path / "[/z].db"
    output = ended_well("--db", str(db), *SMALL)
    assert "Fastest kernels on [/x] [bold]CPU (host)" in output
    assert f"1 winner in {db}, " in output
    output = ended_well("db", "show", "--db", str(db))
    assert "[/x] [bold]CPU (host)" in output
    assert scantune_here("db", "export", str(file), "--db", str(db)) == (0, f"1 winner exported to {file}\n")
    output = ended_well("db", "import", str(file), "--db", str(tmp_path / "other.db"))


def test_import_of_nonsense_ends_with_1(tmp_path: Path) -> None:
    file = tmp_path / "nonsense.db"
    file.write_text("nonsense")
    code, output = scantune_here("db", "import", str(file), "--db", str(tmp_path / "my.db"))
    assert code == 1
    assert f"{file}: it is not an SQLite database" in output


def test_version_and_help_do_not_tune() -> None:
    assert re.fullmatch(r"scantune \d+\.\d+\.\d+\n", scantune("--version")[1])
    output = ended_well("--help")
    assert "doctor" in output
    assert "--budget" in scantune_here("tune", "--help")[1]


def test_policy_and_provenance_are_stored_with_the_run(tmp_path: Path) -> None:
    db = tmp_path / "my.db"
    assert scantune_here("--db", str(db), "--seed", "7", "--budget", "20s", *SMALL)[0] == 0
    with sqlite3.connect(db) as connection:
        columns = "effort, seed, template_hash, compiler_version, policy"
        of_trials, of_record = connection.execute(f"SELECT {columns} FROM run ORDER BY id").fetchall()
    for effort, seed, template_hash, compiler, policy in (of_trials, of_record):
        assert (effort, seed, template_hash, compiler) == ("quick", 7, "a" * 64, "g++ 12")
        assert json.loads(policy)["budget_s"] == 20
    assert 0 <= json.loads(of_record[-1])["may_gain"] <= 1
    assert "may_gain" not in json.loads(of_trials[-1])


def test_portfolio_prints_its_breakpoints_and_show_their_worst_regret(tmp_path: Path) -> None:
    db = str(tmp_path / "tuning.db")
    sizes = ["--type", "i32", "--n", "2^10..2^13:2", "--workers", "1", "--db", db]
    output = ended_well(*sizes, "--portfolio", "--latency", "isolated")
    assert "at most 6m00s" in output  # three times the budget of the host device without a portfolio
    assert re.search(r"i32 sum isolated between 2\^\d+ and 2\^\d+: from \S+ on [a-z_]+, regret [0-9.]+%", output)
    shown = ended_well("db", "show", "--db", db)
    assert "worst-case regret" in shown
    assert re.search(r"i32 sum isolated +\d+ +[0-9.]+% +\S+ +2\^\d+ and 2\^\d+", shown), shown


def test_latencies_are_tuned_apart(tmp_path: Path) -> None:
    db = tmp_path / "tuning.db"
    for latency in ("back_to_back", "isolated"):
        assert scantune_here(*SMALL, "--latency", latency, "--db", str(db))[0] == 0
    assert count(db, "record") == count(db, "problem") == 2
