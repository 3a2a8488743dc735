"""The command scantune gallery as tests run it, and what is asked of a worker meanwhile."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from command import streams_here

Faults = Callable[..., None]
Requests = Callable[[], list[dict[str, Any]]]
HOST = ["--arch", "host"]


def families_of(request: dict[str, Any]) -> set[str]:
    configs = [*request.get("configs", []), *([request["config"]] if "config" in request else [])]
    return {config["family"] for config in configs} if isinstance(configs, list) else set()


def tried(requests: list[dict[str, Any]]) -> set[str]:
    """Return the families that were compiled, verified or measured."""
    ran = [one for one in requests if one["method"] in ("compile", "verify", "measure")]
    return {family for one in ran for family in families_of(one)}


def message(*arguments: str, code: int = 0) -> dict[str, Any]:
    """Return what a gallery command writes on standard output."""
    ended, out, err = streams_here("gallery", *HOST, *arguments, "--json", "-")
    assert ended == code, err
    told: dict[str, Any] = json.loads(out)
    return told


def contenders(race: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {one["name"]: one for one in race["contenders"]}
