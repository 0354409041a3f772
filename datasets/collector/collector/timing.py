"""The clock that the processes of a machine share, and how much time there is."""

from __future__ import annotations

import math
import random
import time
from typing import Iterator, Optional


def monotonic() -> float:
    return time.clock_gettime(time.CLOCK_MONOTONIC)


def sleep_until(moment: float) -> None:
    wait = moment - monotonic()
    if wait > 0:
        time.sleep(wait)


def poisson_arrivals(rate: float, begin: float, seed: int) -> Iterator[float]:
    generator = random.Random(seed)
    moment = begin
    while True:
        moment += generator.expovariate(rate)
        yield moment


class BudgetOver(Exception):
    """The time was over in the middle of a point, which is therefore left for the next run."""


class Budget:
    """How much time there is, and how long a point takes by what points took so far."""

    def __init__(self, seconds: Optional[float], first_guess: float):
        self.begun = monotonic()
        self.end = math.inf if seconds is None else self.begun + seconds
        self.guess = first_guess

    @property
    def left(self) -> float:
        return self.end - monotonic()

    @property
    def used(self) -> float:
        return monotonic() - self.begun

    def has_room(self) -> bool:
        return self.left >= self.guess

    def learn(self, took: float) -> None:
        self.guess = 0.7 * self.guess + 0.3 * took
