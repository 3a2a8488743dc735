"""Signatures are valid exactly where ssh-keygen verifies them."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from scantune.store import signature as signature_module
from scantune.store.signature import (
    MOST_BYTES,
    NAMESPACE,
    SignatureError,
    Signers,
    beside,
    sign,
    signature_of,
    verified_signer,
)

ALICE = "alice@example.com"
CONTENT = b"records\n"


@dataclass(frozen=True)
class Keys:
    """Two keys, and a list in which one of them is Alice's."""

    directory: Path

    @property
    def alice(self) -> Path:
        return self.directory / "alice"

    @property
    def mallory(self) -> Path:
        return self.directory / "mallory"

    @property
    def allowed(self) -> Path:
        return self.directory / "allowed_signers"

    def allow(self, options: str = f'namespaces="{NAMESPACE}"', principals: str = ALICE) -> Signers:
        self.allowed.write_text(f"{principals} {options} {self.alice.with_suffix('.pub').read_text()}")
        return Signers(self.allowed)


def new_keys(directory: Path) -> Keys:
    for name in ("alice", "mallory"):
        command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", str(directory / name)]
        subprocess.run(command, check=True, timeout=60)
    return Keys(directory)


@pytest.fixture
def keys(tmp_path: Path) -> Keys:
    return new_keys(tmp_path)


def test_signer_is_the_principal_that_the_list_has_for_the_key(keys: Keys) -> None:
    made = sign(CONTENT, keys.alice)
    signers = keys.allow()
    assert verified_signer("FILE", CONTENT, made, signers) == ALICE
    assert verified_signer("FILE", CONTENT, made, Signers(keys.allowed, ALICE)) == ALICE


def test_line_of_several_principals_names_the_first_that_verifies(keys: Keys) -> None:
    signers = keys.allow(principals=f"{ALICE},bob@example.com")
    assert verified_signer("FILE", CONTENT, sign(CONTENT, keys.alice), signers) == ALICE
    asked = Signers(keys.allowed, "bob@example.com")
    assert verified_signer("FILE", CONTENT, sign(CONTENT, keys.alice), asked) == "bob@example.com"


@pytest.mark.parametrize(
    ("case", "words"),
    [
        ("another content", "is not one of those whom"),
        ("another key", "no signer in"),
        ("another principal", "is not one of bob@example.com"),
        ("another namespace of the list", "is not one of those whom"),
        ("another namespace of the signature", "is not one of those whom"),
        ("outdated", "no signer in|is not one of those whom"),
        ("no signature", "no signer in"),
        ("long", "longer than any"),
        ("no list", "the allowed signers cannot be read"),
    ],
)
def test_what_does_not_verify_is_refused(keys: Keys, case: str, words: str) -> None:
    made, signers, content = sign(CONTENT, keys.alice), keys.allow(), CONTENT
    if case == "another content":
        content = CONTENT + b"one more\n"
    elif case == "another key":
        made = sign(CONTENT, keys.mallory)
    elif case == "another principal":
        signers = Signers(keys.allowed, "bob@example.com")
    elif case == "another namespace of the list":
        signers = keys.allow('namespaces="git"')
    elif case == "another namespace of the signature":
        command = ["ssh-keygen", "-Y", "sign", "-q", "-n", "git", "-f", str(keys.alice)]
        made = subprocess.run(command, input=CONTENT, capture_output=True, check=True, timeout=60).stdout
        signers = keys.allow("")
    elif case == "outdated":
        signers = keys.allow('valid-before="20200101"')
    elif case == "no signature":
        made = b""
    elif case == "long":
        made += b"\n" * MOST_BYTES
    elif case == "no list":
        keys.allowed.unlink()
    with pytest.raises(SignatureError, match=words):
        verified_signer("FILE", content, made, signers)


def test_pattern_of_the_list_is_nobodys_name(keys: Keys) -> None:
    signature = sign(CONTENT, keys.alice)
    signers = keys.allow(principals="*@example.com,!bob@example.com")
    with pytest.raises(SignatureError, match="name the signer with --principal"):
        verified_signer("file", CONTENT, signature, signers)
    assert verified_signer("file", CONTENT, signature, replace(signers, principal=ALICE)) == ALICE
    with pytest.raises(SignatureError, match="is a pattern"):
        verified_signer("file", CONTENT, signature, replace(signers, principal="*@example.com"))
    assert verified_signer("file", CONTENT, signature, keys.allow(principals=f"*@example.com,{ALICE}")) == ALICE


def test_key_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(SignatureError, match=r"--sign .*none: no such key"):
        sign(CONTENT, tmp_path / "none")


def test_key_that_is_none_is_told_in_the_words_of_ssh_keygen(tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_text("no key\n")
    key.chmod(0o600)
    with pytest.raises(SignatureError, match="signing failed: "):
        sign(CONTENT, key)


def test_machine_without_ssh_keygen_says_what_to_install(keys: Keys, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signature_module, "_PROGRAM", "ssh-keygen-of-nowhere")
    with pytest.raises(SignatureError, match="Debian: openssh-client"):
        sign(CONTENT, keys.alice)


def test_file_without_a_signature_beside_it_is_not_signed(tmp_path: Path) -> None:
    file = tmp_path / "records.jsonl"
    file.write_bytes(CONTENT)
    with pytest.raises(SignatureError, match=r"it is not signed: there is no records.jsonl.sig beside it"):
        signature_of(file)
    beside(file).write_bytes(b"made")
    assert signature_of(file) == b"made"
