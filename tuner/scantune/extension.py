"""The extension: beside the package in a wheel, in the build directory of a checkout."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from types import ModuleType

from scantune import paths

_NAME = "scantune._native"
_BUILT = "build/runtime/python/_native.abi3.so"


def load() -> ModuleType:
    """Return the extension. Raises ImportError if it was not built."""
    try:
        return import_module(_NAME)
    except ModuleNotFoundError as error:
        if error.name != _NAME:
            raise
    built = paths.checkout() / _BUILT
    if not built.is_file():
        raise ImportError(
            f"scantune's extension is neither in {paths.package()} nor built as {built}: install a wheel (make "
            "wheel), or run 'make setup && cmake --build build --target scantune_python' in the checkout"
        )
    return _load_built(str(built))


def _load_built(path: str) -> ModuleType:
    spec = spec_from_file_location(_NAME, path)
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return sys.modules.setdefault(_NAME, module)
