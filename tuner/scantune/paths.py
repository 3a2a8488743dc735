"""Paths of what is kept: in the XDG directories, and in the project itself."""

from __future__ import annotations

import os
from pathlib import Path

from scantune.errors import ScantuneError


def database_path(option: Path | None = None) -> Path:
    """Return the tuning database: the option, else $SCANTUNE_DB, else $XDG_DATA_HOME/scantune/tuning.db."""
    if option:
        return option.expanduser()
    if os.environ.get("SCANTUNE_DB"):
        return Path(os.environ["SCANTUNE_DB"])  # is taken literally: the runtime, which reads it too, expands no ~
    return _xdg("XDG_DATA_HOME", ".local/share") / "scantune" / "tuning.db"


def layers_directory() -> Path:
    """Return the directory where `scantune db sync` keeps what it fetches, and where the library looks for it."""
    return _xdg("XDG_DATA_HOME", ".local/share") / "scantune" / "layers"


def is_written_here(database: Path) -> bool:
    """Return whether a database is the user's own or one that a sync made.

    Only these tell verified signers: anybody may have written a signer into another file.
    """
    own = database_path()
    if own.exists() and database.exists() and own.samefile(database):
        return True
    return database.absolute().parent.resolve() == layers_directory().resolve()


def layers_file() -> Path:
    """Return the list of what is to be fetched."""
    return _xdg("XDG_CONFIG_HOME", ".config") / "scantune" / "layers.json"


def cache_path() -> Path | None:
    """Return the directory of compiled kernels, or None when $SCANTUNE_CACHE is set but empty: nothing is cached."""
    if "SCANTUNE_CACHE" in os.environ:
        return Path(os.environ["SCANTUNE_CACHE"]) if os.environ["SCANTUNE_CACHE"] else None
    return _xdg("XDG_CACHE_HOME", ".cache") / "scantune"


def sql_directory() -> Path:
    """Return db/: inside the package when it is installed from a wheel, else at the top of the checkout."""
    packaged = package() / "db"
    return packaged if packaged.is_dir() else checkout() / "db"


def cmake_directory() -> Path:
    """Return the folder that CMake takes as scantune_DIR. Raises ScantuneError where no wheel is installed."""
    found = package() / "lib" / "cmake" / "scantune"
    if found.is_dir():
        return found
    raise ScantuneError(
        f"{package()} holds no library, as a wheel of scantune does: run 'make install PREFIX=...' in the "
        "checkout, and name PREFIX to CMake by CMAKE_PREFIX_PATH"
    )


def package() -> Path:
    """Return the directory of the package itself."""
    return Path(__file__).parent


def checkout() -> Path:
    """Return the top of the source tree, if the package runs from one."""
    return package().parents[1]


def _xdg(variable: str, default: str) -> Path:
    # The specification says that a relative path is invalid and must be ignored.
    value = os.environ.get(variable, "")
    return Path(value) if value.startswith("/") else Path.home() / default
