"""Layers are fetched by `scantune db sync` alone, and nothing of them is read before digest or signature match."""

from __future__ import annotations

import gzip
import hashlib
import json
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from command import invoke
from examples import RECORDS
from scantune import paths
from scantune.model.layer import layers_of
from scantune.store import fetched as fetched_module
from scantune.store.archive import Archive
from scantune.store.database import open_readonly
from scantune.store.export import export_database
from scantune.store.fetched import FetchError, check_url, fetched, unpacked
from scantune.store.signature import sign
from scantune.store.text_form import text_of
from test_database import fill
from test_signature import ALICE, Keys, new_keys

pytestmark = pytest.mark.usefixtures("fake_worker_command")


def said(result: Result) -> str:
    return " ".join(result.output.split())


class Server:
    """A server that answers a path by `answers`: by bytes, or by a function that handles the request."""

    def __init__(self) -> None:
        self.answers: dict[str, bytes | Callable[[BaseHTTPRequestHandler], None]] = {}
        self.asked: list[str] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.asked.append(self.path)
                answer = outer.answers.get(self.path)
                if callable(answer):
                    answer(self)
                    return
                self.send_response(404 if answer is None else 200)
                self.send_header("Content-Length", str(len(answer or b"")))
                self.end_headers()
                self.wfile.write(answer or b"")

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.server.server_port}{path}"


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    yield server
    server.server.shutdown()
    server.server.server_close()


@pytest.fixture
def published(tmp_path: Path) -> bytes:
    """Return a database that somebody exported."""
    fill(tmp_path / "theirs.db")
    with open_readonly(tmp_path / "theirs.db") as database:
        export_database(database, tmp_path / "published.db")
    return (tmp_path / "published.db").read_bytes()


def list_layers(*layers: dict[str, Any]) -> None:
    file = paths.layers_file()
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(layers))


def pinned(server: Server, content: bytes, path: str = "/records.db", name: str = "team") -> dict[str, Any]:
    """Serve a content and return the layer that pins it."""
    server.answers[path] = content
    return {"name": name, "url": server.url(path), "sha256": hashlib.sha256(content).hexdigest()}


def synced(name: str = "team") -> Path:
    return paths.layers_directory() / f"{name}.db"


def winners_of(path: Path) -> int:
    with open_readonly(path) as database:
        assert database.rows("all_trials") == []
        return len(Archive(database).records())


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_layer_of_a_pinned_digest_becomes_a_database_of_its_winners(
    server: Server, published: bytes, pack: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    content = pack(published)
    list_layers(pinned(server, content))
    result = invoke("db", "sync", "--json", str(tmp_path / "sync.json"))
    assert result.exit_code == 0, result.output
    assert f"team: {len(RECORDS)} winners synced from http://127.0.0.1" in said(result)
    assert winners_of(synced()) == len(RECORDS)
    (told,) = json.loads((tmp_path / "sync.json").read_text())["layers"]
    assert (told["winners"], told["signer"], told["error"]) == (len(RECORDS), "", None)
    assert told["sha256"] == hashlib.sha256(content).hexdigest()
    assert sorted(path.name for path in paths.layers_directory().iterdir()) == ["team.db"]


def test_dry_run_reads_everything_and_writes_nothing(server: Server, published: bytes) -> None:
    list_layers(pinned(server, published))
    result = invoke("db", "sync", "--dry-run")
    assert f"{len(RECORDS)} winners would be synced" in said(result)
    assert not paths.layers_directory().exists()


def test_layer_that_is_not_what_was_pinned_is_not_read_and_what_was_there_stays(
    server: Server, published: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    list_layers(pinned(server, published))
    invoke("db", "sync")
    before = synced().read_bytes()
    server.answers["/records.db"] = published + b"\0"
    with monkeypatch.context() as patch:
        patch.setattr("scantune.compare.sync.import_database", lambda *_, **__: pytest.fail("it was read"))
        result = invoke("db", "sync")
    assert result.exit_code == 1
    assert "is pinned; pin the new one only" in said(result)
    assert "the previous version stays" in said(result)
    assert synced().read_bytes() == before


def test_layer_that_fails_does_not_keep_others_out(server: Server, published: bytes) -> None:
    list_layers(
        {"name": "gone", "url": server.url("/gone.db"), "sha256": "0" * 64},
        pinned(server, published),
    )
    result = invoke("db", "sync")
    assert result.exit_code == 1
    assert "gone: http://127.0.0.1" in said(result)
    assert "the server says 404" in said(result)
    assert "1 layer could not be synced: gone" in said(result)
    assert winners_of(synced()) == len(RECORDS)


@pytest.fixture
def keys(tmp_path: Path) -> Keys:
    directory = tmp_path / "keys"
    directory.mkdir()
    return new_keys(directory)


def signed(server: Server, content: bytes, keys: Keys, key: Path) -> dict[str, Any]:
    """Serve a content with a signature by a key, and return the layer that Alice must have signed."""
    keys.allow()
    server.answers |= {"/records.db": content, "/records.db.sig": sign(content, key)}
    signed_by = {"allowed_signers": str(keys.allowed), "principal": ALICE}
    return {"name": "team", "url": server.url("/records.db"), "signed_by": signed_by}


def test_layer_that_the_right_one_signed_is_taken(server: Server, published: bytes, keys: Keys) -> None:
    list_layers(signed(server, published, keys, keys.alice))
    result = invoke("db", "sync")
    assert f"signed by {ALICE}" in said(result), result.output
    assert winners_of(synced()) == len(RECORDS)
    with open_readonly(synced()) as database:
        origins = {record.run.origin for record in Archive(database).records()}
    assert {(origin.file, origin.signer) for origin in origins if origin} == {("records.db", ALICE)}


def test_layer_may_be_text(server: Server, tmp_path: Path, published: bytes) -> None:
    (tmp_path / "published.db").write_bytes(published)
    with open_readonly(tmp_path / "published.db") as database:
        lines = text_of(Archive(database).records(), Archive(database).breakpoints())
    later = json.loads(lines.splitlines()[0]) | {"energy": 1.5}
    text = "\n".join([json.dumps(later), *lines.splitlines()[1:], ""])
    list_layers(pinned(server, gzip.compress(text.encode()), "/records.jsonl.gz"))
    result = invoke("db", "sync")
    assert result.exit_code == 0, result.output
    assert "has keys that this version does not know and leaves out: 'energy'" in said(result)
    assert winners_of(synced()) == len(RECORDS)


@pytest.mark.parametrize("case", ["another key", "no signature", "changed"])
def test_layer_that_the_right_one_did_not_sign_is_not_read(
    server: Server, published: bytes, keys: Keys, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    list_layers(signed(server, published, keys, keys.mallory if case == "another key" else keys.alice))
    if case == "no signature":
        del server.answers["/records.db.sig"]
    elif case == "changed":
        server.answers["/records.db"] = published + b"\0"
    monkeypatch.setattr("scantune.compare.sync.import_database", lambda *_, **__: pytest.fail("it was read"))
    result = invoke("db", "sync")
    assert result.exit_code == 1
    assert ("the server says 404" if case == "no signature" else "do not use the file") in said(result)
    assert not synced().exists()


@pytest.mark.parametrize("case", ["text", "view", "empty", "rows"])
def test_what_was_pinned_is_read_as_a_strangers_all_the_same(
    server: Server, published: bytes, tmp_path: Path, case: str
) -> None:
    file = tmp_path / "hostile.db"
    file.write_bytes(published)
    connection = sqlite3.connect(file)
    if case == "view":
        connection.execute("CREATE VIEW v AS SELECT randomblob(1000000000)")
    elif case == "empty":
        connection.executescript("DELETE FROM breakpoint; DELETE FROM record")
    elif case == "rows":
        connection.execute("UPDATE record SET median_us = 1e300")
    connection.commit()
    connection.close()
    content = b"#include <stdio.h>\n" if case == "text" else file.read_bytes()
    list_layers(pinned(server, content))
    result = invoke("db", "sync")
    assert result.exit_code == 1, result.output
    assert "nothing was written" in said(result)
    assert server.url("/records.db") in said(result)
    assert list(paths.layers_directory().iterdir()) == []


def test_database_that_is_no_longer_listed_is_told(server: Server, published: bytes) -> None:
    list_layers(pinned(server, published))
    invoke("db", "sync")
    list_layers()
    result = invoke("db", "sync")
    assert result.exit_code == 0
    assert "also holds team.db" in said(result)
    assert synced().exists()


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({"name": "../evil", "url": "https://a/b", "sha256": "0" * 64}, "the name of a layer is '../evil'"),
        ({"name": ".hidden", "url": "https://a/b", "sha256": "0" * 64}, "the name of a layer"),
        ({"name": "a", "sha256": "0" * 64}, "a has no url"),
        ({"name": "a", "url": "https://a/b"}, "needs sha256 or signed_by"),
        ({"name": "a", "url": "https://a/b", "sha256": "0" * 64, "signed_by": {}}, "needs sha256"),
        ({"name": "a", "url": "https://a/b", "sha256": "0" * 63}, "not 64 digits"),
        ({"name": "a", "url": "https://a/b", "signed_by": {"principal": "b"}}, "signed_by needs allowed_signers"),
        ({"name": "a", "url": "https://a/b", "sha-256": "0" * 64}, "sha-256, which is unknown"),
        (["a"], "a layer is an object"),
    ],
)
def test_list_that_leaves_something_open_is_refused(tmp_path: Path, entry: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        layers_of(json.dumps([entry]), tmp_path)


def test_list_of_two_layers_of_a_name_and_none_at_all_are_usage_errors() -> None:
    missing = invoke("db", "sync")
    assert missing.exit_code == 2
    assert "no such list of layers" in missing.output
    layer = {"name": "a", "url": "https://a/b", "sha256": "0" * 64}
    list_layers(layer, layer)
    twice = invoke("db", "sync")
    assert twice.exit_code == 2
    assert "a is listed twice" in twice.output


@pytest.mark.parametrize(
    "url",
    [
        "http://example.com/records.db", "file:///etc/passwd", "ftp://example.com/a", "https://", "records.db",
        "https://user:word@example.com/a", "https://example.com/a b", "http://127.0.0.1.example.com/a", "https://[::1",
    ],
)  # fmt: skip
def test_address_of_anything_but_https_or_this_machine_is_refused(url: str) -> None:
    with pytest.raises(FetchError):
        check_url(url)


def redirecting(target: str) -> Callable[[BaseHTTPRequestHandler], None]:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(302)
        handler.send_header("Location", target)
        handler.end_headers()

    return answer


@pytest.mark.parametrize("target", ["http://example.com/records.db", "file:///etc/passwd", "ftp://example.com/a"])
def test_redirection_leads_to_no_address_that_could_not_be_named(server: Server, target: str) -> None:
    server.answers["/records.db"] = redirecting(target)
    with pytest.raises(FetchError, match=r"http is not encrypted|is not an|cannot be fetched|302"):
        fetched(server.url("/records.db"))


def test_redirection_to_an_address_that_could_be_named_is_followed(server: Server) -> None:
    server.answers |= {"/old": redirecting(server.url("/new")), "/new": b"here"}
    assert fetched(server.url("/old")) == b"here"


def test_file_that_is_too_large_or_breaks_off_is_refused(server: Server) -> None:
    def broken_off(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", "100")
        handler.end_headers()
        handler.wfile.write(b"half")
        handler.close_connection = True

    server.answers |= {"/large": bytes(2000), "/half": broken_off}
    assert fetched(server.url("/large"), 2000) == bytes(2000)
    with pytest.raises(FetchError, match="larger than"):
        fetched(server.url("/large"), 1999)
    with pytest.raises(FetchError, match=r"broke off|cannot be fetched"):
        fetched(server.url("/half"))


@pytest.mark.parametrize("part", ["head", "body"])
def test_server_that_never_ends_is_given_up(server: Server, monkeypatch: pytest.MonkeyPatch, part: str) -> None:
    def endless(handler: BaseHTTPRequestHandler) -> None:
        if part == "body":
            handler.send_response(200)
            handler.end_headers()
        for number in range(300):
            try:
                handler.wfile.write(b"x" if part == "body" else (b"HTTP/1.0 200 OK\r\nX: " if not number else b"x"))
                handler.wfile.flush()
            except OSError:
                return
            time.sleep(0.02)

    server.answers["/endless"] = endless
    monkeypatch.setattr(fetched_module, "_SECONDS", 0.3)
    started = time.monotonic()
    with pytest.raises(FetchError, match="not received within"):
        fetched(server.url("/endless"))
    assert time.monotonic() - started < 3


def test_file_that_unpacks_to_more_than_any_records_or_is_damaged_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetched_module, "_MOST_UNPACKED", 2**20)
    assert unpacked("URL", gzip.compress(bytes(2**20))) == bytes(2**20)
    with pytest.raises(FetchError, match="unpacks to more than 1 MiB"):
        unpacked("URL", gzip.compress(bytes(2**20 + 1)))
    for damaged in (gzip.compress(b"records")[:-1], gzip.compress(b"records") + b"more", b"\x1f\x8b" + b"junk"):
        with pytest.raises(FetchError, match="it is damaged"):
            unpacked("URL", damaged)
