"""The family is the first choice of a search: trials go where they promise most."""

from __future__ import annotations

from collections import Counter

from scantune.search.family_shares import FamilyShares

PATIENT = 1000


def hand_out(shares: FamilyShares, times: dict[str, float | None], trials: int) -> Counter[str]:
    """Return how many trials each family got, if all of its trials take as long."""
    counts: Counter[str] = Counter()
    for _ in range(trials):
        family = shares.next(list(times))
        shares.hand_out(family)
        shares.tell(family, times[family])
        counts[family] += 1
    return counts


def test_every_family_is_tried_before_any_is_tried_twice() -> None:
    counts = hand_out(FamilyShares("abc", PATIENT), {"a": 1.0, "b": 9.0, "c": 99.0}, 3)
    assert counts == {"a": 1, "b": 1, "c": 1}


def test_equal_families_get_equal_shares() -> None:
    counts = hand_out(FamilyShares("ab", PATIENT), {"a": 2.0, "b": 2.0}, 50)
    assert counts == {"a": 25, "b": 25}


def test_slower_family_gets_fewer_trials_and_a_much_slower_one_none() -> None:
    counts = hand_out(FamilyShares("abc", PATIENT), {"a": 1.0, "b": 1.1, "c": 1.6}, 100)
    assert counts["c"] == 1
    assert 5 < counts["b"] < counts["a"]


def test_family_that_was_hardly_tried_is_not_dropped_for_one_that_was_tuned() -> None:
    shares = FamilyShares("ab", PATIENT)
    hand_out(shares, {"a": 1.0}, 40)
    hand_out(shares, {"b": 1.3}, 1)
    assert not shares.is_dropped("b")
    hand_out(shares, {"b": 1.3}, 20)
    assert shares.is_dropped("b")
    assert shares.contenders == ["a"]


def test_family_of_which_nothing_works_is_dropped() -> None:
    counts = hand_out(FamilyShares("ab", PATIENT), {"a": 1.0, "b": None}, 40)
    assert counts["b"] <= 4


def test_family_settles_once_patience_brought_no_gain() -> None:
    shares = FamilyShares("a", patience=5)
    hand_out(shares, {"a": 1.0}, 5)
    assert not shares.is_settled("a")
    hand_out(shares, {"a": 0.995}, 1)  # no gain worth the name
    assert shares.is_settled("a")
    hand_out(shares, {"a": 0.9}, 1)
    assert not shares.is_settled("a")


def test_settled_families_get_trials_only_where_all_are() -> None:
    shares = FamilyShares("ab", PATIENT)
    hand_out(shares, {"a": 1.0, "b": 3.0}, 2)
    assert shares.next(["a", "b"]) == "a"
    assert shares.next(["b"]) == "b"
