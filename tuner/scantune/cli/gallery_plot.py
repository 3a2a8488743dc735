"""The picture of `scantune gallery --plot`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from scantune.errors import ScantuneError, UsageError
from scantune.model.gallery_race import GalleryRace
from scantune.report.gallery_picture import ENDINGS, can_draw, draw


@dataclass(frozen=True)
class PictureOutput:
    target: Path | None

    @classmethod
    def of(cls, target: Path | None) -> PictureOutput:
        """Check the option before any work. Raises UsageError."""
        if target is None:
            return cls(None)
        target = target.expanduser()
        if target.suffix not in ENDINGS:
            raise UsageError(f"--plot {target}: pictures are {' or '.join(ENDINGS)}; name one of these endings")
        if target.is_dir():
            raise UsageError(f"--plot {target}: it is a folder; name a file in it")
        if not os.access(target.absolute().parent, os.W_OK):
            raise UsageError(f"--plot {target}: there is no writable folder {target.absolute().parent}")
        if not can_draw():
            raise UsageError(f"--plot {target} needs matplotlib: .venv/bin/pip install 'matplotlib>=3.8' in the clone")
        return cls(target)

    def write(self, races: Sequence[GalleryRace], heading: str) -> None:
        """Draw the races if a picture was asked for and something was timed. Raises ScantuneError."""
        if self.target is None or not any(one.median_us for race in races for one in race.contenders):
            return
        try:
            draw(races, heading, self.target)
        except OSError as error:
            raise ScantuneError(f"--plot {self.target}: it cannot be written: {error.strerror}") from None
