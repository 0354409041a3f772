"""What ran where, and the archive of results."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import platform
import re
import subprocess
import tarfile
from pathlib import Path
from typing import Any

from . import MIB, VERSION
from .devices import DeviceError
from .figures import series_figures
from .files import write_whole
from .session import Bench, say
from .workers import PointFailure


def device_sheet(bench: Bench) -> dict[str, Any]:
    """What ran where: the device, the software and the settings."""
    idle = series_figures(bench.idle, bench.idle[-1].seconds if bench.idle else 0.0)
    return {
        "collector": VERSION,
        "session": bench.session,
        "device": bench.device_id,
        "facts": dataclasses.asdict(bench.facts),
        "idle": {**idle, "used_memory_bytes": bench.baseline_bytes},
        "machine": {"processor": processor(), "cores": os.cpu_count(), "kernel": platform.release()},
        "settings": {k: v for k, v in dataclasses.asdict(bench.settings).items() if k not in ("out", "device_name")},
        "software": describe_software(bench),
    }


def describe_software(bench: Bench) -> dict[str, Any]:
    try:
        return bench.worker().ask(max(60.0, bench.timeout()), "describe")
    except PointFailure as failure:
        raise DeviceError(f"no worker can use the device: {failure.message}") from failure


def processor() -> str:
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown"


def smi_report() -> str:
    """nvidia-smi's full report without what identifies one card; empty where there is none."""
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        done = subprocess.run(["nvidia-smi", "-q"], capture_output=True, text=True, timeout=30)
        return smi_secrets_removed(done.stdout)
    return ""


def smi_secrets_removed(report: str) -> str:
    secret = r"^(\s*(?:[\w ]*UUID|Serial Number|Board ID|GPU PDI|Module ID|Bus Id)\s*:).*$"
    return re.sub(secret, r"\1 removed", report, flags=re.M)


def write_sheet(bench: Bench) -> None:
    """One sheet a session, so that slices on different days stay apart."""
    folder = bench.settings.out / "device"
    write_whole(folder / f"{bench.session}.json", (json.dumps(device_sheet(bench), indent=1) + "\n").encode())
    report = "" if bench.settings.fake else smi_report()
    if report:
        write_whole(folder / f"{bench.session}.nvidia-smi.txt", report.encode())


def archive(folder: Path, target: Path) -> None:
    """Everything below the folder as one compressed tar."""
    draft = target.with_name(target.name + ".part")
    with tarfile.open(draft, "w:gz") as tar:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and path.resolve() not in (draft.resolve(), target.resolve()):
                tar.add(path, arcname=f"{folder.resolve().name}/{path.relative_to(folder)}")
    os.replace(draft, target)
    say(f"{target}: {target.stat().st_size / MIB:.1f} MiB")
