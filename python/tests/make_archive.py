"""Renews ``data/*.pt2``: ``python3 -m tests.make_archive`` with a PyTorch that has torch.export."""

from __future__ import annotations

from pathlib import Path

DATA = Path(__file__).parent / "data"


def main() -> None:
    import torch

    from .models import Mixed, images

    program = torch.export.export(Mixed().eval(), images(1, 32))
    torch.export.save(program, str(DATA / f"mixed-torch-{'.'.join(torch.__version__.split('.')[:2])}.pt2"))


if __name__ == "__main__":
    main()
