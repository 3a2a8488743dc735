"""Signatures beside files, made and verified by OpenSSH's ssh-keygen: FILE.sig, of the namespace scantune-records."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from scantune.errors import ScantuneError
from scantune.input_files import content_of, opened
from scantune.store.connection import check_kind

NAMESPACE = "scantune-records"  # a signature for another purpose, such as of a commit, does not verify under it
SUFFIX = ".sig"
MOST_BYTES = 64 * 2**10  # size of a signature
_MOST_CONTENT = 256 * 2**20
_PROGRAM = "ssh-keygen"
_SIGN_TIMEOUT_S = 300.0  # leaves time for typing a passphrase or touching a key
_VERIFY_TIMEOUT_S = 60.0
_MOST_PRINCIPAL = 128  # characters
_PATTERN = frozenset("*?!")


class SignatureError(ScantuneError):
    """The text names the file, what is wrong with its signature and what to do."""


@dataclass(frozen=True)
class Signers:
    """The list of those whose signatures count; ssh-keygen(1) describes its format under ALLOWED SIGNERS."""

    allowed: Path
    principal: str | None = None  # the only one who counts; None: all who are listed

    def check(self) -> None:
        """Raise SignatureError unless the list can be read."""
        try:
            opened(self.allowed).close()
        except OSError as error:
            raise SignatureError(f"{self.allowed}: the allowed signers cannot be read: {error.strerror}") from None


def beside(file: Path) -> Path:
    """Return the path of a file's signature."""
    return file.with_name(file.name + SUFFIX)


def check_key(key: Path) -> None:
    """Raise SignatureError if there is no such key."""
    if not key.expanduser().is_file():
        raise SignatureError(f"--sign {key}: no such key; create one with ssh-keygen -t ed25519")


def sign(content: bytes, key: Path) -> bytes:
    """Return a signature by a private key, or by a public one whose other half an agent has. Raises SignatureError."""
    check_key(key)
    done = _run(["-Y", "sign", "-q", "-n", NAMESPACE, "-f", str(key)], content, _SIGN_TIMEOUT_S)
    if done.returncode != 0:
        raise SignatureError(f"--sign {key}: signing failed: {_said(done)}")
    return done.stdout


def signed_content(file: Path) -> bytes:
    """Return the content of a file, which is read once, so that what is verified is what is used.

    Raises SignatureError.
    """
    check_kind(file)
    try:
        content = content_of(file, _MOST_CONTENT)
    except OSError as error:
        raise SignatureError(f"{file}: it cannot be read: {error.strerror}") from None
    if content is None:
        raise SignatureError(f"{file}: larger than {_MOST_CONTENT >> 20} MiB, too large for signed records")
    return content


def signature_of(file: Path) -> bytes:
    """Return the signature beside a file. Raises SignatureError."""
    try:
        with opened(beside(file)) as signed:
            signature = signed.read(MOST_BYTES + 1)
    except FileNotFoundError:
        raise SignatureError(
            f"{file}: it is not signed: there is no {beside(file).name} beside it; 'scantune db export "
            "--sign KEY' writes one"
        ) from None
    except OSError as error:
        raise SignatureError(f"{beside(file)}: it cannot be read: {error.strerror}") from None
    return signature


def verified_signer(name: str, content: bytes, signature: bytes, signers: Signers) -> str:
    """Return the principal who signed the content; `name` is for messages. Raises SignatureError if none did."""
    signers.check()
    if signers.principal is not None and not _is_name(signers.principal):
        raise SignatureError(
            f"{name}: the principal {signers.principal!r} is a pattern or too long: name one signer"[:300]
        )
    if len(signature) > MOST_BYTES:
        raise SignatureError(f"{name}: its signature is longer than any of ssh-keygen")
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
            f"{name}: no signer in {signers.allowed} has signed it: {_said(done)}; do not use the file before "
            "you know why"
        )
    # A line of the list may name several, by commas.
    listed = done.stdout.decode(errors="replace").replace("\n", ",").split(",")
    if not (names := list(filter(_is_name, listed))):
        raise SignatureError(
            f"{name}: {signers.allowed} lists its signer by a pattern only; name the signer with --principal"
        )
    return names


def _is_name(principal: str) -> bool:
    """Return whether a principal of the list is a name, and neither a pattern nor a negation."""
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
            f"{_PROGRAM} was not found, and is needed to sign and verify; install OpenSSH's client (Debian: "
            "openssh-client)"
        ) from None
    except subprocess.TimeoutExpired:
        raise SignatureError(f"{_PROGRAM} did not answer within {seconds:.0f} s") from None
    except OSError as error:
        raise SignatureError(f"{_PROGRAM} cannot be run: {error.strerror}") from None


def _said(done: subprocess.CompletedProcess[bytes]) -> str:
    """Return the last line of ssh-keygen's message, made safe to print: others wrote the principals in it."""
    lines = (done.stderr + done.stdout).decode(errors="replace").strip().splitlines() or ["no reason was given"]
    return "".join(character for character in lines[-1] if character.isprintable())[:200]
