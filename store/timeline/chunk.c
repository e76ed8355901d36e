/* SPDX-License-Identifier: Apache-2.0 */
#include "store/timeline/timeline_internal.h"

#include <assert.h>

#define HEAD_BYTES 16
#define EXACT_INTEGERS 9007199254740992.0 /* 2^53: doubles below represent every integer */

/* How values of a counter are stored. */
enum coding {
	CODING_WHOLE,  /* whole numbers above a base */
	CODING_SINGLE, /* float32 */
	CODING_DOUBLE,
	CODING_EQUAL, /* all are the base, a double */
};

struct head {
	uint8_t widths[4];
	uint32_t small_base;
	uint64_t base;
};

static_assert(sizeof(struct head) == HEAD_BYTES, "stored as it is in memory");

/* Numbers about to be stored. */
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

/* The shortest coding without loss. Compares bits, so that -0.0 stays as it is. */
static enum coding choose_coding(const struct nx_sample *samples, size_t count)
{
	bool is_equal = true, is_whole = true, is_single = true;

	for (size_t i = 0; i < count; i++) {
		double value = samples[i].value;
		uint64_t bits = bits_of(value);

		is_equal = is_equal && bits == bits_of(samples[0].value);
		is_whole = is_whole && value > -EXACT_INTEGERS && value < EXACT_INTEGERS &&
			   bits_of((double)(int64_t)value) == bits;
		/* A value beyond the range of float must not be converted. */
		is_single = is_single && value >= -3e38 && value <= 3e38 &&
			    bits_of((double)(float)value) == bits;
	}
	return is_equal	   ? CODING_EQUAL
	       : is_whole  ? CODING_WHOLE
	       : is_single ? CODING_SINGLE
			   : CODING_DOUBLE;
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
	enum coding coding = choose_coding(samples, count);

	*values = (struct column){.base = 0};
	if (coding == CODING_EQUAL)
		values->base = bits_of(samples[0].value);
	else if (coding == CODING_WHOLE)
		code_whole(values, samples, count);
	else
		values->width = coding == CODING_SINGLE ? 4 : 8;
	for (size_t i = 0; i < count && values->width && coding != CODING_WHOLE; i++) {
		float single = coding == CODING_SINGLE ? (float)samples[i].value : 0;

		values->numbers[i] =
			coding == CODING_SINGLE ? nx_load32(&single) : bits_of(samples[i].value);
	}
	return coding;
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

/* The header; zeros, and so no columns, if the bytes are too short for it. */
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

/* Where the columns begin; readable zeros if there are none. */
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
