"""The command scantune gallery: its rows and its races."""

from __future__ import annotations

import json
import math
import re
import shlex
import signal
from pathlib import Path
from typing import Any

import pytest

from command import invoke, scantune_here, start, streams_here
from conftest import SUM
from fake_worker import GALLERY
from gallery_command import HOST, Faults, Requests, contenders, families_of, message
from scantune.cli.gallery_plot import PictureOutput
from scantune.compare.gallery import Candidates, Gallery
from scantune.errors import ScantuneError
from scantune.model.device import Device
from scantune.model.gallery_race import GalleryRace
from scantune.model.gallery_rows import DOCUMENTS, ROWS, named_families
from scantune.model.policy import Effort, Policy, policy_of
from scantune.worker import environment
from scantune.worker.client import Worker, WorkerError
from scantune.worker.evaluation import Evaluator, Timeouts
from shown import text_of
from test_real_worker import WORKER

pytestmark = pytest.mark.usefixtures("fake_worker_command")

PAGE = "docs/gallery/index.md"


# The rows.


def cells_of_the_page() -> list[tuple[str, ...]]:
    """Return the rows of the page's tables, without code marks, each with the heading above it."""
    found, heading = [], ""
    for line in text_of(PAGE).splitlines():
        if line.startswith("### "):
            heading = line.removeprefix("### ")
        if re.match(r"\| \d\.\d", line):
            found.append((heading, *(cell.strip().replace("`", "") for cell in line.strip("|").split("|"))))
    return found


def test_page_has_the_rows_of_the_list() -> None:
    told = message("--list")["rows"]
    listed = [(row["document"], row["row"], row["what"], ", ".join(row["families"]) or "every family", row["command"])
              for row in told]  # fmt: skip
    assert listed == cells_of_the_page()
    assert list(dict.fromkeys(row[0] for row in listed)) == list(DOCUMENTS)


def test_list_shows_every_row_to_people() -> None:
    said = invoke("gallery", "--list").output
    for row in ROWS:
        assert re.search(rf"^{re.escape(row.number)} +{re.escape(row.what)} ", said, re.MULTILINE), row
        assert row.command in said
    assert all(document in said for document in DOCUMENTS)


def test_list_runs_nothing(request_log: Requests) -> None:
    assert invoke("gallery", "--list").exit_code == 0
    assert request_log() == []


def test_rows_are_numbered_once_and_in_order() -> None:
    numbers = [tuple(map(int, row.number.split("."))) for row in ROWS]
    assert numbers == sorted(set(numbers))


def test_commands_of_rows_name_the_families_that_answer_them() -> None:
    for row in ROWS:
        words = shlex.split(row.command)
        named = [words[place + 1] for place, word in enumerate(words) if word == "--families"]
        assert not named or set(named[0].split(",")) == set(row.families), row


# Races.


def test_families_are_verified_and_raced_beside_a_copy_and_what_is_selected(request_log: Requests) -> None:
    told = message("--families", "kogge_stone,brent_kung,lookback", "--n", "2^9")
    (race,) = told["races"]
    assert (race["group"], race["n"]) == ("Whole scans", 512)
    found = contenders(race)
    assert list(found) == ["copy", "selected", "kogge_stone", "brent_kung", "lookback"]
    kogge_stone = found["kogge_stone"]
    assert kogge_stone["work"] == {"operations": 512 * 9 - 511, "steps": 9, "bytes": 4096}
    assert kogge_stone["work_efficiency"] == pytest.approx(511 / (512 * 9 - 511))
    assert kogge_stone["gigabytes_per_second"] == pytest.approx(8 * 512 / kogge_stone["median_us"] / 1e3)
    assert kogge_stone["share_of_copy"] == pytest.approx(race["ceiling_us"] / kogge_stone["median_us"])
    assert found["copy"]["share_of_copy"] == 1
    assert found["lookback"]["work"] is None
    requests = request_log()
    (measured,) = [one for one in requests if one["method"] == "measure"]  # all of them in turns
    assert families_of(measured) == {"kogge_stone", "brent_kung", "lookback"}
    verified = [one["config"] for one in requests[: requests.index(measured)] if one["method"] == "verify"]
    assert verified == measured["configs"]


def test_exclusive_scans_are_raced_and_sums_left_out(request_log: Requests) -> None:
    arguments = ["--families", "kogge_stone,lookback,sum_vector", "--n", "2^12", "--kind", "exclusive"]
    told = message(*arguments)
    assert [race["problem"]["kind"] for race in told["races"]] == ["exclusive"] * 2
    assert told["left_out"] == ["sum_vector: sums are neither inclusive nor exclusive"]
    measured = [one["request"] for one in request_log() if one["method"] in ("verify", "measure")]
    assert {one["kind"] for one in measured} == {"exclusive"}
    assert "Steps and operations are those of the inclusive scan." in " ".join(
        invoke("gallery", *HOST, *arguments).output.split()
    )


@pytest.mark.parametrize("peak", [None, 4000.0])
def test_share_of_the_peak_is_told_where_the_worker_tells_the_peak(faults: Faults, peak: float | None) -> None:
    faults(**({"peak": peak} if peak else {}))
    arguments = ["--families", "kogge_stone", "--n", "2^9"]
    told = message(*arguments)
    one = contenders(told["races"][0])["kogge_stone"]
    assert told["peak_gigabytes_per_second"] == peak
    assert one["share_of_peak"] == (pytest.approx(one["gigabytes_per_second"] / peak) if peak else None)
    said = invoke("gallery", *HOST, *arguments).output
    assert ("of copy  of peak" in said) == ("share of the 4,000 GB/s that" in said) == bool(peak)


@pytest.mark.parametrize("peak", [0, -1, True, "4000", float("inf")])
def test_peak_that_is_none_is_not_believed(faults: Faults, peak: object) -> None:
    faults(peak=peak)
    code, said = scantune_here("gallery", *HOST, "--families", "kogge_stone", "--n", "2^9")
    assert code == 1, said
    assert "the peak of its device is" in said


def test_three_problems_are_raced_each_by_the_families_that_can_do_it(capsys: pytest.CaptureFixture[str]) -> None:
    told = message("--families", "kogge_stone,sum_vector,lookback", "--n", "2^12")
    by_group = {race["group"]: race for race in told["races"]}
    assert list(by_group) == ["Scans of rows of 2^10", "Whole scans", "Sums"]
    assert set(contenders(by_group["Scans of rows of 2^10"])) == {"copy", "selected", "kogge_stone", "lookback"}
    assert by_group["Scans of rows of 2^10"]["extents"] == {"rows": 4}
    assert set(contenders(by_group["Whole scans"])) == {"copy", "selected", "lookback"}
    assert by_group["Whole scans"]["left_out"] == {"kogge_stone": "kogge_stone scans rows of at most 1,024 items"}
    assert set(contenders(by_group["Sums"])) == {"copy", "selected", "sum_vector"}


def test_family_that_is_left_out_says_what_the_worker_says() -> None:
    told = message("--families", "sum_vector,lookback,single_block", "--type", "f32", "--n", "2^18")
    left_out = {race["group"]: race["left_out"] for race in told["races"]}
    assert left_out["Whole scans"] == {"single_block": "single_block scans at most 131072 items"}
    code, said = scantune_here("gallery", *HOST, "--families", "sum_vector", "--type", "f32", "--n", "2^9")
    assert code == 2
    assert "sums, N = 2^9: sum_vector: a float sum depends on the order" in said


@pytest.mark.parametrize("refused", [["kogge_stone"], {"kogge_stone": 1}])
def test_refusals_that_are_none_are_not_believed(
    worker: Worker, monkeypatch: pytest.MonkeyPatch, refused: object
) -> None:
    call = Worker.call
    monkeypatch.setattr(Worker, "call", lambda *asked: {**call(*asked), "refused": refused})
    with pytest.raises(WorkerError, match="reasons for refusing families"):
        Evaluator(worker, Timeouts()).space(SUM, 2**9)


@pytest.mark.usefixtures("real_worker")
def test_worker_says_why_it_refuses_families() -> None:
    code, said = scantune_here("gallery", *HOST, "--families", "sum_atomic,kogge_stone", "--type", "f32", "--n", "2^12",
                          "--row-items", "2^11")  # fmt: skip
    assert code == 2, said
    assert "kogge_stone: each CTA scans one row, and the rows are longer than a CTA holds" in said
    assert "sum_atomic: the ladder of sums adds in other orders than the items stand in" in said


def test_rows_are_as_long_as_asked_for_and_no_family_is_asked_for_longer_ones() -> None:
    told = message("--families", "kogge_stone", "--n", "2^12", "--row-items", "2^8")
    (race,) = told["races"]
    assert (race["extents"], race["group"]) == ({"rows": 16}, "Scans of rows of 2^8")
    assert contenders(race)["kogge_stone"]["work_efficiency"] == pytest.approx(255 / (256 * 8 - 255))
    code, said = scantune_here("gallery", *HOST, "--families", "kogge_stone", "--n", "2^12", "--row-items", "2^11")
    assert code == 2
    assert "nothing was raced: scans of rows of 2^11, N = 2^12: kogge_stone: kogge_stone scans rows of at" in said


def test_large_scans_of_rows_are_verified_in_rows_as_long(request_log: Requests) -> None:
    message("--families", "kogge_stone", "--n", "2^20")
    verified = [one["request"] for one in request_log() if one["method"] == "verify"]
    assert [(one["n"], one["rows"]) for one in verified] == [(2**14, 2**4)] * 2  # at the policy's size


@pytest.mark.parametrize(
    ("n", "row_items", "verified_n", "verified_rows"),
    [(3 * 2**16, 3 * 2**8, 21 * 768, 21), (10**5, 1000, 16 * 1000, 16), (10**5, 999, 16 * 999, 16)],
)
def test_verified_items_are_whole_rows(
    request_log: Requests, n: int, row_items: int, verified_n: int, verified_rows: int
) -> None:
    message("--families", "kogge_stone", "--n", str(n), "--row-items", str(row_items))
    verified = [one["request"] for one in request_log() if one["method"] == "verify"]
    assert [(one["n"], one["rows"]) for one in verified] == [(verified_n, verified_rows)] * 2


@pytest.mark.parametrize(("least_n", "verified_n"), [(2**20, 2**20), (2**14, 2**14)])
def test_config_that_is_not_legal_for_few_items_is_verified_with_all(
    faults: Faults, request_log: Requests, least_n: int, verified_n: int
) -> None:
    faults(least_n={"lookback": least_n})
    message("--families", "lookback", "--n", "2^20", "--row-items", "2^20")
    verified = [one["request"]["n"] for one in request_log() if one["method"] == "verify"]
    assert verified[-1] == verified_n  # of the whole scan, after rows of 2^20


def test_wrong_result_that_speaks_of_the_unsupported_is_one(faults: Faults, request_log: Requests) -> None:
    faults(wrong_result={"family": "kogge_stone"}, wrong_text="unsupported by its own sum")
    told = message("--families", "kogge_stone", "--n", "2^20", code=1)
    assert "unsupported by its own sum" in contenders(told["races"][0])["kogge_stone"]["failure"]
    verified = [one for one in request_log() if one["method"] == "verify" and "kogge_stone" in families_of(one)]
    assert [one["request"]["n"] for one in verified] == [2**14]  # and not again with all


def test_wrong_family_is_told_and_not_timed(faults: Faults, request_log: Requests) -> None:
    faults(wrong_result={"family": "kogge_stone"})
    told = message("--families", "kogge_stone,brent_kung", "--n", "2^9", code=1)
    found = contenders(told["races"][0])
    assert "expected 3, found 4" in found["kogge_stone"]["failure"]
    assert found["kogge_stone"]["median_us"] is None
    assert found["brent_kung"]["median_us"] > 0
    assert not any("kogge_stone" in families_of(one) for one in request_log() if one["method"] == "measure")


def test_each_family_runs_the_best_that_was_tried_of_it(tmp_path: Path, request_log: Requests) -> None:
    common = ["--families", "kogge_stone,brent_kung", "--n", "2^9", "--db", str(tmp_path / "a.db"), "--workers", "1"]
    tuned = message(*common, "--tune")
    again = message(*common)
    for told in (tuned, again):
        found = contenders(told["races"][0])
        assert [found[name]["config"]["parameters"] for name in GALLERY] == [{"block_threads": 64}] * 2
        defaults = [found[f"{name} (default)"] for name in GALLERY]
        assert [one["config"]["parameters"] for one in defaults] == [{"block_threads": 128}] * 2
        assert [one["config"]["family"] for one in defaults] == list(GALLERY)
        assert all(one["is_default"] and one["median_us"] > 0 for one in defaults)
        assert not any(found[name]["is_default"] for name in GALLERY)
    _, out, _ = streams_here("gallery", *HOST, *common)
    assert re.search(r"^ *kogge_stone .*\n(.*\n)? *kogge_stone \(default\) ", out, re.MULTILINE), out
    compiled = [one["config"] for one in request_log() if one["method"] == "compile"]
    searched = {(one["family"], one["parameters"]["block_threads"]) for one in compiled if one["family"] in GALLERY}
    assert searched == {(family, threads) for family in GALLERY for threads in (64, 128, 256)}
    before = sum(one["method"] == "compile" for one in request_log())
    message(*common)
    assert sum(one["method"] == "compile" for one in request_log()) == before  # nothing is searched without --tune


@pytest.mark.parametrize(("budget", "seconds"), [([], 15.0), (["--budget", "4s"], 4.0)])
def test_search_of_a_family_has_the_budget_that_was_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, budget: list[str], seconds: float
) -> None:
    given = list[float]()

    def policy(device: Device, effort: Effort, budget_s: float) -> Policy:
        given.append(budget_s)
        return policy_of(device, effort, budget_s)

    monkeypatch.setattr("scantune.cli.gallery_tuning.policy_of", policy)
    message("--families", "kogge_stone,brent_kung", "--n", "2^9", "--db", str(tmp_path / "a.db"), "--tune", *budget)
    assert given == [seconds] * 2


@pytest.mark.parametrize("named", [[], ["--families", "kogge_stone,lookback"]])
def test_families_of_the_library_are_searched_only_where_they_are_named(
    tmp_path: Path, request_log: Requests, named: list[str]
) -> None:
    message(*named, "--n", "2^9", "--db", str(tmp_path / "a.db"), "--workers", "1", "--tune")
    compiled = {family for one in request_log() if one["method"] == "compile" for family in families_of(one)}
    assert "kogge_stone" in compiled
    assert bool(rows_of(tmp_path / "a.db")) == bool(named)


def rows_of(path: Path) -> list[Any]:
    """Return the records of a database."""
    _, out, _ = streams_here("db", "show", "--db", str(path), "--json", "-")
    winners: list[Any] = json.loads(out)["winners"]
    return winners


def test_untuned_families_run_their_defaults() -> None:
    found = contenders(message("--families", "kogge_stone", "--n", "2^9")["races"][0])
    assert list(found) == ["copy", "selected", "kogge_stone"]  # once, for it is its own default
    assert found["kogge_stone"]["is_default"]
    assert (found["kogge_stone"]["origin"], found["kogge_stone"]["departures"]) == ("default", {})
    assert found["kogge_stone"]["config"]["parameters"] == {"block_threads": 128}


@pytest.mark.parametrize("where", ["device", "machine"])
def test_size_for_which_memory_is_short_is_left_out_and_others_are_raced(
    faults: Faults, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    if where == "device":
        faults(most_items=2**20)
    else:
        monkeypatch.setattr("scantune.compare.gallery.memory_left", lambda: 8 * 2**20)
    told = message("--families", "lookback", "--n", "2^8,2^21,2^9")
    assert [race["n"] for race in told["races"]] == [2**8, 2**9]
    (reason,) = [one for one in told["left_out"] if one.startswith("whole scans, N = 2^21")]
    missing = {"device": "measure: cuMemAlloc failed: CUDA_ERROR_OUT_OF_MEMORY",
               "machine": "items and results alone take 0.017 GB, and 0.008 are left"}  # fmt: skip
    assert reason == f"whole scans, N = 2^21: the device has too little memory: {missing[where]}"


def test_memory_that_is_left_is_what_the_machine_tells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "meminfo"
    monkeypatch.setattr(environment, "_MEMORY", file)
    assert environment.memory_left() == math.inf
    file.write_text("MemTotal:       16000 kB\nMemAvailable:    2000 kB\n")
    assert environment.memory_left() == 2000 * 1024


def test_ctrl_c_leaves_the_races_that_were_finished(faults: Faults, tmp_path: Path) -> None:
    faults(hang={"family": "sum_vector", "method": "verify"})
    file = tmp_path / "told.json"
    process = start("gallery", *HOST, "--families", "lookback,sum_vector", "--n", "2^12", "--row-items", "2^13",
                    "--json", str(file))  # fmt: skip
    assert process.stderr
    for line in process.stderr:
        if line.startswith("Sums"):
            break
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130, err
    assert "interrupted" in err
    assert "Whole scans: i32 sum, N = 2^12" in out
    assert [race["group"] for race in json.loads(file.read_text())["races"]] == ["Whole scans"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--families", "kogge_ston"], "--families kogge_ston: there is no such family; did you mean kogge_stone?"),
        (["--families", "copy_vectors"], "--families copy_vectors: a family of copy; only families of scans"),
        (["--list", "--table", "9"], "--list runs nothing and lists every row: leave out --table"),
        (["--list", "--tune", "--n", "2^9"], "leave out --n, --tune"),
        (["--table", "1", "--row-items", "7"], "--table 1 is not of rows: leave out --row-items"),
        (["--table", "2", "--row-items", "7"], "--table 2 is not of rows: leave out --row-items"),
        (["--table", "1", "--kind", "exclusive"], "--table 1 counts the steps of inclusive scans: leave out --kind"),
        (["--table", "2", "--kind", "exclusive"], "--table 2 is of sums: leave out --kind"),
        (["--list", "--kind", "exclusive"], "leave out --kind"),
        (["--families", "sum_vector", "--kind", "exclusive"], "sum_vector: sums are neither inclusive nor exclusive"),
        (["--budget", "4s"], "--budget is how long --tune searches: add --tune"),
        (["--table", "5"], "--table 5: there are 0: the ladder of blocked scans; 1: "),
        (["--table", "0", "--families", "vector"], "--table 0 has families of its own: leave out --families"),
        (["--table", "1", "--tune"], "--table 1 counts and times nothing: leave out --tune"),
        (["--table", "4", "--plot", "a.svg"], "--table 4 counts and times nothing: leave out --plot"),
        (["--plot", "a.pdf"], "--plot a.pdf: pictures are .svg or .png"),
        (["--plot", "/no/such/a.svg"], "there is no writable folder /no/such"),
        (["--row-items", "2^4..2^5"], "--row-items 2^4..2^5: takes one size"),
        (["--type", "f99"], "--type f99: request.input_type"),
        (["--families", "kogge_stone", "--n", "2^20", "--row-items", "2^12"], "nothing was raced"),
    ],
)
def test_what_cannot_be_done_is_told(arguments: list[str], words: str) -> None:
    code, _, err = streams_here("gallery", *HOST, *arguments)
    assert code == 2, err
    assert words in err, err


def test_command_that_races_nothing_leaves_what_was_written_before(tmp_path: Path) -> None:
    file = tmp_path / "told.json"
    file.write_text("before")
    code, said = scantune_here("gallery", *HOST, "--families", "kogge_stone", "--n", "2^20", "--row-items", "2^12",
                          "--json", str(file))  # fmt: skip
    assert code == 2, said
    assert file.read_text() == "before"


@pytest.mark.parametrize("races", [0, 1])
def test_error_of_a_race_is_told_and_none_of_the_picture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, races: int
) -> None:
    finished = list[str]()

    def race(self: Gallery, candidates: Candidates) -> GalleryRace:
        if len(finished) == races:
            raise WorkerError("internal", "the race is broken")
        finished.append(candidates.problem.kind)
        return raced(self, candidates)

    def write(*_: object) -> None:
        raise ScantuneError("--plot: the picture is broken")

    raced = Gallery.race
    monkeypatch.setattr(Gallery, "race", race)
    monkeypatch.setattr(PictureOutput, "write", write)
    file = tmp_path / "told.json"
    ended = invoke("gallery", *HOST, "--families", "lookback", "--n", "2^12", "--json", str(file))
    said = ended.output
    assert ended.exit_code == 1, said
    assert "scantune: the race is broken" in said
    assert ("the picture is broken" in said) == file.exists() == bool(races)
    assert "scantune: --plot" not in said


def test_picture_in_the_place_of_a_folder_is_refused_first(tmp_path: Path, request_log: Requests) -> None:
    target = tmp_path / "a.svg"
    target.mkdir()
    code, said = scantune_here("gallery", *HOST, "--families", "kogge_stone", "--n", "2^9", "--plot", str(target))
    assert code == 2, said
    assert "it is a folder; name a file in it" in said
    assert request_log() == []


# The real worker.


@pytest.fixture
def real_worker(fake_worker_command: None, monkeypatch: pytest.MonkeyPatch) -> None:
    if WORKER is None:
        pytest.skip("there is no scantune-worker; build it first")
    monkeypatch.setenv("SCANTUNE_WORKER", str(WORKER))


@pytest.mark.usefixtures("real_worker")
def test_families_of_the_rows_are_those_of_the_worker() -> None:
    with Worker(shlex.split(str(WORKER)), "host") as worker:
        tables = [worker.hello().algorithms[name].families for name in ("scan", "reduce")]
    known = {name for table in tables for name in table}
    gallery = known - {name for table in tables for name in table.of_library}
    assert set(named_families()) <= known
    assert gallery <= set(named_families())


@pytest.mark.timeout(100)
@pytest.mark.usefixtures("real_worker")
def test_gallery_of_the_real_worker_is_raced_on_the_host_device() -> None:
    code, out, err = streams_here("gallery", *HOST, "--families", "kogge_stone,sum_vector", "--n", "2^9", "--json", "-")
    assert code == 0, err
    whole, sums = json.loads(out)["races"]
    assert contenders(whole)["kogge_stone"]["work"]["steps"] == 9
    assert contenders(sums)["sum_vector"]["work"]["operations"] == 511
    assert all(one["median_us"] > 0 for race in (whole, sums) for one in race["contenders"])


@pytest.mark.timeout(100)
@pytest.mark.usefixtures("real_worker", "made_up_times")
def test_search_of_the_gallery_is_kept_as_trials_that_are_raced() -> None:
    arguments = ["--families", "sum_vector", "--n", "2^10", "--tune", "--workers", "1"]
    found = contenders(message(*arguments)["races"][0])
    assert found["sum_vector"]["origin"] == "trial"
    assert found["selected"]["config"]["family"] != "sum_vector"
    _, out, _ = streams_here("db", "show", "--json", "-")
    assert json.loads(out)["winners"] == []


@pytest.mark.timeout(100)
@pytest.mark.usefixtures("real_worker", "made_up_times")
def test_table_by_n_has_a_line_for_each_size() -> None:
    said = invoke("gallery", *HOST, "--table", "3", "--n", "100,300").output
    assert re.search(r"^ *N +copy µs +selected µs +fenwick µs +reduce_then_scan µs$", said, re.MULTILINE), said
    assert len(re.findall(r"^ *[13]00( +~?[0-9.]+){4}$", said, re.MULTILINE)) == 2, said
