"""Learns db/effects.json, what searches expect of parameters, from the recorded spaces in db/spaces.

python tests/bench/learn_effects.py
"""

from __future__ import annotations

import json

from scantune import paths
from scantune.cli.replay import shipped_spaces
from scantune.search.effects import learned_from
from scantune.store.space_file import read_space


def main() -> None:
    effects = learned_from(read_space(file) for file in shipped_spaces())
    lines = ",\n".join(json.dumps(one) for one in effects.message())
    (paths.checkout() / "db" / "effects.json").write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
