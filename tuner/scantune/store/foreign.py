"""Files that others wrote, databases and text alike."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

from scantune.input_files import opened
from scantune.model.algorithms import Algorithms
from scantune.store.connection import DatabaseError, check_kind
from scantune.store.contents import Contents
from scantune.store.database import open_readonly
from scantune.store.text_contents import CONFLICT_MARKS, TextContents
from scantune.store.text_form import is_text_name

_MAGIC = b"SQLite format 3\0"
_TEXT_BEGINS = ("{", *CONFLICT_MARKS)


@contextlib.contextmanager
def foreign_contents(
    path: Path,
    reject: Callable[[str], None] = lambda reason: None,
    algorithms: Algorithms | None = None,
    shown: str | None = None,
    trusts_times: bool = False,
) -> Iterator[Contents | TextContents]:
    """Yield what a file holds at one moment; `reject` is told why rows are left out.

    Raises DatabaseError when the file is not of this project, is damaged or of a newer schema. `shown` is what errors
    call a file that is a copy of another. Times of a database are accepted as Contents accepts them.
    """
    with _called(path, shown), contextlib.ExitStack() as stack:
        if is_text(path):
            yield TextContents(path, reject, algorithms)
        else:
            yield Contents(stack.enter_context(open_readonly(path, foreign=True)), reject, algorithms, trusts_times)


@contextlib.contextmanager
def _called(path: Path, shown: str | None) -> Iterator[None]:
    try:
        yield
    except DatabaseError as error:
        if shown is None or str(path) not in str(error):
            raise
        raise DatabaseError(str(error).replace(str(path), shown)) from None


def is_text(path: Path) -> bool:
    """Return whether a file holds text, by its content; an empty one by its name. Raises DatabaseError."""
    if check_kind(path) is None:
        if not is_text_name(path):
            return False  # opening it as a database reports what is wrong
        raise DatabaseError(f"{path}: no such file")
    try:
        with opened(path) as file:
            begin = file.read(len(_MAGIC))
    except OSError as error:
        raise DatabaseError(f"{path}: it cannot be read: {error.strerror}") from None
    return begin != _MAGIC and (is_text_name(path) or begin.decode(errors="replace").startswith(_TEXT_BEGINS))
