"""Plans of scans of arrays."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import scantune
from array_cases import LAYOUTS, expect, made, read_only

pytestmark = pytest.mark.usefixtures("kept_kernels")


def test_a_plan_scans_arrays_like_those_that_it_was_made_for() -> None:
    x = made("int32", (6, 40))
    for layout in ("as made", "transposed", "every third, reversed"):
        like = LAYOUTS[layout](x)
        plan = scantune.plan(like, axis=0)
        other = LAYOUTS[layout](x + np.int32(1))
        out = np.zeros(like.shape, "int64")
        assert plan(other, out) is out
        expect(out, np.cumsum(other, 0))
        expect(plan(like, out), np.cumsum(like, 0))
    assert "lookback" in plan.describe() or "scan_" in plan.describe()
    same = scantune.plan(x, "max", axis=1, reverse=True, init=2, out=x)
    before = x.copy()
    same(x, x)
    expect(x, np.maximum.accumulate(np.maximum(before, 2)[:, ::-1], 1)[:, ::-1])
    empty = np.zeros((0, 3))
    assert scantune.plan(empty)(empty, np.zeros((0, 3))).shape == (0, 3)


ITEMS = np.zeros((4, 8), "int64")
PLANNED = np.zeros((4, 8), "int64")


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: scantune.plan(ITEMS)(ITEMS.T, PLANNED), ValueError, "ScanPlan: x has another shape or other strides"),
        (lambda: scantune.plan(ITEMS)(ITEMS, PLANNED[:2]), ValueError, "ScanPlan: out has another shape"),
        (lambda: scantune.plan(ITEMS)(np.zeros((4, 8)), PLANNED), TypeError, "x has items of float64, and the plan is"),
        (lambda: scantune.plan(ITEMS)(ITEMS, np.zeros((4, 8))), TypeError, "out has items of float64, and the plan is"),
        (lambda: scantune.plan(ITEMS)(ITEMS, read_only(PLANNED.copy())), ValueError, "ScanPlan: out is read-only"),
        (lambda: scantune.plan(ITEMS[:2])(ITEMS[:2], ITEMS[1:3]), ValueError, "ScanPlan: out overlaps x in memory"),
        (lambda: scantune.plan(np.zeros((2, 4, 6, 8, 10))[::, ::2, ::3, ::2]), ValueError, "plan: x takes several lau"),
        (lambda: scantune.plan(ITEMS, axis=5), IndexError, "plan: axis is 5, and x has 2 dimensions"),
    ],
)
def test_what_is_not_like_the_plan_is_refused_by_the_name_of_the_argument(
    call: Callable[[], object], error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        call()
