"""Measures deep-learning workloads on one GPU, alone and side by side.

Six kinds of run (solo, pairs, profile, memory, llm, graphs) take a plan file and append one row a
point to a CSV file, so that a run can be stopped at any time and taken up again. The README beside
this file says how to use it; this text says how it is built.

A supervisor, which never touches the GPU, reads the device's counters and starts worker processes.
A worker builds models and runs steps on request, one JSON object a line each way. Whatever goes
wrong in a worker (out of memory, a fault, a hang) ends as the row of one point. All times are
CLOCK_MONOTONIC, which the processes of one machine share.

Nothing here changes clocks, power limits, MIG, compute or persistence mode.
"""

VERSION = "1"
MIB = 1 << 20
