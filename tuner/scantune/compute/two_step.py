"""Functions in cuda.compute's form of two calls: one that asks for temporary storage, and one that runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class TwoStep:
    """What the functions make_...() return. Operator, types and arrays may differ from call to call.

    Workspaces are the library's own and kernels are cached by it, so that nothing is kept here.
    """

    def __init__(self, function: Callable[..., None], **fixed: Any) -> None:
        self._function, self._fixed = function, fixed

    def __call__(self, *, temp_storage: Any, **arguments: Any) -> int:
        """Return how many bytes temp_storage must have, which is 0, and run the function if it is not None."""
        if temp_storage is not None:
            self._function(**self._fixed, **arguments)
        return 0
