/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a NEFF for the software device: what it reads it keeps in
 * memory not much larger than the file, and what it accepts it can run.
 */
#include "base/bare/bits.h"
#include "runtime/device/device.h"
#include "runtime/device/device_program.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A block of two bytes costs most: its queue, its map and an empty descriptor. */
#define MAX_GROWTH 4096
#define FREE_BYTES ((size_t)1 << 20)

static void read_program(const struct nx_neff *neff, size_t neff_bytes)
{
	struct nx_device_program program = {0};
	size_t unpacked = 0;

	if (nx_device_program_init(&program, neff, NULL) == NX_OK && program.core_count == 0)
		__builtin_trap();
	for (size_t i = 0; i < neff->member_count; i++)
		unpacked += neff->members[i].name.len + neff->members[i].bytes.len;
	if (program.arena.used_bytes + neff_bytes > FREE_BYTES + MAX_GROWTH * unpacked)
		__builtin_trap();
	nx_device_program_release(&program);
}

static void run_device(const struct nx_neff *neff)
{
	struct nx_device_options options = {.memory_limit_bytes = 1 << 20};
	static struct nx_device_report report;
	struct nx_device *device;

	if (nx_device_open(neff, &options, &device, NULL) != NX_OK)
		return;
	(void)nx_device_run(device, &report, NULL);
	nx_device_close(device);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nx_bytes file = {0};
	struct nx_arena arena = {0};
	struct nx_neff neff;

	/* A header that passes, and a tar that is not packed, let mutations reach what matters. */
	nx_bytes_append_zeros(&file, NX_NEFF_HEADER_BYTES);
	nx_store64(file.items, 1);
	nx_store64(file.items + 8, NX_NEFF_HEADER_BYTES);
	nx_store64(file.items + 16, size);
	nx_bytes_append(&file, data, size);
	if (nx_neff_read(nx_slice_of(file.items, file.len), &arena, &neff, NULL) == NX_OK) {
		read_program(&neff, arena.used_bytes);
		run_device(&neff);
	}
	nx_arena_release(&arena);
	nx_vec_release(&file);
	return 0;
}
