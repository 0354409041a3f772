"""What documents show is run: the notebook and the README's section "From PyTorch"."""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).parents[1]
NOTEBOOKS = sorted((HERE / "examples").glob("*.ipynb"))
HAS_BACKEND = bool(os.environ.get("COTENANT_COMMAND") or os.environ.get("COTENANT_URL"))

try:
    import torch  # noqa: F401
except ImportError:
    HAS_TORCH = False
else:
    HAS_TORCH = True

needs = unittest.skipUnless(HAS_BACKEND and HAS_TORCH, "no PyTorch, or neither COTENANT_COMMAND nor COTENANT_URL: documents are not run")


def executed(code: str, namespace: dict) -> str:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "<document>", "exec"), namespace)  # noqa: S102  our own documents
    return printed.getvalue()


def block(text: str, heading: str, language: str) -> str:
    section = text.split(f"\n{heading}\n")[1].split("\n## ")[0]
    return section.split(f"```{language}\n")[1].split("```")[0]


@needs
class NotebookTest(unittest.TestCase):
    def test_every_cell_runs(self):
        os.environ["MPLBACKEND"] = "agg"
        self.assertTrue(NOTEBOOKS)
        for path in NOTEBOOKS:
            namespace: dict = {}
            printed = "".join(
                executed("".join(cell["source"]), namespace) for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == "code"
            )
            with self.subTest(path.name):
                for line in ("peak memory  ", "cheapest: ", " 512  "):
                    self.assertIn(line, printed)
                if namespace["plt"] is None:
                    print("SKIPPED: matplotlib is absent, so the plots of the notebook are not drawn", file=sys.stderr)
                else:
                    self.assertEqual(2, len(namespace["plt"].get_fignums()))


class NotebookFileTest(unittest.TestCase):
    def test_notebooks_are_stored_without_output(self):
        for path in NOTEBOOKS:
            for cell in json.loads(path.read_text())["cells"]:
                self.assertFalse(cell.get("outputs"), path)
                self.assertIsNone(cell.get("execution_count"), path)


@needs
class ReadmeTest(unittest.TestCase):
    def test_the_five_lines_print_what_the_readme_shows(self):
        text = (HERE.parent / "README.md").read_text()
        code = block(text, "## From PyTorch", "python")
        self.assertEqual(5, len(code.splitlines()))
        printed = executed(code, {})
        warnings = [line for line in printed.splitlines() if line.startswith("warning: ")]
        shown = block(text, "## From PyTorch", "text").splitlines()
        self.assertEqual(shown, [line for line in printed.splitlines() if line not in warnings])
