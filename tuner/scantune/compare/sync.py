"""Synchronization of a layer of records that others publish: it is fetched, and becomes a database for the library."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from scantune.compare.exchange import ImportReport, import_database
from scantune.compare.precedence import Precedence
from scantune.errors import ScantuneError
from scantune.model.layer import Layer
from scantune.store.archive import Archive
from scantune.store.database import open_database
from scantune.store.export import export_database
from scantune.store.fetched import fetched, unpacked
from scantune.store.private_directory import private_directory
from scantune.store.signature import MOST_BYTES, SUFFIX, Signers, verified_signer

MOST_RECORDS = 100_000  # records that the library reads of one file


@dataclass(frozen=True)
class Synced:
    layer: Layer
    file: Path  # the database that was, or would be, made
    sha256: str  # digest of what was fetched
    signer: str  # who signed it; empty where a digest was pinned
    winners: int
    report: ImportReport


def sync_layer(layer: Layer, directory: Path, precedence: Precedence, dry_run: bool = False) -> Synced:
    """Fetch a layer and replace its database as a whole; what was there stays if anything is wrong.

    What was fetched is read only once it is known to be what was pinned or signed, and even then its rows are checked
    as those of a stranger. Raises ScantuneError.
    """
    content = fetched(layer.url)
    digest = hashlib.sha256(content).hexdigest()
    signer = _checked(layer, content, digest)
    target = directory / f"{layer.name}.db"
    with private_directory("scantune-sync-") as made:
        source = made / "fetched"
        source.write_bytes(unpacked(layer.url, content))
        winners, report = _made(layer, source, signer, precedence, None if dry_run else target)
    return Synced(layer, target, digest, signer, winners, report)


def _checked(layer: Layer, content: bytes, digest: str) -> str:
    """Return who has signed the content, "" if its digest is pinned; raise if neither matches."""
    if layer.sha256 is not None:
        if digest != layer.sha256:
            raise ScantuneError(
                f"{layer.url}: its sha256 is {digest}, and {layer.sha256} is pinned; pin the new one only "
                "if its publishers confirm it elsewhere"
            )
        return ""
    if layer.allowed_signers is None:
        raise ScantuneError(f"{layer.url}: the list has neither a digest nor a signer for it")
    signature = fetched(layer.url + SUFFIX, MOST_BYTES)
    return verified_signer(layer.url, content, signature, Signers(layer.allowed_signers, layer.principal))


def _made(
    layer: Layer, source: Path, signer: str, precedence: Precedence, target: Path | None
) -> tuple[int, ImportReport]:
    """Return how many winners the new database has, and what was left out."""
    with open_database(source.with_name("layer.db")) as database:
        report = import_database(database, source, precedence, name_at(layer.url), signer, shown=layer.url)
        winners = len(Archive(database).records())
        if not winners:
            raise ScantuneError(f"{layer.url}: it has no valid record{_because(report)}")
        if winners > MOST_RECORDS:
            raise ScantuneError(f"{layer.url}: it has {winners} records, and the library reads up to {MOST_RECORDS}")
        database.run("drop_all_trials", {})  # no search continues from a layer
        if target:
            export_database(database, target, overwrite=True)
    return winners, report


def _because(report: ImportReport) -> str:
    return f"; of the first {report.reasons[0]}" if report.reasons else ""


def name_at(url: str) -> str:
    """Return the file's name in an address, for the origin of records without one."""
    return Path(urlsplit(url).path).name or urlsplit(url).hostname or url
