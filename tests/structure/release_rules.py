"""Rules about what goes with a release: the notices of what is linked in."""

from __future__ import annotations

import re
from collections.abc import Callable

from tree import Tree

NOTICES = "THIRD_PARTY_NOTICES.txt"
WITHOUT_CODE = {"Threads"}  # packages that only set flags


def what_is_linked_in_has_a_notice(tree: Tree) -> list[str]:
    build = tree["runtime/CMakeLists.txt"]
    archives = " ".join(re.findall(r"foreach\(archive ([^)]*)\)", build)).split()
    linked = {*archives, *re.findall(r"find_package\((\w+)", build)} - WITHOUT_CODE
    named = set(re.findall(r"^  (\w+)  ", tree[NOTICES], re.MULTILINE))
    return [f"{name} is linked in, and {NOTICES} does not name it" for name in sorted(linked - named)]


RULES: tuple[Callable[[Tree], list[str]], ...] = (what_is_linked_in_has_a_notice,)
