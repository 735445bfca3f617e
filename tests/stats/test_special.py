"""The gate's own special functions against scipy's, over what statistics asks of them."""

from __future__ import annotations

import math
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special as scipy

from gate.stats import special

PLACES = st.floats(-30, 30)
CHANCES = st.floats(1e-9, 1 - 1e-9)
POSITIVE = st.floats(1e-3, 1e6)
FREEDOMS = st.floats(0.5, 1e4)


@given(PLACES, CHANCES)
def test_the_normal_distribution_is_that_of_scipy(place, chance):
    """To 12 digits, 30 standard deviations out."""
    assert special.normal_below(place) == pytest.approx(float(scipy.ndtr(place)), rel=1e-12)
    assert special.normal(chance) == pytest.approx(float(scipy.ndtri(chance)), rel=1e-12)


@given(POSITIVE)
def test_the_psi_functions_are_those_of_scipy(x):
    """To 13 digits, and digamma near its zero to as many behind the point."""
    assert special.digamma(x) == pytest.approx(float(scipy.digamma(x)), rel=1e-13, abs=1e-13)
    assert special.trigamma(x) == pytest.approx(float(scipy.polygamma(1, x)), rel=1e-13)
    assert special.tetragamma(x) == pytest.approx(float(scipy.polygamma(2, x)), rel=1e-13)


@given(CHANCES, FREEDOMS)
def test_quantiles_of_t_are_those_of_scipy(chance, freedom):
    """To 9 digits, from the middle to a billionth."""
    wanted = float(scipy.stdtrit(freedom, chance))
    assert special.student(chance, freedom) == pytest.approx(wanted, rel=1e-9, abs=1e-12)


@given(st.integers(1, 3000), st.integers(1, 3000), st.floats(1e-9, 0.999))
def test_quantiles_of_beta_are_those_of_scipy(a, b, chance):
    """To 9 digits, for shares of thousands."""
    wanted = float(scipy.betaincinv(a, b, chance))
    assert special.beta_quantile(a, b, chance) == pytest.approx(wanted, rel=1e-9)


def test_what_textbooks_print():
    """t(0.975, 4) = 2.776, t(0.995, 1) = 63.657, psi(1) = -0.5772, psi'(1) = pi^2 / 6."""
    assert special.student(0.975, 4) == pytest.approx(2.7764451052)
    assert special.student(0.005, 1) == pytest.approx(-63.6567411629)
    assert special.student(0.5, 3) == 0
    assert special.student(0.975, math.inf) == pytest.approx(1.9599639845)
    assert special.digamma(1) == pytest.approx(-0.5772156649)
    assert special.trigamma(1) == pytest.approx(math.pi**2 / 6)
    assert (special.beta_quantile(2, 3, 0), special.beta_quantile(2, 3, 1)) == (0, 1)


def test_no_check_loads_numpy():
    """Judging and showing a check needs none of it, in whatever process it is done."""
    script = (
        "import sys, gate.pipeline.check, gate.judge.judge, gate.pipeline.report_files\n"
        "import gate.report.html.html, gate.judge.power.planning, gate.judge.first_stage\n"
        "print({'numpy', 'scipy'} & sys.modules.keys())"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    assert ran.stdout == "set()\n"
