"""Measures how the house is laid out, prints the table, and fails where a goal is missed.

Counts are taken from the code as text: files that git knows, imports as written, late ones and
those for types alone included.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import Counter
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

MACHINE = frozenset({"host", "measure", "harness", "vm", "subject", "linux"})
"""Rooms that judging must not know."""
PARTICIPLES = frozenset(
    {
        *("added", "aside", "asked", "begun", "chosen", "done", "found", "given", "gone", "handed"),
        *("held", "kept", "known", "left", "lost", "made", "meant", "said", "seen", "shown"),
        *("spent", "taken", "told", "tried", "wanted"),
    }
)
"""Words that say that something happened, and not what it is."""
SMALL, LONG = 80, 40
PROC = {
    "/proc/stat": re.compile(r"^/proc/stat$"),
    "/proc/PID/stat": re.compile(r"^(/proc/(\*|self)|\*|\*/\*)/stat$"),
    "mountinfo": re.compile(r"mountinfo$"),
}


class Row(NamedTuple):
    """One figure of the table, and the most that it may be."""

    what: str
    value: int
    most: int

    @property
    def is_met(self) -> bool:
        """Whether the figure holds its goal."""
        return self.value <= self.most


class Growth(NamedTuple):
    """What a feature added to the house, so that it is seen and not crept in."""

    what: str
    modules: int
    lines: int


_MODULES, _LINES = 400, 54_000
"""What the house may hold without the features below."""
_GROWN = (
    Growth("both sides decide: compare, levels, tails, work done, base trials, queue", 11, 3_150),
    Growth("what ran was reviewed: inputs, file trace, environment", 8, 1_100),
    Growth("a time budget: what is spent where, and what is left open", 3, 780),
    Growth("special functions by hand, so that no check loads scipy", 1, 150),
    Growth("a result has a provenance, an acceptance its commit, a queue its verdict", 3, 470),
    Growth("nothing is lost: one writer, first use of a device, lock, leftovers", 4, 700),
    Growth("forged facts: copies, two merge bases, a clock set back, pairs beside a pass", 0, 190),
    Growth("a level accepted in its own pull request: proof, record, rules, judged again", 3, 320),
    Growth("near-copies, a head without its base trials, files registered with io_uring", 0, 150),
)


class Module:
    """One file of the package."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = ".".join(path.with_suffix("").parts).removesuffix(".__init__")
        self.text = path.read_text(encoding="utf-8")
        self.tree = ast.parse(self.text)
        self.lines = self.text.count("\n")

    @property
    def room(self) -> str:
        """The folder below `gate`, or the file that stands there by itself."""
        return self.name.partition(".")[2].partition(".")[0]

    def functions(self) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
        """Every function and method."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield node

    def strings(self) -> Iterator[str]:
        """Every text that the code holds, placeholders as `*`; docstrings left out."""
        docs = {
            node.value for node in ast.walk(self.tree) if isinstance(node, ast.Expr)
        }  # texts that stand by themselves
        inner = {
            part for node in ast.walk(self.tree) if isinstance(node, ast.JoinedStr)
            for part in node.values
        }  # fmt: skip
        for node in ast.walk(self.tree):
            if isinstance(node, ast.JoinedStr):
                yield "".join(
                    str(part.value) if isinstance(part, ast.Constant) else "*"
                    for part in node.values
                )
            elif (
                isinstance(node, ast.Constant)
                and isinstance(node.value, str)
                and node not in docs | inner
            ):
                yield node.value


class House:
    """The package as it stands."""

    def __init__(self) -> None:
        listed = subprocess.run(
            ("git", "ls-files", "gate/*.py"), check=True, capture_output=True, text=True
        ).stdout.split()
        self.modules = {
            module.name: module for module in map(Module, map(Path, listed)) if module.path.exists()
        }

    @cached_property
    def imports(self) -> dict[str, set[str]]:
        """What each module imports of the package."""
        return {name: set(self._imports_of(module)) for name, module in self.modules.items()}

    def _imports_of(self, module: Module) -> Iterator[str]:
        for node in ast.walk(module.tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("gate"):
                for alias in node.names:
                    whole = f"{node.module}.{alias.name}"
                    yield whole if whole in self.modules else str(node.module)
            elif isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names if alias.name in self.modules)

    def reachable(self, start: str) -> set[str]:
        """Every module that an import of this one may load, sooner or later."""
        found, waiting = set(), [start]
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting.extend(self.imports.get(name, ()))
        return found

    def circles(self) -> list[set[str]]:
        """Groups of modules each of which reaches all others."""
        reach = {
            name: set().union(*(self.reachable(other) for other in self.imports[name]), set())
            for name in self.modules
        }
        groups = {
            frozenset(one for one in reach[name] if name in reach.get(one, ())) | {name}
            for name in self.modules
            if name in reach[name]
        }
        return [set(group) for group in groups]

    def shared_class_names(self) -> list[str]:
        """Class names that stand in more than one module."""
        count = Counter(
            node.name
            for module in self.modules.values()
            for node in module.tree.body
            if isinstance(node, ast.ClassDef)
        )
        return sorted(name for name, number in count.items() if number > 1)

    def small_with_one_importer(self) -> list[str]:
        """Modules that only one other needs and that are too small for a file of their own."""
        importers = Counter(one for found in self.imports.values() for one in found)
        return sorted(
            name
            for name, module in self.modules.items()
            if module.lines <= SMALL
            and importers[name] == 1
            and module.path.name not in {"__init__.py", "__main__.py"}
        )

    def folders(self) -> Mapping[str, int]:
        """Modules in each folder."""
        return Counter(str(module.path.parent) for module in self.modules.values())

    def bare_participles(self) -> list[str]:
        """Modules, public classes and functions, and helpers, that are named by no noun or verb."""
        found = []
        for name, module in self.modules.items():
            if name.rpartition(".")[2] in PARTICIPLES:
                found.append(name)
            found += [
                f"{name}.{node.name}"
                for node in module.tree.body
                if isinstance(node, ast.FunctionDef | ast.ClassDef)
                and (node.name.lower() in PARTICIPLES or node.name in {"_told", "_plain"})
            ]
        return sorted(found)

    def long_functions(self) -> list[str]:
        """Functions longer than a screen."""
        return sorted(
            f"{module.path}:{node.lineno} {node.name}"
            for module in self.modules.values()
            for node in module.functions()
            if (node.end_lineno or 0) - node.lineno + 1 > LONG
        )

    def readers_of(self, pattern: re.Pattern[str]) -> list[str]:
        """Modules that hold the path of a file of the kernel."""
        return sorted(
            name
            for name, module in self.modules.items()
            if any(pattern.search(text) for text in module.strings())
        )

    def callers_of(self, function: str) -> list[str]:
        """Modules that call a function by its name."""
        return sorted(
            name
            for name, module in self.modules.items()
            for node in ast.walk(module.tree)
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == function
        )


def parameters_of(module: Module, function: str) -> int:
    """How many parameters a function of a module has."""
    (found,) = (node for node in module.functions() if node.name == function)
    arguments = found.args
    return len(arguments.posonlyargs) + len(arguments.args) + len(arguments.kwonlyargs)


def fields_of(module: Module, name: str) -> int:
    """How many fields a frozen value has."""
    (found,) = (n for n in module.tree.body if isinstance(n, ast.ClassDef) and n.name == name)
    return sum(isinstance(node, ast.AnnAssign) for node in found.body)


def figures(house: House) -> Iterator[tuple[Row, list[str]]]:
    """The table, row by row, each with what stands against it."""

    def counted(what: str, found: list[str], most: int) -> tuple[Row, list[str]]:
        return Row(what, len(found), most), found

    modules = house.modules
    lines = sum(module.lines for module in modules.values())
    yield Row("modules in gate/", len(modules), _MODULES + sum(one.modules for one in _GROWN)), []
    yield Row("lines in gate/", lines, _LINES + sum(one.lines for one in _GROWN)), []
    folder, size = max(house.folders().items(), key=lambda item: item[1])
    yield Row(f"modules in the largest folder, {folder}", size, 20), []
    judging = house.reachable("gate.cli.judge")
    yield Row("modules that gate judge can import", len(judging), 150), []
    strangers = sorted(name for name in judging if modules[name].room in MACHINE)
    yield counted("of them of a machine", strangers, 0)
    yield counted("circles of imports", [" ".join(sorted(c)) for c in house.circles()], 0)
    small = house.small_with_one_importer()
    yield counted(f"modules with one importer and at most {SMALL} lines", small, 15)
    yield counted("class names that stand in several modules", house.shared_class_names(), 0)
    yield counted("names that are bare participles", house.bare_participles(), 0)
    yield counted(f"functions over {LONG} lines", house.long_functions(), 10)
    excuses = [
        f"{module.path}: {line.strip()}"
        for module in modules.values()
        for line in module.text.splitlines()
        if "# noqa" in line
    ]
    yield counted("lines with noqa", excuses, 60)
    for what, pattern in PROC.items():
        yield counted(f"modules that read {what}", house.readers_of(pattern), 1)
    yield counted("places that set up a measurement", house.callers_of("prepare_run"), 1)
    check = modules["gate.cli.check"]
    yield Row("parameters of gate check", parameters_of(check, "command"), 8), []
    request = modules["gate.pipeline.request"]
    yield Row("fields of its request", fields_of(request, "CheckRequest"), 8), []
    readme = len(Path("README.md").read_text(encoding="utf-8").splitlines())
    yield Row("lines of README.md", readme, 160), []


def main(show: Callable[[str], None] = print) -> int:
    """Print the table; 1 if a goal is missed."""
    missed = 0
    for row, against in figures(House()):
        mark = "" if row.is_met else "  MISSED"
        show(f"{row.what:<58} {row.value:>7,}  (at most {row.most:,}){mark}")
        if not row.is_met:
            missed += 1
            for one in against[:40]:
                show(f"    {one}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
