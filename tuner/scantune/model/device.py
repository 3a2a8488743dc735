"""The device a worker runs on, and the versions of the programs that it depends on."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from scantune.model.algorithms import Algorithms

PROTOCOL = 4
HOST = "host"

_ARCH = re.compile(r"host|sm_[0-9]{2,3}a?")


def is_arch(text: object) -> bool:
    return isinstance(text, str) and _ARCH.fullmatch(text) is not None


@dataclass(frozen=True)
class Device:
    arch: str  # sm_90, host
    name: str  # what the driver reports
    sm_count: int

    def __post_init__(self) -> None:
        if not is_arch(self.arch):
            raise ValueError(f"{self.arch!r} is not an architecture")
        if not isinstance(self.name, str) or not 0 < len(self.name) <= 200 or not self.name.isprintable():
            raise ValueError(f"{self.name!r} is not the name of a device")
        if not isinstance(self.sm_count, int) or not 0 < self.sm_count < 100_000:
            raise ValueError(f"sm_count is {self.sm_count!r}")

    @property
    def is_host(self) -> bool:
        return self.arch == HOST

    def is_called(self, name: str) -> bool:
        """Return whether a text is its name or a part of that, such as H200 for NVIDIA H200."""
        return name.casefold() in self.name.casefold()

    def __str__(self) -> str:
        return f"{self.name} ({self.arch}, {self.sm_count} SMs)" if not self.is_host else f"{self.name} (host)"


@dataclass(frozen=True)
class Hello:
    """A worker's answer to `hello`."""

    device: Device
    version: str
    template_hash: str  # hash of all template sources; it shows that a worker was rebuilt
    compiler_version: str
    driver_version: str
    algorithms: Algorithms
    peak_gigabytes_per_second: float | None = None  # what the device's memory moves at most; None: it is not known

    @classmethod
    def from_message(cls, message: Mapping[str, Any]) -> Hello:
        """Raise ValueError if the message is not a hello of our protocol."""
        if message.get("protocol") != PROTOCOL:
            raise ValueError(
                f"it speaks protocol {message.get('protocol')!r}, this tuner {PROTOCOL}; build both from one version"
            )
        device = message.get("device")
        if not isinstance(device, Mapping):
            raise ValueError(f"its device is {device!r}")
        texts = [message.get(name) for name in ("version", "template_hash", "compiler_version", "driver_version")]
        if not all(isinstance(text, str) and len(text) <= 200 for text in texts) or not texts[1]:
            raise ValueError(f"its versions are {texts!r}")
        named = Device(device.get("arch"), device.get("name"), device.get("sm_count"))  # type: ignore[arg-type]
        version, template_hash, compiler_version, driver_version = map(str, texts)
        algorithms = Algorithms.from_message(message)
        peak = _peak(device.get("peak_gigabytes_per_second"))
        return cls(named, version, template_hash, compiler_version, driver_version, algorithms, peak)

    def __str__(self) -> str:
        return f"{self.device}, templates {self.template_hash[:12]}, {self.compiler_version}"


def _peak(told: object) -> float | None:
    """Return the peak bandwidth that a worker reports, if any. Raise ValueError if it is invalid."""
    if told is None:
        return None
    if isinstance(told, bool) or not isinstance(told, (int, float)) or not 0 < told < math.inf:
        raise ValueError(f"the peak of its device is {told!r} GB/s")
    return float(told)
