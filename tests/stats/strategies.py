"""Values that the laws of the statistics are tried with."""

from hypothesis import strategies as st

from gate.stats.noise import Noise

noises = st.builds(
    Noise,
    between=st.floats(1e-4, 0.2),
    freedom=st.floats(1, 40),
    within=st.floats(0, 0.2),
    usual=st.sampled_from([1.0, 3.0, 10.0]),
    level=st.integers(1, 30),
    within_freedom=st.floats(0.5, 60),
)
