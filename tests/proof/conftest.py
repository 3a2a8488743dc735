from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from patched_tree import HERE, ROOT, PatchedTree, User, run


@pytest.fixture(scope="session")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of runtime/ and templates/ with every patch."""
    copy = tmp_path_factory.mktemp("sources")
    for folder in ("runtime", "templates"):
        shutil.copytree(ROOT / folder, copy / folder)
    run("git", "-C", copy, "apply", *sorted(HERE.glob("*.patch")))
    return copy


@pytest.fixture(scope="session")
def tree(tmp_path_factory: pytest.TempPathFactory) -> PatchedTree:
    """Return one tree for all patches: building it takes minutes."""
    return PatchedTree.at(tmp_path_factory.mktemp("tree"))


@pytest.fixture(scope="module")
def user(tree: PatchedTree, tmp_path_factory: pytest.TempPathFactory) -> User:
    return User(tree, tmp_path_factory.mktemp("home"))
