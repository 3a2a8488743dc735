"""Kills every command that writes at random moments, runs it again, and checks what is left after each kill.

It runs the worker that was built on the host device: tests/campaign/kill_and_resume.py --kills 20 --seed 1 [COMMAND...]
It ends with 1 if anything was lost, changed, half written or left running; its folder is then kept.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import processes
from commands import COMMANDS, Scene
from processes import Victim

_TUNER = Path(__file__).resolve().parents[2] / "tuner"
_LONGEST_ENDING_S = 30.0  # time that a command may take to end when it is interrupted
_AFTERLIFE_S = 1.0  # time that a process may outlive its command
_SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT)


@dataclass(frozen=True)
class Kill:
    """A drawn kill: its time, its signal and its victim."""

    after_s: float
    sent: signal.Signals
    victim: Victim
    lot: float  # which of several processes, as a share from 0 to 1

    @classmethod
    def drawn(cls, draw: random.Random, longest_s: float) -> Kill:
        return cls(draw.uniform(0.05, longest_s), draw.choice(_SIGNALS), draw.choice(tuple(Victim)), draw.random())

    def __str__(self) -> str:
        return f"{self.sent.name} to the {self.victim.value} after {self.after_s:.2f} s"


@dataclass
class Ending:
    """The end of a command that was to be killed."""

    victim: Victim | None = None  # the process that was killed; None where the command had ended before
    wrong: list[str] = field(default_factory=list)


def ended(command: subprocess.Popen[bytes], kill: Kill) -> Ending:
    ending = Ending()
    if _ends_within(command, kill.after_s):
        return ending
    ending.victim = processes.send(command.pid, kill.victim, kill.sent, kill.lot)
    if ending.victim in (Victim.worker, Victim.compiler) and not _ends_within(command, kill.after_s / 4):
        # The command goes on without that process, and is interrupted somewhat later.
        _ask_to_end(command)
    elif not _ends_within(command, _LONGEST_ENDING_S / 2):
        _ask_to_end(command)
    if not _ends_within(command, _LONGEST_ENDING_S):
        ending.wrong.append(f"it still ran {_LONGEST_ENDING_S:.0f} s after it was asked to end")
        os.killpg(command.pid, signal.SIGKILL)
        command.wait()
    return ending


def _ask_to_end(command: subprocess.Popen[bytes]) -> None:
    """Interrupt a command as a person would, who presses Ctrl-C again if nothing happens.

    The interpreter drops an interrupt that comes during a callback of its own, and says so.
    """
    for _ in range(2):
        command.send_signal(signal.SIGINT)
        if _ends_within(command, _LONGEST_ENDING_S / 2):
            return


def _ends_within(command: subprocess.Popen[bytes], seconds: float) -> bool:
    try:
        command.wait(seconds)
        return True
    except subprocess.TimeoutExpired:
        return False


def left_running(folder: Path) -> list[str]:
    """Return the processes that still run after a second."""
    deadline = time.monotonic() + _AFTERLIFE_S
    while (alive := processes.of_folder(folder)) and time.monotonic() < deadline:
        time.sleep(0.05)
    for pid in alive:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return [f"{name} was left running" for name in alive.values()]


def run_and_kill(scene: Scene, kill: Kill) -> Ending:
    scene.before()
    with scene.start() as command:
        ending = ended(command, kill)
    ending.wrong += left_running(scene.folder) + traceback_in(scene.output()) + scene.faults()
    return ending


def traceback_in(output: str) -> list[str]:
    """Return a traceback of our code; those that the interpreter prints before it runs our code do not count."""
    ours = "Traceback" in output and f'File "{_TUNER}' in output
    return [f"it printed a traceback:\n{output[-2000:]}"] if ours else []


def campaign(name: str, kills: int, seed: int) -> bool:
    """Return whether all checks held."""
    draw = random.Random(f"{seed} {name}")
    folder = Path(tempfile.mkdtemp(prefix=f"kill-{name}-"))
    scene = COMMANDS[name](folder)
    hit: Counter[str] = Counter()
    failed = 0
    for number in range(1, kills + 1):
        kill = Kill.drawn(draw, scene.longest_s)
        ending = run_and_kill(scene, kill)
        hit[f"{kill.sent.name} to the {ending.victim.value}" if ending.victim else "too late"] += 1
        for fault in ending.wrong:
            failed += 1
            print(f"{name}: kill {number} of seed {seed}, {kill}: {fault}", flush=True)
    for fault in scene.resumed():
        failed += 1
        print(f"{name}: run to its end after {kills} kills: {fault}", flush=True)
    what = ", ".join(f"{count} {one}" for one, count in sorted(hit.items()))
    print(f"{name}: {kills} kills ({what}); {scene.summary()}; {failed or 'no'} faults, seed {seed}", flush=True)
    if failed:
        print(f"{name}: its files are in {folder}")
    else:
        shutil.rmtree(folder)
    return not failed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", nargs="*", choices=[*COMMANDS, []], help=f"{', '.join(COMMANDS)}; default: all")
    parser.add_argument("--kills", type=int, default=20, help="of each command (20)")
    parser.add_argument("--seed", type=int, default=1, help="of moments, signals and victims (1)")
    parser.add_argument("--jobs", type=int, default=2, help="commands that are killed side by side (2)")
    options = parser.parse_args()
    names = options.command or list(COMMANDS)
    with ThreadPoolExecutor(options.jobs) as pool:
        held = list(pool.map(lambda name: campaign(name, options.kills, options.seed), names))
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
