"""Which key comes first."""

from enum import Enum


class SortOrder(Enum):
    """Equal keys keep their order either way."""

    ASCENDING = 0
    DESCENDING = 1
