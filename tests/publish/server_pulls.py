"""Pull requests, their comments, and who may do what."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from publish.server_git import git, resolve
from publish.server_state import Call, Problem, Reply, invalid, not_found

if TYPE_CHECKING:
    from publish.server_git import Route

LONGEST_BODY = 65_536
"""Characters: "Body is too long (maximum is 65536 characters)"."""


def get_repository(call: Call) -> Reply:
    return Reply(
        200,
        {
            "full_name": call.name,
            "private": call.repository["private"],
            "default_branch": call.repository["default_branch"],
            "html_url": f"https://github.com/{call.name}",
        },
    )


def shown(call: Call, pull: dict[str, Any]) -> dict[str, Any]:
    """The pull request as it stands: where its branch is in our git, that branch says so."""
    head, base = dict(pull["head"]), dict(pull["base"])
    if head["repo"]["full_name"] == call.name:
        head["sha"] = resolve(call.repository, f"refs/heads/{head['ref']}") or head.get("sha", "")
    base["sha"] = resolve(call.repository, f"refs/heads/{base['ref']}") or base.get("sha", "")
    return {**pull, "head": head, "base": base}


def list_pulls(call: Call) -> Reply:
    state, head, base = (call.query.get(key, "") for key in ("state", "head", "base"))
    found = [
        shown(call, one)
        for one in call.repository["pulls"]
        if (state or "open") in {"all", one["state"]}
        and head in {"", one["head"]["label"]}
        and base in {"", one["base"]["ref"]}
    ]
    return Reply(200, found)


def get_pull(call: Call) -> Reply:
    return Reply(200, shown(call, call.find("pulls", "number", call.parts[0])))


def list_reviews(call: Call) -> Reply:
    """Reviews of a pull request, oldest first."""
    return Reply(200, call.find("pulls", "number", call.parts[0]).get("reviews", []))


def list_commits(call: Call) -> Reply:
    """Commits of a pull request, oldest first."""
    pull = shown(call, call.find("pulls", "number", call.parts[0]))
    span = f"{pull['base']['sha']}..{pull['head']['sha']}"
    known = call.repository["git"] and resolve(call.repository, pull["head"]["sha"])
    found = git(call.repository, "log", "--reverse", "--format=%H%x00%B%x01", span) if known else ""
    rows = (one.strip("\n").split("\0") for one in found.split("\1") if one.strip("\n"))
    return Reply(200, [{"sha": sha, "commit": {"message": text}} for sha, text in rows])


def list_rules(call: Call) -> Reply:
    """Rules of the rulesets that are in force for a branch."""
    return Reply(200, call.repository.get("rules", {}).get(call.parts[0], []))


def make_pull(call: Call) -> Reply:
    if not call.repository.get("actions_may_create_pulls", True):
        raise Problem(403, "GitHub Actions is not permitted to create or approve pull requests.")
    owner = call.name.split("/")[0]
    branch, base = call.body["head"].removeprefix(f"{owner}:"), call.body["base"]
    head = resolve(call.repository, f"refs/heads/{branch}")
    target = resolve(call.repository, f"refs/heads/{base}")
    for name, there in (("head", head), ("base", target)):
        if not there:
            raise invalid("PullRequest", f"{name} is invalid", name=name)
    label = f"{owner}:{branch}"
    for one in call.repository["pulls"]:
        if one["state"] == "open" and (one["head"]["label"], one["base"]["ref"]) == (label, base):
            raise invalid("PullRequest", f"A pull request already exists for {label}.")
    if git(call.repository, "rev-list", "--count", f"{target}..{head}").strip() == "0":
        raise invalid("PullRequest", f"No commits between {base} and {branch}")
    _check_body(call.body.get("body") or "")
    number = 1 + max((one["number"] for one in call.repository["pulls"]), default=0)
    pull = {
        "number": number,
        "state": "open",
        "title": call.body["title"],
        "body": call.body.get("body") or "",
        "user": {"login": call.login},
        "html_url": f"https://github.com/{call.name}/pull/{number}",
        "head": {"ref": branch, "sha": head, "label": label, "repo": {"full_name": call.name}},
        "base": {"ref": base, "sha": target},
    }
    call.repository["pulls"].append(pull)
    return Reply(201, pull)


def change_pull(call: Call) -> Reply:
    pull = call.find("pulls", "number", call.parts[0])
    _check_body(call.body.get("body") or "")
    pull.update({key: call.body[key] for key in ("title", "body", "state") if key in call.body})
    return Reply(200, shown(call, pull))


def list_comments(call: Call) -> Reply:
    call.find("pulls", "number", call.parts[0])
    number = int(call.parts[0])
    return Reply(200, [one for one in call.repository["comments"] if one["issue"] == number])


def make_comment(call: Call) -> Reply:
    call.find("pulls", "number", call.parts[0])
    _check_body(call.body.get("body"))
    number, comment = int(call.parts[0]), call.state.number()
    page = f"https://github.com/{call.name}/pull/{number}#issuecomment-{comment}"
    made = {
        "id": comment,
        "issue": number,
        "body": call.body["body"],
        "html_url": page,
        "created_at": call.state.now(),
        "user": {"login": call.login, "type": "Bot" if call.login.endswith("[bot]") else "User"},
    }
    call.repository["comments"].append(made)
    return Reply(201, made)


def get_comment(call: Call) -> Reply:
    return Reply(200, call.find("comments", "id", call.parts[0]))


def change_comment(call: Call) -> Reply:
    comment = call.find("comments", "id", call.parts[0])
    _check_body(call.body.get("body"))
    comment["body"] = call.body["body"]
    return Reply(200, comment)


def drop_comment(call: Call) -> Reply:
    call.repository["comments"].remove(call.find("comments", "id", call.parts[0]))
    return Reply(204)


def _check_body(body: Any) -> None:
    if not isinstance(body, str):
        raise invalid("IssueComment", "body can't be blank")
    if len(body) > LONGEST_BODY:
        raise invalid("IssueComment", "Body is too long (maximum is 65536 characters)")


def get_permission(call: Call) -> Reply:
    login = call.parts[0]
    role = call.repository["permissions"].get(login)
    if role is None:
        raise not_found()
    # GitHub tells the older, coarser word beside the role.
    coarse = {"maintain": "write", "triage": "read"}.get(role, role)
    return Reply(200, {"permission": coarse, "role_name": role, "user": {"login": login}})


ROUTES: list[Route] = [
    ("GET", r"", "metadata", get_repository),
    ("GET", r"pulls", "pull-requests", list_pulls),
    ("POST", r"pulls", "pull-requests", make_pull),
    ("GET", r"pulls/(\d+)", "pull-requests", get_pull),
    ("GET", r"pulls/(\d+)/commits", "pull-requests", list_commits),
    ("GET", r"pulls/(\d+)/reviews", "pull-requests", list_reviews),
    ("GET", r"rules/branches/([^/]+)", "metadata", list_rules),
    ("PATCH", r"pulls/(\d+)", "pull-requests", change_pull),
    ("GET", r"issues/(\d+)/comments", "pull-requests", list_comments),
    ("POST", r"issues/(\d+)/comments", "pull-requests", make_comment),
    ("GET", r"issues/comments/(\d+)", "pull-requests", get_comment),
    ("PATCH", r"issues/comments/(\d+)", "pull-requests", change_comment),
    ("DELETE", r"issues/comments/(\d+)", "pull-requests", drop_comment),
    ("GET", r"collaborators/([^/]+)/permission", "metadata", get_permission),
]
