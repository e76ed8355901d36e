/* SPDX-License-Identifier: Apache-2.0 */
#include "store/timeline/chunk.h"
#include <assert.h>

#define HEAD_BYTES 16
#define EXACT_INTEGERS 9007199254740992.0 /* 2^53: below, doubles know every whole number */

/* How values of a counter are stored. */
enum coding {
	CODING_WHOLE,  /* whole numbers above a base */
	CODING_SINGLE, /* float32 */
	CODING_DOUBLE,
	CODING_EQUAL, /* the base, as a double, is all of them */
};

struct head {
	uint8_t widths[4];
	uint32_t small_base;
	uint64_t base;
};

_Static_assert(sizeof(struct head) == HEAD_BYTES, "the head is stored as it is");

/* Numbers about to be stored, and what they have in common. */
struct column {
	uint64_t numbers[NX_CHUNK_ROWS];
	uint64_t base;
	unsigned width;
};

static void lower_to_base(struct column *column, size_t count)
{
	uint64_t largest = 0;

	for (size_t i = 0; i < count; i++) {
		column->numbers[i] -= column->base;
		largest |= column->numbers[i];
	}
	column->width = nx_packed_width(largest);
}

static void lower_to_smallest(struct column *column, size_t count)
{
	column->base = column->numbers[0];
	for (size_t i = 1; i < count; i++) {
		if (column->numbers[i] < column->base)
			column->base = column->numbers[i];
	}
	lower_to_base(column, count);
}

void nx_span_chunk_append(struct nx_bytes *bytes, const struct nx_span *spans, size_t count)
{
	struct column starts = {.base = spans[0].start_ns};
	struct column lengths = {.base = 0}, names, rows;
	struct head head;

	assert(count && count <= NX_CHUNK_ROWS);
	for (size_t i = 0; i < count; i++) {
		starts.numbers[i] = spans[i].start_ns;
		lengths.numbers[i] = spans[i].end_ns - spans[i].start_ns;
		names.numbers[i] = spans[i].name;
		rows.numbers[i] = spans[i].row;
	}
	lower_to_base(&starts, count);
	lower_to_base(&lengths, count);
	lower_to_smallest(&names, count);
	lower_to_smallest(&rows, count);
	head = (struct head){
		.widths = {(uint8_t)starts.width, (uint8_t)lengths.width, (uint8_t)names.width,
			   (uint8_t)rows.width},
		.small_base = (uint32_t)names.base,
		.base = rows.base,
	};
	nx_bytes_append(bytes, &head, sizeof(head));
	nx_packed_append(bytes, starts.numbers, count, starts.width);
	nx_packed_append(bytes, lengths.numbers, count, lengths.width);
	nx_packed_append(bytes, names.numbers, count, names.width);
	nx_packed_append(bytes, rows.numbers, count, rows.width);
}

static uint64_t bits_of(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static double double_of(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

/* Bits are compared, so that -0.0 stays what it is. */
static bool are_whole(const struct nx_sample *samples, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		double value = samples[i].value;

		if (!(value > -EXACT_INTEGERS && value < EXACT_INTEGERS) ||
		    bits_of((double)(int64_t)value) != bits_of(value))
			return false;
	}
	return true;
}

static bool are_single(const struct nx_sample *samples, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		double value = samples[i].value;

		/* A value beyond the range of float must not be converted. */
		if (!(value >= -3e38 && value <= 3e38) ||
		    bits_of((double)(float)value) != bits_of(value))
			return false;
	}
	return true;
}

static bool are_equal(const struct nx_sample *samples, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		if (bits_of(samples[i].value) != bits_of(samples[0].value))
			return false;
	}
	return true;
}

static void code_whole(struct column *values, const struct nx_sample *samples, size_t count)
{
	int64_t smallest = (int64_t)samples[0].value;

	for (size_t i = 0; i < count; i++) {
		values->numbers[i] = (uint64_t)(int64_t)samples[i].value;
		if ((int64_t)samples[i].value < smallest)
			smallest = (int64_t)samples[i].value;
	}
	values->base = (uint64_t)smallest;
	lower_to_base(values, count);
}

static enum coding code_values(struct column *values, const struct nx_sample *samples, size_t count)
{
	bool is_single;

	*values = (struct column){.base = bits_of(samples[0].value)};
	if (are_equal(samples, count))
		return CODING_EQUAL;
	if (are_whole(samples, count)) {
		code_whole(values, samples, count);
		return CODING_WHOLE;
	}
	is_single = are_single(samples, count);
	values->base = 0;
	values->width = is_single ? 4 : 8;
	for (size_t i = 0; i < count; i++) {
		float value = is_single ? (float)samples[i].value : 0;

		values->numbers[i] = bits_of(samples[i].value);
		if (is_single)
			values->numbers[i] = nx_load32(&value);
	}
	return is_single ? CODING_SINGLE : CODING_DOUBLE;
}

void nx_sample_chunk_append(struct nx_bytes *bytes, const struct nx_sample *samples, size_t count)
{
	struct column times = {.base = samples[0].time_ns}, values;
	enum coding coding = code_values(&values, samples, count);
	struct head head;

	assert(count && count <= NX_CHUNK_ROWS);
	for (size_t i = 0; i < count; i++)
		times.numbers[i] = samples[i].time_ns;
	lower_to_base(&times, count);
	head = (struct head){
		.widths = {(uint8_t)times.width, (uint8_t)values.width, (uint8_t)coding, 0},
		.base = values.base,
	};
	nx_bytes_append(bytes, &head, sizeof(head));
	nx_packed_append(bytes, times.numbers, count, times.width);
	nx_packed_append(bytes, values.numbers, count, values.width);
}

/* The head, or zeros when what it tells of is not there: then there are no columns either. */
static struct head read_head(struct nx_slice bytes, size_t count, unsigned column_count)
{
	struct head head = {0};
	size_t need = sizeof(head) + NX_PACKED_SLACK;
	bool is_wrong = false;

	if (bytes.len < need)
		return head;
	memcpy(&head, bytes.data, sizeof(head));
	for (unsigned i = 0; i < column_count; i++) {
		is_wrong |= head.widths[i] > 8;
		need += nx_packed_bytes(count, head.widths[i]);
	}
	return is_wrong || need > bytes.len ? (struct head){0} : head;
}

/* Bytes that can be read as nothing where there is nothing. */
static const uint8_t *columns_of(struct nx_slice bytes)
{
	static const uint8_t nothing[NX_PACKED_SLACK];

	return bytes.len < sizeof(struct head) + NX_PACKED_SLACK ? nothing
								 : bytes.data + sizeof(struct head);
}

void nx_span_chunk_read(struct nx_span_chunk *chunk, struct nx_slice bytes, uint64_t first_ns,
			size_t count)
{
	struct head head = read_head(bytes, count, 4);
	const uint8_t *at = columns_of(bytes);

	chunk->first_ns = first_ns;
	chunk->count = count;
	chunk->starts = (struct nx_packed){at, head.widths[0]};
	at += nx_packed_bytes(count, head.widths[0]);
	chunk->lengths = (struct nx_packed){at, head.widths[1]};
	at += nx_packed_bytes(count, head.widths[1]);
	chunk->names = (struct nx_packed){at, head.widths[2]};
	at += nx_packed_bytes(count, head.widths[2]);
	chunk->rows = (struct nx_packed){at, head.widths[3]};
	chunk->name_base = head.small_base;
	chunk->row_base = head.base;
}

void nx_sample_chunk_read(struct nx_sample_chunk *chunk, struct nx_slice bytes, uint64_t first_ns,
			  size_t count)
{
	struct head head = read_head(bytes, count, 2);
	const uint8_t *at = columns_of(bytes);

	*chunk = (struct nx_sample_chunk){
		.first_ns = first_ns,
		.count = count,
		.times = {at, head.widths[0]},
		.values = {at + nx_packed_bytes(count, head.widths[0]), head.widths[1]},
		.coding = head.widths[2],
		.value_base = head.base,
	};
}

struct nx_span nx_span_chunk_span(const struct nx_span_chunk *chunk, size_t i)
{
	uint64_t start_ns = nx_span_chunk_start(chunk, i);

	return (struct nx_span){
		.start_ns = start_ns,
		.end_ns = start_ns + nx_packed_at(chunk->lengths, i),
		.row = nx_span_chunk_row(chunk, i),
		.name = nx_span_chunk_name(chunk, i),
	};
}

double nx_sample_chunk_value(const struct nx_sample_chunk *chunk, size_t i)
{
	uint64_t number = nx_packed_at(chunk->values, i);
	float single;

	switch (chunk->coding) {
	case CODING_WHOLE:
		return (double)(int64_t)(chunk->value_base + number);
	case CODING_SINGLE:
		memcpy(&single, &number, sizeof(single));
		return (double)single;
	case CODING_DOUBLE:
		return double_of(number);
	case CODING_EQUAL:
		return double_of(chunk->value_base);
	default:
		return 0;
	}
}
