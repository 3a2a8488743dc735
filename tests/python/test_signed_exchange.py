"""Imports of signed files: only what was signed is imported, and the records name the signer."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from command import invoke
from examples import RECORDS
from scantune.store.archive import Archive
from scantune.store.database import open_readonly
from scantune.store.export import export_database, export_signature
from scantune.store.signature import SignatureError, sign
from test_database import fill
from test_signature import ALICE, Keys, new_keys

pytestmark = pytest.mark.usefixtures("fake_worker_command")


def scantune(*arguments: str) -> tuple[int, str]:
    result = invoke(*arguments)
    return result.exit_code, result.output


@pytest.fixture
def keys(tmp_path: Path) -> Keys:
    directory = tmp_path / "keys"
    directory.mkdir()
    keys = new_keys(directory)
    keys.allow()
    return keys


@pytest.fixture(params=["export.db", "export.jsonl"])
def signed(request: pytest.FixtureRequest, tmp_path: Path, keys: Keys) -> Path:
    """Return what Alice has exported, as a database and as text."""
    fill(tmp_path / "alice.db")
    file = tmp_path / str(request.param)
    code, said = scantune("db", "export", str(file), "--db", str(tmp_path / "alice.db"), "--sign", str(keys.alice))
    assert code == 0, said
    assert "signed in" in said
    return file


def signers_of(path: Path) -> set[str | None]:
    with open_readonly(path) as database:
        origins = [record.run.origin for record in Archive(database).records()]
    return {origin.signer if origin else None for origin in origins}


def imported(file: Path, keys: Keys, *arguments: str) -> tuple[int, str, Path]:
    mine = file.with_name("mine.db")
    code, said = scantune(
        "db", "import", str(file), "--db", str(mine), "--allowed-signers", str(keys.allowed), *arguments
    )
    return code, said, mine


def test_signed_file_is_imported_and_its_records_name_who_signed_it(signed: Path, keys: Keys, tmp_path: Path) -> None:
    code, said, mine = imported(signed, keys, "--principal", ALICE, "--json", str(tmp_path / "told.json"))
    assert code == 0, said
    assert f"was signed by {ALICE}" in said
    told = json.loads((tmp_path / "told.json").read_text())
    assert (told["signer"], told["new_winners"]) == (ALICE, len(RECORDS))
    assert signers_of(mine) == {ALICE}


@pytest.mark.parametrize("case", ["changed", "not signed", "another signer", "another principal"])
def test_file_that_nobody_allowed_has_signed_is_not_imported(signed: Path, keys: Keys, case: str) -> None:
    arguments: list[str] = []
    signature = signed.with_name(signed.name + ".sig")
    if case == "changed":
        signed.write_bytes(signed.read_bytes() + b"\n")
    elif case == "not signed":
        signature.unlink()
    elif case == "another signer":
        keys.allowed.write_text(f"{ALICE} {keys.mallory.with_suffix('.pub').read_text()}")
    else:
        arguments = ["--principal", "bob@example.com"]
    code, said, mine = imported(signed, keys, *arguments)
    assert code == 1
    assert "sign" in said
    assert not mine.exists() or signers_of(mine) == set()


def test_signature_of_what_came_unsigned_before_is_noted(signed: Path, keys: Keys) -> None:
    mine = signed.with_name("mine.db")
    assert scantune("db", "import", str(signed), "--db", str(mine))[0] == 0
    assert signers_of(mine) == {""}
    for newly in (len(RECORDS), 0):
        code, said, _ = imported(signed, keys, "--json", str(mine.with_name("told.json")))
        assert code == 0, said
        told = json.loads(mine.with_name("told.json").read_text())
        assert (told["new_winners"], told["kept_winners"], told["newly_signed"]) == (0, len(RECORDS), newly)
        assert signers_of(mine) == {ALICE}


def test_own_measurement_stays_ones_own_whoever_signs_it(signed: Path, keys: Keys) -> None:
    own = signed.with_name("alice.db")
    options = ["--db", str(own), "--allowed-signers", str(keys.allowed)]
    assert scantune("db", "import", str(signed), *options)[0] == 0
    assert signers_of(own) == {None}


def test_errors_name_the_file_and_not_the_copy_that_was_verified(tmp_path: Path, keys: Keys) -> None:
    for name, content in (("broken.jsonl", b"{}\n<<<<<<< ours\n"), ("broken.db", b"SQLite format 3\0" + b"x" * 200)):
        file = tmp_path / name
        file.write_bytes(content)
        export_signature(file, sign(content, keys.alice))
        code, said, _ = imported(file, keys)
        folded = "".join(said.split())
        assert (code, str(file) in folded, "scantune-import-" in folded) == (1, True, False), said


def test_dry_run_of_an_import_makes_and_changes_nothing(signed: Path, keys: Keys) -> None:
    mine = signed.with_name("mine.db")
    code, said, _ = imported(signed, keys, "--dry-run")
    assert (code, f"{len(RECORDS)} new winners" in said, mine.exists()) == (0, True, False), said
    fill(mine)
    before = mine.read_bytes()
    code, said, _ = imported(signed, keys, "--dry-run")
    assert (code, f"{len(RECORDS)} of ours kept" in " ".join(said.split()), mine.read_bytes() == before) == (
        0, True, True,
    ), said  # fmt: skip
    code, said = scantune("db", "import", str(mine), "--db", str(mine), "--dry-run")
    assert (code, "into itself" in " ".join(said.split())) == (1, True), said


def test_signer_that_a_file_claims_is_not_believed(signed: Path, keys: Keys, tmp_path: Path) -> None:
    imported(signed, keys)
    mine, passed_on, other = tmp_path / "mine.db", tmp_path / "passed.jsonl", tmp_path / "other.db"
    scantune("db", "export", str(passed_on), "--db", str(mine))
    assert ALICE in passed_on.read_text()
    code, said = scantune("db", "import", str(passed_on), "--db", str(other))
    assert code == 0, said
    assert signers_of(other) == {""}


def test_signer_is_shown_of_ones_own_database_alone(
    signed: Path, keys: Keys, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, _, mine = imported(signed, keys)
    for own, is_shown in ((tmp_path / "absent.db", False), (mine, True)):
        monkeypatch.setenv("SCANTUNE_DB", str(own))
        told = tmp_path / "told.json"
        code, said = scantune("db", "show", "--db", str(mine), "--json", str(told))
        assert code == 0, said
        origins = [winner["origin"] for winner in json.loads(told.read_text())["winners"]]
        assert {origin.get("signer") for origin in origins} == {ALICE if is_shown else None}
        assert ("signed by" in said) is is_shown
    layer = tmp_path / "scantune" / "layers" / "team.db"
    layer.parent.mkdir(parents=True)
    mine.rename(layer)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert "signed by" in scantune("db", "show", "--db", str(layer))[1]


def test_log_beside_a_signed_database_is_no_part_of_what_is_imported(tmp_path: Path, keys: Keys) -> None:
    """Its signature covers the file alone, and SQLite would read pages of the log in place of the file's."""
    fill(tmp_path / "alice.db")
    file = tmp_path / "export.db"
    scantune("db", "export", str(file), "--db", str(tmp_path / "alice.db"))
    with sqlite3.connect(file) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
    connection.close()
    export_signature(file, sign(file.read_bytes(), keys.alice))
    planted = sqlite3.connect(file, isolation_level=None)
    planted.execute("UPDATE record SET median_us = 0.001")
    assert file.with_name("export.db-wal").stat().st_size > 0
    code, said, mine = imported(file, keys)
    planted.close()
    assert code == 0, said
    with open_readonly(mine) as database:
        assert {record.median_us for record in Archive(database).records()} == {one.median_us for one in RECORDS}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["export", "-", "--sign", "key"], "FILE cannot be -"),
        (["import", "-", "--allowed-signers", "list"], "FILE cannot be -"),
        (["export", "file.db", "--by", "none"], "records that nobody exported"),
        (["import", "file.db", "--principal", "alice"], "name the list with --allowed-signers"),
    ],
)
def test_signature_that_could_lie_nowhere_is_a_mistake(arguments: list[str], words: str) -> None:
    code, said = scantune("db", *arguments)
    assert code == 2
    assert words in " ".join(said.split())


def test_signature_that_is_there_is_replaced_by_force_alone(tmp_path: Path, keys: Keys) -> None:
    fill(tmp_path / "alice.db")
    arguments = ["db", "export", str(tmp_path / "e.db"), "--db", str(tmp_path / "alice.db"), "--sign", str(keys.alice)]
    (tmp_path / "e.db.sig").write_text("another's")
    code, said = scantune(*arguments)
    assert code == 1
    assert "e.db.sig: it exists already" in "".join(said.split("\n"))
    assert not (tmp_path / "e.db").exists()
    assert scantune(*arguments, "--force")[0] == 0
    assert (tmp_path / "e.db.sig").read_text().startswith("-----BEGIN SSH SIGNATURE-----")


def test_file_that_cannot_be_signed_is_not_written(tmp_path: Path, keys: Keys, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(content: bytes, key: Path) -> bytes:
        raise SignatureError("the passphrase was wrong")

    monkeypatch.setattr("scantune.cli.exchange.sign", failing)
    fill(tmp_path / "alice.db")
    for name in ("e.db", "e.jsonl"):
        (tmp_path / name).write_text("before")
        options = ["--db", str(tmp_path / "alice.db"), "--sign", str(keys.alice), "--force"]
        code, said = scantune("db", "export", str(tmp_path / name), *options)
        assert (code, "the passphrase was wrong" in said) == (1, True), said
        assert (tmp_path / name).read_text() == "before"
    assert not list(tmp_path.glob(".scantune-export-*"))


def test_file_is_in_place_only_after_its_signature(
    signed: Path, keys: Keys, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(file: Path, signature: bytes) -> None:
        export_signature(file, signature)
        raise KeyboardInterrupt

    monkeypatch.setattr("scantune.store.export.export_signature", interrupted)
    before, signature = signed.read_bytes(), signed.with_name(signed.name + ".sig")
    old = signature.read_bytes()
    with pytest.raises(KeyboardInterrupt), open_readonly(tmp_path / "alice.db") as database:
        export_database(database, signed, overwrite=True, sign=lambda content: sign(content + b" ", keys.alice))
    assert signed.read_bytes() == before
    assert signature.read_bytes() != old
    assert imported(signed, keys)[0] == 1


def test_file_that_is_replaced_unsigned_keeps_no_signature(signed: Path, keys: Keys, tmp_path: Path) -> None:
    signature = signed.with_name(signed.name + ".sig")
    options = ["--db", str(tmp_path / "alice.db")]
    assert scantune("db", "export", str(signed), *options)[0] == 1
    assert signature.exists()
    code, said = scantune("db", "export", str(signed), *options, "--force")
    assert (code, signature.exists()) == (0, False), said
    assert f"{signature.name} was removed" in " ".join(said.split())
