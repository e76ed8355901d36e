/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any words as a program, on a core whose memory is real: whatever they ask
 * for, they stay inside SBUF, PSUM and the variables. The first byte chooses
 * the order of engines and whether the second half of the input is a table of
 * DMA blocks; the rest are instruction words, dealt out to the engines.
 */
#include <string.h>

#include "base/arena.h"
#include "base/bare/bits.h"
#include "format/neff.h"
#include "runtime/device/device.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define SLOT_BYTES 64
#define MAX_SLOTS 10 /* a word may work on all of SBUF, so more would only be slower */

static const char kelf[] = "{\"graphs\":[{\"name\":\"sg00\",\"definition\":\"d.json\"},"
			   "{\"name\":\"sg01\",\"definition\":\"d.json\"}],\"target\":\"cayman\"}";
static const char definition[] =
	"{\"pe_instr\":\"0\",\"act_instr\":\"1\",\"pool_instr\":\"2\",\"dve_instr\":\"3\","
	"\"sp_instr\":\"4\",\"sp\":\"sp.json\",\"var\":{"
	"\"SB\":{\"type\":\"state-buffer\",\"var_id\":0},"
	"\"x\":{\"type\":\"input\",\"var_id\":1,\"size\":4096},"
	"\"y\":{\"type\":\"output\",\"var_id\":2,\"size\":4096},"
	"\"v\":{\"type\":\"virtual\",\"var_id\":3,\"size\":512,\"backing_variable_off\":128},"
	"\"r\":{\"type\":\"remote\",\"var_id\":4},"
	"\"t\":{\"type\":\"dge-table\",\"var_id\":5,\"list\":[1,2,3]}}}";

/* Engine e gets every fifth word. */
static void deal(struct nx_slice words, unsigned engine, struct nx_bytes *out)
{
	size_t count = words.len / SLOT_BYTES;

	nx_vec_clear(out);
	for (size_t i = engine; i < count && i < MAX_SLOTS; i += 5)
		nx_bytes_append(out, words.data + i * SLOT_BYTES, SLOT_BYTES);
}

static void pack(struct nx_slice words, struct nx_slice blocks, struct nx_bytes *file)
{
	static const char *const names[] = {"0", "1", "2", "3", "4"};
	struct nx_neff_header header = {.package_version = 1, .header_size = NX_NEFF_HEADER_BYTES};
	struct nx_neff_member members[8];
	struct nx_bytes streams[5];

	memset(streams, 0, sizeof(streams));
	for (unsigned e = 0; e < 5; e++) {
		deal(words, e, &streams[e]);
		members[e] = (struct nx_neff_member){nx_slice_text(names[e]),
						     nx_slice_of(streams[e].items, streams[e].len)};
	}
	members[5] = (struct nx_neff_member){nx_slice_text("kelf-0.json"), nx_slice_text(kelf)};
	members[6] = (struct nx_neff_member){nx_slice_text("d.json"), nx_slice_text(definition)};
	members[7] = (struct nx_neff_member){nx_slice_text("sp.json"), blocks};
	nx_neff_write(&header, members, 8, file);
	for (unsigned e = 0; e < 5; e++)
		nx_vec_release(&streams[e]);
}

static void check_report(const struct nx_device_report *report)
{
	uint64_t sum = 0;

	for (unsigned e = 0; e < NX_ENGINE_COUNT; e++)
		for (unsigned o = 0; o < 256; o++)
			sum += report->executed[e][o];
	if (sum != report->executed_count || report->fault_count > NX_FAULT_KEPT)
		__builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nx_device_options options = {.memory_limit_bytes = 1 << 20};
	struct nx_slice input = nx_slice_of(data, size), blocks = {NULL, 0};
	static struct nx_device_report report;
	struct nx_bytes file = {0};
	struct nx_arena arena = {0};
	struct nx_neff neff;
	struct nx_device *device;

	if (size < 1)
		return 0;
	options.seed = data[0] >> 1;
	input = nx_slice_part(input, 1, input.len);
	if (data[0] & 1) {
		blocks = nx_slice_part(input, input.len / 2, input.len);
		input.len /= 2;
	}
	pack(input, blocks, &file);
	if (nx_neff_read(nx_slice_of(file.items, file.len), &arena, &neff, NULL) == NX_OK &&
	    nx_device_open(&neff, &options, &device, NULL) == NX_OK) {
		(void)nx_device_run(device, &report, NULL);
		check_report(&report);
		nx_device_close(device);
	}
	nx_arena_release(&arena);
	nx_vec_release(&file);
	return 0;
}
