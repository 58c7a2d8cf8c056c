"""A small reader of flight recordings, for checking what a recording says against what a program did.

It walks a chunk from its header to the size that the header states and takes every checkpoint on the way: a chunk that
was never finished has no size and is refused, as all readers do. Written for truth, not for speed.
"""

from __future__ import annotations

import dataclasses
import pathlib
import struct
from collections.abc import Iterator
from typing import Any

HEADER = struct.Struct(">4sHHqqqqqqqI")
METADATA, CHECKPOINT = 0, 1


class DamagedError(Exception):
    """The file is no recording that can be read."""


class Cursor:
    """A place in the bytes of a chunk."""

    def __init__(self, data, at):
        self.data = data
        self.at = at

    def varint(self):
        data, at, value, shift = self.data, self.at, 0, 0
        while True:
            byte = data[at]
            at += 1
            if shift == 56:
                value |= byte << 56
                break
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                break
            shift += 7
        self.at = at
        return value

    def signed(self):
        value = self.varint()
        return value - (1 << 64) if value >> 63 else value

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def unpack(self, layout):
        value = struct.unpack_from(layout, self.data, self.at)[0]
        self.at += struct.calcsize(layout)
        return value

    def text(self):
        kind = self.byte()
        if kind == 0:
            return None
        if kind == 1:
            return ""
        if kind == 2:
            return Key("java.lang.String", self.varint())
        size = self.varint()
        if kind == 4:
            return "".join(chr(self.varint()) for _ in range(size))
        raw = self.data[self.at : self.at + size]
        self.at += size
        return raw.decode("utf-8" if kind == 3 else "latin-1", "replace")


@dataclasses.dataclass(frozen=True)
class Key:
    """A reference into a constant pool."""

    type: str
    number: int


@dataclasses.dataclass
class Event:
    type: str
    time: int
    """nanoseconds since 1970"""
    fields: dict[str, Any]
    size: int


SCALARS = {
    "boolean": Cursor.byte,
    "byte": Cursor.byte,
    "char": Cursor.varint,
    "short": Cursor.varint,
    "int": Cursor.signed,
    "long": Cursor.signed,
    "float": lambda cursor: cursor.unpack(">f"),
    "double": lambda cursor: cursor.unpack(">d"),
    "java.lang.String": Cursor.text,
}


@dataclasses.dataclass
class Field:
    name: str
    type: int
    array: bool
    pooled: bool


class Chunk:
    """One chunk: its types, its pools, its events."""

    def __init__(self, data):
        head = HEADER.unpack_from(data) if len(data) >= HEADER.size else (b"",)
        if head[0] != b"FLR\0":
            raise DamagedError("no chunk header")
        size, _, self.metadata_at, self.start_ns, self.duration_ns, self.start_ticks, self.per_second = head[3:10]
        if not HEADER.size < size <= len(data) or not HEADER.size <= self.metadata_at < size:
            raise DamagedError("the chunk was never finished")
        self.data = data[:size]
        self.size = size
        self.names: dict[int, str] = {}
        self.layouts: dict[int, list[Field]] = {}
        self.pools: dict[str, dict[int, Any]] = {}
        self.stacks: dict[int, tuple[str, ...]] = {}
        self.readers: dict[int, Any] = {}
        self.read_metadata()
        self.index = list(self.walk())

    def walk(self):
        """Notes where events are and reads the pools."""
        cursor = Cursor(self.data, HEADER.size)
        while cursor.at < self.size:
            start = cursor.at
            size = cursor.varint()
            kind = cursor.varint()
            if size < 2 or start + size > self.size:
                raise DamagedError(f"an event at {start} leaves its chunk")
            if kind == CHECKPOINT:
                self.read_checkpoint(cursor)
            elif kind != METADATA:
                yield kind, cursor.at, size
            cursor.at = start + size

    def read_metadata(self):
        cursor = Cursor(self.data, self.metadata_at)
        for _ in range(5):  # size, type, start, duration, id
            cursor.varint()
        strings = [cursor.text() for _ in range(cursor.varint())]

        def element():
            name = strings[cursor.varint()]
            attributes = {}
            for _ in range(cursor.varint()):
                key = strings[cursor.varint()]
                attributes[key] = strings[cursor.varint()]
            return name, attributes, [element() for _ in range(cursor.varint())]

        _, _, tops = element()
        for name, _, classes in tops:
            for _, attributes, parts in classes if name == "metadata" else []:
                self.add_type(attributes, parts)

    def add_type(self, attributes, parts):
        number = int(attributes["id"])
        self.names[number] = attributes["name"]
        self.layouts[number] = [
            Field(a["name"], int(a["class"]), a.get("dimension", "0") != "0", a.get("constantPool") == "true")
            for kind, a, _ in parts
            if kind == "field"
        ]

    def reader_of(self, number):
        """A function that reads a value of a type."""
        if number not in self.readers:
            name = self.names[number]
            if name in SCALARS and not (self.layouts[number] and name != "java.lang.String"):
                self.readers[number] = SCALARS[name]
            else:
                parts = [(field.name, self.field_reader(field)) for field in self.layouts[number]]
                self.readers[number] = lambda cursor: {key: read(cursor) for key, read in parts}
        return self.readers[number]

    def field_reader(self, field):
        if field.pooled:
            name = self.names[field.type]

            def one(cursor):
                return Key(name, cursor.varint())
        else:

            def one(cursor):
                return self.reader_of(field.type)(cursor)

        if not field.array:
            return one
        return lambda cursor: [one(cursor) for _ in range(cursor.varint())]

    def read_checkpoint(self, cursor):
        for _ in range(3):  # start, duration, distance to the one before
            cursor.varint()
        cursor.byte()
        for _ in range(cursor.varint()):
            number = cursor.varint()
            pool = self.pools.setdefault(self.names[number], {})
            read = self.reader_of(number)
            for _ in range(cursor.varint()):
                key = cursor.varint()
                pool[key] = read(cursor)

    def events(self, *types) -> Iterator[Event]:
        """The events of these types, or of all."""
        wanted = {number for number, name in self.names.items() if not types or name in types}
        for kind, at, size in self.index:
            if kind in wanted:
                cursor = Cursor(self.data, at)
                fields = self.reader_of(kind)(cursor)
                yield Event(self.names[kind], self.time_of(fields.get("startTime", 0)), fields, size)

    def time_of(self, ticks):
        return self.start_ns + self.span_of(ticks - self.start_ticks)

    def span_of(self, ticks):
        """Ticks in nanoseconds."""
        return ticks * 1_000_000_000 // self.per_second

    def value(self, key):
        """What a reference stands for; None when nothing does."""
        return self.pools.get(key.type, {}).get(key.number) if isinstance(key, Key) else key

    def word(self, key):
        """The text of a symbol or of another pool of single texts."""
        value = self.value(key)
        while isinstance(value, (dict, Key)):
            value = self.value(next(iter(value.values()))) if isinstance(value, dict) else self.value(value)
        return value or ""

    def class_name(self, key):
        found = self.value(key)
        return self.word(found["name"]).replace("/", ".") if found else ""

    def method_name(self, key):
        found = self.value(key)
        if not found:
            return "[unknown]"
        owner, name = self.class_name(found["type"]), self.word(found["name"])
        return f"{owner}.{name}" if owner else name

    def stack(self, key):
        """The names of a stack's methods, the innermost first."""
        if key.number not in self.stacks:
            found = self.value(key) or {"frames": []}
            self.stacks[key.number] = tuple(self.method_name(frame["method"]) for frame in found["frames"])
        return self.stacks[key.number]

    def thread(self, key):
        return self.value(key) or {}


def chunks(path):
    """The chunks of a file. Raises DamagedError."""
    data = pathlib.Path(path).read_bytes()
    found = []
    while data:
        found.append(Chunk(data))
        data = data[found[-1].size :]
    if not found:
        raise DamagedError("an empty file")
    return found


@dataclasses.dataclass
class Sample:
    """What a sample says, whatever its type."""

    time: int
    name: str
    tid: int
    java_id: int
    stack: tuple[str, ...]
    count: int
    """how many intervals it stands for"""
    about: str
    """the class of the object, monitor or blocker"""
    span_ns: int
    fields: dict[str, Any]


CLASS_FIELDS = ("objectClass", "monitorClass", "parkedClass")
CPU, WALL = "jdk.ExecutionSample", "profiler.WallClockSample"


def samples(path, *types):
    """All samples of a recording, in the order of the file."""
    for chunk in chunks(path):
        for event in chunk.events(*types):
            fields = event.fields
            thread = chunk.thread(fields.get("sampledThread") or fields.get("eventThread"))
            yield Sample(
                event.time,
                chunk.word(thread.get("javaName")) or chunk.word(thread.get("osName")),
                thread.get("osThreadId", 0),
                thread.get("javaThreadId", 0),
                chunk.stack(fields["stackTrace"]),
                fields.get("samples", 1),
                next((chunk.class_name(fields[name]) for name in CLASS_FIELDS if name in fields), ""),
                chunk.span_of(fields.get("duration", fields.get("timeSpan", 0))),
                fields,
            )


def events(path, *types):
    for chunk in chunks(path):
        yield from chunk.events(*types)


def last_time(path):
    """The end of the latest event, for knowing what is missing behind it; the beginning when there is none."""
    latest = 0
    for chunk in chunks(path):
        latest = max(latest, chunk.start_ns)
        for event in chunk.events():
            latest = max(latest, event.time + chunk.span_of(event.fields.get("duration", 0)))
    return latest
