# What runtime/python makes of the library.
from typing import Any

from numpy.typing import DTypeLike, NDArray

def cumprod(x: NDArray[Any], /, axis: int | None = None, dtype: DTypeLike | None = None) -> NDArray[Any]: ...
def cumsum(x: NDArray[Any], /, axis: int | None = None, dtype: DTypeLike | None = None) -> NDArray[Any]: ...
