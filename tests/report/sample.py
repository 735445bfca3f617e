"""A report that holds every verdict, every method and every kind of warning."""

from __future__ import annotations

from dataclasses import replace

from gate.model import Evidence, Finding, Host, Report, Role, SuitePromise, Verdict
from tests.report import sample_around as around
from tests.report.build import evidence, finding
from tests.report.sample_sweep import DATABASE, bent, proven


def _closed() -> list[Finding]:
    """The verdicts that close the gate, worst first."""
    return [
        finding(
            verdict=Verdict.REGRESSED,
            seed=2,
            loss=0.111,
            half=0.013,
            method="pairs",
            pairs=14,
            code="G060",
            headline="iops lost 11.1 %, at least 9.8 %: proven on 14 pairs, far beyond 5 %.",
            advice="Find the cause, or, if the loss is intended, accept the head session with a "
            "reason.",
            path=proven("+10.9 %", 14),
            evidence=replace(evidence(2, 712_400.0, 1 / 1.111, pairs=14), aside=(561_300.0,)),
        ),
        finding(
            benchmark="iometer-database[iodepth=32]",
            metric="cpu_per_io",
            seed=3,
            unit="s",
            base=4.21e-6,
            verdict=Verdict.REGRESSED,
            loss=0.064,
            half=0.031,
            method="strikes",
            strikes=3,
            code="G061",
            tolerance=0.03,
            tolerance_used=0.048,
            headline="CPU per operation rose 6.4 %: four sessions of four above the worst "
            "accepted one.",
            advice="Find the cause; give the profile both sides, which proves more.",
            warnings=(
                "too noisy for 3.0 %: can detect 4.8 %",
                "only the head side could be run: exact only while the host does not drift",
            ),
            path=(
                "flagged in the screen at +6.1 %",
                "3 of 3 further head sessions above the worst accepted one",
            ),
        ),
        *bent(),
        finding(
            benchmark="hyperfine-mount",
            metric="wall_time",
            verdict=Verdict.BROKEN,
            unit="s",
            code="G050",
            loss=0,
            method="none",
            evidence=Evidence(),
            base_value=None,
            head_value=None,
            trials_base=0,
            trials_head=0,
            sessions_base=0,
            confidence=None,
            can_detect=None,
            path=("no head trial gave a number",),
            headline="3 of 3 trials failed: mount exited with status 32.",
            advice="Run the command by hand on this host: `mount` could not find the device.",
        ),
        finding(
            benchmark="iometer-file-server[iodepth=1024]",
            metric="iops",
            code="G040",
            verdict=Verdict.MISSING,
            seed=5,
            method="none",
            head_value=None,
            trials_head=0,
            evidence=replace(evidence(5, 2.183e6), head=()),
            base_value=2.183e6,
            headline="Accepted in 10 sessions, not measured now.",
            advice="Find out why it did not run, or accept a session without it.",
            path=("in the baseline, not in the session",),
            can_detect=None,
        ),
        finding(
            benchmark="control-memcpy",
            metric="throughput",
            code="G035",
            unit="B/s",
            base=11.2e9,
            verdict=Verdict.INCOMPARABLE,
            seed=6,
            loss=0.072,
            half=0.02,
            headline="The control benchmark lost 7.2 %: the host moved, not the change.",
            path=("the control benchmark control-memcpy moved",),
            advice="Look for other load, throttling or an update; then check again.",
        ),
        finding(
            benchmark="pgbench-tpcb[clients=64]",
            metric="latency_p99",
            code="G020",
            unit="s",
            base=18.4e-3,
            verdict=Verdict.INCONCLUSIVE,
            seed=7,
            loss=0.031,
            half=0.042,
            method="pairs",
            pairs=30,
            can_detect=0.074,
            path=("flagged in the screen at +4.4 %", "30 pairs spent, nothing proven"),
            headline="30 pairs spent: the loss lies between -1.1 % and +7.3 %, on both sides of "
            "5 %.",
            advice="About 70 pairs would decide. Run on a quieter host or widen the tolerance.",
            warnings=("the noise between sessions is 2.4 times that of the accepted ones",),
        ),
        finding(
            benchmark="fio-zoned-append[zones=14]",
            metric="throughput",
            code="G010",
            unit="B/s",
            base=2.1e9,
            verdict=Verdict.NEW,
            seed=8,
            method="none",
            base_value=None,
            trials_base=0,
            evidence=Evidence(head=evidence(8, 2.1e9).head),
            sessions_base=0,
            can_detect=None,
            confidence=None,
            headline="No accepted session holds this benchmark.",
            path=("not in the baseline",),
            advice="Accept 5 sessions at least, 10 wanted, each on another day.",
        ),
    ]


def _absent(made: Finding) -> Finding:
    """A finding without comparable sides has no loss either."""
    if made.base_value is not None and made.head_value is not None:
        return made
    return replace(made, loss=None, loss_low=None, loss_high=None)


def _open() -> list[Finding]:
    """The verdicts that leave the gate open."""
    waived = finding(
        benchmark="ext4-fsync[threads=8]",
        metric="iops",
        code="G004",
        verdict=Verdict.WAIVED,
        seed=9,
        loss=0.082,
        half=0.015,
        method="pairs",
        pairs=11,
        base=21_400.0,
        path=(*proven("+8.0 %", 11), "waived up to 10 %"),
        headline="iops lost 8.2 %, covered by the waiver of issue 4711 up to 10 % until "
        "2026-12-31.",
        advice="Remove the waiver when issue 4711 is closed.",
    )
    improved = finding(
        benchmark="git-status[repo=linux]",
        metric="wall_time",
        code="G003",
        unit="s",
        base=0.412,
        verdict=Verdict.IMPROVED,
        seed=10,
        loss=-0.121,
        half=0.018,
        headline="Wall time fell 12.1 %, beyond every accepted session.",
        advice="Keep the gain: accept the head session, or it can be lost again unnoticed.",
    )
    watched = finding(
        metric="clat_p99",
        role=Role.WATCH,
        unit="s",
        base=212e-6,
        seed=11,
        loss=0.014,
        warnings=("5 accepted sessions of 10 wanted",),
    )
    depths = [
        finding(
            f"iometer-{name}[iodepth={depth}]",
            seed=depth + len(name),
            loss=0.0004 * (depth % 13),
            base=DATABASE[depth] if name == "database" else 34_120.0 * depth**0.6,
            warnings=("5 accepted sessions of 10 wanted",) if depth == 1 else (),
        )
        for name in ("database", "file-server", "web-server", "workstation")
        for depth in (1, 8, 64, 128, 256, 512)
    ]
    return [waived, improved, watched, *depths]


def sample_report(**changes: object) -> Report:
    """A closed gate with every verdict in it."""
    lost = {made.benchmark for made in bent()}
    passed = [made for made in _open() if made.benchmark not in lost]
    findings = tuple(_absent(made) for made in [*_closed(), *passed])
    made = Report(
        schema=1,
        gate="closed",
        verdict="regressed",
        exit_status=10,
        headline="gate closed: 7 regressed, 1 broken, 1 missing, 1 incomparable, "
        "1 inconclusive, 1 new, 1 waived, 1 improved, 20 passed "
        "(host class bm-epyc-9454p; false alarms at most 1.0 % per suite)",
        created="2026-11-20T03:12:44Z",
        profiles=("iometer", "hyperfine-mount"),
        findings=findings,
        host=Host(
            host_class="bm-epyc-9454p",
            fingerprint="sha256:5d41402abc4b2a76b9719d911017c592",
            stable={
                "cpu": "AMD EPYC 9454P 48-Core Processor",
                "cores": "48 cores, 96 threads, 1 socket",
                "memory": "384 GiB",
                "disk": "SAMSUNG MZQL23T8HCLS-00A07, firmware GDC5902Q, 3.84 TB, 4096 B blocks",
            },
            epoch={
                "kernel": "6.17.4-200.gate.x86_64",
                "microcode": "0xa10113e",
                "mitigations": "spectre_v2: enhanced IBRS",
                "scheduler": "none",
                "governor": "performance",
            },
            live={"disk wear": "3 % used", "disk temperature": "41 °C"},
        ),
        tools={"driftgate": "0.1.0", "fio": "3.41", "hyperfine": "1.20.0"},
        notes=(
            "The filter `iometer*` left 4 profiles out.",
            "Session 20261120T0312-b19c was imported: its host was not proven.",
        ),
        conditions=(
            "tuned while it measured: governor, turbo",
            "4 of 131 trials set aside: foreign_cpu 3, steal 1; the last: the hypervisor took 9 %",
            "built-in controls against 10 accepted sessions: cpu-spin -0.11 … +0.42 % (bears 3 %)",
        ),
        promise=SuitePromise(alpha=0.01, beta=0.025, metrics_judged=34, metrics_flagged=9),
        accepted=around.ACCEPTED,
        bills=around.bills(findings[1].base_value or 0.0, findings[1].head_value or 0.0),
        latencies=around.latencies(),
        sweeps=around.sweeps(findings),
        differences=around.DIFFERENCES,
        alike=around.ALIKE,
        changes=around.CHANGES,
        aside=around.ASIDE,
        origin=around.ORIGIN,
        subjects={
            "iometer base": "nvme.ko srcversion 8F2E61B0C6E1D7 (v6.17.4)",
            "iometer head": "nvme.ko srcversion 1A77D0931B22C4 (v6.17.4 + 3 patches, 4d7c2e9)",
        },
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def open_report() -> Report:
    """An open gate: nothing but verdicts that leave it open."""
    return sample_report(
        gate="open",
        verdict="waived",
        exit_status=0,
        findings=tuple(_open()),
        headline="gate open: 1 waived, 1 improved, 24 passed (host class bm-epyc-9454p)",
        bills=around.bills(4.211e-6, 4.208e-6),
        latencies=around.latencies(slower=0.0),
        sweeps=around.sweeps(_open()),
        promise=SuitePromise(alpha=0.01, beta=0.025, metrics_judged=26, metrics_flagged=1),
    )
