"""What is raced to say which of some families is the fastest when."""

from __future__ import annotations

from collections.abc import Sequence

from scantune.compare.gallery_problem import BLOCKED, WHOLE, GalleryProblem, Kind
from scantune.model.device import Device
from scantune.model.quantity import parse_sizes

FAMILIES = ("kogge_stone", "brent_kung", "hybrid")  # of which the document asks it
OPERATORS = ("sum", "custom_expensive")  # the second stands for any costly one
_SIZES, _HOST_SIZES = "2^5,2^7,2^9,2^10", "2^5,2^7"  # of one block
_MANY, _HOST_MANY = 2**24, 2**12  # items of many blocks


def cases(device: Device, row_items: int, kind: Kind, sizes: Sequence[int] | None) -> list[tuple[GalleryProblem, int]]:
    """Return what is raced: one block of each size, and rows in as many blocks as fill a GPU, by both operators."""
    of_block = sizes or parse_sizes([_HOST_SIZES if device.is_host else _SIZES])
    many = max(_HOST_MANY if device.is_host else _MANY, row_items)
    found = list[tuple[GalleryProblem, int]]()
    for op in OPERATORS:
        found += [(GalleryProblem(WHOLE, "scan", 0, kind, op), n) for n in of_block]
        found.append((GalleryProblem(BLOCKED, "scan", row_items, kind, op), many))
    return found
