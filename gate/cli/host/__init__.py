"""`gate host`: know the machine that measures; one module per subcommand, imported when it runs."""

from __future__ import annotations

from gate.cli.main import LazyGroup

command = LazyGroup(
    "host",
    package=__name__,
    help="Know the machine that measures.",
    about={
        "show": "Show this machine's class and facts, and how well the gate does on it.",
        "enroll": "Write down what a machine of this class must be: host.toml.",
        "diff": "Compare this machine with its host.toml and with what was accepted.",
        "tune": "Tune settings of this machine for a while, and put them back.",
        "resume": "Go on with the measurement that asked for the last restart.",
        "restore": "Put back what a killed gate left tuned.",
        "check": "Say whether this machine is fit to measure on, and how small a loss it can "
        "detect.",
    },
)
