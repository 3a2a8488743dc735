"""Layers of records that others publish: where each is, and what proves whose it is."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_MOST_LAYERS = 100
_KEYS = {"name", "url", "sha256", "signed_by"}
_SIGNED_BY_KEYS = {"allowed_signers", "principal"}


@dataclass(frozen=True)
class Layer:
    name: str  # name of its file, without the ending
    url: str
    sha256: str | None = None  # digest of what the address gives; without one it must be signed
    allowed_signers: Path | None = None
    principal: str | None = None  # who must have signed it


def layers_of(text: str, directory: Path) -> Sequence[Layer]:
    """Return the layers that a file lists; paths in it are relative to its directory. Raises ValueError."""
    listed = json.loads(text)
    if not isinstance(listed, list) or len(listed) > _MOST_LAYERS:
        raise ValueError(f"it must hold a list of up to {_MOST_LAYERS} layers")
    layers = [_layer(entry, directory) for entry in listed]
    names = [layer.name for layer in layers]
    if twice := {name for name in names if names.count(name) > 1}:
        raise ValueError(f"{min(twice)} is listed twice")
    return layers


def _layer(entry: object, directory: Path) -> Layer:
    if not isinstance(entry, Mapping):
        raise ValueError('a layer is an object such as {"name": "team", "url": "https://...", "sha256": "..."}')
    name, url = entry.get("name"), entry.get("url")
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ValueError(f"the name of a layer is {name!r}; a name has up to 64 letters, digits, _, . and -"[:300])
    if unknown := sorted(map(str, entry.keys() - _KEYS)):
        raise ValueError(f"{name} has {', '.join(unknown)}, which is unknown; the keys are {', '.join(sorted(_KEYS))}")
    if not isinstance(url, str):
        raise ValueError(f"{name} has no url")
    if ("sha256" in entry) == ("signed_by" in entry):
        raise ValueError(f"{name} needs sha256 or signed_by, to check that the content is authentic")
    if "sha256" in entry:
        if not isinstance(digest := entry["sha256"], str) or not _DIGEST.fullmatch(digest):
            raise ValueError(f"{name}: sha256 is {digest!r}, and not 64 digits of 0 to 9 and a to f"[:300])
        return Layer(name, url, sha256=digest)
    signed_by = entry["signed_by"]
    texts = signed_by.values() if isinstance(signed_by, Mapping) and signed_by.keys() == _SIGNED_BY_KEYS else [None]
    if not all(isinstance(text, str) and text for text in texts):
        raise ValueError(f"{name}: signed_by needs allowed_signers, a file, and principal, who must have signed")
    return Layer(
        name, url, allowed_signers=directory / Path(signed_by["allowed_signers"]).expanduser(),
        principal=signed_by["principal"],
    )  # fmt: skip
