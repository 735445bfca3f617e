"""Energy that the processor packages used, as RAPL counts it (powercap)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

_ZONE = re.compile(r"intel-rapl:\d+")
"""Zones of the first level; AMD's are called so too. Those below are parts of them."""
_MICRO = 1e-6


@dataclass(frozen=True, slots=True)
class Package:
    """The counter of one package."""

    file: Path
    range: float
    """Joule at which it begins anew."""


@dataclass(frozen=True, slots=True)
class Energy:
    """The counters of all packages, or why there are none."""

    packages: tuple[Package, ...]
    reason: str = ""

    def look(self) -> tuple[float, ...]:
        """Joule of each package, since some moment of its own."""
        return tuple(int(one.file.read_bytes()) * _MICRO for one in self.packages)

    def used(self, before: tuple[float, ...], after: tuple[float, ...]) -> float:
        """Joule between two looks; a counter that began anew in between did so once."""
        return sum(
            late - early if late >= early else late - early + package.range
            for package, early, late in zip(self.packages, before, after, strict=True)
        )


def find_energy(root: Path = Path("/sys/class/powercap")) -> Energy:
    """The packages whose counters can be read here."""
    try:
        zones = sorted(entry for entry in root.iterdir() if _ZONE.fullmatch(entry.name))
    except OSError:
        zones = []
    packages = []
    for zone in zones:
        try:
            if not (zone / "name").read_text("ascii").startswith("package"):
                continue  # psys, the whole board: a package would count twice
            most = int((zone / "max_energy_range_uj").read_bytes()) * _MICRO
            int((zone / "energy_uj").read_bytes())
        except PermissionError:
            return Energy((), f"{zone.name}/energy_uj may be read by root only")
        except (OSError, ValueError):
            continue
        packages.append(Package(zone / "energy_uj", most))
    if not packages:
        return Energy((), "this machine has no RAPL counter of a package (powercap)")
    return Energy(tuple(packages))
