"""Reads back what is in an ONNX file."""

from __future__ import annotations

from collections import Counter
from typing import Iterator


def fields(data: bytes) -> Iterator[tuple[int, object]]:
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
            yield key >> 3, value
        elif key & 7 == 5:
            yield key >> 3, data[at : at + 4]
            at += 4
        else:
            length, at = varint(data, at)
            yield key >> 3, data[at : at + length]
            at += length


def varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        shift, at = shift + 7, at + 1
        if data[at - 1] < 0x80:
            return value, at


def part(data: bytes, number: int) -> list:
    return [value for found, value in fields(data) if found == number]


def graph(model: bytes) -> bytes:
    return part(model, 7)[0]


def operators(model: bytes) -> Counter:
    """How often each operator occurs."""
    return Counter(part(node, 4)[0].decode() for node in part(graph(model), 1))


def weights(model: bytes) -> dict[str, list[int]]:
    """Shapes of stored tensors without data."""
    tensors = part(graph(model), 5)
    return {part(t, 8)[0].decode(): part(t, 1) for t in tensors if part(t, 14) == [1]}


def loose_ends(model: bytes) -> list[str]:
    """Values that are read before a node, an input or a stored tensor gives them."""
    content = graph(model)
    known = {"", *(part(v, 1)[0].decode() for v in part(content, 11)), *(part(t, 8)[0].decode() for t in part(content, 5))}
    missing = []
    for node in part(content, 1):
        missing += [name.decode() for name in part(node, 1) if name.decode() not in known]
        known.update(name.decode() for name in part(node, 2))
    return missing + [name for name in (part(v, 1)[0].decode() for v in part(content, 12)) if name not in known]
