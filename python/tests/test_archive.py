"""Archives of torch.export, read without PyTorch."""

from __future__ import annotations


import json
import pickle
import struct
import subprocess
import sys
import tempfile
import textwrap
import unittest
import zipfile
from pathlib import Path
from unittest import mock

import cotenant
from cotenant import archive, errors

from . import wire

MIXED = Path(__file__).parent / "data/mixed-torch-2.6.pt2"
GRAPH = "serialized_exported_program.json"


class Evil:
    """A pickle that would be noticed."""

    def __reduce__(self):
        return (sys.exit, ("the pickle was loaded",))


def document():
    with zipfile.ZipFile(MIXED) as content:
        return json.loads(content.read(GRAPH))


class ArchiveTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name, "model.pt2")

    def write(self, entries, **settings):
        with zipfile.ZipFile(self.path, "w", zipfile.ZIP_DEFLATED, **settings) as content:
            for name, data in entries:
                content.writestr(name, data)
        return self.path

    def refused(self, pattern):
        with self.assertRaisesRegex(errors.ArchiveError, pattern) as caught:
            cotenant.graph(self.path)
        self.assertIn(str(self.path), str(caught.exception))

    def test_an_archive_of_pytorch_has_its_layers_and_weights(self):
        model = cotenant.graph(MIXED)
        found = wire.operators(model)
        self.assertEqual((4, 1, 1), (found["Conv"], found["ConvTranspose"], found["GroupNormalization"]))
        self.assertEqual(1440, sum(prod(shape) for shape in wire.weights(model).values()))
        self.assertEqual([], wire.loose_ends(model))

    def test_the_layout_of_newer_versions_holds_the_same_document(self):
        """Rebuilt by the documented layout: PyTorch 2.7 and newer were not at hand."""
        plain = cotenant.graph(MIXED)
        entries = [("archive_format", "pt2"), ("archive_version", "0"), ("models/model.json", json.dumps(document())),
                   ("data/weights/weight_0", b"\0" * 64), (".data/version", "3")]  # fmt: skip
        self.write([(f"mixed/{name}", data) for name, data in entries])
        self.assertEqual(wire.operators(plain), wire.operators(cotenant.graph(self.path)))

    def test_pytorch_is_not_needed(self):
        program = """
            import sys
            sys.modules["torch"] = None
            import cotenant
            print(len(cotenant.graph(sys.argv[1])) > 1000)
            try:
                cotenant.graph(lambda: None, [1])
            except cotenant.errors.InputError as error:
                print(error)
        """
        line = [sys.executable, "-B", "-c", textwrap.dedent(program), str(MIXED)]
        printed = subprocess.run(line, cwd=Path(__file__).parents[1], capture_output=True, text=True, check=True).stdout
        self.assertRegex(printed, "^True\ntracing needs PyTorch 1.13 or newer")

    def test_pickles_beside_the_graph_stay_closed(self):
        entries = [(GRAPH, json.dumps(document())), ("serialized_state_dict.pt", pickle.dumps(Evil())),
                   ("serialized_constants.pt", pickle.dumps(Evil()))]  # fmt: skip
        self.write(entries)
        with mock.patch.object(pickle, "Unpickler", side_effect=AssertionError), mock.patch.object(pickle, "loads", side_effect=AssertionError):
            self.assertTrue(cotenant.graph(self.path))

    def test_a_pickled_model_is_refused(self):
        self.write([("archive/data.pkl", pickle.dumps(Evil())), ("archive/version", "3")])
        self.refused("has no graph: pass an archive that torch.export.save wrote")
        self.path.write_bytes(pickle.dumps(Evil()))
        self.refused("not a readable .pt2 archive")

    def test_paths_that_leave_the_archive_are_refused(self):
        for name in ("../../etc/cron.d/job", "/etc/passwd", "a/../../b", "..\\b"):
            with self.subTest(name):
                self.write([(GRAPH, "{}"), (name, "x")])
                self.refused("outside of the archive")

    def test_a_bomb_is_not_inflated(self):
        with mock.patch.object(archive, "MAX_GRAPH_BYTES", 1 << 20):
            self.write([(GRAPH, b" " * (8 << 20))])
            self.assertLess(self.path.stat().st_size, 20_000)
            self.refused("more than 1 MiB")
            content = bytearray(self.path.read_bytes())
            for at in (content.find(b"PK\x03\x04") + 22, content.find(b"PK\x01\x02") + 24):
                content[at : at + 4] = struct.pack("<I", 1000)  # the entry says that it is small
            self.path.write_bytes(content)
            self.refused("not a readable|not valid JSON|more than 1 MiB")
        self.write([(GRAPH, "{}"), *((f"e{i}", "") for i in range(50))])
        with mock.patch.object(archive, "MAX_ENTRIES", 20):
            self.refused("more than 20 entries")

    def test_two_graphs_are_none(self):
        self.write([(GRAPH, "{}"), ("models/other.json", "{}")])
        self.refused("2 graphs")

    def test_damage_is_named(self):
        self.path.write_bytes(MIXED.read_bytes()[:5000])
        self.refused("not a readable .pt2 archive")
        for text, complaint in (("[" * 100_000, "not valid JSON"), ("{", "not valid JSON"), ("[]", "version None"), ('{"schema_version": {"major": 99}}', "version 99")):
            self.write([(GRAPH, text)])
            self.refused(complaint)

    def test_every_broken_part_of_a_document_is_an_error_of_the_archive(self):
        """Each value of the document in turn is replaced; nothing but an error of the package comes out."""
        whole = document()

        spots = list(places(whole["graph_module"]["graph"]["nodes"][:2])) + list(places(whole["graph_module"]["signature"]))
        spots += list(places(whole["graph_module"]["graph"]["tensor_values"]))[:40]
        self.assertGreater(len(spots), 100)
        outcomes = set()
        for holder, key in spots:
            before = holder[key]
            for bad in (None, -7, 1 << 70, "../x", [], {}, {"as_int": 1 << 60}):
                holder[key] = bad
                self.write([(GRAPH, json.dumps(whole))])
                try:
                    cotenant.graph(self.path)
                    outcomes.add("read")
                except errors.CotenantError as error:
                    outcomes.add(type(error).__name__)
            holder[key] = before
        self.assertIn("ArchiveError", outcomes)

    def test_other_files_are_refused_by_name(self):
        for path, complaint in (("model.pth", "neither .onnx nor .pt2"), ("nowhere.pt2", "not a file"), ("nowhere.onnx", "not a file")):
            with self.assertRaisesRegex(errors.InputError, f"{path}.*{complaint}"):
                cotenant.graph(path)


def places(nested):
    for key in list(nested) if isinstance(nested, dict) else range(len(nested)):
        yield nested, key
        if isinstance(nested[key], (dict, list)):
            yield from places(nested[key])


def prod(shape):
    result = 1
    for extent in shape:
        result *= extent
    return result
