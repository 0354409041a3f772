#!/usr/bin/env python3
"""Measures deep-learning workloads on one GPU; the package ``collector`` beside this file does it."""

import sys

from collector.commands import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
