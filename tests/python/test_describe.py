"""What describe() says of the functions on arrays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import scantune
from array_cases import made

pytestmark = pytest.mark.usefixtures("kept_kernels")

X = made("int32", (40,))
OFFSETS = np.asarray([0, 15, 40])


@pytest.mark.parametrize(
    ("function", "arguments", "problems"),
    [
        ("scan", (X,), ["i32 to i64 in i64 inclusive sum of 40 items"]),
        ("cummax", (X,), ["i32 inclusive max of 40 items", "i32 to i64 in custom24 inclusive custom_moderate"]),
        ("reduce", (X, "max"), ["i32 max"]),
        ("sort", (X,), ["i32 sort of 40 items"]),
        ("segmented_sort", (X, OFFSETS), ["i32 sort"]),
        ("unique_counts", (X,), ["i32 sort of 40 items", "i64 inclusive sum"]),
        ("repeat_interleave", (X, 3), ["i64 exclusive sum", "i64 to i32 load_balance, values assigned of 120 items"]),
    ],
)
def test_a_description_has_a_paragraph_for_each_config(
    function: str, arguments: tuple[Any, ...], problems: list[str]
) -> None:
    paragraphs = scantune.describe(getattr(scantune, function), *arguments).split("\n\n")
    assert len(paragraphs) == len(problems), paragraphs
    for paragraph, problem in zip(paragraphs, problems, strict=True):
        assert paragraph.startswith(problem), paragraph
        assert "\n  config: " in paragraph
        assert "\n  origin: " in paragraph


def test_the_function_runs_and_only_its_own_kernels_are_described() -> None:
    out = np.zeros(40, "int64")
    text = scantune.describe(scantune.cumsum, X, out=out)
    np.testing.assert_array_equal(out, np.cumsum(X))
    with pytest.raises(ValueError, match="cumsum: out has another shape"):
        scantune.describe(scantune.cumsum, X, out=out[1:])
    scantune.sort(X)  # no part of the next one
    assert scantune.describe(scantune.cumsum, X) == text
    assert scantune.describe(scantune.cumsum, X[:0]) == ""
    plan = scantune.plan(X)
    assert scantune.describe(plan, X, out) == plan.describe()


def test_a_function_may_describe_another() -> None:
    inner: list[str] = []
    outer = scantune.describe(lambda: (scantune.sort(X), inner.append(scantune.describe(scantune.cumsum, X))))
    assert ("sort" in outer, "sum" in outer, "sum" in inner[0]) == (True, False, True)


def test_databases_are_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    damaged = tmp_path / "damaged.db"
    damaged.write_text("no database")
    with monkeypatch.context() as changed:
        changed.setenv("SCANTUNE_DB", str(damaged))
        scantune.reload()
    assert str(damaged) in capfd.readouterr().err
    scantune.reload()
