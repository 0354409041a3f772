"""Reads ``.pt2`` archives of ``torch.export.save`` without PyTorch.

An archive is a zip whose graph is a JSON document [torch/_export/serde/schema.py]; weights lie beside it as pickles or raw
bytes. Only the document is opened, in memory and up to a limit: nothing is unpacked and nothing is unpickled.
"""

from __future__ import annotations

import json
import math
import re
import zipfile
from pathlib import Path
from typing import Any, Mapping, Optional

from .calls import Call, Trace, Value
from .errors import ArchiveError, TraceError

MAX_FILE_BYTES = 1 << 40
MAX_GRAPH_BYTES = 256 << 20
MAX_ENTRIES = 1_000_000
MAX_RANK = 64
MAX_EXTENT = 1 << 40

#: torch 2.1 to 2.6, and 2.7 and newer, below a folder of the archive's name.
GRAPH = re.compile(r"(?:[^/]+/)?(?:serialized_exported_program\.json|models/[^/]+\.json)")
SCHEMA_MAJORS = range(5, 10)

#: ScalarType of the schema.
DTYPES = {
    1: "uint8", 2: "int8", 3: "int16", 4: "int32", 5: "int64", 6: "float16", 7: "float32", 8: "float64", 10: "complex64",
    11: "complex128", 12: "bool", 13: "bfloat16", 28: "uint16", 29: "float8_e4m3fn", 30: "float8_e5m2",
    31: "float8_e4m3fnuz", 32: "float8_e5m2fnuz",
}  # fmt: skip
STORED = ("parameter", "buffer", "tensor_constant")


def read_archive(path: Path) -> Trace:
    """The calls of an exported program.

    :raises ArchiveError: naming what is wrong with the file
    :raises LookupError: or another error of a wrong access where the document lacks what every exporter writes
    """
    return Reader(path, graph_document(path)).trace()


def graph_document(path: Path) -> Mapping[str, Any]:
    try:
        with zipfile.ZipFile(path) as archive:
            return parsed(path, entry_content(path, archive))
    except (zipfile.BadZipFile, zipfile.LargeZipFile, NotImplementedError, EOFError, OSError, RuntimeError, zlib_error()) as error:
        raise ArchiveError(f"{path} is not a readable .pt2 archive ({error}): export it again with torch.export.save") from error


def zlib_error() -> type[Exception]:
    import zlib

    return zlib.error


def entry_content(path: Path, archive: zipfile.ZipFile) -> bytes:
    entries = archive.infolist()
    if len(entries) > MAX_ENTRIES:
        raise ArchiveError(f"{path} has more than {MAX_ENTRIES:,} entries")
    for entry in entries:
        if entry.filename.startswith(("/", "\\")) or ".." in re.split(r"[/\\]", entry.filename):
            raise ArchiveError(f"{path} has an entry outside of the archive, {entry.filename[:80]!r}: it is not one of PyTorch")
    graphs = [entry for entry in entries if GRAPH.fullmatch(entry.filename)]
    if len(graphs) != 1:
        what = "no graph" if not graphs else f"{len(graphs)} graphs"
        raise ArchiveError(
            f"{path} has {what}: pass an archive that torch.export.save wrote (of torch.save and of compiled packages no graph can be read)"
        )
    if graphs[0].flag_bits & 1:
        raise ArchiveError(f"{path} is encrypted")
    with archive.open(graphs[0]) as stream:  # what the entry says about its size may be a lie
        content = stream.read(MAX_GRAPH_BYTES + 1)
    if len(content) > MAX_GRAPH_BYTES:
        raise ArchiveError(f"{path}: the graph has more than {MAX_GRAPH_BYTES >> 20} MiB")
    return content


def parsed(path: Path, content: bytes) -> Mapping[str, Any]:
    try:
        document: Any = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise ArchiveError(f"{path}: the graph is not valid JSON ({str(error)[:100]})") from error
    found: Mapping[str, Any] = document if isinstance(document, dict) else {}
    version = found.get("schema_version")
    major = version.get("major") if isinstance(version, dict) else None
    if major not in SCHEMA_MAJORS:
        raise ArchiveError(
            f"{path}: the graph has version {major} of the schema, and {SCHEMA_MAJORS[0]} to {SCHEMA_MAJORS[-1]} can be read: export it "
            "again with PyTorch 2.3 or newer, or pass the module itself"
        )
    return found


class Reader:
    """The document of one program."""

    def __init__(self, path: Path, document: Mapping[str, Any]):
        self.path = path
        module = document["graph_module"]
        self.graph, self.signature = module["graph"], module["signature"]
        self.values: dict[str, Value] = {}
        self.stored: set[str] = set()

    def trace(self) -> Trace:
        result = Trace(self.path.stem, "pt2")
        for spec in self.signature["input_specs"]:
            kind, content = next(iter(spec.items()))
            argument = content.get("arg", {})
            name = argument.get("name") or (argument.get("as_tensor") or {}).get("name")
            if name is None:
                continue
            if kind in STORED:
                self.stored.add(name)
                result.stored.append(self.value(name))
            elif kind == "user_input":
                result.inputs.append(self.value(name))
        result.calls = [self.call(node) for node in self.graph["nodes"] if not self.is_about_sizes(node)]
        for spec in self.signature["output_specs"]:
            returned = (spec.get("user_output") or {}).get("arg", {}).get("as_tensor")
            if returned:
                result.outputs.append(self.value(returned["name"]))
        if not result.inputs or not result.outputs:
            raise ArchiveError(f"{self.path}: the graph has no tensor as input or output")
        return result

    @staticmethod
    def is_about_sizes(node: Mapping[str, Any]) -> bool:
        """Arithmetic on sizes, which the shapes of tensors have already."""
        return all(not is_tensor(output) for output in node["outputs"]) and not node["target"].startswith("torch.ops.higher_order")

    def call(self, node: Mapping[str, Any]) -> Call:
        target = str(node["target"])
        if target.startswith("torch.ops.higher_order"):
            raise TraceError(f"{self.path}: {target} (a branch or loop inside the graph) cannot be counted: export the model without it")
        arguments = {entry["name"]: self.argument(entry["arg"]) for entry in node["inputs"]}
        outputs: list[Optional[Value]] = []
        for output in node["outputs"]:
            if "as_tensors" in output:
                outputs.extend(self.value(tensor["name"]) for tensor in output["as_tensors"])
            else:
                outputs.append(self.value(output["as_tensor"]["name"]) if "as_tensor" in output else None)
        return Call(target.replace("torch.ops.", "", 1), arguments, tuple(outputs))

    def argument(self, argument: Mapping[str, Any]) -> Any:
        kind, content = next(iter(argument.items()))
        if kind == "as_none":
            return None
        if kind == "as_tensor":
            return self.value(content["name"])
        if kind == "as_tensors":
            return [self.value(tensor["name"]) for tensor in content]
        if kind in ("as_optional_tensors", "as_nested_tensors"):
            return [self.argument(item) if isinstance(item, dict) else None for item in content]
        if kind == "as_sym_int":
            return self.size(content)
        if kind == "as_sym_ints":
            return [self.size(item) for item in content]
        if kind == "as_float":
            return float(content)
        return content

    def size(self, size: Mapping[str, Any]) -> int:
        """A size, a symbolic one as it was in the example."""
        if "as_name" in size:
            size = self.graph["sym_int_values"][size["as_name"]]
        if "as_expr" in size:
            hint = size["as_expr"].get("hint")
            if not hint:
                raise ArchiveError(
                    f"{self.path}: the size {str(size['as_expr'].get('expr_str'))[:60]} depends on values: export the model without dynamic_shapes"
                )
            size = hint
        extent = size["as_int"]
        if not isinstance(extent, int) or isinstance(extent, bool) or abs(extent) > MAX_EXTENT:
            raise ArchiveError(f"{self.path}: {str(extent)[:60]} is not a size")
        return extent

    def value(self, name: str) -> Value:
        if name not in self.values:
            tensor = self.graph["tensor_values"][name]
            shape = tuple(self.size(size) for size in tensor["sizes"])
            if len(shape) > MAX_RANK or any(extent < 0 for extent in shape) or math.prod(shape) > MAX_EXTENT << 10:
                raise ArchiveError(f"{self.path}: {name[:60]} has the shape {str(list(shape))[:100]}, which no tensor has")
            dtype = DTYPES.get(tensor["dtype"])
            if dtype is None:
                raise ArchiveError(f"{self.path}: {name[:60]} has the element type {tensor['dtype']!r}, which is not known")
            self.values[name] = Value(name, shape, dtype, name in self.stored)
        return self.values[name]


def is_tensor(output: Mapping[str, Any]) -> bool:
    return "as_tensor" in output or "as_tensors" in output
