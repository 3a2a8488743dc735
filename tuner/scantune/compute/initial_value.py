"""Initial values, which are numbers or arrays of one item on the device."""

from __future__ import annotations

from typing import Any


def number_and_array(function: str, argument: str, init: Any) -> tuple[Any, Any]:
    """Return an initial value as a number or as an array; the other one, or both, are None."""
    if init is None or isinstance(init, (int, float)):
        return init, None
    if type(init).__module__.partition(".")[0] not in ("numpy", "ml_dtypes"):
        return None, init
    if init.size != 1:
        raise ValueError(f"{function}: {argument} has {init.size} items; it must have one")
    return init.item(), None
