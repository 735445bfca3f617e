"""Workflow runs, artifacts and check runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from publish.server_git import resolve
from publish.server_state import Call, Problem, Reply, invalid, not_found

if TYPE_CHECKING:
    from publish.server_git import Route

LARGEST_OUTPUT = 65_535
"""Bytes of a check's summary and text, whatever the reference calls them."""
LONGEST_TITLE = 255
MOST_ANNOTATIONS = 50
CONCLUSIONS = {
    "action_required",
    "cancelled",
    "failure",
    "neutral",
    "success",
    "skipped",
    "timed_out",
}
_ACTIONS = "github-actions"


def list_runs(call: Call) -> Reply:
    """All runs, or those of one workflow file; filtered as the query says."""
    runs = call.repository["runs"]
    if call.parts:
        file = f".github/workflows/{call.parts[0]}"
        runs = [one for one in runs if one["path"] == file]
        if not runs and call.parts[0] not in call.repository.get("workflows", []):
            raise Problem(404, "Not Found")
    for key, name in (("head_sha", "head_sha"), ("event", "event"), ("branch", "head_branch")):
        if key in call.query:
            runs = [one for one in runs if one[name] == call.query[key]]
    if "status" in call.query:
        asked = call.query["status"]
        runs = [one for one in runs if asked in {one["status"], one["conclusion"]}]
    newest = sorted(runs, key=lambda one: one["id"], reverse=True)
    return Reply(200, {"total_count": len(newest), "workflow_runs": newest})


def get_run(call: Call) -> Reply:
    return Reply(200, call.find("runs", "id", call.parts[0]))


def list_jobs(call: Call) -> Reply:
    """Jobs of the newest attempt, with the labels that each asked a runner for."""
    jobs = call.find("runs", "id", call.parts[0]).get("jobs", [])
    return Reply(200, {"total_count": len(jobs), "jobs": jobs})


def list_artifacts(call: Call) -> Reply:
    call.find("runs", "id", call.parts[0])
    run, name = int(call.parts[0]), call.query.get("name")
    found = [
        one
        for one in call.repository["artifacts"]
        if one["workflow_run"]["id"] == run and name in {None, one["name"]}
    ]
    return Reply(200, {"total_count": len(found), "artifacts": found})


def download(call: Call) -> Reply:
    """A redirect to storage at another origin, whose address opens by itself."""
    artifact = call.find("artifacts", "id", call.parts[0])
    if artifact["expired"]:
        raise Problem(410, "Artifact has expired")
    return Reply(302, None, {"Location": f"{call.storage}/{artifact['id']}?signature=abc"})


def list_checks(call: Call) -> Reply:
    commit = resolve(call.repository, call.parts[0]) or call.parts[0]
    found = [
        one
        for one in call.repository["checks"]
        if one["head_sha"] == commit and call.query.get("check_name") in {None, one["name"]}
    ]
    return Reply(200, {"total_count": len(found), "check_runs": found[::-1]})


def make_check(call: Call) -> Reply:
    for key in ("name", "head_sha"):
        if not call.body.get(key):
            raise invalid("CheckRun", f"{key} is missing", name=key)
    if call.repository["git"] and not resolve(call.repository, call.body["head_sha"]):
        raise Problem(422, f"No commit found for SHA: {call.body['head_sha']}")
    _check_output(call.body)
    number = call.state.number()
    made = {
        "id": number,
        "external_id": "",
        "status": "queued",
        "conclusion": None,
        "details_url": "",
        "html_url": f"https://github.com/{call.name}/runs/{number}",
        "app": {"slug": _app(call)},
        **_settable(call.body),
        "head_sha": call.body["head_sha"],
    }
    call.repository["checks"].append(made)
    return Reply(201, made)


def change_check(call: Call) -> Reply:
    check = call.find("checks", "id", call.parts[0])
    if check["app"]["slug"] != _app(call):
        raise Problem(403, "Resource not accessible by integration")
    _check_output(call.body)
    check.update(_settable(call.body))
    return Reply(200, check)


def _app(call: Call) -> str:
    return call.login.removesuffix("[bot]")


def _settable(body: dict[str, Any]) -> dict[str, Any]:
    keys = ("name", "external_id", "status", "conclusion", "details_url", "output")
    return {key: body[key] for key in keys if key in body}


def _check_output(body: dict[str, Any]) -> None:
    output = body.get("output") or {}
    if body.get("status") == "completed" and not body.get("conclusion"):
        raise invalid("CheckRun", "conclusion is missing", name="conclusion")
    if body.get("conclusion") and body["conclusion"] not in CONCLUSIONS:
        raise invalid("CheckRun", "conclusion is not included in the list", name="conclusion")
    if output and not ("title" in output and "summary" in output):
        raise invalid("CheckRun", "title and summary are required", name="output")
    if len(output.get("title", "")) > LONGEST_TITLE:
        raise invalid("CheckRun", "title is too long (maximum is 255 characters)", name="title")
    for key in ("summary", "text"):
        if len(output.get(key, "").encode()) > LARGEST_OUTPUT:
            raise invalid("CheckRun", f"Only 65535 characters are allowed; {key}", name=key)
    if len(output.get("annotations", [])) > MOST_ANNOTATIONS:
        raise invalid("CheckRun", "no more than 50 annotations", name="annotations")


def get_environment(call: Call) -> Reply:
    """Its protection rules; anybody may read those of a public repository."""
    known = call.repository.get("environments", {})
    if call.parts[0] not in known:
        raise not_found()
    rules = [{"type": "required_reviewers", "reviewers": [{"type": "User"}] * known[call.parts[0]]}]
    return Reply(200, {"name": call.parts[0], "protection_rules": rules})


ROUTES: list[Route] = [
    ("GET", r"environments/([^/]+)", "metadata", get_environment),
    ("GET", r"actions/runs", "actions", list_runs),
    ("GET", r"actions/workflows/([^/]+)/runs", "actions", list_runs),
    ("GET", r"actions/runs/(\d+)", "actions", get_run),
    ("GET", r"actions/runs/(\d+)/jobs", "actions", list_jobs),
    ("GET", r"actions/runs/(\d+)/artifacts", "actions", list_artifacts),
    ("GET", r"actions/artifacts/(\d+)/zip", "actions", download),
    ("GET", r"commits/([^/]+)/check-runs", "checks", list_checks),
    ("POST", r"check-runs", "checks", make_check),
    ("PATCH", r"check-runs/(\d+)", "checks", change_check),
]
