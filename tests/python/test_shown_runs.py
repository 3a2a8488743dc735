"""The commands that pages show run: on the host device, over files and a home of their own, and as little as will do.

The worker that was built answers them. What it would compile, verify and time is made up here: tests/host and
test_real_worker.py do so, and a shown command differs in its problem alone, which the worker still has to take.

The week of two teams on the page about sharing runs in test_sharing_page.py, in order and to the letter.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import re
import shlex
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import made_up
from command import run_line
from scantune.model.gallery_rows import ROWS
from scantune.model.layer import layers_of
from scantune.worker.client import Worker
from shown import PAGES, ROOT, Shown, commands_in, commands_named_in, text_of, without_the_week
from test_pictures import figures, table
from test_real_worker import BUILD, WORKER
from test_sync import Server

APP = BUILD / "docs/examples/example_scan_cpp"
LIBRARY = BUILD / "runtime/libscantune.so"
EXAMPLES = ROOT / "docs/examples"

pytestmark = [
    pytest.mark.skipif(
        not (WORKER and APP.exists() and LIBRARY.exists()),
        reason=f"{BUILD} lacks worker, library or examples; build them",
    ),
    pytest.mark.timeout(200),
]

# What does not run here, and why. All of it is parsed in test_shown_commands.py, but for what has no parser.
NOT_RUN = {
    r"make test$": "this test is one of those that it runs",
    r"make install ": "test_install.py installs what is built, which is what it does after building",
    r"make bench|.* tests/bench/parameter_effects.py measure ": "they measure a GPU",
    r"compute-sanitizer ": "it needs a GPU",
    r"make fuzz |\.ci/fuzz ": "it builds all with clang; fixed_inputs_test runs what it begins with",
    r"make kills ": "it kills for minutes; test_kill_points.py kills at fixed calls",
    r"make campaign": "it takes half an hour",
    r".* tests/campaign/many_processes.py ": "test_many_processes.py runs it, for seconds",
    r"ctest |.* -m pytest |build/tests/": "the tests run by themselves",
    r"g\+\+ ": "test_install.py builds a program by it",
    r".* lookback:prefetch=0$": "it needs the patch of its page, with which tests/proof runs it",
}

# What is run in the place of what is shown: smaller sizes, shorter times, the device that is here.
LESS = (
    (r'^make tune(?: ARGS="(.*)")?$', r"scantune \1"),  # which is what it does after building
    (r"--arch sm_90", "--arch host"),
    (r"2\^\d+(?:,|\.\.)2\^\d+", "2^6,2^8"),
    (r"--(rows|columns) 2\^\d\d", r"--\1 4"),
    (r"2\^\d\d", "2^10"),
    (r"--budget \S+", "--budget 2s"),
    (r"--(seeds|samples|cases) \d+", r"--\1 1"),
    (r"^(scantune prove (?!.*--cases).*)$", r"\1 --cases 1"),
    (r"^(scantune *(?:--(?!.*--budget).*)?)$", r"\1 --budget 2s"),
    (r"^(.* tests/bench/compare_samplers.py) space", r"\1 small-space"),
    (
        r"^scantune replay space[\w-]*\.json\.gz((?!.*--export).*)$",
        r"scantune replay small-space.json.gz\1 --seeds 1 --effort quick --no-effects",
    ),
    (r"^(scantune tune (?!.*--budget).*)$", r"\1 --budget 2s"),
    (r"^(scantune sweep .*)$", r"\1 --algorithm reduce --pairs-limit 4"),  # whose space is small
    (r"^(scantune gallery .*) batch,(vector .*--tune)$", r"\1 \2"),
    (r"^(scantune bench)$", r"\1 --type i32 --n 2^10"),
    (r"^(scantune regret .*)$", r"\1 --n 2^6,2^8 --samples 1 --trials 1"),
    (r"^(.* tests/bench/peers.py .*)$", r"\1 --types i32 --sizes 10 --rounds 2 --round-ms 1"),
    (r"^(.* tests/bench/kernel_tuner_replay.py .*)$", r"\1 --evaluations 40"),
    (r"^SCANTUNE_DB_PATH=/team/", "SCANTUNE_DB=none.db SCANTUNE_DB_PATH=team/"),
)

# Commands that sentences and tables name whole. Others are named in part, or are among the lines.
WHOLE = r"scantune (doctor|bench|db show|cache show|cache limit 1G|\w+ --help)$"

# Commands that tell by 3 that something is slower, as what the host device measures may be.
MAY_END_WITH_3 = r"scantune (regret|prove|db verify)"


def less(line: str) -> str:
    """Return what is run of a command."""
    if not line.startswith("scantune db explain"):  # which runs nothing
        for pattern, instead in LESS:
            line = re.sub(pattern, instead, line)
    return line


class Place:
    """A folder with the files that pages name, and a home with a database."""

    def __init__(self, folder: Path, server: Server, cache: Path) -> None:
        self.folder, self.home = folder, folder / "home"
        keep = {name: value for name, value in os.environ.items() if not re.match("SCANTUNE_|XDG_|FAKE_", name)}
        self.environment = keep | {
            "HOME": str(self.home), "PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "COLUMNS": "200",
            "CUDA_VISIBLE_DEVICES": "", "SCANTUNE_DEVICE": "host", "SCANTUNE_WORKER": str(WORKER),
            "SCANTUNE_CACHE": str(cache),
        }  # fmt: skip
        self._put_programs()
        self._put_records()
        self._put_signatures()
        self._put_results()
        self.run("SCANTUNE_RECORD=calls.jsonl app")
        content = gzip.compress((folder / "theirs.db").read_bytes())
        server.answers["/records.db.gz"] = content
        layer = {"name": "team", "url": server.url("/records.db.gz"), "sha256": hashlib.sha256(content).hexdigest()}
        (self.home / ".config/scantune").mkdir(parents=True)
        (self.home / ".config/scantune/layers.json").write_text(json.dumps([layer]))

    def _put_programs(self) -> None:
        for name in ("bin", ".venv/bin", "build/runtime", "home", "team"):
            (self.folder / name).mkdir(parents=True)
        for name, command in (
            ("bin/scantune", f'{shlex.quote(sys.executable)} -m scantune "$@"'),
            ("bin/python", f'{shlex.quote(sys.executable)} "$@"'),
            (".venv/bin/python", f'{shlex.quote(sys.executable)} "$@"'),
            ("bin/app", shlex.quote(str(APP.resolve()))),
        ):
            (self.folder / name).write_text(f"#!/bin/sh\nexec {command}\n")
            (self.folder / name).chmod(0o755)
        (self.folder / "tests").symlink_to(ROOT / "tests")
        (self.folder / "build/runtime/libscantune.so").symlink_to(LIBRARY.resolve())
        shutil.copy(EXAMPLES / "affine.cu", self.folder / "affine.cu")
        (self.folder / "docs").mkdir()
        (self.folder / "docs/examples").symlink_to(EXAMPLES)

    def _put_records(self) -> None:
        self.run("scantune --type i32 --n 4096 --budget 2s --seed 1 --workers 1")
        self.run("scantune db export records.jsonl && scantune db export theirs.db")
        for name in ("theirs.jsonl", "b.jsonl"):
            shutil.copy(self.folder / "records.jsonl", self.folder / name)
        for name in ("yours.db", "a.db", "team/tuned.db"):
            shutil.copy(self.folder / "theirs.db", self.folder / name)

    def _put_signatures(self) -> None:
        self.run("mkdir ~/.ssh && ssh-keygen -q -t ed25519 -N '' -f ~/.ssh/id_ed25519")
        self.run("ssh-keygen -q -Y sign -f ~/.ssh/id_ed25519 -n scantune-records records.jsonl")
        key = (self.home / ".ssh/id_ed25519.pub").read_text()
        (self.folder / "allowed_signers").write_text(f'alice@example.com namespaces="scantune-records" {key}')

    def _put_results(self) -> None:
        """Put what was measured on a GPU: a small space, effects of parameters, and figures of the benchmark."""
        shutil.copy(ROOT / "db/spaces/h200-i32-2p28.json.gz", self.folder / "space.json.gz")
        shutil.copy(ROOT / "db/spaces/h200-reduce-i32-2p20.json.gz", self.folder / "small-space.json.gz")
        for name in ("effects.csv", "build/effects.csv"):
            shutil.copy(ROOT / "tests/bench/results/h200-parameter-effects.csv", self.folder / name)
        (self.folder / "build/cub_bench.csv").write_text(table())
        (self.folder / "build/cub_bench.json").write_text(json.dumps(figures()))

    def run(self, command: str) -> str:
        code, out, err = run_line(command, self.folder, self.environment)
        allowed = (0, 3) if re.match(MAY_END_WITH_3, command) else (0,)
        assert code in allowed, f"{command}: {code}\n{out}{err}"
        return out


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory, kernels: Path) -> Iterator[Place]:
    folder = tmp_path_factory.mktemp("shown") / "place"
    server = Server()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Worker, "call", made_up.call)
        yield Place(folder, server, kernels)
    server.server.shutdown()
    server.server.server_close()


def is_run(line: str) -> bool:
    return not any(re.match(pattern, line) for pattern in NOT_RUN)


LINES = list(
    {one.line: one for page in PAGES for one in commands_in(page, without_the_week(page, text_of(page)))}.values()
)

NAMED = {one.line: one for page in PAGES for one in commands_named_in(page, text_of(page)) if re.match(WHOLE, one.line)}


@pytest.mark.parametrize("shown", [*(one for one in LINES if is_run(one.line)), *NAMED.values()], ids=str)
def test_a_shown_command_runs(shown: Shown, place: Place) -> None:
    command = less(shown.line)
    for written in re.findall(r"db export (\S+)", command):  # which replaces no file unless it is told to
        (place.folder / written).unlink(missing_ok=True)
        (place.folder / f"{written}.sig").unlink(missing_ok=True)
    said = place.run(command)
    if shown.line.startswith("SCANTUNE_DB_PATH="):
        assert "tuned.db" in said


@pytest.mark.parametrize("command", dict.fromkeys(row.command for row in ROWS))
def test_every_command_of_the_gallery_s_list_runs(command: str, place: Place) -> None:
    """They name files of a clone alone. What measures a GPU is asked what it would run."""
    place.run(f"make -n -C {ROOT} bench" if command == "make bench" else less(command))


def test_a_shown_program_searches_what_a_shown_command_exports(place: Place) -> None:
    pytest.importorskip("kernel_tuner")
    page = text_of("docs/spaces.md")
    (program,) = re.findall(r"^```python\n(results, env = kernel_tuner.*?)^```$", page, re.MULTILINE | re.DOTALL)
    place.run("scantune replay space.json.gz --family three_phase --export kernel_tuner -o cache.json")
    place.run(f"python -c {shlex.quote(f'import kernel_tuner{chr(10)}{program}assert results')}")


def test_a_shown_list_of_layers_is_one_that_a_sync_reads(tmp_path: Path) -> None:
    (shown,) = re.findall(r"^ {4}(\[\{\"name\".*?\}\}\])$", text_of("docs/sharing.md"), re.MULTILINE | re.DOTALL)
    assert [layer.name for layer in layers_of(shown, tmp_path)] == ["team", "vendor"]


def test_a_command_that_fails_is_noticed(place: Place) -> None:
    with pytest.raises(AssertionError, match=r"gone\.jsonl"):
        place.run("scantune db import gone.jsonl")


@pytest.mark.parametrize("pattern", NOT_RUN)
def test_what_is_not_run_is_shown(pattern: str) -> None:
    assert [one for one in LINES if re.match(pattern, one.line)]
