/* SPDX-License-Identifier: Apache-2.0 */
#include "format/ntff.h"

#include <assert.h>

#include "base/bare/bits.h"

#define NX_MESSAGE NX_WIRE_TABLE
#define NX_MEMBER NX_WIRE_ROW
#define NX_MESSAGE_END NX_WIRE_TABLE_END
#include "format/ntff.def"

#define PROTO_SIZE_OFFSET 1
static_assert(PROTO_SIZE_OFFSET + sizeof(uint64_t) <= NX_NTFF_HEADER_BYTES, "inside the header");

static enum nx_status check_header(struct nx_slice file, struct nx_error *err)
{
	if (file.len == 0)
		return nx_fail(err, NX_FORMAT,
			       "the NTFF is empty: a capture that recorded nothing leaves such a "
			       "file, so check that the model ran while profiling was on and "
			       "capture again");
	if (file.len <= NX_NTFF_HEADER_BYTES)
		return nx_fail(
			err, NX_FORMAT,
			"the file has only %zu bytes, but an NTFF begins with a header of %d "
			"bytes and a message: it was cut off or is not an NTFF",
			file.len, NX_NTFF_HEADER_BYTES);
	if (file.data[0] < NX_NTFF_OLDEST_VERSION || file.data[0] > NX_NTFF_NEWEST_VERSION)
		return nx_fail(err, NX_VERSION,
			       "NTFF version %u is not supported (this build reads %d to %d): the "
			       "file is from another runtime generation or is not an NTFF",
			       file.data[0], NX_NTFF_OLDEST_VERSION, NX_NTFF_NEWEST_VERSION);
	if (nx_load64(file.data + PROTO_SIZE_OFFSET) == 0)
		return nx_fail(err, NX_FORMAT,
			       "the NTFF header announces a message of 0 bytes: the capture was "
			       "not finished, capture again");
	return NX_OK;
}

/* Arbitrary bytes often parse as a message of unknown fields, which sets nothing. */
static bool is_blank(const struct nx_ntff_info *info)
{
	return !info->name.len && !info->uuid.len && !info->nodes.count && !info->arch &&
	       !info->instance_type.len && !info->session_rings.count && !info->executions.count;
}

/* --- blobs ------------------------------------------------------------------ */

static bool is_outside(const struct nx_ntff *ntff, struct nx_slice inline_bytes, uint64_t offset,
		       uint64_t size)
{
	if (inline_bytes.len || size == 0)
		return false;
	return offset > ntff->blobs.len || size > ntff->blobs.len - offset;
}

static bool any_code_outside(const struct nx_ntff *ntff, const struct nx_ntff_code *codes,
			     size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (is_outside(ntff, codes[i].inline_code, codes[i].offset, codes[i].size))
			return true;
	return false;
}

static bool any_ring_outside(const struct nx_ntff *ntff, const struct nx_ntff_ring *rings,
			     size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (is_outside(ntff, rings[i].inline_records, rings[i].offset, rings[i].size))
			return true;
	return false;
}

static bool graph_reaches_outside(const struct nx_ntff *ntff, const struct nx_ntff_graph *graph)
{
	const struct nx_ntff_collectives *cc = &graph->collectives;

	return any_code_outside(ntff, graph->code.items, graph->code.count) ||
	       any_code_outside(ntff, graph->cc_code.items, graph->cc_code.count) ||
	       any_code_outside(ntff, cc->topsp.items, cc->topsp.count) ||
	       any_ring_outside(ntff, graph->rings.items, graph->rings.count);
}

static bool any_blob_outside(const struct nx_ntff *ntff)
{
	const struct nx_ntff_info *info = &ntff->info;

	if (any_ring_outside(ntff, info->session_rings.items, info->session_rings.count))
		return true;
	for (size_t i = 0; i < info->nodes.count; i++) {
		const struct nx_ntff_device_node *device = &info->nodes.items[i].device;

		for (size_t j = 0; j < device->graphs.count; j++)
			if (graph_reaches_outside(ntff, &device->graphs.items[j]))
				return true;
	}
	return false;
}

static struct nx_slice blob_bytes(const struct nx_ntff *ntff, struct nx_slice inline_bytes,
				  uint64_t offset, uint64_t size)
{
	if (inline_bytes.len || size == 0 || offset >= ntff->blobs.len)
		return inline_bytes;
	return nx_slice_part(ntff->blobs, offset, size);
}

struct nx_slice nx_ntff_code_bytes(const struct nx_ntff *ntff, const struct nx_ntff_code *code)
{
	return blob_bytes(ntff, code->inline_code, code->offset, code->size);
}

struct nx_slice nx_ntff_ring_bytes(const struct nx_ntff *ntff, const struct nx_ntff_ring *ring)
{
	return blob_bytes(ntff, ring->inline_records, ring->offset, ring->size);
}

/* In two parts, because the product of a time and a step exceeds 64 bits. */
uint64_t nx_ntff_clock_ticks(const struct nx_ntff_clock *clock, uint64_t time_ps)
{
	uint64_t expected = clock->expected, whole, rest;

	if (!expected || !clock->actual)
		return clock->init + time_ps;
	whole = time_ps / expected;
	rest = time_ps % expected;
	return clock->init + whole * clock->actual +
	       (rest * clock->actual + expected - 1) / expected;
}

/* --- reading and writing --------------------------------------------------------- */

enum nx_status nx_ntff_read(struct nx_slice file, struct nx_arena *arena, struct nx_ntff *out,
			    struct nx_error *err)
{
	uint64_t proto_size;
	struct nx_slice rest, proto;
	enum nx_status st;

	memset(out, 0, sizeof(*out));
	st = check_header(file, err);
	if (st)
		return st;
	out->version = file.data[0];
	proto_size = nx_load64(file.data + PROTO_SIZE_OFFSET);
	rest = nx_slice_part(file, NX_NTFF_HEADER_BYTES, SIZE_MAX);
	proto = nx_slice_part(rest, 0, proto_size);
	out->blobs = nx_slice_part(rest, proto_size, SIZE_MAX);
	st = nx_wire_decode(&nx_ntff_info_message, proto, &out->info, arena, &out->loss, err);
	if (st) {
		nx_context(err, "the message after the NTFF header cannot be read");
		return st;
	}
	if (is_blank(&out->info))
		return nx_fail(err, NX_FORMAT,
			       "the message after the NTFF header has none of the fields of a "
			       "capture: the file is damaged or not an NTFF");
	out->is_truncated = proto_size > rest.len || any_blob_outside(out);
	return NX_OK;
}

void nx_ntff_write_head(uint8_t version, const struct nx_ntff_info *info, struct nx_bytes *out)
{
	size_t header = out->len;

	assert(version >= NX_NTFF_OLDEST_VERSION && version <= NX_NTFF_NEWEST_VERSION);
	nx_bytes_append_zeros(out, NX_NTFF_HEADER_BYTES);
	nx_wire_encode(&nx_ntff_info_message, info, out);
	out->items[header] = version;
	nx_store64(out->items + header + PROTO_SIZE_OFFSET,
		   out->len - header - NX_NTFF_HEADER_BYTES);
}
