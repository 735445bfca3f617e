"""Packages come as wheels of the lock file, and are looked up among known vulnerabilities."""

from __future__ import annotations

import http.server
import json
import os
import re
import subprocess
import threading
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
AUDIT = ROOT / ".ci/audit.sh"


@pytest.mark.parametrize("script", [".ci/setup.sh", ".github/actions/gate/install.sh"])
def test_nothing_that_others_wrote_is_built(script):
    """Every package is installed as a wheel before our own, the only one that is ever built."""
    text = (ROOT / script).read_text("utf-8").replace("\\\n", " ")
    calls = re.findall(r"uv\"? sync .*", text)
    assert len(calls) == 2
    assert "--no-build" in calls[0]
    assert "--no-install-project" in calls[0]
    assert all("--locked" in call for call in calls)


def audit(url):
    environment = {**os.environ, "OSV_URL": url, "UV_HTTP_RETRIES": "0"}
    environment.pop("GITHUB_ACTIONS", None)
    return subprocess.run([AUDIT], capture_output=True, text=True, check=False, env=environment)


def test_a_database_that_cannot_be_reached_is_told():
    """It fails nothing, and nobody takes it for an audit without findings."""
    done = audit("http://127.0.0.1:9/")
    assert done.returncode == 0, done
    assert "NOTHING WAS AUDITED" in done.stdout


class _Osv(http.server.BaseHTTPRequestHandler):
    """Answers like OSV: one of the packages asked for has a vulnerability, where `bad` names it."""

    bad = ""

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        rows = [
            {"vulns": [{"id": "OSV-1", "modified": "2026-01-01T00:00:00Z"}]}
            if one["package"]["name"] == self.bad
            else {}
            for one in asked["queries"]
        ]
        self._answer({"results": rows})

    def do_GET(self):
        self._answer(
            {
                "id": "OSV-1",
                "modified": "2026-01-01T00:00:00Z",
                "summary": "made up",
                "affected": [{"package": {"name": self.bad, "ecosystem": "PyPI"}}],
            }
        )

    def _answer(self, data):
        body = json.dumps(data).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.mark.parametrize(("bad", "status"), [("", 0), ("click", 1)])
def test_what_the_database_says_counts(bad, status, monkeypatch):
    """A package with a known vulnerability fails the audit; none passes it."""
    monkeypatch.setattr(_Osv, "bad", bad)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Osv) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        done = audit(f"http://127.0.0.1:{server.server_port}/")
        server.shutdown()
    assert done.returncode == status, done
    assert "NOTHING WAS AUDITED" not in done.stdout
    assert ("OSV-1" in done.stdout) == bool(bad)
