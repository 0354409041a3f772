"""The command line."""

from __future__ import annotations

import argparse
import math
import os
import re
import signal
import sys
from pathlib import Path
from typing import Any, Callable, Sequence

from . import __doc__ as description
from .devices import DeviceError
from .languages import languages, read_runs, run_levels
from .memory import memory
from .pairs import pairs
from .plans import group_levels, job_levels, PlanError, read_groups, read_jobs
from .profiles import profile
from .service import serve
from .session import Bench, ordered, say, Settings
from .sheet import archive, write_sheet
from .solo import graphs, solo
from .timing import Budget

RUNS: dict[str, Callable[..., int]] = {"solo": solo, "pairs": pairs, "profile": profile, "memory": memory, "llm": languages, "graphs": graphs}


def command_line() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="collect.py", description=(description or "").split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    texts = {
        "solo": "each job of a plan alone",
        "pairs": "groups of two to four jobs side by side",
        "profile": "what the fleet planner needs to know of a model and the device",
        "memory": "used memory over a job's whole life",
        "llm": "starts of vLLM and generation with transformers, where they are installed, alone and beside a server",
        "graphs": "ONNX graphs without weights of a plan's models; needs no GPU",
    }
    for name, text_of_command in texts.items():
        add_run_options(commands.add_parser(name, help=text_of_command, description=text_of_command), name)
    order = commands.add_parser("order", help="prints a plan in the order in which it is measured")
    order.add_argument("--plan", type=Path, required=True)
    order.add_argument("--seed", type=int, default=1)
    pack = commands.add_parser("archive", help="packs a folder into one tar")
    pack.add_argument("--out", type=Path, required=True, help="the folder with the results")
    pack.add_argument("--archive", type=Path, required=True, help="the tar to write")
    commands.add_parser("worker").add_argument("device", choices=("cuda", "cpu"))
    return parser


def add_run_options(parser: argparse.ArgumentParser, name: str) -> None:
    positive = positive_number
    parser.add_argument("--plan", type=Path, required=name != "graphs", help="CSV file; see plans/")
    parser.add_argument("--out", type=Path, required=True, help="folder for the results; what is there is not measured again")
    parser.add_argument("--budget-seconds", type=positive, help="stop in time (default: when the plan is done)")
    parser.add_argument("--archive", type=Path, help="pack the folder into this tar at the end")
    gpu_help = "index as nvidia-smi shows it (default: the first of CUDA_VISIBLE_DEVICES, else 0)"
    parser.add_argument("--gpu", type=int, default=default_gpu(), help=gpu_help)
    parser.add_argument("--device-name", help="the device's id in the project's catalogue, where it is not found by itself")
    parser.add_argument("--window-seconds", type=positive, help="measured time of a point (default 3; 0.3 on a fake GPU)")
    parser.add_argument("--settle-seconds", type=positive, default=1.2, help="steady running before it (default 1.2)")
    parser.add_argument("--sample-hertz", type=positive, default=50.0, help="readings a second, at least 20 (default 50)")
    parser.add_argument("--point-seconds", type=positive, default=120.0, help="a point that takes longer is given up")
    parser.add_argument("--seed", type=int, default=1, help="order of points and arrivals (default 1)")
    parser.add_argument("--retry-errors", action="store_true", help="measure points again that ended in an error")
    parser.add_argument("--no-mps", action="store_true", help="do not try to start an MPS daemon")
    parser.add_argument("--no-kernels", action="store_true", help="do not count kernels")
    parser.add_argument("--fake-gpu", action="store_true", help="the CPU in place of a GPU, with short windows: a trial run")


def default_gpu() -> int:
    first = os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",")[0].strip()
    return int(first) if first.isdecimal() else 0


def positive_number(text_of_number: str) -> float:
    value = float(text_of_number)
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"{text_of_number} is not above 0")
    return value


def settings_of(options: argparse.Namespace) -> Settings:
    if options.sample_hertz < 20:
        raise PlanError(f"--sample-hertz must be at least 20, is {options.sample_hertz:g}")
    if not 0 <= options.gpu < 64:
        raise PlanError(f"--gpu must be an index from 0, is {options.gpu}")
    if options.device_name is not None and not re.fullmatch(r"[a-z0-9][a-z0-9-]*", options.device_name):
        raise PlanError(f"--device-name must be lower-case letters, digits and hyphens, is '{options.device_name}'")
    fake = options.fake_gpu or options.command == "graphs"
    return Settings(
        options.out, options.gpu, fake, options.window_seconds or (0.3 if fake else 3.0),
        0.1 if fake else options.settle_seconds, 1 / options.sample_hertz, options.point_seconds, options.seed,
        options.retry_errors, not options.no_mps, not options.no_kernels, options.device_name,
    )  # fmt: skip


def measure_all(options: argparse.Namespace) -> int:
    settings = settings_of(options)
    budget = Budget(options.budget_seconds, settings.window_seconds + settings.settle_seconds + 3.0)
    bench = Bench(settings, budget)
    try:
        if options.command != "graphs":
            write_sheet(bench)
        say(f"{options.command} on {bench.device_id} ({bench.facts.product}), results in {settings.out}")
        warn_of_others(bench)
        left = RUNS[options.command](bench, options.plan)
        say("done" if left == 0 else f"{left} points are left: the same command goes on")
    finally:
        bench.close()
        if options.archive:
            archive(settings.out, options.archive)
    return 0


def warn_of_others(bench: Bench) -> None:
    busy = [r.utilization_percent for r in bench.idle if r.utilization_percent is not None]
    if busy and max(busy) > 0 and not bench.settings.fake:
        say(f"warning: the GPU is up to {max(busy):.0f} % busy before we begin: something else runs on it")


def print_order(options: argparse.Namespace) -> int:
    header = options.plan.read_text(encoding="utf-8").partition("\n")[0]
    kinds = {"jobs": (read_groups, group_levels), "engine": (read_runs, run_levels)}
    read, levels = kinds.get(header.split(",")[0].strip(), (read_jobs, job_levels))
    plan = read(options.plan)
    for entry in ordered(plan, levels, options.seed):
        print(entry)
    return 1 if plan.complaints else 0


def stop_politely(*_: Any) -> None:
    raise KeyboardInterrupt


def main(arguments: Sequence[str]) -> int:
    options = command_line().parse_args(arguments)
    if options.command == "worker":
        return serve(options.device)
    signal.signal(signal.SIGTERM, stop_politely)
    try:
        if options.command == "order":
            return print_order(options)
        if options.command == "archive":
            archive(options.out, options.archive)
            return 0
        return measure_all(options)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # the reader of our output has closed it
        return 0
    except (PlanError, DeviceError, OSError) as error:
        print(f"collect.py: {error}", file=sys.stderr)
        return 2 if isinstance(error, PlanError) else 1
    except KeyboardInterrupt:
        print("collect.py: stopped; the same command goes on", file=sys.stderr)
        return 130
