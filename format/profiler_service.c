/* SPDX-License-Identifier: Apache-2.0 */
#include "format/profiler_service.h"

#define NX_MESSAGE NX_WIRE_TABLE
#define NX_MEMBER NX_WIRE_ROW
#define NX_MESSAGE_END NX_WIRE_TABLE_END
#include "format/profiler_service.def"

enum wire_type { VARINT = 0, DELIMITED = 2 };

struct nx_service_options nx_service_options_default(void)
{
	return (struct nx_service_options){
		.include_dataset_ops = true,
		.host_tracer_level = 2,
		.device_tracer_level = 1,
		.version = 1,
		.enable_hlo_proto = true,
	};
}

bool nx_service_value_read(struct nx_slice message, struct nx_service_value *value)
{
	struct nx_wire_reader reader = nx_wire_reader_of(message);
	struct nx_wire_value field;

	*value = (struct nx_service_value){0};
	while (nx_wire_next(&reader, &field)) {
		bool is_text = field.number == NX_SERVICE_VALUE_TEXT;

		if (field.number > NX_SERVICE_VALUE_I64 ||
		    field.wire_type != (is_text ? DELIMITED : VARINT))
			continue;
		/* of a oneof the last one counts */
		value->kind = (enum nx_service_value_kind)field.number;
		value->text = field.bytes;
		value->integer = value->kind == NX_SERVICE_VALUE_BOOL ? field.integer != 0
								      : (int64_t)field.integer;
	}
	return !reader.failed;
}

void nx_service_value_append(struct nx_bytes *out, const struct nx_service_value *value)
{
	if (value->kind == NX_SERVICE_VALUE_TEXT)
		nx_wire_put_bytes(out, NX_SERVICE_VALUE_TEXT, value->text);
	else if (value->kind != NX_SERVICE_VALUE_NONE)
		nx_wire_put_u64(out, value->kind, (uint64_t)value->integer);
}

struct nx_service_value nx_service_options_find(const struct nx_service_options *options,
						const char *key)
{
	struct nx_service_value value = {0};

	for (size_t i = 0; i < options->advanced_configuration.count; i++) {
		const struct nx_service_advanced_entry *entry =
			&options->advanced_configuration.items[i];

		if (nx_slice_is(entry->key, key))
			(void)nx_service_value_read(entry->value, &value);
	}
	return value;
}
