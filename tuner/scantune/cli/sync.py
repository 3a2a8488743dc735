"""The command that fetches the records that others publish: scantune db sync."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from scantune import paths
from scantune.cli.exchange import note_what_is_left_out
from scantune.cli.json_output import JsonOutput
from scantune.cli.options import DryRunOption, JsonOption
from scantune.cli.terminal import note, reported_errors, say
from scantune.compare.precedence import Precedence
from scantune.compare.sync import Synced, sync_layer
from scantune.errors import ScantuneError, UsageError
from scantune.input_files import content_of
from scantune.model.layer import Layer, layers_of
from scantune.model.quantity import counted

_MOST_LIST = 2**20  # bytes of the list


def sync_command(
    layers: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The list of layers, instead of $XDG_CONFIG_HOME/scantune/layers.json."),
    ] = None,
    dry_run: DryRunOption = False,
    json_: JsonOption = None,
) -> None:
    """Fetch the layers of records in a list, each into a database that scans read after the project's.

    No other command and no program fetches layers. A layer has a pinned digest, or must be signed by whom the list
    says.
    Where one fails, what was there stays, and the others go on.
    """
    with reported_errors():
        output = JsonOutput.of(json_, "db sync")
        file = layers.expanduser() if layers else paths.layers_file()
        listed = _listed(file)
        directory = paths.layers_directory()
        if not dry_run:
            _make(directory)
        with Precedence() as precedence:
            results = [_sync(layer, directory, precedence, dry_run) for layer in listed]
        _note_what_is_not_listed(directory, listed, file)
        output.write(file=str(file), directory=str(directory), dry_run=dry_run, layers=results)
        failed = [result["name"] for result in results if result["error"]]
        if failed:
            raise ScantuneError(f"{counted(len(failed), 'layer')} could not be synced: {', '.join(failed)}")


def _listed(file: Path) -> Sequence[Layer]:
    """Return the layers of a list. Raises UsageError, naming what is wrong with it."""
    try:
        content = content_of(file, _MOST_LIST)
    except FileNotFoundError:
        raise UsageError(
            f"{file}: no such list of layers; write a list of objects such as "
            '{"name": "team", "url": "https://...", "sha256": "..."}'
        ) from None
    except OSError as error:
        raise UsageError(f"{file}: cannot be read: {error.strerror}") from None
    if content is None:
        raise UsageError(f"{file}: too long for a list of layers")
    try:
        return layers_of(content.decode(), file.absolute().parent)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{file}: {error}") from None


def _make(directory: Path) -> None:
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ScantuneError(f"{directory}: cannot be created: {error.strerror}") from None


def _sync(layer: Layer, directory: Path, precedence: Precedence, dry_run: bool) -> dict[str, Any]:
    """Fetch a layer and return the result for --json."""
    told: dict[str, Any] = {"name": layer.name, "url": layer.url, "error": None}
    try:
        synced = sync_layer(layer, directory, precedence, dry_run)
    except ScantuneError as error:
        note(f"{layer.name}: {error}; {_what_stays(directory / f'{layer.name}.db')}")
        return {**told, "error": str(error)}
    _say(synced, dry_run)
    return {
        **told, "database": str(synced.file), "sha256": synced.sha256, "signer": synced.signer,
        "winners": synced.winners, "rejected": synced.report.rejected, "rejected_because": synced.report.reasons,
        "unknown_keys": synced.report.unknown_keys,
    }  # fmt: skip


def _what_stays(file: Path) -> str:
    return "the previous version stays" if file.exists() else "nothing was written"


def _say(synced: Synced, dry_run: bool) -> None:
    by = f", signed by {synced.signer}" if synced.signer else ""
    verb = "would be synced" if dry_run else "synced"
    say(f"{synced.layer.name}: {counted(synced.winners, 'winner')} {verb} from {synced.layer.url}{by}")
    note_what_is_left_out(synced.layer.name, synced.report)


def _note_what_is_not_listed(directory: Path, listed: Sequence[Layer], file: Path) -> None:
    """Note layers that are no longer listed: scans still read them, and only the user removes them."""
    names = {f"{layer.name}.db" for layer in listed}
    others = sorted(found.name for found in directory.glob("*.db") if found.name not in names)
    if others:
        note(f"{directory} also holds {', '.join(others)}, which {file} does not list but scans still read")
