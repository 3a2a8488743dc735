"""Files from the web: fetched by https, whole, and within limits to size and time."""

from __future__ import annotations

import http.client
import threading
import time
import urllib.error
import urllib.request
import zlib
from typing import Any
from urllib.parse import urlsplit

from scantune import __version__
from scantune.errors import ScantuneError

MOST_BYTES = 64 * 2**20  # size of a file as it is sent
_MOST_UNPACKED = 256 * 2**20
_SECONDS = 120.0  # time for one file
_SILENCE_S = 15.0  # longest time without a byte from the server
_CHUNK = 2**16
_LOOPBACK = {"localhost", "127.0.0.1", "::1"}
_GZIP = b"\x1f\x8b"
_GZIP_WINDOW = 16 + zlib.MAX_WBITS


class FetchError(ScantuneError):
    """The text names the address and what went wrong."""


def check_url(url: str) -> None:
    """Raise FetchError unless the address is one of https, or of http on this machine."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        _ = parts.port
    except ValueError as error:
        raise FetchError(f"{url!r} is not an address: {error}"[:300]) from None
    if parts.scheme == "http" and host not in _LOOPBACK:
        raise FetchError(f"{url}: http is not encrypted; use https")
    if parts.scheme not in ("https", "http") or not host or not url.isprintable() or " " in url:
        raise FetchError(f"{url!r} is not an https address"[:300])
    if parts.username is not None or parts.password is not None:
        raise FetchError(f"an address at {host} has a password, which would end up in logs; leave it out")


def fetched(url: str, most_bytes: int = MOST_BYTES) -> bytes:
    """Return the bytes that the server sent, still compressed. Raises FetchError."""
    check_url(url)
    outcome: list[bytes | FetchError] = []
    # A server may send the head of its answer as slowly as it likes, and urllib sets no limit to that.
    thread = threading.Thread(target=_fetch, args=(url, most_bytes, outcome), daemon=True)
    thread.start()
    thread.join(_SECONDS)
    found = outcome[0] if outcome else FetchError(f"{url}: not received within {_SECONDS:.0f} s")
    if isinstance(found, FetchError):
        raise found
    return found


def _fetch(url: str, most_bytes: int, outcome: list[bytes | FetchError]) -> None:
    try:
        outcome.append(_content(url, most_bytes))
    except FetchError as error:
        outcome.append(error)


def _content(url: str, most_bytes: int) -> bytes:
    deadline = time.monotonic() + _SECONDS
    opener = urllib.request.build_opener(_CheckedRedirects)
    request = urllib.request.Request(url, headers={"User-Agent": f"scantune/{__version__}"})
    content = bytearray()
    try:
        with opener.open(request, timeout=_SILENCE_S) as answer:
            while chunk := answer.read1(_CHUNK):
                content += chunk
                if len(content) > most_bytes:
                    raise FetchError(f"{url}: larger than {most_bytes >> 10} KiB, too large for records")
                if time.monotonic() > deadline:
                    raise FetchError(f"{url}: not received within {_SECONDS:.0f} s")
            _check_whole(url, answer, len(content))
    except urllib.error.HTTPError as error:
        raise _refused(url, f"the server says {error.code} {error.reason}") from None
    except urllib.error.URLError as error:
        raise _refused(url, f"it cannot be fetched: {error.reason}") from None
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise _refused(url, f"it cannot be fetched: {error}") from None
    return bytes(content)


def _refused(url: str, reason: str) -> FetchError:
    """Return an error whose text may quote what a server has sent, as far as it can be printed."""
    return FetchError("".join(character for character in f"{url}: {reason}"[:300] if character.isprintable()))


def unpacked(url: str, content: bytes) -> bytes:
    """Return what was sent, decompressed if it is compressed. Raises FetchError."""
    if not content.startswith(_GZIP):
        return content
    machine = zlib.decompressobj(_GZIP_WINDOW)
    try:
        whole = machine.decompress(content, _MOST_UNPACKED)
    except zlib.error as error:
        raise FetchError(f"{url}: it is damaged: {error}") from None
    if machine.unconsumed_tail:
        raise FetchError(f"{url}: unpacks to more than {_MOST_UNPACKED >> 20} MiB, too large for records")
    if not machine.eof or machine.unused_data:
        raise FetchError(f"{url}: it is damaged: bytes follow the end of its compressed data")
    return whole


def _check_whole(url: str, answer: Any, received: int) -> None:
    promised = answer.headers.get("Content-Length")
    if promised is not None and promised.isdigit() and int(promised) != received:
        raise FetchError(f"{url}: it broke off after {received} of {promised} bytes")


class _CheckedRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *arguments: Any, **named: Any) -> urllib.request.Request | None:
        request = super().redirect_request(*arguments, **named)
        if request is not None:
            check_url(request.full_url)
        return request
