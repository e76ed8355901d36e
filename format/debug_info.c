/* SPDX-License-Identifier: Apache-2.0 */
#include "format/debug_info.h"

/* An entry of a protobuf map<string, string>. */
static const struct nx_wire_field nx_debug_attribute_fields[] = {
	NX_FIELD_TEXT(1, nx_debug_attribute, key),
	NX_FIELD_TEXT(2, nx_debug_attribute, value),
};
static const struct nx_wire_message nx_debug_attribute_message =
	NX_WIRE_MESSAGE_OF(nx_debug_attribute, "attrs");

static const struct nx_wire_field nx_debug_record_fields[] = {
	NX_FIELD_U64(1, nx_debug_record, id),
	NX_FIELD_TEXT(2, nx_debug_record, name),
	NX_FIELD_LIST_U64(3, nx_debug_record, parent_ids),
	NX_FIELD_LIST_U64(4, nx_debug_record, dataflow_predecessors),
	NX_FIELD_LIST_U64(5, nx_debug_record, scheduling_predecessors),
	NX_FIELD_U64(6, nx_debug_record, instruction_type),
	NX_FIELD_LIST(7, nx_debug_record, attributes, nx_debug_attribute),
	NX_FIELD_U64(8, nx_debug_record, stack_frame_id),
	NX_FIELD_LIST_U64(9, nx_debug_record, dataflow_types),
	NX_FIELD_LIST_U64(10, nx_debug_record, scheduling_types),
};
static const struct nx_wire_message nx_debug_record_message =
	NX_WIRE_MESSAGE_OF(nx_debug_record, "instruction_debug_info");

static const struct nx_wire_field nx_debug_location_fields[] = {
	NX_FIELD_U64(1, nx_debug_location, file_name_id),
	NX_FIELD_U64(2, nx_debug_location, function_name_id),
	NX_FIELD_U64(3, nx_debug_location, line),
};
static const struct nx_wire_message nx_debug_location_message =
	NX_WIRE_MESSAGE_OF(nx_debug_location, "file_location");

static const struct nx_wire_field nx_debug_frame_fields[] = {
	NX_FIELD_U64(1, nx_debug_frame, location_id),
	NX_FIELD_U64(2, nx_debug_frame, parent_frame_id),
};
static const struct nx_wire_message nx_debug_frame_message =
	NX_WIRE_MESSAGE_OF(nx_debug_frame, "stack_frame");

static const struct nx_wire_field nx_debug_stack_index_fields[] = {
	NX_FIELD_LIST_TEXT(1, nx_debug_stack_index, file_names),
	NX_FIELD_LIST_TEXT(2, nx_debug_stack_index, function_names),
	NX_FIELD_LIST(3, nx_debug_stack_index, locations, nx_debug_location),
	NX_FIELD_LIST(4, nx_debug_stack_index, frames, nx_debug_frame),
};
static const struct nx_wire_message nx_debug_stack_index_message =
	NX_WIRE_MESSAGE_OF(nx_debug_stack_index, "debug_info_stack_frame_index");

static const struct nx_wire_field nx_debug_info_fields[] = {
	NX_FIELD_TEXT(1, nx_debug_info, description),
	NX_FIELD_TEXT(2, nx_debug_info, parent_file_name),
	NX_FIELD_LIST(3, nx_debug_info, records, nx_debug_record),
	NX_FIELD_U64(4, nx_debug_info, engine_type),
	NX_FIELD_LIST_TEXT(5, nx_debug_info, kernel_file_names),
	NX_FIELD_MESSAGE(6, nx_debug_info, stack_index, nx_debug_stack_index),
	NX_FIELD_LIST_TEXT(7, nx_debug_info, kernel_function_names),
};
const struct nx_wire_message nx_debug_info_message =
	NX_WIRE_MESSAGE_OF(nx_debug_info, "ir_debug_info");
