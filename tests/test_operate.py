"""The examples of docs/organiser/operate.md do what it says, with nginx, Caddy and systemd."""

from __future__ import annotations

import os
import re
import shutil
import socket
import ssl
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.sync.client import connect

from tests.arenas import built_in, external, messages, person
from tests.browser import arenas
from tests.contests import QUICK
from tests.system import install, missing

PAGE = Path(__file__).parents[1] / "docs" / "organiser" / "operate.md"
NAME, PATIENCE = "arena.example", 300.0
UPLOAD = 100 * 2**20
"""Bytes of the largest upload."""

pytestmark = pytest.mark.deep


def example(kind: str, begins: str = "") -> str:
    """The one example of a kind on the page that begins with these words."""
    text = PAGE.read_text("utf-8")
    (found,) = re.findall(rf"```{kind}\n({re.escape(begins)}.*?)```", text, re.DOTALL)
    return str(found)


def tool(program: str, package: str) -> str:
    if shutil.which(program) is None:
        install(package)
    return shutil.which(program) or missing(f"{program} is not installed")


def certificate(folder: Path) -> None:
    """A key and a certificate for the name of the site."""
    words = f"req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN={NAME} -keyout key.pem"
    names = ["-out", "cert.pem", "-addext", f"subjectAltName=DNS:{NAME}"]
    openssl = [tool("openssl", "openssl"), *words.split(), *names]
    subprocess.run(openssl, cwd=folder, check=True, capture_output=True)


@contextmanager
def proxy(kind: str, folder: Path, arena: int) -> Iterator[int]:
    """An example of the page in front of an arena, with a certificate of its own; its port."""
    certificate(folder)
    with closing(socket.create_server(("127.0.0.1", 0))) as probe:
        port: int = probe.getsockname()[1]
    words = {"nginx": nginx, "caddy": caddy}[kind](folder, port, arena)
    environment = {**os.environ, "HOME": str(folder)}
    process = subprocess.Popen([tool(kind, kind), *words], env=environment)
    try:
        answering(port, process)
        yield port
    finally:
        process.terminate()
        process.wait(60)


def nginx(folder: Path, port: int, arena: int) -> list[str]:
    """Write the example for nginx; its options."""
    (folder / "nginx.conf").write_text(configuration(folder, port, arena))
    return ["-p", str(folder), "-c", "nginx.conf", "-e", "error.log"]


def caddy(folder: Path, port: int, arena: int) -> list[str]:
    """Write the example for Caddy, which fetches no certificate here; its options."""
    server = example("", f"{NAME} {{")
    ours = f"https://{NAME}:{port} {{\n    bind 127.0.0.1\n    tls cert.pem key.pem"
    found = server.replace(f"{NAME} {{", ours).replace("127.0.0.1:8080", f"127.0.0.1:{arena}")
    assert str(port) in found and str(arena) in found  # noqa: PT018  # both were replaced
    file = folder / "Caddyfile"
    found = found.replace("cert.pem", f"{folder}/cert.pem").replace("key.pem", f"{folder}/key.pem")
    file.write_text("{\n    admin off\n    auto_https off\n}\n" + found)
    return ["run", "--config", str(file), "--adapter", "caddyfile"]


def configuration(folder: Path, port: int, arena: int) -> str:
    server = example("nginx").replace("listen 443 ssl;", f"listen 127.0.0.1:{port} ssl;")
    server = server.replace("127.0.0.1:8080", f"127.0.0.1:{arena}")
    assert str(port) in server and str(arena) in server  # noqa: PT018  # both were replaced
    places = "".join(
        f"{each}_temp_path {folder}/{each};\n"
        for each in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    keys = f"ssl_certificate {folder}/cert.pem;\nssl_certificate_key {folder}/key.pem;\n"
    user = "user root;\n" if os.geteuid() == 0 else ""  # its workers have to reach the folder
    return (
        f"daemon off;\n{user}pid {folder}/pid;\nevents {{}}\n"
        f"http {{\naccess_log off;\n{places}{keys}{server}}}\n"
    )


def answering(port: int, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + PATIENCE
    while True:
        assert process.poll() is None, "the proxy ended"
        assert time.monotonic() < end, "the proxy does not answer"
        try:
            socket.create_connection(("127.0.0.1", port), 1.0).close()
        except OSError:
            time.sleep(0.05)
        else:
            return


class Browser:
    """A browser that knows the site by its name, on a machine with an address of its own."""

    def __init__(self, port: int, folder: Path, address: str) -> None:
        self.port = port
        self.tls = ssl.create_default_context(cafile=folder / "cert.pem")
        transport = httpx.HTTPTransport(verify=self.tls, local_address=address)
        headers = {"host": NAME, "origin": f"https://{NAME}"}
        self.http = httpx.Client(
            base_url=f"https://127.0.0.1:{port}",
            transport=transport,
            headers=headers,
            timeout=PATIENCE,
        )

    def ask(self, method: str, path: str, **more: Any) -> httpx.Response:
        answer = self.http.request(method, path, extensions={"sni_hostname": NAME}, **more)
        for cookie in self.http.cookies.jar:
            assert cookie.secure, cookie.name
            cookie.domain, cookie.domain_specified = "127.0.0.1", False  # we ask by address
        if (
            answer.is_success
            and "csrf" in answer.text
            and "application/json" in str(answer.headers.get("content-type"))
        ):
            self.http.headers["x-csrf-token"] = answer.json()["csrf"]
        return answer

    def made(self, path: str, body: Any) -> Any:
        answer = self.ask("POST", path, json=body)
        assert answer.status_code in (200, 201), answer.text
        return answer.json()


MakeBrowser = Callable[..., Browser]


@pytest.fixture(scope="module", params=["nginx", "caddy"])
def site(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[int, Path]]:
    """The arena of the page behind one of its proxies: port and folder of the proxy."""
    folder = tmp_path_factory.mktemp("proxy")
    words = ("--allow-host", NAME, "--https", "--behind-proxy", "127.0.0.1")
    quiet = ("--no-demo", "--ladder", "0", "--trust-uploads")
    with (
        arenas.arena(folder / "data", *words, *quiet) as arena,
        proxy(request.param, folder, arena.port) as port,
    ):
        yield port, folder


@pytest.fixture
def browser(site: tuple[int, Path]) -> Iterator[MakeBrowser]:
    """Makes browsers on machines with different addresses."""
    with ExitStack() as stack:

        def made(address: str = "127.0.0.2") -> Browser:
            found = Browser(*site, address)
            stack.callback(found.http.close)
            return found

        yield made


def test_pages_and_logins_work_through_a_proxy(browser: MakeBrowser) -> None:
    ada = browser()
    assert "<title>" in ada.ask("GET", "/").text
    ada.made("/api/members", {"name": "Ada", "password": arenas.PASSWORD, "code": ""})
    assert ada.ask("GET", "/api/me").json()["member"]["name"] == "Ada"
    (cookie,) = list(ada.http.cookies.jar)
    assert cookie.secure
    assert ada.made("/api/teams", {"name": "Rays"})["id"]
    ada.http.headers["origin"] = "https://elsewhere.example"
    assert ada.ask("POST", "/api/teams", json={"name": "Eels"}).status_code == 403


def test_an_upload_of_a_hundred_megabytes_comes_through_a_proxy(browser: MakeBrowser) -> None:
    grace = browser()
    grace.made("/api/members", {"name": "Grace", "password": arenas.PASSWORD, "code": ""})
    team = grace.made("/api/teams", {"name": "Nautilus"})["id"]
    bot = grace.made(f"/api/teams/{team}/bots", {"edition": QUICK, "name": "Large"})["id"]
    path = f"/api/bots/{bot}/versions?name=bot.zip"
    sent = grace.ask("POST", path, content=bytes(UPLOAD))
    assert sent.status_code == 201, sent.text
    assert grace.ask("GET", f"/api/versions/{sent.json()['id']}").json()["size"] == UPLOAD
    refused = grace.ask("POST", path, content=bytes(UPLOAD + 1))
    assert refused.status_code == 413
    assert refused.json()["detail"]["message"] == "at most 100 MB"


def test_a_game_is_watched_and_played_live_through_a_proxy(browser: MakeBrowser) -> None:
    """The first word of a feed comes at once, and a person moves by WebSocket."""
    guest = browser("127.0.0.3")
    order = {"edition": QUICK, "seats": [person(), built_in()], "delay": 0}
    made = guest.made("/api/games", order)
    game, token = made["id"], made["seats"][0]["token"]
    stream = guest.http.stream("GET", f"/api/games/{game}/feed", extensions={"sni_hostname": NAME})
    with stream as answer:
        assert next(messages(answer.iter_lines()))[1] == "snapshot"
    where = f"wss://{NAME}:{guest.port}/api/games/{game}/seats/0?token={token}"
    raw = socket.create_connection(("127.0.0.1", guest.port))
    with connect(where, sock=raw, ssl=guest.tls, server_hostname=NAME, proxy=None) as seat:
        assert seat.recv(PATIENCE)


def test_visitors_are_told_apart_behind_a_proxy_and_cannot_pretend(browser: MakeBrowser) -> None:
    order = {"edition": QUICK, "seats": [external(), external()]}

    def opened(address: str, **headers: str) -> int:
        answer = browser(address).ask("POST", "/api/games", json=order, headers=headers)
        return answer.status_code

    while (status := opened("127.0.0.4")) == 201:
        pass
    assert status in (409, 429, 503)
    assert opened("127.0.0.4", **{"x-forwarded-for": "10.1.2.3"}) == status
    assert opened("127.0.0.5") == 201


def test_metrics_are_not_for_strangers_behind_a_proxy(browser: MakeBrowser) -> None:
    assert browser().ask("GET", "/metrics").status_code in (401, 403)


def test_systemd_understands_the_service(tmp_path: Path) -> None:
    analyze = tool("systemd-analyze", "systemd")
    program = "/opt/spielleiter/bin/spielleiter"
    text = example("ini")
    assert program in text
    unit = tmp_path / "spielleiter.service"
    unit.write_text(text.replace(program, "/bin/true"))
    done = subprocess.run([analyze, "verify", str(unit)], capture_output=True, text=True)
    ours = [line for line in done.stderr.splitlines() if "spielleiter.service" in line]
    assert (done.returncode, ours) == (0, [])
