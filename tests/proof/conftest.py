from __future__ import annotations

import pytest

from patched_tree import PatchedTree, User


@pytest.fixture(scope="session")
def tree(tmp_path_factory: pytest.TempPathFactory) -> PatchedTree:
    """Return one tree for all patches: building it takes minutes."""
    return PatchedTree.at(tmp_path_factory.mktemp("tree"))


@pytest.fixture(scope="module")
def user(tree: PatchedTree, tmp_path_factory: pytest.TempPathFactory) -> User:
    return User(tree, tmp_path_factory.mktemp("home"))
