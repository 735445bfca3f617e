"""Every command of the gate, and a check that a line of a text names one and its options."""

import re
import shlex

import click

from gate.cli.main import gate


def commands(group, path=()):
    """Every command below a group with its words."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))
        else:
            yield (*path, name), command


ALL = dict(commands(gate))


def examples(text):
    """The `gate ...` lines of a text, continuation lines joined, as words."""
    joined = re.sub(r"\\\n\s*", " ", text)
    for line in re.findall(r"^\s*(?:\$ )?gate (.+)$", joined, re.MULTILINE):
        if not line.startswith("closed"):  # what the gate printed
            yield shlex.split(re.split(r"\s{3,}|\s#\s|>|&&", line)[0])


def check(words):
    """The words name a command of ours, and each option is one that it has."""
    path = tuple(words[:2]) if tuple(words[:2]) in ALL else tuple(words[:1])
    assert path in ALL, f"no command {words}"
    known = {opt for param in ALL[path].params for opt in (*param.opts, *param.secondary_opts)}
    known.add("--help")
    for word in words[len(path) :]:
        if word == "--":
            return  # what follows is another program's
        if word.startswith("--"):
            assert word.partition("=")[0] in known, f"{' '.join(path)} has no {word}"
