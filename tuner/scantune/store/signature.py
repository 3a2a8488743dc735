"""Signatures beside files, made and verified by OpenSSH's ssh-keygen: FILE.sig, of the namespace scantune-records."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from scantune.errors import ScantuneError
from scantune.store.connection import check_kind

NAMESPACE = "scantune-records"  # a signature for another purpose, as of a commit, says nothing here
SUFFIX = ".sig"
MOST_BYTES = 64 * 2**10  # of a signature
_MOST_CONTENT = 256 * 2**20
_PROGRAM = "ssh-keygen"
_SIGN_TIMEOUT_S = 300.0  # whoever has to may type a passphrase, or touch a key
_VERIFY_TIMEOUT_S = 60.0
_MOST_PRINCIPAL = 128  # characters
_PATTERN = frozenset("*?!")


class SignatureError(ScantuneError):
    """The text names the file, what is wrong with its signature and what to do."""


@dataclass(frozen=True)
class Signers:
    """Whose signatures count, as ssh-keygen's page has it under ALLOWED SIGNERS."""

    allowed: Path
    principal: str | None = None  # this one alone; None: whoever is listed

    def check(self) -> None:
        """Raise SignatureError unless the list can be read."""
        try:
            self.allowed.open("rb").close()
        except OSError as error:
            raise SignatureError(f"{self.allowed}: the allowed signers cannot be read: {error.strerror}") from None


def beside(file: Path) -> Path:
    """Return where the signature of a file lies."""
    return file.with_name(file.name + SUFFIX)


def check_key(key: Path) -> None:
    """Raise SignatureError if there is no such key."""
    if not key.expanduser().is_file():
        raise SignatureError(f"--sign {key}: there is no such key; ssh-keygen -t ed25519 makes one")


def sign(content: bytes, key: Path) -> bytes:
    """Return a signature by a private key, or by a public one whose other half an agent has. Raises SignatureError."""
    check_key(key)
    done = _run(["-Y", "sign", "-q", "-n", NAMESPACE, "-f", str(key)], content, _SIGN_TIMEOUT_S)
    if done.returncode != 0:
        raise SignatureError(f"--sign {key}: nothing could be signed by it: {_said(done)}")
    return done.stdout


def signed_content(file: Path) -> bytes:
    """Return what a file holds, once: what is verified is what is read. Raises SignatureError."""
    check_kind(file)
    try:
        with file.open("rb") as opened:
            content = opened.read(_MOST_CONTENT + 1)
    except OSError as error:
        raise SignatureError(f"{file}: it cannot be read: {error.strerror}") from None
    if len(content) > _MOST_CONTENT:
        raise SignatureError(f"{file}: it holds more than {_MOST_CONTENT >> 20} MiB, which no signed records do")
    return content


def signature_of(file: Path) -> bytes:
    """Return what lies beside a file. Raises SignatureError."""
    try:
        with beside(file).open("rb") as opened:
            signature = opened.read(MOST_BYTES + 1)
    except FileNotFoundError:
        raise SignatureError(
            f"{file}: it is not signed: there is no {beside(file).name} beside it; 'scantune db export --sign KEY' "
            "makes one"
        ) from None
    except OSError as error:
        raise SignatureError(f"{beside(file)}: it cannot be read: {error.strerror}") from None
    return signature


def verified_signer(name: str, content: bytes, signature: bytes, signers: Signers) -> str:
    """Return the principal whose signature of the content it is; the name is for messages. Raises SignatureError."""
    signers.check()
    if signers.principal is not None and not _is_name(signers.principal):
        raise SignatureError(
            f"{name}: the principal {signers.principal!r} is a pattern or too long: name one signer"[:300]
        )
    if len(signature) > MOST_BYTES:
        raise SignatureError(f"{name}: its signature is longer than any that ssh-keygen makes")
    principals = [signers.principal] if signers.principal else _principals(name, signature, signers)
    done = None
    for principal in principals:
        done = _with_signature(
            ["verify", "-f", str(signers.allowed), "-I", principal, "-n", NAMESPACE], content, signature
        )
        if done.returncode == 0:
            return principal
    reason = _said(done) if done else "nobody is listed who might have made it"
    raise SignatureError(
        f"{name}: its signature is not one of {signers.principal or f'those whom {signers.allowed} lists'}: {reason}; "
        "do not use the file before you know why"
    )


def _principals(name: str, signature: bytes, signers: Signers) -> Sequence[str]:
    """Return who may have made a signature, by its key."""
    done = _with_signature(["find-principals", "-f", str(signers.allowed)], b"", signature)
    if done.returncode != 0:
        raise SignatureError(
            f"{name}: it is signed by nobody whom {signers.allowed} lists: {_said(done)}; do not use the file before "
            "you know why"
        )
    # A line of the list may name several, by commas.
    listed = done.stdout.decode(errors="replace").replace("\n", ",").split(",")
    if not (names := list(filter(_is_name, listed))):
        raise SignatureError(
            f"{name}: {signers.allowed} lists who signed it by no name but a pattern; say who it must be by --principal"
        )
    return names


def _is_name(principal: str) -> bool:
    """Return whether it names one signer: a list may have patterns, and who is not meant."""
    return principal.isprintable() and 0 < len(principal) <= _MOST_PRINCIPAL and _PATTERN.isdisjoint(principal)


def _with_signature(arguments: Sequence[str], content: bytes, signature: bytes) -> subprocess.CompletedProcess[bytes]:
    """Run `ssh-keygen -Y`, which reads a signature from a file alone."""
    with tempfile.NamedTemporaryFile(prefix="scantune-", suffix=SUFFIX) as file:
        file.write(signature)
        file.flush()
        return _run(["-Y", *arguments, "-s", file.name], content, _VERIFY_TIMEOUT_S)


def _run(arguments: Sequence[str], content: bytes, seconds: float) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run([_PROGRAM, *arguments], input=content, capture_output=True, timeout=seconds, check=False)
    except FileNotFoundError:
        raise SignatureError(
            f"{_PROGRAM} is not found, by which signatures are made and verified; install OpenSSH's client (Debian: "
            "openssh-client)"
        ) from None
    except subprocess.TimeoutExpired:
        raise SignatureError(f"{_PROGRAM} has not answered for {seconds:.0f} s") from None
    except OSError as error:
        raise SignatureError(f"{_PROGRAM} cannot be run: {error.strerror}") from None


def _said(done: subprocess.CompletedProcess[bytes]) -> str:
    """Return the last line of what ssh-keygen said; principals and comments of keys are other people's words."""
    lines = (done.stderr + done.stdout).decode(errors="replace").strip().splitlines() or ["no reason was given"]
    return "".join(character for character in lines[-1] if character.isprintable())[:200]
