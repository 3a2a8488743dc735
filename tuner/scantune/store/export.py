"""Exports of a database: whole, for other machines, or the winners alone, for coming with the library."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from scantune.model.breakpoint import Breakpoint
from scantune.model.record import Record, Run
from scantune.store.connection import connected
from scantune.store.database import Database, DatabaseError
from scantune.store.replacement import place_to_replace, replacement
from scantune.store.signature import beside
from scantune.store.text_form import built_in_text, place_of, text_of

Named = Callable[[Run], Run]  # gives a run its origin
Sign = Callable[[bytes], bytes]  # returns the signature of a content


def export_database(
    database: Database,
    target: Path,
    overwrite: bool = False,
    named: Named = lambda run: run,
    sign: Sign | None = None,
) -> None:
    """Write a compact copy whose runs have their origin. It is written whole or not at all. Raises DatabaseError."""
    target = target.expanduser()
    with _signed_replacement(target, overwrite, sign) as copy:
        check_is_other(database, target)
        database.vacuum_into(copy, target)
        _name_runs(copy, named)


def export_text(
    records: Iterable[Record],
    breakpoints: Iterable[Breakpoint],
    target: Path,
    overwrite: bool = False,
    sign: Sign | None = None,
) -> None:
    """Write records as text. The file is written whole or not at all. Raises DatabaseError."""
    _write(text_of(records, breakpoints), target, overwrite, sign)


def export_built_in(
    records: Iterable[Record],
    breakpoints: Iterable[Breakpoint],
    target: Path,
    overwrite: bool = False,
    sign: Sign | None = None,
) -> list[Record]:
    """Write winners as the lines of db/builtin/records.jsonl, and return those written. Raises DatabaseError.

    Records that a library cannot come with are left out: those of the host device, whose CPU differs on every machine,
    and those of a user's own operators.
    """
    chosen = sorted((record for record in records if _is_for_all(record)), key=place_of)
    _write(built_in_text(chosen, breakpoints), target, overwrite, sign)
    return chosen


def export_signature(file: Path, signature: bytes) -> None:
    """Write the signature of a file beside it; an older one is replaced. Raises DatabaseError."""
    with replacement(beside(file.expanduser()), overwrite=True) as written:
        written.write_bytes(signature)


def check_place(target: Path, overwrite: bool) -> None:
    """Raise DatabaseError if nothing may be written at the target."""
    place_to_replace(target.expanduser(), overwrite)


def check_is_other(database: Database, target: Path) -> None:
    """Raise if the target is the database."""
    target = target.expanduser()
    if target.exists() and target.samefile(database.path):
        raise DatabaseError(f"{target}: a database cannot be exported onto itself")


def _name_runs(path: Path, named: Named) -> None:
    with connected(path, "rw") as connection, Database(path, connection) as copy, copy.transaction():
        for row in copy.rows("all_runs"):
            with contextlib.suppress(ValueError):  # a row that is not valid stays as it is
                run = Run.from_row(row)
                if (policy := named(run).policy) != run.policy:
                    copy.run("name_run", {"id": row["id"], "policy": policy})


def _write(text: str, target: Path, overwrite: bool, sign: Sign | None) -> None:
    with _signed_replacement(target.expanduser(), overwrite, sign) as file:
        file.write_text(text, encoding="utf-8")


def _is_for_all(record: Record) -> bool:
    return not record.device.is_host and not record.problem.is_of_users_own and not record.run.source_digest


@contextlib.contextmanager
def _signed_replacement(target: Path, overwrite: bool, sign: Sign | None) -> Iterator[Path]:
    """Yield a file to write, which replaces the target after its signature has replaced the target's.

    Without `sign` the target's old signature is removed. An interruption between the two leaves a file whose signature
    does not verify, and never a verified file that nobody signed.
    """
    with replacement(target, overwrite) as written:
        yield written
        if sign:
            export_signature(target, sign(written.read_bytes()))
        elif overwrite and target.exists():
            beside(target).unlink(missing_ok=True)
