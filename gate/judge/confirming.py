"""Stage 2 of the verdict: pairs where both sides can run, strikes where only the head can."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from gate.judge.epochs import accepted_change, pair_losses
from gate.judge.series import finding
from gate.judge.suite import complete_pairs, failures_of, pairs_of, values_of
from gate.model import Evidence, Role, Verdict
from gate.stats.costs import log_costs, ratio, usable, value_of
from gate.stats.martingale import decide
from gate.stats.robust import hodges_lehmann, within_session
from gate.stats.screen import CONFIDENCE, Screened, pairs_detectable, screen
from gate.stats.strikes import all_exceed, false_alarm, strikes_needed
from gate.units import percent

if TYPE_CHECKING:
    from gate.judge.screening import Flagged
    from gate.model import Finding, Session
    from gate.stats.martingale import PairDecision, PairRule

_ENOUGH_PAIRS = 8
"""Below this many pairs their own spread says less than the baseline's."""


def confirmed(flag: Flagged, *, alpha: float, beta: float) -> Finding:
    """Decide one flagged series with its share of the suite's alpha."""
    case, benchmark = flag.series.case, flag.series.benchmark
    for session in (case.pair_base, case.pair_head, *case.strikes):
        failures = failures_of(session, benchmark) if session else ()
        if failures:
            text = f"while confirming, {failures[0]}"
            return finding(flag.series, "G050", Verdict.BROKEN, text, path=flag.path)
    pairs = pairs_of(case.pair_base, case.pair_head, benchmark, flag.series.metric.name)
    complete = complete_pairs(case.pair_base, case.pair_head, benchmark)
    if len(pairs) < complete:
        text = f"{len(pairs)} of {complete} pairs hold this metric"
        return finding(flag.series, "G053", Verdict.BROKEN, text, path=flag.path)
    if pairs:
        return _by_pairs(flag, pairs, flag.rule(alpha, beta))
    strikes = tuple(s for s in case.strikes if any(p.benchmark == benchmark for p in s.planned))
    if strikes:
        return _by_strikes(flag, strikes, alpha, beta)
    numbers = _screen_numbers(flag.screened) if flag.screened else {}
    shown = percent(ratio(flag.screened.loss)) if flag.screened else "not screened"
    watched = flag.series.metric.role is Role.WATCH
    text = f"flagged ({shown}) and not confirmed{': watched only' if watched else ''}"
    return finding(
        flag.series,
        "G021",
        Verdict.INCONCLUSIVE,
        text,
        limits=flag.limits,
        path=flag.path,
        warnings=flag.warnings,
        **numbers,
    )


def _screen_numbers(screened: Screened) -> dict[str, object]:
    return {
        "loss": ratio(screened.loss),
        "loss_low": ratio(screened.low),
        "loss_high": ratio(screened.high),
        "method": "screen",
        "confidence": CONFIDENCE,
        "minimum_detectable_loss": ratio(screened.detectable),
    }


def _by_pairs(flag: Flagged, pairs: tuple[tuple[float, float], ...], rule: PairRule) -> Finding:
    better = flag.series.metric.better
    base, head = tuple(pair[0] for pair in pairs), tuple(pair[1] for pair in pairs)
    evidence = Evidence(pairs_base=base, pairs_head=head)
    if not (usable(base) and usable(head)):
        text = "a confirming trial gave a value that is not above zero"
        return finding(flag.series, "G051", Verdict.BROKEN, text, evidence=evidence)
    if len(pairs) > 1 and len({*base, *head}) == 1:
        text = f"all trials of {len(pairs)} pairs gave exactly {base[0]:g}"
        return finding(flag.series, "G052", Verdict.BROKEN, text, evidence=evidence)
    differences, allowed = pair_losses(pairs, better, accepted_change(flag.series))
    decision = decide(differences, rule)
    loss = hodges_lehmann(differences[: decision.pairs])
    code, verdict, text = _words(decision, rule, loss, flag)
    centre = median(log_costs(base[: decision.pairs], better)) + allowed
    told = _beside_pairs(flag, centre, allowed, passed=verdict is Verdict.PASSED)
    return finding(
        flag.series,
        code,
        verdict,
        text,
        loss=ratio(loss),
        loss_low=_ratio(decision.low),
        loss_high=_ratio(decision.high),
        base_value=value_of(centre, better),
        head_value=value_of(centre + loss, better),
        trials_base=decision.pairs,
        trials_head=decision.pairs,
        method="pairs",
        confidence=1 - rule.alpha - rule.beta,
        minimum_detectable_loss=ratio(
            pairs_detectable(
                flag.limits, _seen_sigma(differences, flag), decision.pairs, rule.alpha, rule.beta
            )
        ),
        limits=flag.limits,
        path=(*flag.path, _last_step(decision, rule)),
        warnings=(*flag.warnings, *told),
        evidence=evidence,
    )


def _beside_pairs(flag: Flagged, centre: float, allowed: float, *, passed: bool) -> tuple[str, ...]:
    """What the pairs alone would hide: a slide, an accepted change, a base that left its level."""
    told = [flag.slide] if flag.slide and passed else []
    if allowed:
        told.append(
            f"the base side is from before the newest accepted change; {percent(ratio(allowed))} "
            "was accepted and is counted on its side"
        )
    levels = [median(session) for session in flag.series.session_costs]
    away = centre - median(levels)
    if away > flag.limits.design:
        told.append(
            f"the base side itself is {percent(ratio(away))} against what was accepted: the host "
            "or the base moved, not this change"
        )
    return tuple(told)


def _seen_sigma(differences: tuple[float, ...], flag: Flagged) -> float:
    """Noise of the pairs themselves where there are enough of them, else the expected one."""
    return within_session([differences]) if len(differences) >= _ENOUGH_PAIRS else flag.sigma


def _ratio(log_loss: float | None) -> float | None:
    return None if log_loss is None else ratio(log_loss)


def _words(
    decision: PairDecision, rule: PairRule, loss: float, flag: Flagged
) -> tuple[str, Verdict, str]:
    shown, count = percent(ratio(loss)), decision.pairs
    if decision.verdict == "regressed":
        least = percent(_ratio(decision.low))
        dead = percent(ratio(rule.negligible), signed=False)
        text = (
            f"{shown} loss, at least {least}, proven by {count} random-order pairs "
            f"({dead} would be negligible)"
        )
        return "G060", Verdict.REGRESSED, text
    if decision.verdict == "passed":
        most = percent(ratio(rule.design), signed=False)
        text = f"{shown} over {count} pairs; a loss of {most} is ruled out"
        return "G002", Verdict.PASSED, text
    text = (
        f"{shown} over {count} of at most {flag.pairs} pairs; neither loss nor its absence proven"
    )
    return "G020", Verdict.INCONCLUSIVE, text


def _last_step(decision: PairDecision, rule: PairRule) -> str:
    level = percent(rule.alpha, signed=False)
    if decision.verdict == "regressed":
        dead = percent(ratio(rule.negligible), signed=False)
        return f"loss above {dead} proven at pair {decision.pairs} (error bound {level})"
    if decision.verdict == "passed":
        design = percent(ratio(rule.design), signed=False)
        bound = percent(rule.beta, signed=False)
        return f"loss of {design} ruled out at pair {decision.pairs} (error bound {bound})"
    return f"undecided after {decision.pairs} pairs of at most {rule.limit}"


def _by_strikes(flag: Flagged, sessions: tuple[Session, ...], alpha: float, beta: float) -> Finding:
    """All strikes beyond the worst accepted session: regressed. Else screen all heads together."""
    series = flag.series
    raw = tuple(values_of(s, series.benchmark, series.metric.name) for s in sessions)
    evidence = Evidence(strikes=raw)
    planned = [p.trials for s in sessions for p in s.planned if p.benchmark == series.benchmark]
    if any(len(values) < trials for values, trials in zip(raw, planned, strict=True)):
        text = "a further head session lacks trials of it"
        return finding(series, "G053", Verdict.BROKEN, text, evidence=evidence, path=flag.path)
    if not all(usable(values) for values in raw):
        text = "a further head session lacks this metric or gave a value not above zero"
        return finding(series, "G051", Verdict.BROKEN, text, evidence=evidence, path=flag.path)
    strikes = [log_costs(values, series.metric.better) for values in raw]
    needed = strikes_needed(len(series.sessions), alpha)
    together = [median(series.costs), *(median(strike) for strike in strikes)]
    trials = min(len(costs) for costs in (series.costs, *strikes))
    known, level = series.reference
    again = screen(together, known, flag.limits, beta, trials=trials, level=level)
    centre = median([median(session) for session in series.session_costs])
    # Today's sessions may scatter more than the accepted ones did; the interval must hold them.
    scatter = {
        "loss_low": ratio(min(again.low, min(together) - centre)),
        "loss_high": ratio(max(again.high, max(together) - centre)),
        "base_value": value_of(centre, series.metric.better),
        "head_value": value_of(centre + again.loss, series.metric.better),
    }
    bound = percent(false_alarm(len(series.sessions), len(strikes)), signed=False)
    step = (
        f"strikes: {len(strikes)} fresh head sessions of {needed or 'too many'} needed, "
        f"against {len(series.sessions)} accepted"
    )
    exceeded = all_exceed(strikes, series.session_costs, flag.limits.dead)
    shown = percent(ratio(again.loss))
    if exceeded and needed is not None and len(strikes) >= needed:
        code, verdict = "G061", Verdict.REGRESSED
        text = f"{shown} loss: all of {len(strikes)} fresh sessions beyond the worst accepted"
        step += f"; all exceed the worst (error bound {bound} on a steady host)"
    elif not exceeded and not again.flagged:
        code, verdict = "G001", Verdict.PASSED
        text = f"{shown} over {len(together)} head sessions; the flag was not borne out"
    else:
        code, verdict = "G025", Verdict.INCONCLUSIVE
        text = f"{shown} over {len(together)} head sessions; neither proven nor cleared"
    return finding(
        series,
        code,
        verdict,
        text,
        limits=flag.limits,
        path=(*flag.path, step),
        warnings=(
            *flag.warnings,
            "strikes assume that the host is as steady today as when the baseline was taken",
        ),
        evidence=evidence,
        **(
            _screen_numbers(again)
            | scatter
            | {
                "method": "strikes",
                "trials_head": len(series.head) + sum(len(values) for values in raw),
            }
        ),
    )
