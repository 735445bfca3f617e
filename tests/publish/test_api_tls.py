"""Certificates are verified: a server that shows one of its own making gets no token."""

from __future__ import annotations

import shutil
import ssl
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from publish.server_client import REPOSITORY, TOKEN, Clock

from gate.errors import PublishError
from gate.publish.github.api import Api


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificate")
def test_a_certificate_that_nobody_vouches_for_is_refused_at_once(tmp_path):
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    words = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2"
    name = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    files = ["-keyout", str(key), "-out", str(certificate)]
    subprocess.run([*words.split(), *name, *files], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    seen = []
    handler = type("H", (BaseHTTPRequestHandler,), {"do_GET": lambda self: seen.append(self.path)})
    clock = Clock()
    with HTTPServer(("127.0.0.1", 0), handler) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        server.handle_error = lambda *_: None
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        url = f"https://127.0.0.1:{server.server_port}"
        api = Api(url, TOKEN, REPOSITORY, pause=clock.pause, now=clock.now)
        with pytest.raises(PublishError) as caught:
            api.get("/repos/owner/name/pulls")
        server.shutdown()
    assert caught.value.code == "G272"
    assert "certificate is not to be trusted (self-signed certificate)" in str(caught.value)
    assert clock.waits == []
    assert seen == []
