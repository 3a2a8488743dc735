"""Feeds mutated texts, databases, signatures, archives, lists and recorded calls to the tuner's readers.

What they accept is fed to a worker.

    python tests/fuzz/reading_fuzz.py SECONDS SEED FOUND    with the worker that SCANTUNE_WORKER names
    python tests/fuzz/reading_fuzz.py --again FILE          an input that was found, whose name begins with its target's

Each target says what may come of an input. Either there is a DatabaseError that names the file, or there are records
that are written and read again unchanged, and from which the library selects no config outside its space. Everything
else is a bug.
"""

from __future__ import annotations

import contextlib
import gzip
import json
import math
import random
import resource
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

from scantune.compare.exchange import ForeignTrial, import_database
from scantune.compare.precedence import Precedence
from scantune.errors import ScantuneError
from scantune.model.device import Device
from scantune.model.layer import layers_of
from scantune.model.octave import octave_of
from scantune.model.origin import Origin
from scantune.model.record import Record, Run
from scantune.store.archive import Archive
from scantune.store.call_files import CallFiles
from scantune.store.database import DatabaseError, open_database
from scantune.store.export import export_database
from scantune.store.fetched import FetchError, unpacked
from scantune.store.foreign import foreign_contents
from scantune.store.signature import SignatureError, Signers, sign, verified_signer
from scantune.store.text_form import text_of
from scantune.worker.client import Worker, WorkerError
from scantune.worker.command import worker_command
from scantune.worker.evaluation import Evaluator, Timeouts
from scantune.worker.selection import select

H200 = Device("sm_90", "NVIDIA H200", 132)
ALICE = "alice@example.com"
MOST_KIB = 2**20  # limit to the memory for all inputs
MOST_SECONDS = 30  # limit to the time for one input
MOST_BYTES = 2**18  # limit to the size of one input
SELECTED_OF_AN_INPUT = 3
TEXT_EDGES: list[Any] = [
    None, True, 0, -1, 1.5, 1e308, -0.0, float("inf"), float("nan"), 2**31, 2**53 + 1, 2**63, -(2**63), 10**400, "",
    "\x1b[2J\n", "\ud800", "a" * 300, "a" * 70_000, [], {}, [[]], {"": None}, '"); asm("trap', "../../x",
    "9999-99-99T99:99:99Z", "single_block", "sm_90", "host",
]  # fmt: skip


class Bug(Exception):
    pass


def require(holds: bool, claim: str) -> None:
    if not holds:
        raise Bug(f"does not hold: {claim}")


class Tools:
    """The tools that targets share: a worker that answers for an H200, a directory, keys."""

    def __init__(self, stack: contextlib.ExitStack, seed: int) -> None:
        self.random = random.Random(seed)
        in_memory = "/dev/shm" if Path("/dev/shm").is_dir() else None  # avoids waiting for a disk
        self.directory = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="scantune-fuzz-", dir=in_memory)))
        self.worker = stack.enter_context(Worker(worker_command(), "host", described=H200))
        self.precedence = stack.enter_context(Precedence())
        self.algorithms = self.worker.hello().algorithms
        for name in ("alice", "mallory"):
            command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", str(self.directory / name)]
            subprocess.run(command, check=True, timeout=60)
        allowed = self.directory / "allowed_signers"
        allowed.write_text(f"{ALICE} {(self.directory / 'alice.pub').read_text()}")
        self.signers = Signers(allowed)
        self.lines = [json.loads(line) for line in _built_in().splitlines()]

    def text(self) -> bytes:
        """Return a few lines as an export has them."""
        first = self.random.randrange(len(self.lines) - 4)
        return b"".join(json.dumps(_whole(line)).encode() + b"\n" for line in self.lines[first : first + 4])


def _built_in() -> str:
    return (Path(__file__).parents[2] / "db" / "builtin" / "records.jsonl").read_text(encoding="utf-8")


def _whole(line: dict[str, Any]) -> dict[str, Any]:
    """Return a line of the library with the further keys that lines of exports have."""
    origin = Origin("alice", "tuning.db", "0123456789ab").message()
    n, us = line["n"], line["median_us"]
    told_of_range = {"serves": octave_of(n).message(), "probes": [[n, 0, us, 1.5 * us], [n, 1, us, us]]}
    of_run = {"started_at": line["finished_at"], "seed": 1, "policy": {"trials": 96, "origin": origin}}
    whole = {**line, **told_of_range, **of_run}
    if above := line.get("breakpoint"):
        told = {name: line[name] for name in ("family", "config", "finished_at")}
        whole["breakpoint"] = {**above, **told, "probes": [[line["n"] + 1, 1.0, 0.5], [above["n_high"], 2.0, 1.5]]}
    return whole


# --- Mutations.


def mutated_bytes(content: bytes, chance: random.Random) -> bytes:
    changed = bytearray(content)
    for _ in range(chance.choice((1, 1, 2, 4, 16))):
        place, length = chance.randrange(len(changed) + 1), chance.choice((1, 2, 8, 64, 512))
        kind = chance.randrange(6)
        if kind == 0 and place < len(changed):
            changed[place] ^= 1 << chance.randrange(8)
        elif kind == 1:
            changed[place:place] = chance.randbytes(length)
        elif kind == 2:
            del changed[place : place + length]
        elif kind == 3:
            changed[place:place] = changed[place : place + length] * chance.choice((1, 2, 20))
        elif kind == 4:
            changed[place : place + length] = bytes([chance.choice((0, 10, 34, 44, 92, 123, 125, 127, 255))]) * length
        elif kind == 5:
            del changed[place:]
    return bytes(changed[:MOST_BYTES])


def mutated_line(line: Any, chance: random.Random) -> Any:
    """Change a value somewhere in JSON, take a member away or add one."""
    if isinstance(line, dict) and line and chance.random() < 0.9:
        name = chance.choice(list(line))
        changed = dict(line)
        kind = chance.randrange(8)
        if kind == 0:
            del changed[name]
        elif kind == 1:
            changed[chance.choice(("energy", "\x1b", "__class__", "n" * 300))] = chance.choice(TEXT_EDGES)
        else:
            changed[name] = mutated_line(line[name], chance)
        return changed
    if isinstance(line, list) and line and chance.random() < 0.7:
        place = chance.randrange(len(line))
        return [*line[:place], mutated_line(line[place], chance), *line[place + chance.randrange(2) :]]
    is_number = isinstance(line, (int, float)) and not isinstance(line, bool) and -(2**64) < line < 2**64
    if is_number and chance.random() < 0.5:
        return chance.choice((line + 1, line - 1, line * 2, -line, line / 3, 1 << 17))
    return chance.choice(TEXT_EDGES)


def mutated_text(content: bytes, tools: Tools) -> bytes:
    chance = tools.random
    if chance.random() < 0.2:
        return mutated_bytes(content, chance)
    lines = [json.loads(line) for line in content.splitlines()]
    for _ in range(chance.choice((1, 1, 2, 5))):
        place = chance.randrange(len(lines))
        lines[place] = mutated_line(lines[place], chance)
    if chance.random() < 0.1:
        lines.append(chance.choice(lines))
    return "\n".join(map(json.dumps, lines)).encode()[:MOST_BYTES]


def database_of(text: bytes, tools: Tools) -> bytes:
    """Return the database that text is imported into."""
    source, made, export = (tools.directory / name for name in ("made.jsonl", "made.db", "export.db"))
    for file in (source, made, export):
        file.unlink(missing_ok=True)
    source.write_bytes(text)
    with open_database(made) as database:
        import_database(database, source, tools.precedence)
        export_database(database, export)
    return export.read_bytes()


SQL = (
    "UPDATE {table} SET {column} = ? WHERE rowid % ? = 0", "UPDATE {table} SET {column} = ? || {column} WHERE 1 <= ?",
    "UPDATE {table} SET {column} = CAST({column} AS BLOB) WHERE ? IS NOT ?", "DELETE FROM {table} WHERE ? IS NOT ?",
    "ALTER TABLE {table} DROP COLUMN {column}", "ALTER TABLE {table} RENAME TO t{column}", "DROP TABLE {table}",
    "CREATE VIEW v{column} AS SELECT {column} FROM {table}", "PRAGMA user_version = {number}",
    "PRAGMA page_size = {number}",
    "CREATE TRIGGER t AFTER INSERT ON {table} BEGIN SELECT randomblob(99999999); END",
    "CREATE INDEX i ON {table} (hex({column}))", "INSERT INTO {table} SELECT * FROM {table}",
)  # fmt: skip
COLUMNS = {
    "device": ("id", "arch", "name", "sm_count"), "problem": ("id", "algorithm", "request", "shape"),
    "run": ("id", "started_at", "template_hash", "effort", "seed", "policy", "tool_version"),
    "record": ("n", "family", "config", "median_us", "spread", "default_us", "finished_at", "run_id", "device_id",
               "served_above", "served_up_to", "probes"),
    "breakpoint": ("n_low", "n_high", "n_switch", "probes", "regret", "run_id"),
}  # fmt: skip


def mutated_database(content: bytes, tools: Tools) -> bytes:
    chance = tools.random
    if chance.random() < 0.4:
        return mutated_bytes(content, chance)
    file = tools.directory / "mutated.db"
    file.write_bytes(content)
    connection = sqlite3.connect(file, isolation_level=None)
    try:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.execute("PRAGMA synchronous = OFF")
        for _ in range(chance.choice((1, 1, 2, 4))):
            table = chance.choice(list(COLUMNS))
            statement = chance.choice(SQL[:4] if chance.random() < 0.8 else SQL).format(
                table=table, column=chance.choice(COLUMNS[table]), number=chance.choice((0, 1, 2, 4, 512, 2**31 - 1))
            )
            value = chance.choice(TEXT_EDGES)
            if isinstance(value, (list, dict)):
                value = json.dumps(value)
            with contextlib.suppress(sqlite3.Error, OverflowError, UnicodeEncodeError):
                connection.execute(statement, (value, chance.choice((1, 2, 3)))[: statement.count("?")])
    finally:
        connection.close()
    return file.read_bytes()[:MOST_BYTES]


# --- Checks of what must hold.


def check_file(content: bytes, tools: Tools, suffix: str) -> None:
    file = tools.directory / f"input{suffix}"
    file.write_bytes(content)
    reasons: list[str] = []
    try:
        with foreign_contents(file, reasons.append, tools.algorithms) as contents:
            records, breakpoints = list(contents.records()), list(contents.breakpoints())
            for _ in contents.trials(lambda row: ForeignTrial.from_row(row, tools.algorithms)):
                pass
    except DatabaseError as error:
        require(str(file) in str(error), f"an error names its file: {error!r}")
        require(len(str(error)) < 2000, "an error is short")
        return
    require(all(len(reason) <= 300 for reason in reasons), "a reason is short")
    again = tools.directory / "again.jsonl"
    again.write_text(text_of(records, breakpoints), encoding="utf-8")
    with foreign_contents(again, reasons.append, tools.algorithms) as contents:
        require(sorted(map(repr, contents.records())) == sorted(map(repr, records)), "text is read as it was written")
    if records and tools.random.random() < 0.3:
        check_selection(file, records, tools)


def check_selection(file: Path, records: list[Record], tools: Tools) -> None:
    """Check that the library selects only what its space holds, and names the record by what the file says."""
    ours = tools.directory / "ours.db"
    for name in (ours, *(ours.with_name(ours.name + end) for end in ("-wal", "-shm", "-journal"))):
        name.unlink(missing_ok=True)
    with open_database(ours) as database:
        import_database(database, file, tools.precedence, "input", ALICE)
        for record in Archive(database).records():
            require(_signer_of(record.run) == ALICE, "the signer is the one who was verified")
    evaluator = Evaluator(tools.worker, Timeouts())
    for record in [record for record in records if _is_known(record, tools)][:SELECTED_OF_AN_INPUT]:
        problem = tools.algorithms.declared(record.problem)
        databases = [ours] if tools.random.random() < 0.8 or file.suffix != ".db" else [ours, file]
        try:
            selection = select(tools.worker, problem, record.n, databases)
        except ScantuneError as error:
            require(not tools.worker.restarts, f"the worker lives: {error}")
            continue
        require(evaluator.is_valid(problem, record.n, selection.config), f"the space holds {selection.config}")


def _is_known(record: Record, tools: Tools) -> bool:
    try:
        return bool(tools.algorithms.declared(record.problem).declared)
    except ValueError:
        return False


def _signer_of(run: Run) -> str:
    return run.origin.signer if run.origin else ""


def check_text(content: bytes, tools: Tools) -> None:
    check_file(content, tools, ".jsonl")


def check_database(content: bytes, tools: Tools) -> None:
    check_file(content, tools, ".db")


def check_signature(content: bytes, tools: Tools) -> None:
    """Check the reader of signatures. The first line of an input has the length of its signature, which comes before
    what was signed.
    """
    head, _, rest = content.partition(b"\n")
    length = int(head) if head.isdigit() and len(head) < 7 else 0
    signature, signed = rest[:length], rest[length:]
    try:
        signer = verified_signer("FILE", signed, signature, tools.signers)
    except SignatureError as error:
        require(len(str(error)) < 1000, "an error is short")
        return
    require(signer == ALICE, "Alice alone is listed")
    require(signed == _signed(tools), "a signature is of what was signed")


def _signed(tools: Tools) -> bytes:
    return json.dumps(tools.lines[0]).encode()


def signature_example(tools: Tools) -> bytes:
    signature = sign(_signed(tools), tools.directory / tools.random.choice(("alice", "alice", "mallory")))
    return b"%d\n" % len(signature) + signature + _signed(tools)


def check_archive(content: bytes, tools: Tools) -> None:
    with contextlib.suppress(FetchError):
        require(len(unpacked("URL", content)) <= 256 * 2**20, "what is unpacked has a limit")


def check_list(content: bytes, tools: Tools) -> None:
    try:
        layers = layers_of(content.decode(), tools.directory)
    except (ValueError, RecursionError):
        return
    for layer in layers:
        require(Path(layer.name).name == layer.name and layer.name[:1] not in (".", ""), "a layer is a file of its own")
        require((layer.sha256 is None) != (layer.allowed_signers is None), "a layer is pinned or signed")


def check_calls(content: bytes, tools: Tools) -> None:
    file = tools.directory / "calls.jsonl"
    file.write_bytes(content)
    read = CallFiles.read([file], tools.worker.hello().algorithms)
    for one in read.called:
        require(0 < one.total_us < math.inf, "calls take time")
        require(0 < one.calls < 2**70, "a line counts calls")
        with contextlib.suppress(WorkerError):  # some problems have no kernel
            select(tools.worker, *one.cell, databases=[])


def calls_example(tools: Tools) -> bytes:
    return b"".join(json.dumps(_called(tools, line)).encode() + b"\n" for line in tools.random.sample(tools.lines, 3))


def _called(tools: Tools, line: dict[str, Any]) -> dict[str, Any]:
    """Return what the library says of calls that a record serves."""
    shape = line.get("shape") or {}
    names = ("arch", "device_name", "sm_count", "algorithm", "request", "n", "family", "config")
    return {
        **{name: line[name] for name in names}, "shape": shape or "",
        "extents": {name: 1 << int(kind) for name, kind in shape.items()},
        "origin": "built_in", "reason": "tuned for it", "record": {"n": line["n"], "median_us": line["median_us"]},
        "calls": tools.random.randrange(1, 1000), "alignment": 256,
    }  # fmt: skip


def list_example(tools: Tools) -> bytes:
    signed_by = {"allowed_signers": "allowed", "principal": ALICE}
    layers = [
        {"name": "team", "url": "https://example.com/a", "sha256": "0" * 64},
        {"name": "vendor", "url": "https://example.com/b", "signed_by": signed_by},
    ]
    return json.dumps(layers).encode()


def mutated_list(content: bytes, tools: Tools) -> bytes:
    if tools.random.random() < 0.3:
        return mutated_bytes(content, tools.random)
    return json.dumps(mutated_line(json.loads(content), tools.random)).encode()[:MOST_BYTES]


Example = Callable[[Tools], bytes]
Mutate = Callable[[bytes, Tools], bytes]
Check = Callable[[bytes, Tools], None]


def _by_bytes(content: bytes, tools: Tools) -> bytes:
    return mutated_bytes(content, tools.random)


# The targets, each with its share of inputs in percent.
TARGETS: dict[str, tuple[int, Example, Mutate, Check]] = {
    "text": (40, Tools.text, mutated_text, check_text),
    "database": (30, lambda tools: database_of(tools.text(), tools), mutated_database, check_database),
    "signature": (5, signature_example, _by_bytes, check_signature),
    "archive": (10, lambda tools: gzip.compress(tools.text()), _by_bytes, check_archive),
    "list": (10, list_example, mutated_list, check_list),
    "calls": (5, calls_example, mutated_text, check_calls),
}


@contextlib.contextmanager
def limits() -> Iterator[None]:
    def too_long(*_: object) -> NoReturn:
        raise Bug(f"an input takes more than {MOST_SECONDS} s")

    signal.signal(signal.SIGALRM, too_long)
    signal.alarm(MOST_SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
    # This is checked and not limited by the system, because workers under sanitizers would inherit a limit.
    require(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < MOST_KIB, "an input takes little memory")


def fuzz(seconds: float, seed: int, found: Path, most: int | None = None) -> int:
    """Fuzz for some seconds, or until so many inputs. Return 1 if one failed a check; it is then in `found`."""
    with contextlib.ExitStack() as stack:
        tools = Tools(stack, seed)
        kept = {name: [example(tools) for _ in range(4)] for name, (_, example, _, _) in TARGETS.items()}
        counts = dict.fromkeys(TARGETS, 0)
        weights = [share for share, *_ in TARGETS.values()]
        end = time.monotonic() + seconds
        while time.monotonic() < end and sum(counts.values()) != most:
            (name,) = tools.random.choices(list(TARGETS), weights)
            _, _, mutate, check = TARGETS[name]
            content = mutate(tools.random.choice(kept[name]), tools)
            counts[name] += 1
            try:
                with limits():
                    check(content, tools)
            except Exception:
                traceback.print_exc()
                found.mkdir(parents=True, exist_ok=True)
                kept_in = found / f"{name}-{seed}-{sum(counts.values())}"
                kept_in.write_bytes(content)
                print(f"reading: {name} FAILED; to see it again: {sys.executable} {__file__} --again {kept_in}")
                return 1
    told = ", ".join(f"{count} {name}" for name, count in counts.items())
    print(f"{sum(counts.values())} inputs in {seconds:.0f} s, seed {seed}: {told}")
    return 0


def again(file: Path) -> None:
    with contextlib.ExitStack() as stack:
        tools = Tools(stack, 1)
        tools.random.random = lambda: 0.0  # type: ignore[method-assign]
        with limits():
            TARGETS[file.name.partition("-")[0]][3](file.read_bytes(), tools)


def main() -> int:
    if sys.argv[1] == "--again":
        again(Path(sys.argv[2]))
        return 0
    return fuzz(float(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))


if __name__ == "__main__":
    sys.exit(main())
