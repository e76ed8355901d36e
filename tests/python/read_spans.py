# SPDX-License-Identifier: Apache-2.0
"""Reads spans.pb (docs/formats/spans.md), independently of the program."""

import dataclasses
import pathlib
import struct

(SESSION, DEFINITION, THREAD, BEGIN, END, COMPLETE, INSTANT, COUNTER, FLOW_OUT, FLOW_IN,
 COUNTS) = range(1, 12)
ANNOTATION, PYTHON, OPERATOR, STEP, RUNTIME, FRAMEWORK = range(6)


def fields(data):
    """(number, value) of a protobuf message; texts and messages are bytes."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        key = varint()
        if key & 7 == 0:
            value = varint()
        elif key & 7 == 1:
            value = data[at:at + 8]
            at += 8
        else:
            length = varint()
            value = data[at:at + length]
            at += length
        yield key >> 3, value


@dataclasses.dataclass
class Span:
    name: str
    kind: int
    file: str
    line: int
    thread: int
    start: int
    end: int = 0
    step: int = -1
    attributes: dict = dataclasses.field(default_factory=dict)

    @property
    def duration(self):
        return self.end - self.start

    def encloses(self, other):
        return (self.thread == other.thread and self.start <= other.start and
                other.end <= self.end and self is not other)


def attribute(data, names):
    key = kind = integer = 0
    number, text = 0.0, b''
    for field, value in fields(data):
        if field == 1:
            key = value
        elif field == 2:
            kind = value
        elif field == 3:
            integer = value
        elif field == 4:
            number = struct.unpack('<d', value)[0]
        elif field == 5:
            text = value
    signed = integer - (1 << 64) if integer >> 63 else integer
    values = {1: signed, 2: integer, 3: number, 4: bool(integer), 5: text.decode(),
              6: names.get(integer, ('', 0, '', 0))[0]}
    return names.get(key, ('?',))[0], values[kind]


class Spans:
    """All records of the sessions of one process, or of all processes, below a folder."""

    def __init__(self, folder):
        self.spans, self.instants, self.counters, self.flows = [], [], [], []
        self.threads, self.recorded, self.lost, self.sessions = {}, 0, 0, 0
        self.is_complete, self.events = True, 0
        for path in sorted(pathlib.Path(folder).rglob('spans.pb')):
            self.read(path.read_bytes())

    def read(self, data):
        names, opened = {0: ('', 0, '', 0)}, {}
        at, is_complete = 0, False
        self.sessions += 1
        while at + 4 <= len(data):
            length = struct.unpack_from('<I', data, at)[0]
            if at + 4 + length > len(data):
                break
            message = data[at + 4:at + 4 + length]
            at += 4 + length
            one, lists = {}, []
            for field, value in fields(message):
                if field == 9:
                    lists.append(value)
                else:
                    one[field] = value
            what = one.get(1, 0)
            if what == DEFINITION:
                names[one.get(6, 0)] = (one.get(7, b'').decode(), one.get(8, 0),
                                        one.get(14, b'').decode(), one.get(15, 0))
            elif what == THREAD:
                self.threads[one.get(4)] = one.get(7, b'').decode()
            elif what == COUNTS:
                self.recorded += one.get(16, 0)
                self.lost += one.get(17, 0)
                is_complete = True
            else:
                self.take(what, one, [attribute(item, names) for item in lists], names, opened)
        self.is_complete &= is_complete

    def take(self, what, one, attributes, names, opened):
        self.events += what != SESSION
        name, kind, file, line = names.get(one.get(6, 0), ('', 0, '', 0))
        if 7 in one:
            name, kind = one[7].decode(), one.get(8, 0)
        span = Span(name, kind, file, line, one.get(4), one.get(2, 0), attributes=dict(attributes))
        if what == BEGIN:
            if one.get(11):
                span.step = one.get(12, 0)
            opened[one[5]] = span
            self.spans.append(span)
        elif what == END and one.get(5) in opened:
            opened[one[5]].end = span.start
            opened.pop(one[5]).attributes.update(span.attributes)
        elif what == COMPLETE:
            span.end = one.get(3, 0)
            self.spans.append(span)
        elif what == INSTANT:
            self.instants.append(span)
        elif what == COUNTER:
            self.counters.append((name, struct.unpack('<d', one.get(13, bytes(8)))[0]))
        elif what in (FLOW_OUT, FLOW_IN):
            self.flows.append((what == FLOW_OUT, one.get(10), span.thread))

    def named(self, name):
        return [span for span in self.spans if span.name == name]

    def one(self, name):
        found = self.named(name)
        assert len(found) == 1, f'{name}: {len(found)} spans; there are {self.names()}'
        return found[0]

    def names(self):
        return sorted({span.name for span in self.spans})
