"""Rules about what goes with a release: versions, notices, the page of the Python package."""

from __future__ import annotations

import re
from collections.abc import Callable

import pages
from tree import Tree

# Where each file names the version that it is of.
VERSIONS = {
    "CMakeLists.txt": r"^project\(scantune VERSION (\S+) ",
    "pyproject.toml": r'^version = "(.+)"$',
    "CITATION.cff": r"^version: (.+)$",
    "CHANGELOG.md": r"^## (\S+)",
    "CONTRIBUTING.md": r"^\| `v(\S+)` \|",
}
NOTICES = "THIRD_PARTY_NOTICES.txt"
WITHOUT_CODE = {"Threads", "Python"}  # packages that only set flags


def all_files_name_one_version(tree: Tree) -> list[str]:
    found = {path: re.search(pattern, tree[path], re.MULTILINE) for path, pattern in VERSIONS.items()}
    version = {path: match and match[1] for path, match in found.items()}
    return [] if len(set(version.values())) == 1 else [f"the version differs: {version}"]


def each_version_has_words_for_its_tag(tree: Tree) -> list[str]:
    told = re.findall(r"^## (\d\S*)", tree["CHANGELOG.md"], re.MULTILINE)
    tagged = re.findall(r"^\| `v(\S+)` \| \S", tree["CONTRIBUTING.md"], re.MULTILINE)
    return [] if told == tagged else [f"CHANGELOG.md has the versions {told}, the tags of CONTRIBUTING.md are {tagged}"]


def what_is_linked_in_has_a_notice(tree: Tree) -> list[str]:
    build = tree["runtime/CMakeLists.txt"] + tree["runtime/python/CMakeLists.txt"]
    archives = " ".join(re.findall(r"foreach\(archive ([^)]*)\)", build)).split()
    linked = {*archives, *re.findall(r"find_package\((\w+)", build)} - WITHOUT_CODE
    named = set(re.findall(r"^  (\w+)  ", tree[NOTICES], re.MULTILINE))
    return [f"{name} is linked in, and {NOTICES} does not name it" for name in sorted(linked - named)]


def the_page_of_the_package_has_no_relative_links(tree: Tree) -> list[str]:
    (page,) = re.findall(r'^readme = "(.+?)"', tree["pyproject.toml"], re.MULTILINE)
    return [f"{page} links to {target}, which PyPI does not have" for target in pages.links(tree[page])]


RULES: tuple[Callable[[Tree], list[str]], ...] = (
    all_files_name_one_version,
    each_version_has_words_for_its_tag,
    what_is_linked_in_has_a_notice,
    the_page_of_the_package_has_no_relative_links,
)
