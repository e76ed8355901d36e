/* SPDX-License-Identifier: Apache-2.0 */
#include "format/xspace.h"

#include <assert.h>

#include "base/utf8.h"

#define NX_MESSAGE NX_WIRE_TABLE
#define NX_MEMBER NX_WIRE_ROW
#define NX_MESSAGE_END NX_WIRE_TABLE_END
#include "format/xspace.def"

enum wire_type { VARINT = 0, FIXED64 = 1, DELIMITED = 2 };

enum event_field {
	EVENT_METADATA = 1,
	EVENT_OFFSET = 2,
	EVENT_DURATION = 3,
	EVENT_STATS = 4,
	EVENT_OCCURRENCES = 5,
};

#define STAT_METADATA 1

/* --- stats ----------------------------------------------------------------- */

static void take_value(struct nx_xstat *stat, const struct nx_wire_value *value)
{
	static const uint8_t wire_types[] = {
		[NX_XSTAT_F64] = FIXED64,    [NX_XSTAT_U64] = VARINT,	   [NX_XSTAT_I64] = VARINT,
		[NX_XSTAT_TEXT] = DELIMITED, [NX_XSTAT_BYTES] = DELIMITED, [NX_XSTAT_REF] = VARINT,
	};

	if (value->number < NX_XSTAT_F64 || value->number > NX_XSTAT_REF ||
	    value->wire_type != wire_types[value->number])
		return;
	stat->kind = (enum nx_xstat_kind)value->number;
	stat->integer = value->integer;
	stat->text = value->bytes;
	memcpy(&stat->f64, &value->integer, sizeof(stat->f64));
}

bool nx_xstat_read(struct nx_slice message, struct nx_xstat *stat)
{
	struct nx_wire_reader reader = nx_wire_reader_of(message);
	struct nx_wire_value value;

	*stat = (struct nx_xstat){0};
	while (nx_wire_next(&reader, &value)) {
		if (value.number == STAT_METADATA && value.wire_type == VARINT)
			stat->metadata_id = (int64_t)value.integer;
		else
			take_value(stat, &value); /* of a oneof the last one counts */
	}
	return !reader.failed;
}

static size_t varint_bytes(uint64_t value)
{
	size_t count = 1;

	while (value >>= 7)
		count++;
	return count;
}

static size_t stat_bytes(const struct nx_xstat *stat)
{
	size_t len = 1 + varint_bytes((uint64_t)stat->metadata_id);

	switch (stat->kind) {
	case NX_XSTAT_NONE:
		return len;
	case NX_XSTAT_F64:
		return len + 1 + sizeof(stat->f64);
	case NX_XSTAT_TEXT:
	case NX_XSTAT_BYTES:
		return len + 1 + varint_bytes(stat->text.len) + stat->text.len;
	default:
		return len + 1 + varint_bytes(stat->integer);
	}
}

static void put_tag(struct nx_bytes *out, uint32_t number, enum wire_type type)
{
	nx_wire_put_varint(out, (uint64_t)number << 3 | type);
}

void nx_xstat_append(struct nx_bytes *out, uint32_t number, const struct nx_xstat *stat)
{
	put_tag(out, number, DELIMITED);
	nx_wire_put_varint(out, stat_bytes(stat));
	nx_wire_put_u64(out, STAT_METADATA, (uint64_t)stat->metadata_id);
	switch (stat->kind) {
	case NX_XSTAT_NONE:
		break;
	case NX_XSTAT_F64:
		put_tag(out, NX_XSTAT_F64, FIXED64);
		nx_bytes_append(out, &stat->f64, sizeof(stat->f64));
		break;
	case NX_XSTAT_TEXT:
	case NX_XSTAT_BYTES:
		nx_wire_put_bytes(out, stat->kind, stat->text);
		/* readers refuse a whole file for one text that is not UTF-8 */
		if (stat->kind == NX_XSTAT_TEXT)
			nx_utf8_repair(out->items + (out->len - stat->text.len), stat->text.len);
		break;
	default:
		nx_wire_put_u64(out, stat->kind, stat->integer);
	}
}

/* --- events ---------------------------------------------------------------- */

bool nx_xevent_read(struct nx_slice message, struct nx_xevent *event)
{
	struct nx_wire_reader reader = nx_wire_reader_of(message);
	const uint8_t *at = reader.at;
	struct nx_wire_value value;

	*event = (struct nx_xevent){0};
	for (; nx_wire_next(&reader, &value); at = reader.at) {
		if (value.wire_type == DELIMITED) {
			if (value.number == EVENT_STATS && !event->stats.len)
				event->stats = nx_slice_of(at, (size_t)(reader.end - at));
			continue;
		}
		if (value.wire_type != VARINT)
			continue;
		switch (value.number) {
		case EVENT_METADATA:
			event->metadata_id = (int64_t)value.integer;
			break;
		case EVENT_OFFSET:
			event->offset_ps = (int64_t)value.integer;
			event->is_aggregated = false;
			break;
		case EVENT_DURATION:
			event->duration_ps = (int64_t)value.integer;
			break;
		case EVENT_OCCURRENCES:
			event->occurrence_count = (int64_t)value.integer;
			event->is_aggregated = true;
			break;
		default:
			break;
		}
	}
	return !reader.failed;
}

bool nx_xevent_next_stat_bytes(struct nx_wire_reader *reader, struct nx_slice *message)
{
	struct nx_wire_value value;

	while (nx_wire_next(reader, &value))
		if (value.number == EVENT_STATS && value.wire_type == DELIMITED) {
			*message = value.bytes;
			return true;
		}
	return false;
}

bool nx_xevent_next_stat(struct nx_wire_reader *reader, struct nx_xstat *stat)
{
	struct nx_slice message;

	if (!nx_xevent_next_stat_bytes(reader, &message))
		return false;
	nx_xstat_read(message, stat);
	return true;
}

void nx_xevent_append(struct nx_bytes *out, const struct nx_xevent *event,
		      const struct nx_xstat *stats, size_t count)
{
	uint64_t place =
		(uint64_t)(event->is_aggregated ? event->occurrence_count : event->offset_ps);
	size_t len = 1 + varint_bytes((uint64_t)event->metadata_id) + 1 + varint_bytes(place);

	assert(stats || !count);
	if (event->duration_ps)
		len += 1 + varint_bytes((uint64_t)event->duration_ps);
	for (size_t i = 0; i < count; i++) {
		size_t one = stat_bytes(&stats[i]);

		len += 1 + varint_bytes(one) + one;
	}
	put_tag(out, NX_XLINE_EVENTS, DELIMITED);
	nx_wire_put_varint(out, len);
	nx_wire_put_u64(out, EVENT_METADATA, (uint64_t)event->metadata_id);
	nx_wire_put_u64(out, event->is_aggregated ? EVENT_OCCURRENCES : EVENT_OFFSET, place);
	if (event->duration_ps)
		nx_wire_put_u64(out, EVENT_DURATION, (uint64_t)event->duration_ps);
	for (size_t i = 0; i < count; i++)
		nx_xstat_append(out, EVENT_STATS, &stats[i]);
}
