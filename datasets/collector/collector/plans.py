"""Plans: what is to be measured."""

from __future__ import annotations

import collections
import csv
import hashlib
import io
import itertools
import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Iterable, NamedTuple, Optional, Sequence

from .models import ARCHITECTURES

MODES = ("inference", "training")
PRECISIONS = ("fp32", "tf32", "fp16", "bf16")


class PlanError(ValueError):
    """A plan, or an entry of one, that cannot be used; the message names the thing."""


@dataclass(frozen=True, order=True)
class ModelSpec:
    """A model with its options, written ``resnet18:image=32:classes=10``."""

    name: str
    options: tuple[tuple[str, str], ...] = ()

    @staticmethod
    def parse(text: str) -> "ModelSpec":
        name, *rest = text.strip().split(":")
        if name not in ARCHITECTURES:
            raise PlanError(f"unknown model '{name}': use one of {', '.join(sorted(ARCHITECTURES))}")
        options = dict(part.partition("=")[::2] for part in rest)
        known = ARCHITECTURES[name].options
        for key, value in options.items():
            if key not in known:
                raise PlanError(f"model {name} has no option '{key}': use one of {', '.join(known)}")
            if not re.fullmatch(r"[a-z0-9]+(\.[0-9]+)?", value):
                raise PlanError(f"option {key}='{value}' of model {name} is not a number or a word")
        return ModelSpec(name, tuple(sorted(options.items())))

    def __str__(self) -> str:
        return ":".join([self.name, *(f"{key}={value}" for key, value in self.options)])

    @property
    def slug(self) -> str:
        return re.sub(r"[^a-z0-9_.-]", "-", str(self).replace("=", "-").replace(":", "_"))

    @property
    def family(self) -> str:
        return ARCHITECTURES[self.name].family


@dataclass(frozen=True, order=True)
class Job:
    """One workload, written ``resnet50/64/training/tf32`` or ``.../inference/fp32/poisson:0.5``."""

    model: ModelSpec
    batch_size: int
    mode: str
    precision: str
    arrival: str = "closed"

    @staticmethod
    def parse(text: str) -> "Job":
        parts = text.strip().split("/")
        if len(parts) not in (4, 5):
            raise PlanError(f"job '{text.strip()}' is not MODEL/BATCH/MODE/PRECISION[/ARRIVAL]")
        model, batch, mode, precision, *arrival = parts
        return Job.of(model, batch, mode, precision, *arrival)

    @staticmethod
    def of(model: str, batch: str, mode: str, precision: str, arrival: str = "closed") -> "Job":
        if not re.fullmatch(r"[1-9][0-9]{0,6}", batch):
            raise PlanError(f"batch size '{batch}' is not a whole number from 1")
        if mode not in MODES:
            raise PlanError(f"mode '{mode}' is not one of {', '.join(MODES)}")
        if precision not in PRECISIONS:
            raise PlanError(f"precision '{precision}' is not one of {', '.join(PRECISIONS)}")
        if arrival != "closed" and not re.fullmatch(r"poisson:(0\.[0-9]*[1-9][0-9]*|1)", arrival):
            raise PlanError(f"arrival '{arrival}' is not closed or poisson:SHARE with a share in (0, 1]")
        if arrival != "closed" and mode != "inference":
            raise PlanError("Poisson arrivals are for inference only")
        return Job(ModelSpec.parse(model), int(batch), mode, precision, arrival)

    def __str__(self) -> str:
        text = f"{self.model}/{self.batch_size}/{self.mode}/{self.precision}"
        return text if self.arrival == "closed" else f"{text}/{self.arrival}"

    @property
    def slug(self) -> str:
        return re.sub(r"[^a-z0-9_.-]", "-", f"{self.model.slug}-{str(self).partition('/')[2]}")

    @property
    def arrival_share(self) -> Optional[float]:
        """Requests a second as a share of what a closed loop reaches; None for a closed loop."""
        return None if self.arrival == "closed" else float(self.arrival.partition(":")[2])


@dataclass(frozen=True, order=True)
class Group:
    """Jobs that run side by side, each with its percentage of the SMs where the plan gives one."""

    jobs: tuple[Job, ...]
    shares: tuple[int, ...] = ()

    def __str__(self) -> str:
        text = " + ".join(map(str, self.jobs))
        return f"{text} @ {' '.join(map(str, self.shares))}" if self.shares else text

    def share(self, member: int) -> int:
        return self.shares[member] if self.shares else 100


class Plan(NamedTuple):
    """The entries of a plan file and, for each line that is not an entry, what is wrong with it."""

    entries: list
    complaints: list[str]


def read_plan(path: Path, read_line: Callable[[dict[str, str]], Iterable[Any]], columns: Sequence[str]) -> Plan:
    """Reads a CSV file whose lines stand for entries; bad lines are named and the rest go on."""
    entries: dict[Any, None] = {}
    complaints: list[str] = []
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise PlanError(f"{path}: cannot be read: {error}") from error
    reader = csv.DictReader(io.StringIO(text), strict=True)
    missing = [name for name in columns if name not in (reader.fieldnames or [])]
    if missing:
        raise PlanError(f"{path}:1: the columns {', '.join(missing)} are missing")
    try:
        for cells in reader:
            try:
                entries.update(dict.fromkeys(read_line({key: value or "" for key, value in cells.items() if key})))
            except PlanError as error:
                complaints.append(f"{path}:{reader.line_num}: {error}")
    except csv.Error as error:
        complaints.append(f"{path}:{reader.line_num}: {error}; what follows is not read")
    return Plan(list(entries), complaints)


def jobs_of_line(cells: dict[str, str]) -> list[Job]:
    """Every combination of what a line of a solo plan lists."""
    arrivals = cells.get("arrivals", "").split() or ["closed"]
    lists = [cells[name].split() for name in ("batch_sizes", "modes", "precisions")] + [arrivals]
    if not all(lists):
        raise PlanError("batch_sizes, modes and precisions must each list at least one")
    combinations = (Job.of(cells["model"], *values) for values in itertools.product(*lists))
    return list(combinations)


def group_of_line(cells: dict[str, str]) -> list[Group]:
    """The group that a line of a pairs plan names."""
    jobs = tuple(Job.parse(text) for text in cells["jobs"].split("+"))
    if not 2 <= len(jobs) <= 4:
        raise PlanError(f"{len(jobs)} jobs: a group has two to four")
    shares = cells.get("shares", "").split()
    if shares and not (len(shares) == len(jobs) and all(re.fullmatch(r"[1-9][0-9]?|100", s) for s in shares)):
        raise PlanError(f"shares '{cells['shares']}' are not one percentage from 1 to 100 a job")
    return [Group(jobs, tuple(map(int, shares)))]


def read_jobs(path: Path) -> Plan:
    return read_plan(path, jobs_of_line, ("model", "batch_sizes", "modes", "precisions"))


def read_groups(path: Path) -> Plan:
    return read_plan(path, group_of_line, ("jobs",))


def batch_octave(job: Job) -> int:
    return int(math.log2(job.batch_size))


def job_levels(job: Job) -> dict[str, Any]:
    """The factors that a set of solo runs should be balanced over."""
    return {
        "family": job.model.family,
        "model": job.model,
        "mode and precision": (job.mode, job.precision),
        "mode and batch": (job.mode, batch_octave(job)),
        "arrival": job.arrival,
    }


def group_levels(group: Group) -> dict[str, Any]:
    """The factors that a set of groups should be balanced over."""
    modes = tuple(sorted(job.mode for job in group.jobs))
    return {
        "jobs": tuple(sorted(set(group.jobs))),
        "first job": group.jobs[0],
        "last job": group.jobs[-1],
        "modes": (len(group.jobs), modes),
        "tenants": len(group.jobs),
        "shared": bool(group.shares),
    }


def most_informative_first(entries: Sequence[Any], levels_of: Callable[[Any], dict[str, Any]], seed: int) -> list:
    """Orders entries so that every prefix is a balanced design.

    The next entry is always the one whose levels were taken least often so far, each factor's count
    weighted with its number of levels, so that a binary factor does not drown in a factor of
    thirty. Thus one point of every family comes before the second of any, both modes stay near one
    half, and the octaves of the batch size are filled evenly. Ties are broken by a hash of the seed
    and the entry's text: the order is the same on every machine and does not follow the plan's.
    """
    pending = {entry: levels_of(entry) for entry in sorted(entries, key=lambda e: seeded_hash(seed, str(e)))}
    level_counts: dict[str, set] = collections.defaultdict(set)
    for levels in pending.values():
        for factor, level in levels.items():
            level_counts[factor].add(level)
    taken: collections.Counter = collections.Counter()
    order = []
    while pending:
        entry = min(pending, key=lambda e: sum(taken[item] * len(level_counts[item[0]]) for item in pending[e].items()))
        taken.update(pending.pop(entry).items())
        order.append(entry)
    return order


def seeded_hash(seed: int, text: str) -> str:
    return hashlib.sha256(f"{seed}:{text}".encode()).hexdigest()
