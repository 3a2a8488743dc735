"""The commands that carry records between machines: scantune db export and import."""

from __future__ import annotations

import contextlib
import getpass
import hashlib
import platform
from collections.abc import Iterator
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Annotated

import typer

from scantune import paths
from scantune.cli.json_output import JsonOutput
from scantune.cli.options import DbOption, DryRunOption, JsonOption
from scantune.cli.standard_file import input_file, is_standard, output_file
from scantune.cli.terminal import leave_standard_output, note, note_rows_left_out, reported_errors, say
from scantune.compare.exchange import ImportReport, import_database
from scantune.compare.precedence import Precedence
from scantune.errors import ScantuneError, UsageError
from scantune.model.origin import NO_ORIGIN
from scantune.model.quantity import counted
from scantune.store.archive import Archive
from scantune.store.database import Database, open_database, open_readonly
from scantune.store.export import (
    Named,
    Sign,
    check_is_other,
    check_place,
    export_built_in,
    export_database,
    export_text,
)
from scantune.store.private_directory import private_directory
from scantune.store.signature import (
    Signers,
    beside,
    check_key,
    sign,
    signature_of,
    signed_content,
    verified_signer,
)
from scantune.store.text_form import is_text_name


def export_command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What to write; - is standard output.")],
    db: DbOption = None,
    force: Annotated[bool, typer.Option(help="Replace FILE if it exists.")] = False,
    text: Annotated[
        bool, typer.Option("--text", help="Write one line for each winner, as for a FILE that ends in .jsonl.")
    ] = False,
    by: Annotated[
        str | None,
        typer.Option(
            help="Who exports; written with each record. '' leaves the name out; the default is the login name."
        ),
    ] = None,
    with_host: Annotated[
        bool, typer.Option("--with-host", help="Write a digest of this machine's name with each record, too.")
    ] = False,
    built_in: Annotated[
        bool,
        typer.Option("--built-in", help="Write only the winners of GPUs, in the form of db/builtin/records.jsonl."),
    ] = False,
    key: Annotated[
        Path | None,
        typer.Option("--sign", metavar="KEY", help="Sign FILE with an SSH key; the signature is written to FILE.sig."),
    ] = None,
    json_: JsonOption = None,
) -> None:
    """Write the database to FILE, - for standard output, for 'scantune db import' on other machines.

    As text, FILE suits version control: it is sorted, and has winners and breakpoints only. Records from elsewhere keep
    their origin. With --built-in, FILE is for building the library, which then ships these records and uses them
    without tuning.
    """
    with reported_errors():
        if is_standard(file) and json_ and is_standard(json_):
            raise UsageError("only one of FILE and --json can be -: standard output is one")
        if key and is_standard(file):
            raise UsageError("--sign writes the signature to a file beside FILE, so FILE cannot be -: name a file")
        if by == NO_ORIGIN:
            raise UsageError(
                f"--by {by}: 'db forget --origin {by}' means records that nobody exported; --by '' leaves the name out"
            )
        if key:
            check_key(key)
            check_place(beside(file), force)
        output = JsonOutput.of(json_, "db export")
        if is_standard(file):
            leave_standard_output()
        path = paths.database_path(db)
        named = _names(path, _login_name() if by is None else by, with_host)
        text = text or built_in or is_text_name(file)
        signs = partial(sign, key=key.expanduser()) if key else None
        with noted_signature(file), output_file(file) as target, open_readonly(path) as database:
            winners = _export(database, target, force, text, None if built_in else named, signs)
        say(f"{counted(winners, 'winner')} exported to {file}")
        if key:
            say(f"signed in {beside(file)}")
        output.write(
            file=str(file), built_in=built_in, text=text, winners=winners, signature=str(beside(file)) if key else None
        )


@contextlib.contextmanager
def noted_signature(file: Path) -> Iterator[None]:
    """Note at the end if the signature of the file was removed because the file was replaced."""
    signature = beside(file.expanduser())
    was_there = signature.exists()
    yield
    if was_there and not signature.exists():
        note(f"{beside(file)} was removed: it signed the previous content of {file}")


def _export(database: Database, target: Path, force: bool, text: bool, named: Named | None, signs: Sign | None) -> int:
    """Write the file and return how many winners it has; without `named`, write those that a library ships."""
    check_is_other(database, target)
    archive = Archive(database)
    with database.snapshot():
        records, breakpoints = archive.records(), archive.breakpoints()
    note_rows_left_out(database.path, archive.left_out)
    if named is None:
        return len(export_built_in(records, breakpoints, target, overwrite=force, sign=signs))
    if text:
        records = [replace(record, run=named(record.run)) for record in records]
        breakpoints = [replace(found, run=named(found.run)) for found in breakpoints]
        export_text(records, breakpoints, target, overwrite=force, sign=signs)
    else:
        export_database(database, target, overwrite=force, named=named, sign=signs)
    return len(records)


def _names(path: Path, by: str, with_host: bool) -> Named:
    host = hashlib.sha256(platform.node().encode()).hexdigest()[:12] if with_host else ""
    return cache(lambda run: run.exported(by, path.name, host))


def _login_name() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a user without a name, as in a container
        return ""


def import_command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What 'scantune db export' wrote; - is standard input.")],
    db: DbOption = None,
    allowed_signers: Annotated[
        Path | None,
        typer.Option(metavar="LIST", help="Refuse FILE unless FILE.sig is a signature by a signer in this SSH list."),
    ] = None,
    principal: Annotated[
        str | None, typer.Option(help="The signer in --allowed-signers that must have signed; any of them by default.")
    ] = None,
    dry_run: DryRunOption = False,
    json_: JsonOption = None,
) -> None:
    """Merge the winners and trials of FILE, a database or text, - for standard input.

    Of two winners for a cell, the one measured with the current templates stays, then the better measured, then the
    newer. A winner that the worker refuses replaces none of ours.
    """
    with reported_errors():
        output = JsonOutput.of(json_, "db import")
        path = paths.database_path(db)
        with contextlib.ExitStack() as stack:
            source = stack.enter_context(input_file(file))
            signer, name = "", source.name
            if signers := _signers(file, allowed_signers, principal):
                source, signer = stack.enter_context(_verified(source, signers))
            database = stack.enter_context(_copied(path) if dry_run else open_database(path))
            if dry_run and path.exists() and source.samefile(path):
                raise ScantuneError(f"{file}: a database cannot be imported into itself")
            precedence = stack.enter_context(Precedence())
            report = import_database(database, source, precedence, file=name, signer=signer, shown=str(file))
        say(
            f"{counted(report.new_records, 'new winner')}, {report.better_records} replaced ours, "
            f"{report.kept_records} of ours kept, {counted(report.new_trials, 'new trial')}, "
            f"{counted(report.new_breakpoints, 'new breakpoint')} {'would be ' if dry_run else ''}in {path}"
        )
        if signer:
            kept = f", {report.newly_signed} of ours that were kept too" if report.newly_signed else ""
            say(f"{file} was signed by {signer}{kept}")
        note_what_is_left_out(file, report)
        output.write(
            file=str(file), database=str(path), dry_run=dry_run, new_winners=report.new_records,
            replaced_winners=report.better_records, kept_winners=report.kept_records,
            new_trials=report.new_trials, new_breakpoints=report.new_breakpoints, rejected=report.rejected,
            rejected_because=list(report.reasons), unknown_keys=report.unknown_keys,
            signer=signer, newly_signed=report.newly_signed,
        )  # fmt: skip
        if report.took_nothing:
            raise ScantuneError(f"{file}: none of its rows is valid")


@contextlib.contextmanager
def _copied(path: Path) -> Iterator[Database]:
    """Yield a temporary copy of a database. The database itself is neither created nor migrated nor locked."""
    with private_directory("scantune-import-") as directory:
        copy = directory / path.name
        if path.exists():
            with open_readonly(path) as own:
                export_database(own, copy)
        with open_database(copy) as database:
            yield database


def _signers(file: Path, allowed: Path | None, principal: str | None) -> Signers | None:
    if allowed is None:
        if principal is not None:
            raise UsageError(f"--principal {principal} is a name in a list: name the list with --allowed-signers")
        return None
    if is_standard(file):
        raise UsageError("--allowed-signers needs a signature beside FILE, so FILE cannot be -: name a file")
    return Signers(allowed.expanduser(), principal)


@contextlib.contextmanager
def _verified(file: Path, signers: Signers) -> Iterator[tuple[Path, str]]:
    """Yield a copy of the signed file, alone in its directory, and its signer."""
    content = signed_content(file)
    signer = verified_signer(str(file), content, signature_of(file), signers)
    with private_directory("scantune-import-") as directory:
        copy = directory / file.name
        copy.write_bytes(content)
        yield copy, signer


def note_what_is_left_out(file: object, report: ImportReport) -> None:
    if report.rejected:
        listed = "\n  ".join(report.reasons)
        note(f"{counted(report.rejected, 'row')} of {file} left out as invalid:\n  {listed}")
    if report.unknown_keys:
        keys = ", ".join(map(repr, report.unknown_keys))[:300]
        note(
            f"{file} has keys that this version does not know and leaves out: {keys}. A later version may "
            "have written it"
        )
