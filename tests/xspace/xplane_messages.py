# SPDX-License-Identifier: Apache-2.0
"""The messages of XSpace for Google's protobuf library, independent of our own reader and writer.

XSpace() is the class of the whole; the field numbers are those of the published schema.
"""
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

PACKAGE = "tensorflow.profiler"
# message: (field, number, type), a type in [] is repeated, one in () a member of a oneof
MESSAGES = {
    "XStatMetadata": [("id", 1, "int64"), ("name", 2, "string"), ("description", 3, "string")],
    "XStat": [("metadata_id", 1, "int64"), ("double_value", 2, ("value", "double")),
              ("uint64_value", 3, ("value", "uint64")), ("int64_value", 4, ("value", "int64")),
              ("str_value", 5, ("value", "string")), ("bytes_value", 6, ("value", "bytes")),
              ("ref_value", 7, ("value", "uint64"))],
    "XEventMetadata": [("id", 1, "int64"), ("name", 2, "string"), ("metadata", 3, "bytes"),
                       ("display_name", 4, "string"), ("stats", 5, ["XStat"]),
                       ("child_id", 6, ["int64"])],
    "XEvent": [("metadata_id", 1, "int64"), ("offset_ps", 2, ("data", "int64")),
               ("num_occurrences", 5, ("data", "int64")), ("duration_ps", 3, "int64"),
               ("stats", 4, ["XStat"])],
    "XLine": [("id", 1, "int64"), ("name", 2, "string"), ("timestamp_ns", 3, "int64"),
              ("events", 4, ["XEvent"]), ("duration_ps", 9, "int64"), ("display_id", 10, "int64"),
              ("display_name", 11, "string")],
    "EventEntry": [("key", 1, "int64"), ("value", 2, "XEventMetadata")],
    "StatEntry": [("key", 1, "int64"), ("value", 2, "XStatMetadata")],
    "XPlane": [("id", 1, "int64"), ("name", 2, "string"), ("lines", 3, ["XLine"]),
               ("event_metadata", 4, ["EventEntry"]), ("stat_metadata", 5, ["StatEntry"]),
               ("stats", 6, ["XStat"])],
    "XSpace": [("planes", 1, ["XPlane"]), ("errors", 2, ["string"]), ("warnings", 3, ["string"]),
               ("hostnames", 4, ["string"])],
}


def _add_field(message, name, number, kind, oneofs):
    field = message.field.add(name=name, number=number)
    field.label = field.LABEL_OPTIONAL
    if isinstance(kind, list):
        field.label, kind = field.LABEL_REPEATED, kind[0]
    elif isinstance(kind, tuple):
        group, kind = kind
        if group not in oneofs:
            oneofs[group] = len(message.oneof_decl)
            message.oneof_decl.add(name=group)
        field.oneof_index = oneofs[group]
    if kind in MESSAGES:
        field.type, field.type_name = field.TYPE_MESSAGE, f".{PACKAGE}.{kind}"
    else:
        field.type = getattr(field, "TYPE_" + kind.upper())


def _make_class():
    file = descriptor_pb2.FileDescriptorProto(name="xplane.proto", package=PACKAGE,
                                              syntax="proto3")
    for name, fields in MESSAGES.items():
        message, oneofs = file.message_type.add(name=name), {}
        for field in fields:
            _add_field(message, *field, oneofs)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    found = pool.FindMessageTypeByName(PACKAGE + ".XSpace")
    if hasattr(message_factory, "GetMessageClass"):
        return message_factory.GetMessageClass(found)
    return message_factory.MessageFactory(pool).GetPrototype(found)


XSpace = _make_class()


def read(path):
    space = XSpace()
    with open(path, "rb") as file:
        space.ParseFromString(file.read())
    return space


def names(entries):
    return {entry.key: entry.value.name for entry in entries}


def stat_value(stat, stat_names):
    """The value of a stat; a reference is the name it refers to, bytes are None."""
    kind = stat.WhichOneof("value")
    if kind is None or kind == "bytes_value":
        return None
    value = getattr(stat, kind)
    return stat_names.get(value) if kind == "ref_value" else value
