"""The client of the API over real HTTP: where its token goes, and where nothing goes at all."""

from __future__ import annotations

import base64
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from publish.github_server import GitHubServer
from publish.server_client import REPOSITORY, TOKEN, Clock, client

from gate.docs import PAGES
from gate.errors import GateError, InputError, PublishError
from gate.publish.github.addresses import quote, repository_path
from gate.publish.github.api import Api

PULLS = "/repos/owner/name/pulls"
COMMENTS = "/repos/owner/name/issues/7/comments"


@pytest.fixture
def hub(tmp_path):
    with GitHubServer(tmp_path / "hub") as server:
        server.add_repository(REPOSITORY)
        server.add_token(TOKEN)
        server.add_pull(REPOSITORY, 7, head="1" * 40)
        yield server


@pytest.fixture
def clock():
    return Clock()


def failure(code, call, *words, **options):
    with pytest.raises(GateError) as caught:
        call(*words, **options)
    assert caught.value.code == code, caught.value
    assert code in PAGES or code == "G200"
    assert TOKEN not in str(caught.value)
    return caught.value


def test_a_token_that_a_server_repeats_is_hidden(hub):
    hub.fault(status=422, body=f'{{"message": "no {TOKEN} here"}}')
    assert "no *** here" in str(failure("G270", client(hub).get, PULLS))


def test_a_renamed_repository_is_followed_for_reading_at_the_same_origin(hub):
    hub.fault(status=301, path="/repos/owner/old/pulls", headers={"Location": f"{hub.url}{PULLS}"})
    assert client(hub).get("/repos/owner/old/pulls")[0]["number"] == 7


def test_nothing_is_written_through_a_redirect(hub):
    hub.fault(status=307, method="POST", headers={"Location": f"{hub.url}{COMMENTS}"})
    assert "present name" in str(failure("G270", client(hub).post, COMMENTS, {"body": "x"}))
    assert hub.bodies(REPOSITORY) == []


def test_a_redirect_to_another_origin_gets_no_request_at_all(hub):
    hub.fault(status=302, headers={"Location": f"{hub.storage}/1?signature=abc"})
    failure("G270", client(hub).get, PULLS)
    assert hub.stored == []


def test_redirects_without_end_are_left(hub):
    hub.fault(status=301, times=99, headers={"Location": f"{hub.url}{PULLS}"})
    failure("G273", client(hub).get, PULLS)
    assert len(hub.log) == 4


@pytest.mark.parametrize("token", ["a b", "a\nb", "a\r\nX-Other: 1", "schlüssel"])
def test_a_token_that_cannot_be_one_is_refused_and_not_repeated(token):
    with pytest.raises(InputError) as caught:
        Api("https://api.github.com", token, REPOSITORY, pause=lambda _: None, now=lambda: 0.0)
    assert token not in str(caught.value)


@pytest.mark.parametrize(
    "base", ["", "ftp://example.com", "file:///etc", "https://", "https://me@example.com", "api"]
)
def test_an_address_that_cannot_be_an_api_is_refused(base):
    with pytest.raises(InputError):
        Api(base, TOKEN, REPOSITORY, pause=lambda _: None, now=lambda: 0.0)


@pytest.mark.parametrize(
    ("text", "quoted"),
    [("a/b", "a%2Fb"), ("..%2f", "..%252f"), ("a?b#c", "a%3Fb%23c"), ("ä b", "%C3%A4%20b")],
)
def test_a_part_of_a_path_cannot_lead_elsewhere(text, quoted):
    assert quote(text) == quoted


@pytest.mark.parametrize("text", ["", ".", ".."])
def test_a_part_that_no_quoting_makes_harmless_is_refused(text):
    with pytest.raises(InputError):
        quote(text)


@pytest.mark.parametrize(
    "text", ["", "name", "a/b/c", "../x", "a/..", "./b", "a/b?c", "a/b c", "a/\n"]
)
def test_only_owner_and_name_is_a_repository(text):
    assert repository_path("owner/name.js") == "/repos/owner/name.js"
    with pytest.raises(InputError):
        repository_path(text)


def test_a_download_goes_elsewhere_without_the_token(hub):
    data = b"x" * 1000
    made = hub.add_artifact(REPOSITORY, 1, "a", data)
    path = f"/repos/owner/name/actions/artifacts/{made['id']}/zip"
    assert client(hub).download(path, 1000) == data
    (stored,) = hub.stored
    assert "authorization" not in stored[1]
    assert "x-github-api-version" not in stored[1]


def test_a_download_stops_at_its_cap(hub):
    made = hub.add_artifact(REPOSITORY, 1, "a", b"x" * 1001)
    path = f"/repos/owner/name/actions/artifacts/{made['id']}/zip"
    assert "more than 1000 bytes came" in str(failure("G275", client(hub).download, path, 1000))


@pytest.mark.parametrize(
    "place", ["http://example.com/x", "ftp://127.0.0.1/x", "file:///etc/passwd", "//example.com/x"]
)
def test_a_download_from_a_place_that_is_not_safe_is_refused(hub, place):
    hub.fault(status=302, headers={"Location": place})
    error = failure("G273", client(hub).download, "/repos/owner/name/actions/artifacts/1/zip", 9)
    assert isinstance(error, PublishError)


def test_a_download_that_is_sent_on_a_second_time_is_refused(hub):
    hub.fault(status=302, path="/storage", headers={"Location": f"{hub.storage}/2"})
    made = hub.add_artifact(REPOSITORY, 1, "a", b"x")
    path = f"/repos/owner/name/actions/artifacts/{made['id']}/zip"
    failure("G273", client(hub).download, path, 1000)


def test_a_storage_that_fails_is_asked_again_and_its_address_is_not_shown(hub, clock):
    hub.fault(status=503, path="/storage", times=99)
    made = hub.add_artifact(REPOSITORY, 1, "a", b"x")
    path = f"/repos/owner/name/actions/artifacts/{made['id']}/zip"
    error = failure("G272", client(hub, clock).download, path, 1000)
    assert "signature" not in str(error) + "".join(clock.said)
    assert len(hub.stored) == 4


def test_a_download_that_never_ends_and_never_said_how_long_it_is_stops_at_its_cap(hub):
    hub.fault("drip", path="/storage")
    made = hub.add_artifact(REPOSITORY, 1, "a", b"x")
    path = f"/repos/owner/name/actions/artifacts/{made['id']}/zip"
    assert "more than 1000 bytes came" in str(failure("G275", client(hub).download, path, 1000))


class _Proxy(BaseHTTPRequestHandler):
    """Answers what it was asked for: the address, and who asked."""

    def do_GET(self):
        self.server.requests.append((self.path, dict(self.headers)))
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"[]")

    def do_CONNECT(self):
        self.server.requests.append((self.path, dict(self.headers)))
        self.send_error(403)

    def log_message(self, *_):
        """Keep quiet."""


@pytest.fixture
def proxy(monkeypatch):
    with HTTPServer(("127.0.0.1", 0), _Proxy) as server:
        server.requests = []
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        address = f"127.0.0.1:{server.server_port}"
        monkeypatch.setenv("http_proxy", f"http://me:s%40fe@{address}")
        monkeypatch.setenv("https_proxy", address)
        monkeypatch.setenv("no_proxy", "near.example")
        yield server
        server.shutdown()


def api_at(base, clock):
    return Api(base, TOKEN, REPOSITORY, pause=clock.pause, now=clock.now)


def test_a_proxy_is_used_as_the_environment_names_it(proxy, clock):
    """By http it is asked for the whole address, with its own login beside our token."""
    assert api_at("http://api.example", clock).get(PULLS) == []
    ((path, headers),) = proxy.requests
    assert path == f"http://api.example{PULLS}"
    login = base64.b64encode(b"me:s@fe").decode()
    assert headers["Proxy-Authorization"] == f"Basic {login}"


def test_a_proxy_of_https_gets_no_token_and_no_path(proxy, clock):
    """It is asked for a tunnel; where it opens none, nothing of the request leaves this machine."""
    failure("G272", api_at("https://api.example", clock).get, PULLS)
    assert {path for path, _ in proxy.requests} == {"api.example:443"}
    assert TOKEN not in str(proxy.requests)


def test_no_proxy_stands_between_us_and_this_machine(proxy, hub, clock):
    """Nor between us and a host that the environment leaves out."""
    assert client(hub).get(PULLS)
    failure("G272", api_at("http://near.example", clock).get, PULLS)
    assert proxy.requests == []


def test_a_connection_is_kept_and_every_request_has_the_token_of_its_own_host_only(hub):
    """The storage gets no token on any connection, also after requests that carried one."""
    made = hub.add_artifact(REPOSITORY, 1, "a", b"x")
    api = client(hub)
    for _ in range(3):
        api.get(PULLS)
        api.download(f"/repos/owner/name/actions/artifacts/{made['id']}/zip", 1000)
    assert all(headers["authorization"] == f"Bearer {TOKEN}" for _, _, headers in hub.log)
    assert len(hub.stored) == 3
    assert all("authorization" not in headers for _, headers in hub.stored)


@pytest.mark.parametrize(
    "place",
    ["https://me@example.com/x", "http://evil\\@127.0.0.1/x", "https://[bad/x", "https://a%20b/x"],
)
def test_an_address_that_two_readers_could_understand_differently_is_no_download(hub, place):
    """A login, a backslash or a broken host: nothing is asked for there."""
    hub.fault(status=302, headers={"Location": place})
    failure("G273", client(hub).download, "/repos/owner/name/actions/artifacts/1/zip", 9)
    hub.fault(status=302, headers={"Location": place})
    failure("G270", client(hub).get, PULLS)


def test_an_answer_that_says_that_it_is_packed_is_not_unpacked(hub):
    """So a small answer cannot become a large one: its size is the one that came."""
    body = "\x1f\x8b not JSON"
    hub.fault(status=200, headers={"Content-Encoding": "gzip"}, body=body)
    failure("G273", client(hub).get, PULLS)
