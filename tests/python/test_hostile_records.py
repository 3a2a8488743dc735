"""No record of a stranger, in whatever form it comes, makes the library run what its space does not hold."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from command import invoke
from scantune import paths
from scantune.model.device import Device
from scantune.worker.client import Worker
from test_real_worker import BUILD, WORKER, real_worker
from test_sync import Server, list_layers, pinned, server

__all__ = ["real_worker", "server"]  # fixtures

pytestmark = pytest.mark.skipif(WORKER is None, reason=f"there is no scantune-worker in {BUILD}; build it first")

H200 = Device("sm_90", "NVIDIA H200", 132)
REQUEST = {"algorithm": "scan", "input_type": "i32", "n": 2**12}


def genuine_line() -> dict[str, Any]:
    """Return a record of the library as an export has it, but for a size that the library has no record of."""
    text = (paths.checkout() / "db" / "builtin" / "records.jsonl").read_text(encoding="utf-8")
    request = {"input_type": "i32", "accumulator_type": "i32", "output_type": "i32"}
    lines = [json.loads(line) for line in text.splitlines()]
    wanted = (REQUEST["algorithm"], request, REQUEST["n"])
    line = next(line for line in lines if (line["algorithm"], line["request"], line["n"]) == wanted)
    line = {name: value for name, value in line.items() if name not in ("breakpoint", "serves")}
    return {**line, "started_at": line["finished_at"], "seed": 1, "policy": {}, "template_hash": "f" * 64}


def with_parameter(**values: Any) -> dict[str, Any]:
    line = genuine_line()
    return {**line, "config": {**line["config"], **values}}


HOSTILE = {
    "threads that no CTA has": with_parameter(block_threads=100_000),
    "threads that the space does not hold": with_parameter(block_threads=33),
    "a size that overflows": with_parameter(block_threads=2**31, items_per_thread=2**31),
    "code for a number": with_parameter(block_threads='64}>; asm("trap;"); //'),
    "code for a name": with_parameter(layout="striped}; __device__ int x = 0; //"),
    "a parameter with code for its name": with_parameter(**{'x; asm("trap;")': 1}),
    "no parameters": {**genuine_line(), "config": {}},
    "a family that there is not": {**genuine_line(), "family": 'single_block"\n#include "/etc/passwd'},
    "a family of another algorithm": {**genuine_line(), "family": "copy_vectors"},
    "an architecture with an option": {**genuine_line(), "arch": "sm_90 --include-path=/tmp"},
    "a type with code": {**genuine_line(), "request": {**genuine_line()["request"], "input_type": "int; asm()"}},
    "no items": {**genuine_line(), "n": 0},
    "more items than any memory holds": {**genuine_line(), "n": 2**62},
    "a range that does not hold its n": {**genuine_line(), "serves": [2**16, 2**17]},
    "a range of more items than any memory holds": {**genuine_line(), "serves": [0, 2**62]},
    "a range with code": {**genuine_line(), "serves": ["0) OR (1", 2**16]},
    "an algorithm that there is not": {**genuine_line(), "algorithm": "system('id')"},
}


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    with Worker([str(WORKER)], "host", described=H200) as worker:
        yield worker


def selected(worker: Worker, *databases: Path) -> dict[str, Any]:
    """Return what the library selects, and check that its own space holds that."""
    answer = worker.call("select", {"request": REQUEST, "databases": list(map(str, databases))}, 60)
    assert worker.call("validate", {"request": REQUEST, "config": answer["config"]}, 60)["valid"] is True
    return answer


def text_file(line: dict[str, Any], directory: Path) -> Path:
    file = directory / "records.jsonl"
    file.write_text(json.dumps(line) + "\n")
    return file


def database_file(line: dict[str, Any], directory: Path) -> Path:
    """Return a database with the unchecked columns of a line, which no tuner would write."""
    file = directory / "planted.db"
    (directory / "genuine.jsonl").write_text(json.dumps(genuine_line()) + "\n")
    imported = invoke("db", "import", str(directory / "genuine.jsonl"), "--db", str(file))
    assert imported.exit_code == 0, imported.output
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute("UPDATE device SET arch = ?", (line["arch"],))
        connection.execute(
            "UPDATE problem SET algorithm = ?, request = ?", (line["algorithm"], _compact(line["request"]))
        )
        connection.execute(
            "UPDATE record SET family = ?, config = ?, n = ?", (line["family"], _compact(line["config"]), line["n"])
        )
        if "serves" in line:
            connection.execute("UPDATE record SET served_above = ?, served_up_to = ?", line["serves"])
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return file


def _compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def test_genuine_record_is_selected_in_either_form(worker: Worker, tmp_path: Path) -> None:
    """Otherwise the tests below could not fail."""
    database = database_file(genuine_line(), tmp_path)
    answer = selected(worker, database)
    assert (answer["origin"], answer["record"]["layer"], answer["rejected"]) == ("exact_n", "user", [])


@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_row_of_a_database_is_not_selected(worker: Worker, tmp_path: Path, what: str) -> None:
    answer = selected(worker, database_file(HOSTILE[what], tmp_path))
    assert answer["origin"] == "built_in"
    assert len(answer["rejected"]) == 1


@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_line_of_text_is_not_selected_once_it_is_imported(worker: Worker, tmp_path: Path, what: str) -> None:
    mine = tmp_path / "mine.db"
    invoke("db", "import", str(text_file(HOSTILE[what], tmp_path)), "--db", str(mine))
    assert selected(worker, mine)["origin"] == "built_in"


def test_hostile_line_of_a_layer_is_not_selected_once_it_is_synced(
    worker: Worker, tmp_path: Path, server: Server
) -> None:
    """A pinned layer is checked too, because nobody may have looked at what was pinned."""
    lines = [
        json.dumps({**line, "n": 2**16 + place} if line["n"] == 2**16 else line)
        for place, line in enumerate(HOSTILE.values())
    ]
    list_layers(pinned(server, "\n".join([*lines, json.dumps({**genuine_line(), "n": 1000}), ""]).encode()))
    result = invoke("db", "sync")
    assert result.exit_code == 0, result.output
    answer = selected(worker, paths.layers_directory() / "team.db")
    assert answer["origin"] in ("built_in", "between_n")
