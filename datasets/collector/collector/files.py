"""Files that are whole at any time."""

from __future__ import annotations

import csv
import dataclasses
import os
from pathlib import Path
from typing import Any, Sequence

from .devices import DeviceError


def write_whole(path: Path, content: bytes) -> None:
    """Writes a file so that it is either there in full or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(path.name + ".part")
    draft.write_bytes(content)
    os.replace(draft, path)


class RowFile:
    """A CSV file that grows by whole rows; each is on disk before the next point starts."""

    def __init__(self, path: Path, row_type: type):
        self.path = path
        self.columns = [item.name for item in dataclasses.fields(row_type)]
        path.parent.mkdir(parents=True, exist_ok=True)
        self._drop_torn_line()
        if not path.exists() or path.stat().st_size == 0:
            self._append(self.columns)
        elif self._header() != self.columns:
            raise DeviceError(f"{path}:1: was written by another version; name another folder with --out")

    def _header(self) -> list[str]:
        with self.path.open(newline="", encoding="utf-8") as stream:
            return next(csv.reader(stream), [])

    def _drop_torn_line(self) -> None:
        """A run that was killed while writing leaves the beginning of a line."""
        if self.path.exists():
            content = self.path.read_bytes()
            if content and not content.endswith(b"\n"):
                os.truncate(self.path, content.rfind(b"\n") + 1)

    def rows(self) -> list[dict[str, str]]:
        with self.path.open(newline="", encoding="utf-8") as stream:
            return list(csv.DictReader(stream))

    def append(self, *rows: Any) -> None:
        self._append(*([cell(getattr(row, name)) for name in self.columns] for row in rows))

    def _append(self, *lines: Sequence[str]) -> None:
        with self.path.open("a", newline="", encoding="utf-8") as stream:
            csv.writer(stream, lineterminator="\n").writerows(lines)
            stream.flush()
            os.fsync(stream.fileno())


def cell(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.9g}" if isinstance(value, float) else str(value)
