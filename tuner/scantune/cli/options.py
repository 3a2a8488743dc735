"""Options that several commands share, and their defaults."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from scantune import paths
from scantune.errors import UsageError
from scantune.model.device import Device
from scantune.model.quantity import parse_sizes
from scantune.search.sampler_names import Sampler

ArchOption = Annotated[str, typer.Option(help="sm_90 and the like, host, or auto: the GPU if there is one.")]
SizesOption = Annotated[
    list[str] | None,
    typer.Option(help="Sizes: 1000, 2^20, 1M (= 2^20), 2^8..2^11 (2^8, 2^9, 2^10, 2^11), 2^8..2^18:4 in steps of 4."),
]
DbOption = Annotated[Path | None, typer.Option("--db", help="The tuning database, instead of $SCANTUNE_DB.")]
TypeOption = Annotated[
    list[str] | None,
    typer.Option(
        "--type",
        help="Value types: i32; i8:i32 (the first and the last type); i8:i64:i32 (all, in the order at the "
        "end of --help); custom8, a struct of 8 bytes; all, every built-in type.",
    ),
]
AlgorithmOption = Annotated[
    str,
    typer.Option(
        "--algorithm",
        help="The algorithm; the end of --help lists all of them, and the options of this one.",
    ),
]
OpOption = Annotated[
    list[str] | None, typer.Option(help="Operators: sum, max, ...; custom_moderate, any custom operator of that cost.")
]
JsonOption = Annotated[
    Path | None,
    typer.Option(
        "--json",
        metavar="FILE",
        help="Also write the results as JSON; with -, standard output has only that.",
    ),
]
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Say what would be done; change nothing.")]
OperatorOption = Annotated[
    Path | None,
    typer.Option(
        "--operator",
        help="Source of your own operator, '__device__ Value combine(Value earlier, Value later)'; needs --name.",
    ),
]
NameOption = Annotated[
    str | None, typer.Option("--name", help="The name under which records of --operator are stored.")
]
CostOption = Annotated[
    str | None, typer.Option("--cost", help="Cost of --operator: cheap, moderate (the default) or expensive.")
]
AlignmentOption = Annotated[
    int | None,
    typer.Option(
        "--alignment",
        min=1,
        help="Alignment of the struct in --operator, in bytes; default: the largest that its size allows.",
    ),
]
WorkersOption = Annotated[
    int | None, typer.Option("--workers", min=1, max=64, help="Number of processes that compile ahead.")
]
SamplerOption = Annotated[
    Sampler,
    typer.Option(
        metavar="NAME",
        help="The sampler that proposes configs: default, this tuner's own, or one of Optuna's, which knows "
        "no effects: "
        f"{', '.join(one.value for one in Sampler if one is not Sampler.default)}.",
    ),
]
DeviceOption = Annotated[str | None, typer.Option("--device", help="cuda:0, cuda:1, ... or host.")]


def default_types(device: Device) -> list[str]:
    return ["i32", "f32"] if device.is_host else ["all"]


def default_sizes(device: Device) -> list[int]:
    return parse_sizes(["2^8..2^18:4" if device.is_host else "2^8..2^30:4"])


def portfolio_sizes(device: Device) -> list[int]:
    return parse_sizes(["2^6..2^16" if device.is_host else "2^6..2^22"])


def databases_to_read(db: Path | None) -> list[Path] | None:
    """Return the database that --db names; None stands for those that runtime::scan() reads, as the worker finds them.

    Raises UsageError if the database does not exist.
    """
    if db is None:
        return None
    path = paths.database_path(db)
    if not path.exists():
        raise UsageError(f"--db {path}: no such file; leave out --db for the databases that programs read")
    return [path]


def existing_database(db: Path | None) -> Path:
    """Return the database that --db means. Raises UsageError if it does not exist, since the command creates none."""
    path = paths.database_path(db)
    if not path.exists():
        raise UsageError(f"{path}: no such database; name one with --db")
    return path


def listed(values: list[str] | None) -> list[str]:
    """Return the values of an option that may be repeated, or hold commas. Raises UsageError if one is empty."""
    parts = [part.strip() for value in values or [] for part in value.split(",")]
    if "" in parts:
        raise UsageError(f"'{','.join(values or [])}' has an empty part; leave out the option or the comma")
    return list(dict.fromkeys(parts))
