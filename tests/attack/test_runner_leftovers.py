"""What one job leaves on a runner does not run in the next, and no job's code gets the runner's files.

The steps are those of our workflows and actions, run as they stand, by bash and git.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ACTION = ROOT / ".github/actions/gate"
BESIDE = ".github/workflows/measure.yml", "gate/cli/github/one-stage.yml"
"""Workflows that put the merge base beside the change."""
OURS = ("measure", "aa", "baseline")
SECRET = (
    *("GITHUB_ENV", "GITHUB_OUTPUT", "GITHUB_PATH", "GITHUB_STATE", "GITHUB_STEP_SUMMARY"),
    *("GITHUB_TOKEN", "GH_TOKEN", "ACTIONS_RUNTIME_TOKEN", "ACTIONS_ID_TOKEN_REQUEST_TOKEN"),
    *("ACTIONS_ID_TOKEN_REQUEST_URL", "ACTIONS_RESULTS_URL", "ACTIONS_RUNTIME_URL"),
    *("ACTIONS_CACHE_URL", "ACTIONS_SOMETHING_NEW"),
)
"""By what a step talks to its runner, and with what right."""


def run(script, cwd, **env):
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script], cwd=cwd, env=env, check=False,
        capture_output=True, text=True,
    )  # fmt: skip


def git(where, *words):
    known = ["git", "-c", "user.name=me", "-c", "user.email=me@example.org", "-C", str(where)]
    done = subprocess.run(
        [*known, *words], check=True, capture_output=True, text=True,
        env={**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"},
    )  # fmt: skip
    return done.stdout.strip()


def steps_of(workflow):
    """Name -> what it runs, in order; empty for a step that uses an action."""
    text = (ROOT / workflow).read_text(encoding="utf-8")
    found = []
    for block in re.split(r"^      - name: ", text, flags=re.MULTILINE)[1:]:
        name, _, rest = block.partition("\n")
        script = re.search(
            r"^        run: (?:\|\n((?:          .*\n|\n)+)|(.*)\n)", rest, re.MULTILINE
        )
        lines = (script[1] or script[2]) if script else ""
        found.append((name, re.sub(r"^          ", "", lines, flags=re.MULTILINE)))
    return found


def planted(path, marker):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\necho planted >>{marker}\n", encoding="utf-8")
    path.chmod(0o755)


@pytest.fixture
def workspace(tmp_path):
    """A runner's workspace in which `head` is checked out, with hooks that somebody left."""
    head, home = tmp_path / "work" / "head", tmp_path / "home"
    head.mkdir(parents=True)
    git(head, "init", "-q", "-b", "main")
    for name in ("base", "change"):
        (head / "code").write_text(name, encoding="utf-8")
        git(head, "add", "-A")
        git(head, "commit", "-qm", name)
        git(head, "tag", f"the-{name}")
    git(head, "checkout", "-q", "--detach")  # as actions/checkout leaves it
    git(head, "branch", "-D", "main")
    for hook in ("post-checkout", "reference-transaction", "post-index-change", "post-merge"):
        planted(head / ".git/hooks" / hook, tmp_path / "ran")
        planted(home / "template/hooks" / hook, tmp_path / "ran")
    (home / ".gitconfig").write_text(
        f"[init]\ntemplateDir = {home}/template\n[core]\nhooksPath = {home}/template/hooks\n"
        f"attributesFile = {home}/attributes\n"
        f'[filter "left"]\nsmudge = "echo planted >>{tmp_path}/ran; cat"\n',
        encoding="utf-8",
    )
    (home / "attributes").write_text("* filter=left\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("workflow", BESIDE)
def test_no_planted_hook_runs_where_the_merge_base_is_put_beside(workspace, workflow):
    """Neither one of the checkout, nor one of a template or a configuration in the runner's home.

    Nor a filter of that configuration, which git runs on every file.
    """
    ((_, script),) = [one for one in steps_of(workflow) if "merge base beside" in one[0]]
    env = {"PATH": os.environ["PATH"], "HOME": str(workspace / "home")}
    done = run(script, workspace / "work", BASE="the-base", **env)
    assert done.returncode == 0, done
    assert (workspace / "work/base/code").read_text(encoding="utf-8") == "base"
    assert git(workspace / "work/base", "rev-parse", "HEAD") == git(
        workspace / "work/head", "rev-parse", "the-base"
    )
    assert not git(workspace / "work/base", "status", "--porcelain")
    assert not (workspace / "ran").exists()


@pytest.mark.parametrize("workflow", BESIDE)
def test_two_merge_bases_put_nothing_beside(workspace, workflow):
    """Where git would have to choose, nothing is measured."""
    head = workspace / "work/head"
    safe = ("-c", "core.hooksPath=/dev/null")
    git(head, *safe, "checkout", "-qb", "one", "the-base")
    git(head, *safe, "commit", "-qm", "one", "--allow-empty")
    git(head, *safe, "checkout", "-qb", "two", "the-change")
    git(head, *safe, "tag", "before")
    git(head, *safe, "merge", "-q", "-m", "x", "one")
    git(head, *safe, "checkout", "-q", "one")
    git(head, *safe, "merge", "-q", "-m", "x", "before")
    ((_, script),) = [one for one in steps_of(workflow) if "merge base beside" in one[0]]
    env = {"PATH": os.environ["PATH"], "HOME": str(workspace / "home")}
    done = run(script, workspace / "work", BASE="two", **env)
    assert done.returncode != 0, done
    assert "crosswise" in done.stdout + done.stderr
    assert not (workspace / "work/base/code").exists()


@pytest.mark.parametrize("workflow", [*(f".github/workflows/{one}.yml" for one in OURS), BESIDE[1]])
def test_nothing_is_checked_out_over_what_an_earlier_job_left(tmp_path, workflow):
    """The folders are removed before the first checkout, on each machine that measures."""
    text = (ROOT / workflow).read_text(encoding="utf-8")
    jobs = re.split(r"^  (?=[\w-]+:\n)", text.partition("\njobs:\n")[2], flags=re.MULTILINE)
    for job in (one for one in jobs if "self-hosted" in one):
        first = job.partition("      - name: ")[2]
        script = re.search(r"^        run: (.*)$", first.partition("\n      - ")[0], re.MULTILINE)
        assert script, first[:200]
        for name in re.findall(r"^          path: (\S+)$", job, re.MULTILINE):
            if "/" in name or "$" in name:
                continue
            planted(tmp_path / name / ".git/hooks/post-checkout", tmp_path / "ran")
            done = run(script[1], tmp_path, PATH=os.environ["PATH"])
            assert done.returncode == 0, done
            assert not (tmp_path / name).exists()


GATE = """\
#!/bin/sh
[ "$1" = power ] && exit 0
env >>{where}
"""


@pytest.mark.parametrize("script", ["check.sh", "first.sh", "aa.sh"])
def test_neither_build_nor_benchmark_gets_what_the_runner_is_talked_to_by(tmp_path, script):
    """All three say the same by one implementation: what is stripped for one is for the others."""
    gate = tmp_path / "gate"
    gate.write_text(GATE.format(where=tmp_path / "gate.env"), encoding="utf-8")
    gate.chmod(0o755)
    (tmp_path / "head").mkdir()
    inputs = {
        "GATE": gate, "IN_OUT": tmp_path / "out", "IN_HEAD": tmp_path / "head",
        "IN_BUILD": f"env >>{tmp_path / 'build.env'}", "IN_PROFILES": "p", "PROFILES": "p",
        "IN_PROFILES_DIR": "profiles", "PROFILES_DIR": "profiles", "IN_BASELINE": "baselines",
        "BASELINE": "baselines", "IN_SIZE": "full", "IN_ALPHA": "0.01", "IN_BETA": "0.025",
        "IN_SHARD": "1/1", "IN_WAIT": "1h", "IN_WORK": "", "IN_HOST_CLASS": "", "IN_ALLOW": "",
        "IN_MERGE_BASE": "", "IN_BASE": "", "IN_SITTINGS": "2", "ROUNDS": "2",
        "PATH": os.environ["PATH"], "HOME": tmp_path, "CI": "true", "GITHUB_REPOSITORY": "a/b",
    }  # fmt: skip
    secret = {name: str(tmp_path / f"secret-{name}") for name in SECRET}
    done = subprocess.run(
        ["bash", str(ACTION / script)], cwd=tmp_path / "head", check=False, capture_output=True,
        text=True, env={name: str(value) for name, value in inputs.items()} | secret,
    )  # fmt: skip
    assert done.returncode == 0, done
    for who in ("build", "gate"):
        names = {
            line.partition("=")[0]
            for line in (tmp_path / f"{who}.env").read_text(encoding="utf-8").splitlines()
        }
        assert not names & set(SECRET), who
        assert {"PATH", "HOME", "CI", "GITHUB_REPOSITORY"} <= names


PYTHON = """\
#!/bin/sh
for last; do :; done
case " $* " in *" venv "*)
  mkdir -p "$last/bin"
  printf '%s\\n' '#!/bin/sh' 'env >>{where}/pip.env' >"$last/bin/python"
  printf '%s\\n' '#!/bin/sh' 'env >>{where}/uv.env' 'mkdir -p "$UV_PROJECT_ENVIRONMENT/bin"' \\
    'printf "#!/bin/sh\\n" >"$UV_PROJECT_ENVIRONMENT/bin/gate"' \\
    'chmod +x "$UV_PROJECT_ENVIRONMENT/bin/gate"' >"$last/bin/uv"
  chmod +x "$last/bin/python" "$last/bin/uv";;
esac
echo "$*" >>{where}/python.calls
"""


def test_no_package_comes_out_of_a_cache_that_an_earlier_job_could_write(tmp_path):
    """uv unpacks packages into its cache and trusts them there, so each job has a cache of its own.

    Nor does python read what stands in the user's folder, or in PYTHONPATH, while it installs.
    """
    programs, temporary = tmp_path / "bin", tmp_path / "temporary"
    programs.mkdir()
    (programs / "python3").write_text(PYTHON.format(where=tmp_path), encoding="utf-8")
    (programs / "python3").chmod(0o755)
    left = temporary / "driftgate" / "venv/bin/left-by-somebody"
    planted(left, tmp_path / "ran")
    done = subprocess.run(
        ["bash", str(ACTION / "install.sh")], cwd=tmp_path, check=False, capture_output=True,
        text=True, env={
            "PATH": f"{programs}:{os.environ['PATH']}", "HOME": str(tmp_path),
            "RUNNER_TEMP": str(temporary), "GITHUB_OUTPUT": str(tmp_path / "output"),
            "UV_CACHE_DIR": str(tmp_path / "shared-cache"),
            "XDG_CONFIG_HOME": str(tmp_path / "left"), "XDG_DATA_HOME": str(tmp_path / "left"),
        },
    )  # fmt: skip
    assert done.returncode == 0, done
    told = (tmp_path / "uv.env").read_text(encoding="utf-8")
    caches = set(re.findall(r"^UV_CACHE_DIR=(.*)$", told, re.MULTILINE))
    assert caches
    assert all(Path(one).is_relative_to(temporary) for one in caches)
    for who in ("uv", "pip"):  # both read a configuration at home, and uv finds interpreters there
        env = (tmp_path / f"{who}.env").read_text(encoding="utf-8")
        assert f"HOME={temporary}/driftgate-home\n" in env
        assert str(tmp_path / "left") not in env
    assert "PIP_NO_CACHE_DIR=1" in (tmp_path / "pip.env").read_text(encoding="utf-8")
    calls = (tmp_path / "python.calls").read_text(encoding="utf-8").splitlines()
    assert all(one.startswith("-I ") for one in calls), calls
    assert not left.exists()


def test_nothing_that_an_earlier_job_left_at_home_runs_in_a_build_or_a_measurement(tmp_path):
    """git, python and perf read the job's own home; only what the gate must put back is kept."""
    home, ran = tmp_path / "home", tmp_path / "ran"
    site = subprocess.run(
        [sys.executable, "-c", "import site; print(site.getusersitepackages())"],
        check=True, capture_output=True, text=True, env={"HOME": str(home)},
    ).stdout.strip()  # fmt: skip
    Path(site).mkdir(parents=True)
    (Path(site) / "left.pth").write_text(f"import os; os.system('echo pth >>{ran}')\n")
    planted(home / "template/hooks/reference-transaction", ran)
    (home / ".gitconfig").write_text(
        f"[core]\nhooksPath = {home}/template/hooks\n[alias]\nseen = !echo alias >>{ran}\n"
    )
    look = (
        f"{sys.executable} -c pass; git init -q x; git -C x -c user.name=a -c user.email=b "
        f'commit -q --allow-empty -m x; git -C x seen || :; echo "$HOME $XDG_STATE_HOME"'
    )
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    done = subprocess.run(
        ["bash", str(ACTION / "apart.sh"), "bash", "-c", look], cwd=tmp_path, check=False,
        capture_output=True, text=True, env={
            "PATH": os.environ["PATH"], "HOME": str(home), "RUNNER_TEMP": str(temporary),
        },
    )  # fmt: skip
    assert done.returncode == 0, done
    assert not ran.exists(), ran.read_text()
    assert done.stdout.strip() == f"{temporary}/driftgate-home {home}/.local/state"


def test_a_path_that_an_earlier_job_could_write_is_told(tmp_path):
    """What stands in PATH below the runner's home is its owner's choice, and a door for a job."""
    folder, gate = tmp_path / "home/.local/bin", tmp_path / "gate"
    folder.mkdir(parents=True)
    gate.write_text("#!/bin/sh\n", encoding="utf-8")
    gate.chmod(0o755)
    done = subprocess.run(
        ["bash", str(ACTION / "install.sh")], cwd=tmp_path, check=False, capture_output=True,
        text=True, env={
            "PATH": f"{folder}:{os.environ['PATH']}", "HOME": str(tmp_path / "home"),
            "RUNNER_TEMP": str(tmp_path), "GITHUB_OUTPUT": str(tmp_path / "output"),
            "DRIFTGATE_GATE": str(gate),
        },
    )  # fmt: skip
    assert done.returncode == 0, done
    assert f"PATH has {folder}, where one job can leave programs for the next" in done.stdout


@pytest.mark.parametrize("workflow", [*(f".github/workflows/{one}.yml" for one in OURS), BESIDE[1]])
def test_no_checkout_reads_the_git_configuration_of_the_runners_home(workflow):
    """A filter or a hook there would run on every file that a later job checks out."""
    text = (ROOT / workflow).read_text(encoding="utf-8")
    jobs = re.split(r"^  (?=[\w-]+:\n)", text.partition("\njobs:\n")[2], flags=re.MULTILINE)
    found = [
        step
        for job in jobs
        if "self-hosted" in job
        for step in job.split("      - name: ")
        if "uses: actions/checkout@" in step
    ]
    assert found
    for step in found:
        assert "GIT_CONFIG_GLOBAL: ${{ runner.temp }}/" in step, step
